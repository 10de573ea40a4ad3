// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace oakemu {

/// The stack machine in which rewards, end conditions and all else that a definition computes run. Every value is a double, and a
/// finite one: sums, products and quotients saturate. A condition is 0 or 1.
enum class Op : std::uint8_t {
    constant,  ///< push operand
    variable,  ///< push variable[operand] as it is after the step
    before,    ///< push variable[operand] as it was before the step
    called,    ///< push how often hook[operand] was reached during the step
    add,
    subtract,
    multiply,
    divide,
    floor_divide,
    modulo,
    negate,  ///< as in Python; divisors are non-zero constants or made of constants (checked when built)
    less,
    less_equal,
    greater,
    greater_equal,
    equal,
    not_equal,
    logical_and,
    logical_or,
    logical_not,
    minimum,
    maximum,
    absolute,
    select  ///< pops otherwise, then, condition; pushes then if condition is not 0 else otherwise
};

/// The operation called `name`, as spelt above. Throws std::invalid_argument that lists the operations.
Op op_from_name(std::string_view name);

struct Instruction {
    Op op = Op::constant;
    double operand = 0.0;
};

/// How many there are of what an expression may name.
struct Scope {
    int variables = 0;  ///< after the step
    int before = 0;     ///< variables before the step
    int hooks = 0;
};

/// What an expression is evaluated on, at least as much as its scope says. Variables and calls are whole numbers.
struct Inputs {
    std::span<const double> after, before, calls;
};

/// A value as it is added up: finite, as those of expressions are.
double saturated(double value);

/// A checked expression: never under- or overflows its stack, names only what is in its scope, leaves one value.
///
/// It is executed as steps that take their operands from wherever they are, so that only operations cost a step, and what is made of
/// constants alone is worked out beforehand.
class Expression {
public:
    Expression() = default;
    /// Throws std::invalid_argument that names the instruction at fault.
    Expression(std::span<const Instruction> code, const Scope& scope);

    bool empty() const { return empty_; }

    /// Not to be called on an empty one.
    double evaluate(const Inputs& inputs) const;

private:
    enum class Source : std::uint16_t { constant, after, before, calls, result };
    struct Operand {
        Source source = Source::constant;
        std::uint16_t index = 0;
    };
    struct Step {
        Op op = Op::add;
        std::uint16_t result = 0;  ///< where it goes
        std::array<Operand, 3> operands{};
    };

    Operand push(const Instruction& instruction);
    Operand apply(Op op, std::span<const Operand> operands, std::size_t depth);

    std::vector<Step> steps_;
    std::vector<double> constants_{0.0};  ///< the first one stands in for operands that an operation does not have
    Operand value_;
    bool empty_ = true;
};

}  // namespace oakemu
