// SPDX-License-Identifier: GPL-3.0-or-later
// Variables and tables. Right values: worked out by hand.
#include "variable.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>

#include "check.hpp"

namespace {

using oakemu::Machine;
using oakemu::Reduction;
using oakemu::Variable;
using oakemu::VariableType;

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string variable_refusal(const Variable& variable) {
    try {
        oakemu::check_variable(variable);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

void every_type_is_read(Check& check) {
    Machine machine;
    const std::uint8_t bytes[] = {0xFE, 0x12, 0x34, 0x05, ' ', '7', 0x00};
    std::copy(std::begin(bytes), std::end(bytes), machine.ram.begin());
    machine.ram[49151] = 0x99;
    const auto read = [&](const Variable& variable) {
        check.equal(variable_refusal(variable), "", "refusal");
        return oakemu::read_variable(machine, variable);
    };
    using Type = VariableType;
    check.equal(read({.address = 0x4000, .type = Type::u8}), 254, "u8");
    check.equal(read({.address = 0x4000, .type = Type::i8}), -2, "i8");
    check.equal(read({.address = 0x4001, .type = Type::u16le}), 0x3412, "u16le");
    check.equal(read({.address = 0x4001, .type = Type::u16be}), 0x1234, "u16be");
    check.equal(read({.address = 0x4000, .type = Type::u24}), 0x3412FE, "u24");
    check.equal(read({.address = 0x4001, .type = Type::bcd, .num_bytes = 3}), 123405, "bcd");
    check.equal(read({.address = 0x4003, .type = Type::digits, .num_bytes = 3}), 507, "digits: 5, a space, an ASCII 7");
    check.equal(read({.address = 0x4000, .type = Type::bits, .low = 1, .high = 3}), 7, "bits 1 to 3");
    check.equal(read({.address = 0x4000, .type = Type::bits, .low = 0, .high = 0}), 0, "bit 0");
    check.equal(read({.address = 0x4000, .type = Type::bits, .low = 0, .high = 7}), 254, "bits 0 to 7");
    check.equal(read({.address = 0x4000, .type = Type::boolean}), 1, "boolean of 0xFE");
    check.equal(read({.address = 0x4006, .type = Type::boolean}), 0, "boolean of 0");
    check.equal(read({.address = 0xFFFF, .type = Type::bcd}), 99, "the last byte");
    std::fill_n(machine.ram.begin(), 18, std::uint8_t{9});
    check.equal(read({.address = 0x4000, .type = Type::digits, .num_bytes = 18}), 999'999'999'999'999'999, "18 digits");
}

void bad_variables_are_refused(Check& check) {
    using Type = VariableType;
    check.that(says(variable_refusal({.address = 0x3FFF}), "RAM"), "an address in ROM");
    check.that(says(variable_refusal({.address = 0xFFFF, .type = Type::u16le}), "RAM"), "a word over the end");
    check.that(says(variable_refusal({.address = 0xFFFE, .type = Type::u24}), "RAM"), "three bytes over the end");
    check.that(says(variable_refusal({.address = 0xFFFE, .type = Type::bcd, .num_bytes = 3}), "RAM"), "digits over the end");
    check.that(says(variable_refusal({.address = 0x8000, .type = Type::bcd, .num_bytes = 0}), "1 to 9"), "no bytes");
    check.that(says(variable_refusal({.address = 0x8000, .type = Type::bcd, .num_bytes = 10}), "1 to 9"), "20 digits");
    check.that(says(variable_refusal({.address = 0x8000, .type = Type::digits, .num_bytes = 19}), "1 to 18"), "19 digits");
    check.that(says(variable_refusal({.address = 0x8000, .type = Type::bits, .low = 5, .high = 4}), "low first"), "bits 5 to 4");
    check.that(says(variable_refusal({.address = 0x8000, .type = Type::bits, .low = 0, .high = 8}), "0 to 7"), "bit 8");
    check.equal(variable_refusal({.address = 0xFFFD, .type = Type::u24}), "", "the last three bytes");
}

/// Eight bytes at 0x8000, read as a table with each reduction.
void tables_are_reduced(Check& check) {
    Machine machine;
    const std::uint8_t bytes[] = {3, 0, 250, 3, 3, 1, 0x12, 0x99};
    std::copy(std::begin(bytes), std::end(bytes), machine.ram.begin() + 0x4000);
    const auto read = [&](Variable variable, Reduction reduction) {
        variable.reduction = reduction;
        check.equal(variable_refusal(variable), "", "refusal");
        return oakemu::read_variable(machine, variable);
    };
    const Variable bytes_table{.address = 0x8000, .items = 5, .stride = 1};
    check.equal(read(bytes_table, Reduction::sum), 259, "sum");
    check.equal(read(bytes_table, Reduction::minimum), 0, "minimum");
    check.equal(read(bytes_table, Reduction::maximum), 250, "maximum");
    check.equal(read({.address = 0x8000, .items = 5, .stride = 1, .value = 3}, Reduction::count), 3, "how many are 3");
    check.equal(read({.address = 0x8000, .items = 5, .stride = 1, .value = 256}, Reduction::count), 0, "how many are 256");
    check.equal(read({.address = 0x8000, .type = VariableType::i8, .items = 5, .stride = 1}, Reduction::sum), 3, "sum of signed bytes");
    check.equal(read({.address = 0x8000, .items = 3, .stride = 2}, Reduction::sum), 256, "every other byte");
    check.equal(read({.address = 0x8000, .type = VariableType::u16be, .items = 2, .stride = 1}, Reduction::maximum), 0x300, "overlapping");
    check.equal(read({.address = 0x8006, .type = VariableType::bcd, .num_bytes = 2, .items = 1, .stride = 9}, Reduction::sum), 1299, "one");
    check.equal(read({.address = 0xFF00, .items = 256, .stride = 1}, Reduction::count), 256, "the last 256 bytes are 0");
    check.equal(read({.address = 0xFFFE, .items = 2, .stride = 1}, Reduction::sum), 0, "the last two");
}

void sums_saturate(Check& check) {
    Machine machine;
    std::fill(machine.ram.begin(), machine.ram.end(), std::uint8_t{0x99});
    // 999,999,999,999,999,999 twenty times is more than 2^63.
    const Variable table{
        .address = 0x8000, .type = VariableType::bcd, .num_bytes = 9, .items = 20, .stride = 9, .reduction = Reduction::sum};
    check.equal(oakemu::read_variable(machine, table), std::numeric_limits<std::int64_t>::max(), "a sum that is too large");
}

/// 0xC000 shows bank 3, and an item lies across the border of two pages.
void tables_are_read_as_paged(Check& check) {
    Machine machine(oakemu::Model::spectrum128);
    machine.state.port_7ffd = 3;
    for (int i = 0; i < 4; ++i) machine.at(static_cast<std::uint16_t>(0xBFFD + i)) = static_cast<std::uint8_t>(1 + i);
    const Variable table{.address = 0xBFFD, .type = VariableType::u16le, .items = 2, .stride = 2, .reduction = Reduction::sum};
    check.equal(oakemu::read_variable(machine, table), 0x0201 + 0x0403, "words, one across the pages");
    machine.state.port_7ffd = 4;
    check.equal(oakemu::read_variable(machine, table), 0x0201 + 0x0003, "the same with another bank");
}

void bad_tables_are_refused(Check& check) {
    const auto refused = [](int items, int stride, Reduction reduction, std::uint16_t address = 0x8000) {
        return variable_refusal({.address = address,
                                 .items = static_cast<std::uint16_t>(items),
                                 .stride = static_cast<std::uint16_t>(stride),
                                 .reduction = reduction});
    };
    check.that(says(refused(0, 1, Reduction::sum), "1 to 256 items, not 0"), "no items");
    check.that(says(refused(257, 1, Reduction::sum), "1 to 256 items, not 257"), "too many items");
    check.that(says(refused(2, 0, Reduction::count), "stride 0"), "no stride");
    check.that(says(refused(2, 1, Reduction::none), "without a reduction"), "a table that comes to nothing");
    check.that(says(refused(1, 1, Reduction::none), "without a reduction"), "a stride without a table");
    check.that(says(refused(3, 1, Reduction::sum, 0xFFFE), "its 3 byte(s) must lie in RAM"), "one item beyond RAM");
    check.that(says(refused(256, 65535, Reduction::sum), "must lie in RAM"), "far beyond RAM");
    check.equal(refused(2, 1, Reduction::sum, 0xFFFE), "", "the last two bytes");
    check.that(oakemu::reduction_from_name("") == Reduction::none && oakemu::reduction_from_name("min") == Reduction::minimum, "names");
    std::string said;
    try {
        static_cast<void>(oakemu::reduction_from_name("mean"));
    } catch (const std::invalid_argument& error) {
        said = error.what();
    }
    check.equal(said, "'mean' is no reduction; known: '', sum, min, max, count", "an unknown name");
}

}  // namespace

int main() {
    return run_tests({{"every type is read", every_type_is_read},
                      {"bad variables are refused", bad_variables_are_refused},
                      {"tables are reduced", tables_are_reduced},
                      {"sums saturate", sums_saturate},
                      {"tables are read as paged", tables_are_read_as_paged},
                      {"bad tables are refused", bad_tables_are_refused}});
}
