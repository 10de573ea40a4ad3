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
    constexpr double limit = 0x1p63;
    if (value >= limit) return std::numeric_limits<std::int64_t>::max();
    if (value <= -limit) return std::numeric_limits<std::int64_t>::min();
    return static_cast<std::int64_t>(std::nearbyint(value));
}

}  // namespace

Readings::Readings(const Rules& rules) : after_(rules.num_variables()), before_(rules.num_variables()), calls_(rules.config.hooks.size()) {}

void Readings::begin(const Rules& rules, const Machine& machine) {
    std::fill(calls_.begin(), calls_.end(), 0U);
    std::fill(after_.begin(), after_.end(), 0);
    read(rules, machine);
    before_ = after_;
    std::size_t place = rules.config.variables.size();
    for (const Expression& derived : rules.derived) {
        after_[place] = whole(evaluate(derived));
        before_[place] = after_[place];
        ++place;
    }
}

void Readings::advance(const Rules& rules, const Machine& machine) {
    std::swap(before_, after_);
    read(rules, machine);
    std::size_t place = rules.config.variables.size();
    for (const Expression& derived : rules.derived) after_[place++] = whole(evaluate(derived));
}

void Readings::restore(const Rules& rules, const Machine& machine, std::span<const std::int64_t> derived) {
    read(rules, machine);
    std::copy(derived.begin(), derived.end(), after_.begin() + static_cast<std::ptrdiff_t>(rules.config.variables.size()));
}

void Readings::read(const Rules& rules, const Machine& machine) {
    const std::vector<Variable>& variables = rules.config.variables;
    for (std::size_t i = 0; i < variables.size(); ++i) after_[i] = read_variable(machine, variables[i]);
}

}  // namespace oakemu
