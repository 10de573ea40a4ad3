// SPDX-License-Identifier: GPL-3.0-or-later
#include "program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "names.hpp"

namespace oakemu {
namespace {

constexpr std::size_t kMaxDepth = 32;
constexpr std::size_t kMaxLength = 10'000;  ///< so that places fit 16 bits with room to spare

constexpr std::array<std::pair<std::string_view, Op>, 24> kOps = {{
    {"constant", Op::constant},
    {"variable", Op::variable},
    {"before", Op::before},
    {"called", Op::called},
    {"add", Op::add},
    {"subtract", Op::subtract},
    {"multiply", Op::multiply},
    {"divide", Op::divide},
    {"floor_divide", Op::floor_divide},
    {"modulo", Op::modulo},
    {"negate", Op::negate},
    {"less", Op::less},
    {"less_equal", Op::less_equal},
    {"greater", Op::greater},
    {"greater_equal", Op::greater_equal},
    {"equal", Op::equal},
    {"not_equal", Op::not_equal},
    {"logical_and", Op::logical_and},
    {"logical_or", Op::logical_or},
    {"logical_not", Op::logical_not},
    {"minimum", Op::minimum},
    {"maximum", Op::maximum},
    {"absolute", Op::absolute},
    {"select", Op::select},
}};
static_assert(std::ranges::is_sorted(kOps, {}, [](const auto& op) { return op.second; }) &&
              static_cast<std::size_t>(Op::select) + 1 == kOps.size());

/// How many values an operation takes from the stack; every one leaves one.
std::size_t arity(Op op) {
    switch (op) {
        case Op::constant:
        case Op::variable:
        case Op::before:
        case Op::called:
            return 0;
        case Op::negate:
        case Op::logical_not:
        case Op::absolute:
            return 1;
        case Op::select:
            return 3;
        default:
            return 2;
    }
}

/// Quotient and rest as Python's // and % of floats give them, by way of the rest so that (a // b) * b + a % b is a (the way CPython
/// does it): the rest has the sign of the divisor.
struct Division {
    double quotient, rest;
};

Division python_division(double dividend, double divisor) {
    const double rest = std::fmod(dividend, divisor);
    double quotient = (dividend - rest) / divisor;
    const bool other_sign = rest != 0.0 && (rest < 0.0) != (divisor < 0.0);
    if (other_sign) quotient -= 1.0;
    if (quotient != 0.0) {
        const double floored = std::floor(quotient);
        quotient = quotient - floored > 0.5 ? floored + 1.0 : floored;
    }
    return {quotient, other_sign ? rest + divisor : rest};
}

/// The same, quickly for what is common: whole numbers that doubles hold exactly.
Division divide_down(double dividend, double divisor) {
    constexpr double exact = 0x1p53;
    if (std::fabs(dividend) < exact && std::fabs(divisor) < exact) {
        const auto a = static_cast<std::int64_t>(dividend), b = static_cast<std::int64_t>(divisor);
        if (static_cast<double>(a) == dividend && static_cast<double>(b) == divisor) {
            const std::int64_t rest = a % b, down = rest != 0 && (rest < 0) != (b < 0) ? 1 : 0;
            return {static_cast<double>(a / b - down), static_cast<double>(rest + down * b)};
        }
    }
    return python_division(dividend, divisor);
}

double truth(bool value) { return value ? 1.0 : 0.0; }

[[noreturn]] void refuse(std::size_t index, Op op, const std::string& why) {
    const std::string name(kOps[static_cast<std::size_t>(op)].first);
    throw std::invalid_argument("instruction " + std::to_string(index) + " (" + name + "): " + why);
}

std::string number_text(double value) {
    constexpr double exact = 1e15;
    if (std::trunc(value) == value && std::fabs(value) < exact) return std::to_string(static_cast<std::int64_t>(value));
    return std::to_string(value);
}

void check_operand(std::size_t index, const Instruction& instruction, int count, const char* what) {
    const double operand = instruction.operand;
    if (operand >= 0.0 && operand < count && std::trunc(operand) == operand) return;
    const std::string allowed = count == 0 ? "there are none" : "allowed are 0 to " + std::to_string(count - 1);
    refuse(index, instruction.op, std::string("there is no ") + what + " " + number_text(operand) + "; " + allowed);
}

void check_push(std::size_t index, const Instruction& instruction, const Scope& scope) {
    switch (instruction.op) {
        case Op::constant:
            if (!std::isfinite(instruction.operand)) refuse(index, instruction.op, "the number is not finite");
            break;
        case Op::called:
            check_operand(index, instruction, scope.hooks, "hook");
            break;
        case Op::before:
            check_operand(index, instruction, scope.before, "variable");
            break;
        default:
            check_operand(index, instruction, scope.variables, "variable");
            break;
    }
}

/// Applies an operation with one, two or three operands.
double result_of(Op op, double a, double b, double c) {
    switch (op) {
        case Op::add:
            return saturated(a + b);
        case Op::subtract:
            return saturated(a - b);
        case Op::multiply:
            return saturated(a * b);
        case Op::divide:
            return saturated(a / b);
        case Op::floor_divide:
            return saturated(divide_down(a, b).quotient);
        case Op::modulo:
            return divide_down(a, b).rest;
        case Op::negate:
            return -a;
        case Op::less:
            return truth(a < b);
        case Op::less_equal:
            return truth(a <= b);
        case Op::greater:
            return truth(a > b);
        case Op::greater_equal:
            return truth(a >= b);
        case Op::equal:
            return truth(a == b);
        case Op::not_equal:
            return truth(a != b);
        case Op::logical_and:
            return truth(a != 0.0 && b != 0.0);
        case Op::logical_or:
            return truth(a != 0.0 || b != 0.0);
        case Op::logical_not:
            return truth(a == 0.0);
        case Op::minimum:
            return b < a ? b : a;
        case Op::maximum:
            return b > a ? b : a;
        case Op::absolute:
            return std::fabs(a);
        case Op::select:
            return a != 0.0 ? b : c;
        case Op::constant:
        case Op::variable:
        case Op::before:
        case Op::called:
            break;  // These are operands.
    }
    return 0.0;
}

}  // namespace

double saturated(double value) {
    constexpr double largest = std::numeric_limits<double>::max();
    return std::min(std::max(value, -largest), largest);
}

Op op_from_name(std::string_view name) { return value_of_name(kOps, name, "operation"); }

Expression::Expression(std::span<const Instruction> code, const Scope& scope) : empty_(code.empty()) {
    if (code.size() > kMaxLength) {
        throw std::invalid_argument("the expression has " + std::to_string(code.size()) + " instructions; allowed are up to " +
                                    std::to_string(kMaxLength));
    }
    std::vector<Operand> stack;
    for (std::size_t i = 0; i < code.size(); ++i) {
        const Op op = code[i].op;
        if (static_cast<std::size_t>(op) >= kOps.size())
            throw std::invalid_argument("instruction " + std::to_string(i) + ": no such operation");
        const std::size_t taken = arity(op);
        if (stack.size() < taken) {
            refuse(i, op, "needs " + std::to_string(taken) + " value(s), the stack holds " + std::to_string(stack.size()));
        }
        if (taken == 0) {
            check_push(i, code[i], scope);
            stack.push_back(push(code[i]));
        } else {
            const bool divides = op == Op::divide || op == Op::floor_divide || op == Op::modulo;
            const Operand last = stack.back();
            if (divides && (last.source != Source::constant || constants_[last.index] == 0.0)) {
                refuse(i, op, "the divisor must be a constant other than 0");
            }
            const std::size_t depth = stack.size() - taken;
            const Operand result = apply(op, std::span(stack).subspan(depth), depth);
            stack.resize(depth);
            stack.push_back(result);
        }
        if (stack.size() > kMaxDepth) refuse(i, op, "the expression nests deeper than " + std::to_string(kMaxDepth) + " values");
    }
    if (empty_) return;
    if (stack.size() != 1) throw std::invalid_argument("the expression leaves " + std::to_string(stack.size()) + " values instead of one");
    value_ = stack.front();
}

Expression::Operand Expression::push(const Instruction& instruction) {
    const auto index = [&] { return static_cast<std::uint16_t>(instruction.operand); };
    switch (instruction.op) {
        case Op::variable:
            return {Source::after, index()};
        case Op::before:
            return {Source::before, index()};
        case Op::called:
            return {Source::calls, index()};
        default:
            constants_.push_back(instruction.operand);
            return {Source::constant, static_cast<std::uint16_t>(constants_.size() - 1)};
    }
}

/// Adds a step, or works it out at once if it can be. No two results that are needed at the same time lie at the same depth.
Expression::Operand Expression::apply(Op op, std::span<const Operand> operands, std::size_t depth) {
    Step step{.op = op, .result = static_cast<std::uint16_t>(depth)};
    std::ranges::copy(operands, step.operands.begin());
    if (std::ranges::all_of(operands, [](const Operand& operand) { return operand.source == Source::constant; })) {
        const auto constant = [&](std::size_t i) { return constants_[step.operands[i].index]; };
        return push({Op::constant, result_of(op, constant(0), constant(1), constant(2))});
    }
    steps_.push_back(step);
    return {Source::result, step.result};
}

double Expression::evaluate(const Inputs& inputs) const {
    std::array<double, kMaxDepth> results;
    const std::array<const double*, 5> sources = {constants_.data(), inputs.after.data(), inputs.before.data(), inputs.calls.data(),
                                                  results.data()};
    const auto value = [&sources](const Operand& operand) { return sources[static_cast<std::size_t>(operand.source)][operand.index]; };
    for (const Step& step : steps_) {
        results[step.result] = result_of(step.op, value(step.operands[0]), value(step.operands[1]), value(step.operands[2]));
    }
    return value(value_);
}

}  // namespace oakemu
