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

/// Python's float modulo: the result has the sign of the divisor.
double python_modulo(double dividend, double divisor) {
    const double rest = std::fmod(dividend, divisor);
    if (rest == 0.0) return std::copysign(0.0, divisor);
    return (rest < 0.0) != (divisor < 0.0) ? rest + divisor : rest;
}

/// Python's float floor division, by way of the modulo so that (a // b) * b + a % b is a (the way CPython does it).
double python_floor_divide(double dividend, double divisor) {
    const double rest = std::fmod(dividend, divisor);
    double quotient = (dividend - rest) / divisor;
    if (rest != 0.0 && (rest < 0.0) != (divisor < 0.0)) quotient -= 1.0;
    if (quotient == 0.0) return std::copysign(0.0, dividend / divisor);
    const double floored = std::floor(quotient);
    return quotient - floored > 0.5 ? floored + 1.0 : floored;
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

void check_divisor(std::size_t index, Op op, std::optional<double> divisor) {
    if (op != Op::divide && op != Op::floor_divide && op != Op::modulo) return;
    if (!divisor || *divisor == 0.0) refuse(index, op, "the divisor must be a constant other than 0");
}

}  // namespace

double saturated(double value) {
    constexpr double largest = std::numeric_limits<double>::max();
    return std::min(std::max(value, -largest), largest);
}

Op op_from_name(std::string_view name) { return value_of_name(kOps, name, "operation"); }

/// Executes one step on a stack whose topmost value `top` points at; gives the new top.
double* Expression::execute(const Step& step, const Inputs& inputs, double* top) {
    const auto push = [top](double value) {
        top[1] = value;
        return top + 1;
    };
    const auto one = [top](double value) {
        top[0] = value;
        return top;
    };
    const auto two = [top](double value) {
        top[-1] = value;
        return top - 1;
    };
    switch (step.op) {
        case Op::constant:
            return push(step.constant);
        case Op::variable:
            return push(static_cast<double>(inputs.after[step.index]));
        case Op::before:
            return push(static_cast<double>(inputs.before[step.index]));
        case Op::called:
            return push(inputs.calls[step.index]);
        case Op::add:
            return two(saturated(top[-1] + top[0]));
        case Op::subtract:
            return two(saturated(top[-1] - top[0]));
        case Op::multiply:
            return two(saturated(top[-1] * top[0]));
        case Op::divide:
            return two(saturated(top[-1] / top[0]));
        case Op::floor_divide:
            return two(saturated(python_floor_divide(top[-1], top[0])));
        case Op::modulo:
            return two(python_modulo(top[-1], top[0]));
        case Op::negate:
            return one(-top[0]);
        case Op::less:
            return two(truth(top[-1] < top[0]));
        case Op::less_equal:
            return two(truth(top[-1] <= top[0]));
        case Op::greater:
            return two(truth(top[-1] > top[0]));
        case Op::greater_equal:
            return two(truth(top[-1] >= top[0]));
        case Op::equal:
            return two(truth(top[-1] == top[0]));
        case Op::not_equal:
            return two(truth(top[-1] != top[0]));
        case Op::logical_and:
            return two(truth(top[-1] != 0.0 && top[0] != 0.0));
        case Op::logical_or:
            return two(truth(top[-1] != 0.0 || top[0] != 0.0));
        case Op::logical_not:
            return one(truth(top[0] == 0.0));
        case Op::minimum:
            return two(top[0] < top[-1] ? top[0] : top[-1]);
        case Op::maximum:
            return two(top[0] > top[-1] ? top[0] : top[-1]);
        case Op::absolute:
            return one(std::fabs(top[0]));
        case Op::select:
            top[-2] = top[-2] != 0.0 ? top[-1] : top[0];
            return top - 2;
    }
    return top;
}

Expression::Expression(std::span<const Instruction> code, const Scope& scope) {
    // The stack as far as it is known before anything runs: a value where only constants went in, else nothing.
    std::vector<std::optional<double>> stack;
    for (std::size_t i = 0; i < code.size(); ++i) {
        const Op op = code[i].op;
        if (static_cast<std::size_t>(op) >= kOps.size())
            throw std::invalid_argument("instruction " + std::to_string(i) + ": no such operation");
        const std::size_t taken = arity(op);
        if (stack.size() < taken) {
            refuse(i, op, "needs " + std::to_string(taken) + " value(s), the stack holds " + std::to_string(stack.size()));
        }
        if (taken == 0) check_push(i, code[i], scope);
        if (taken == 2) check_divisor(i, op, stack.back());
        const bool indexed = op == Op::variable || op == Op::before || op == Op::called;
        code_.push_back({op, indexed ? static_cast<std::uint32_t>(code[i].operand) : 0U, code[i].operand});

        std::array<double, 4> values{};  // as many as go in, from place 1 on
        bool known = !indexed;
        for (std::size_t k = 0; k < taken; ++k) {
            const std::optional<double> operand = stack[stack.size() - taken + k];
            known = known && operand.has_value();
            values[k + 1] = operand.value_or(0.0);
        }
        stack.resize(stack.size() - taken);
        stack.push_back(known ? std::optional(*execute(code_.back(), {}, &values[taken])) : std::nullopt);
        if (stack.size() > kMaxDepth) refuse(i, op, "the expression nests deeper than " + std::to_string(kMaxDepth) + " values");
    }
    if (!code_.empty() && stack.size() != 1) {
        throw std::invalid_argument("the expression leaves " + std::to_string(stack.size()) + " values instead of one");
    }
}

double Expression::evaluate(const Inputs& inputs) const {
    std::array<double, kMaxDepth + 1> stack;  // the first place is below the first value
    double* top = stack.data();
    for (const Step& step : code_) top = execute(step, inputs, top);
    return *top;
}

}  // namespace oakemu
