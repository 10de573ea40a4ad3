// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <initializer_list>
#include <iostream>
#include <source_location>
#include <string_view>
#include <type_traits>

/// Counts and prints the checks of one test that fail. A test goes on after a failure.
class Check {
public:
    explicit Check(std::string_view test) : test_(test) {}

    void that(bool holds, std::string_view what, const std::source_location& where = std::source_location::current()) {
        if (!holds) {
            fail(where) << what << " does not hold\n";
        }
    }

    template <class Got, class Want>
    void equal(const Got& got, const Want& want, std::string_view what,
               const std::source_location& where = std::source_location::current()) {
        if (!(got == static_cast<Got>(want))) {
            fail(where) << what << " is " << printable(got) << ", not " << printable(static_cast<Got>(want)) << '\n';
        }
    }

    int failures() const { return failures_; }

private:
    template <class Value>
    static auto printable(const Value& value) {
        if constexpr (std::is_integral_v<Value> && sizeof(Value) == 1) {
            return static_cast<int>(value);
        } else {
            return value;
        }
    }

    std::ostream& fail(const std::source_location& where) {
        ++failures_;
        return std::cerr << where.file_name() << ':' << where.line() << ": " << test_ << ": ";
    }

    std::string_view test_;
    int failures_ = 0;
};

struct Test {
    std::string_view name;
    void (*run)(Check& check);
};

/// Runs all tests; gives the exit status of the program.
inline int run_tests(std::initializer_list<Test> tests) {
    int failed = 0;
    for (const Test& test : tests) {
        Check check(test.name);
        test.run(check);
        failed += check.failures() != 0 ? 1 : 0;
    }
    std::cerr << tests.size() - static_cast<std::size_t>(failed) << " of " << tests.size() << " tests passed\n";
    return failed == 0 ? 0 : 1;
}
