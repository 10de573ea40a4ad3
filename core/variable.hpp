// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "machine.hpp"

namespace oakemu {

/// How the bytes of a value are read.
enum class VariableType : std::uint8_t {
    u8,
    i8,
    u16le,
    u16be,
    u24,     ///< three bytes, little endian
    bcd,     ///< `num_bytes` bytes of two decimal digits each, most significant first
    digits,  ///< `num_bytes` bytes of one digit each (ASCII digit or 0-9, the low nibble counts; a space is 0), most significant first
    bits,    ///< bits `low`..`high` of one byte
    boolean  ///< 1 if the byte is not 0
};

/// What a table of values comes to.
enum class Reduction : std::uint8_t {
    none,     ///< there is one value, not a table
    sum,      ///< saturates
    minimum,  ///< of the values
    maximum,  ///< of the values
    count     ///< how many of them are `value`
};

/// A value that a game keeps in RAM, or what a table of `items` values that begin `stride` bytes apart comes to.
struct Variable {
    std::uint16_t address = 0;
    VariableType type = VariableType::u8;
    std::uint8_t num_bytes = 1;  ///< of bcd and digits
    std::uint8_t low = 0, high = 7;
    std::uint16_t items = 1, stride = 0;  ///< 1 and 0 without a reduction
    Reduction reduction = Reduction::none;
    std::int64_t value = 0;  ///< what `count` counts
};

/// The type called `name` ("bool" is another name of "boolean"). Throws std::invalid_argument that lists the types.
VariableType variable_type_from_name(std::string_view name);

/// The reduction called `name`: "" (none), "sum", "min", "max" or "count". Throws std::invalid_argument that lists them.
Reduction reduction_from_name(std::string_view name);

/// Throws std::invalid_argument unless all bytes of the variable lie in RAM and its bytes, bits and items suit its type and reduction.
void check_variable(const Variable& variable);

/// Reads one variable, which check_variable has accepted, from RAM.
std::int64_t read_variable(const Machine& machine, const Variable& variable);

/// Variables in an order in which they are quick to read, each with its place among the values.
using VariablesInOrder = std::vector<std::pair<Variable, std::size_t>>;

VariablesInOrder in_reading_order(std::span<const Variable> variables);

/// Reads all of them, each into its place in `values`.
void read_variables(const Machine& machine, const VariablesInOrder& variables, std::span<std::int64_t> values);

}  // namespace oakemu
