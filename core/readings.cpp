// SPDX-License-Identifier: GPL-3.0-or-later
#include "readings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace oakemu {
namespace {

/// The nearest whole number, a half to the even one; saturates.
std::int64_t whole(double value) {
    constexpr double limit = 0x1p63, fine = 0x1p51;
    // Above this number doubles are whole, so that adding it rounds. Calls of the library's functions would cost more than the rest.
    constexpr double rounder = 0x1.8p52;
    if (std::fabs(value) < fine) return static_cast<std::int64_t>((value + rounder) - rounder);
    if (value >= limit) return std::numeric_limits<std::int64_t>::max();
    if (value <= -limit) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(std::nearbyint(value));
}

}  // namespace

Readings::Readings(const Rules& rules)
    : after_(rules.num_variables()),
      before_(after_),
      calls_(rules.config.hooks.size()),
      numbers_(after_.size()),
      numbers_before_(after_.size()),
      call_numbers_(calls_.size()) {}

void Readings::begin(const Rules& rules, const Machine& machine) {
    std::ranges::fill(calls_, 0U);
    std::ranges::fill(after_, 0);
    read(rules, machine);
    before_ = after_;
    numbers_before_ = numbers_;
    std::size_t place = rules.config.variables.size();
    for (const Expression& derived : rules.derived) {
        set(place, whole(evaluate(derived)));
        before_[place] = after_[place];
        numbers_before_[place] = numbers_[place];
        ++place;
    }
}

void Readings::advance(const Rules& rules, const Machine& machine) {
    std::swap(before_, after_);
    std::swap(numbers_before_, numbers_);
    read(rules, machine);
    std::size_t place = rules.config.variables.size();
    for (const Expression& derived : rules.derived) set(place++, whole(evaluate(derived)));
}

void Readings::restore(const Rules& rules, const Machine& machine, std::span<const std::int64_t> derived) {
    read(rules, machine);
    std::size_t place = rules.config.variables.size();
    for (const std::int64_t value : derived) set(place++, value);
}

/// The variables that lie in memory, and the calls, as numbers.
void Readings::read(const Rules& rules, const Machine& machine) {
    read_variables(machine, rules.variables, after_);
    std::ranges::copy(after_, numbers_.begin());
    std::ranges::copy(calls_, call_numbers_.begin());
}

void Readings::set(std::size_t place, std::int64_t value) {
    after_[place] = value;
    numbers_[place] = static_cast<double>(value);
}

}  // namespace oakemu
