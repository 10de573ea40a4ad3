// SPDX-License-Identifier: GPL-3.0-or-later
#include "variable.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "names.hpp"

namespace oakemu {
namespace {

constexpr int kRamStart = 0x4000;
constexpr int kRamEnd = 0x10000;
constexpr int kMaxItems = 256;
constexpr std::size_t kMaxBytes = 18;  ///< of a value

constexpr std::array<std::pair<std::string_view, VariableType>, 10> kTypeNames = {{
    {"u8", VariableType::u8},
    {"i8", VariableType::i8},
    {"u16le", VariableType::u16le},
    {"u16be", VariableType::u16be},
    {"u24", VariableType::u24},
    {"bcd", VariableType::bcd},
    {"digits", VariableType::digits},
    {"bits", VariableType::bits},
    {"boolean", VariableType::boolean},
    {"bool", VariableType::boolean},
}};

constexpr std::array<std::pair<std::string_view, Reduction>, 5> kReductionNames = {{
    {"", Reduction::none},
    {"sum", Reduction::sum},
    {"min", Reduction::minimum},
    {"max", Reduction::maximum},
    {"count", Reduction::count},
}};

std::size_t byte_count(const Variable& variable) {
    switch (variable.type) {
        case VariableType::u16le:
        case VariableType::u16be:
            return 2;
        case VariableType::u24:
            return 3;
        case VariableType::bcd:
        case VariableType::digits:
            return variable.num_bytes;
        default:
            return 1;
    }
}

[[noreturn]] void refuse(const Variable& variable, const std::string& why) {
    throw std::invalid_argument("variable at address " + std::to_string(variable.address) + ": " + why);
}

void check_type(const Variable& variable) {
    // 18 decimal digits are the most that fit a 64-bit integer whatever they are.
    if (variable.type == VariableType::bcd && (variable.num_bytes < 1 || variable.num_bytes > 9)) {
        refuse(variable, "bcd has 1 to 9 bytes, not " + std::to_string(variable.num_bytes));
    }
    if (variable.type == VariableType::digits && (variable.num_bytes < 1 || variable.num_bytes > 18)) {
        refuse(variable, "digits has 1 to 18 bytes, not " + std::to_string(variable.num_bytes));
    }
    if (variable.type == VariableType::bits && (variable.low > variable.high || variable.high > 7)) {
        refuse(variable, "bits run from 0 to 7, low first, not " + std::to_string(variable.low) + " to " + std::to_string(variable.high));
    }
}

void check_table(const Variable& variable) {
    if (variable.reduction == Reduction::none) {
        if (variable.items == 1 && variable.stride == 0) return;
        refuse(variable, std::to_string(variable.items) + " items " + std::to_string(variable.stride) +
                             " bytes apart given; without a reduction there is 1 item, and the stride is 0");
    }
    if (variable.items < 1 || variable.items > kMaxItems) {
        refuse(variable, "a table has 1 to " + std::to_string(kMaxItems) + " items, not " + std::to_string(variable.items));
    }
    if (variable.stride < 1) refuse(variable, "stride 0: the items of a table begin at least 1 byte apart");
}

/// The value whose first byte is `bytes`.
std::int64_t decode(const Variable& variable, const std::uint8_t* bytes) {
    switch (variable.type) {
        case VariableType::u8:
            return bytes[0];
        case VariableType::i8:
            return static_cast<std::int8_t>(bytes[0]);
        case VariableType::u16le:
            return bytes[0] | bytes[1] << 8;
        case VariableType::u16be:
            return bytes[0] << 8 | bytes[1];
        case VariableType::u24:
            return bytes[0] | bytes[1] << 8 | bytes[2] << 16;
        case VariableType::bits:
            return (bytes[0] >> variable.low) & ((1 << (variable.high - variable.low + 1)) - 1);
        case VariableType::boolean:
            return bytes[0] != 0 ? 1 : 0;
        case VariableType::bcd:
        case VariableType::digits:
            break;
    }
    std::int64_t value = 0;
    for (int i = 0; i < variable.num_bytes; ++i) {
        if (variable.type == VariableType::bcd) value = value * 10 + (bytes[i] >> 4);
        value = value * 10 + (bytes[i] & 15);
    }
    return value;
}

/// The value at an address. Its bytes lie in a row unless a page of a paged machine ends among them.
std::int64_t read_at(const Machine& machine, const Variable& variable, std::size_t address) {
    const std::size_t count = byte_count(variable);
    const std::uint8_t* const first = &machine.ram[page_place(machine.state, address >> 14U) + address % kBankSize];
    if (address % kBankSize + count <= kBankSize) return decode(variable, first);
    std::array<std::uint8_t, kMaxBytes> copy{};
    for (std::size_t i = 0; i < count; ++i) copy[i] = machine.at(static_cast<std::uint16_t>(address + i));
    return decode(variable, copy.data());
}

std::int64_t saturating_sum(std::int64_t a, std::int64_t b) {
    using Limits = std::numeric_limits<std::int64_t>;
    if (b > 0 && a > Limits::max() - b) return Limits::max();
    if (b < 0 && a < Limits::min() - b) return Limits::min();
    return a + b;
}

std::int64_t read_table(const Machine& machine, const Variable& variable) {
    const auto item = [&](std::size_t i) { return read_at(machine, variable, variable.address + i * variable.stride); };
    const auto fold = [&](auto join) {
        std::int64_t value = item(0);
        for (std::size_t i = 1; i < variable.items; ++i) value = join(value, item(i));
        return value;
    };
    switch (variable.reduction) {
        case Reduction::sum:
            return fold(saturating_sum);
        case Reduction::minimum:
            return fold([](std::int64_t a, std::int64_t b) { return std::min(a, b); });
        case Reduction::maximum:
            return fold([](std::int64_t a, std::int64_t b) { return std::max(a, b); });
        case Reduction::count: {
            std::int64_t hits = 0;
            for (std::size_t i = 0; i < variable.items; ++i) hits += item(i) == variable.value ? 1 : 0;
            return hits;
        }
        case Reduction::none:
            break;
    }
    return item(0);
}

}  // namespace

VariableType variable_type_from_name(std::string_view name) { return value_of_name(kTypeNames, name, "variable type"); }

Reduction reduction_from_name(std::string_view name) { return value_of_name(kReductionNames, name, "reduction"); }

void check_variable(const Variable& variable) {
    check_type(variable);
    check_table(variable);
    const auto last = static_cast<int>(byte_count(variable)) + (variable.items - 1) * variable.stride;
    if (variable.address < kRamStart || variable.address + last > kRamEnd) {
        refuse(variable, "its " + std::to_string(last) + " byte(s) must lie in RAM, 16384 to 65535");
    }
}

std::int64_t read_variable(const Machine& machine, const Variable& variable) {
    if (variable.reduction == Reduction::none) return read_at(machine, variable, variable.address);
    return read_table(machine, variable);
}

VariablesInOrder in_reading_order(std::span<const Variable> variables) {
    VariablesInOrder ordered;
    for (std::size_t i = 0; i < variables.size(); ++i) ordered.emplace_back(variables[i], i);
    // Alike ones together: the processor guesses right what comes next.
    std::ranges::stable_sort(ordered, {}, [](const auto& placed) { return std::pair(placed.first.reduction, placed.first.type); });
    return ordered;
}

void read_variables(const Machine& machine, const VariablesInOrder& variables, std::span<std::int64_t> values) {
    for (const auto& [variable, place] : variables) values[place] = read_variable(machine, variable);
}

}  // namespace oakemu
