// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "machine.hpp"

namespace oakemu {

/// How the bytes of a variable are read.
enum class VariableType : std::uint8_t {
    u8,
    i8,
    u16le,
    u16be,
    u24,     ///< three bytes, little endian
    bcd,     ///< `count` bytes of two decimal digits each, most significant first
    digits,  ///< `count` bytes of one digit each (ASCII digit or 0-9, the low nibble counts; a space is 0), most significant first
    bits,    ///< bits `low`..`high` of one byte
    boolean  ///< 1 if the byte is not 0
};

struct Variable {
    std::uint16_t address = 0;
    VariableType type = VariableType::u8;
    std::uint8_t count = 1;
    std::uint8_t low = 0, high = 7;
};

/// The type called `name` ("bool" is another name of "boolean"). Throws std::invalid_argument that lists the types.
VariableType variable_type_from_name(std::string_view name);

/// Throws std::invalid_argument unless all bytes of the variable lie in RAM and its count or bits suit its type.
void check_variable(const Variable& variable);

/// Reads one variable, which check_variable has accepted, from RAM.
std::int64_t read_variable(const Machine& machine, const Variable& variable);

/// The stack machine in which rewards and end conditions run. Every value is a double; a condition is 0 or 1.
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

/// A checked expression: never under- or overflows its stack, names only variables and hooks that exist, leaves one value.
class Expression {
public:
    Expression() = default;
    /// Throws std::invalid_argument that names the instruction at fault.
    Expression(std::vector<Instruction> code, int num_variables, int num_hooks);

    bool empty() const { return code_.empty(); }
    double evaluate(std::span<const std::int64_t> after, std::span<const std::int64_t> before, std::span<const std::uint32_t> calls) const;

private:
    std::vector<Instruction> code_;
};

}  // namespace oakemu
