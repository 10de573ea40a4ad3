// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "batch_config.hpp"
#include "machine.hpp"
#include "program.hpp"

namespace oakemu {

/// What is known of the game in one environment: its variables, plain ones first, as they are after the last step and were before it,
/// and how often each routine was called in it.
class Readings {
public:
    explicit Readings(const Rules& rules);

    /// At the start of an episode, where nothing has been called and what was before is what is now.
    void begin(const Rules& rules, const Machine& machine);

    /// After a step, whose calls have been counted.
    void advance(const Rules& rules, const Machine& machine);

    /// Where the machine has been put back. Derived variables may depend on more than the machine, so their values are given.
    void restore(const Rules& rules, const Machine& machine, std::span<const std::int64_t> derived);

    double evaluate(const Expression& expression) const { return expression.evaluate({numbers_, numbers_before_, call_numbers_}); }

    /// Whether a condition holds; an empty one never does.
    bool holds(const Expression& condition) const { return !condition.empty() && evaluate(condition) != 0.0; }

    std::span<const std::int64_t> variables() const { return after_; }
    std::span<const std::int64_t> variables_before() const { return before_; }
    std::span<const std::int64_t> derived(const Rules& rules) const { return variables().subspan(rules.config.variables.size()); }

    std::vector<std::uint32_t>& calls() { return calls_; }

private:
    void read(const Rules& rules, const Machine& machine);
    void set(std::size_t place, std::int64_t value);

    std::vector<std::int64_t> after_, before_;
    std::vector<std::uint32_t> calls_;
    std::vector<double> numbers_, numbers_before_, call_numbers_;  ///< the same as expressions take them
};

}  // namespace oakemu
