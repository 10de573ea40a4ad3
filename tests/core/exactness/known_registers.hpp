// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "test_machine.hpp"

using Code = std::vector<std::uint8_t>;

inline std::string hex(const Code& code) {
    std::string text;
    for (const std::uint8_t byte : code) {
        constexpr const char* digits = "0123456789ABCDEF";
        text += digits[byte >> 4], text += digits[byte & 15], text += ' ';
    }
    return text;
}

/// Registers with values that can be told apart, MEMPTR among them, and an instruction at 0x8000.
inline TestMachine holding(const Code& code) {
    TestMachine machine;
    oakemu::CpuState& cpu = machine.cpu();
    cpu.af = 0x1200, cpu.bc = 0x3456, cpu.de = 0x56FF, cpu.hl = 0x9ABC, cpu.ix = 0xA000, cpu.iy = 0xB000, cpu.sp = 0xC000;
    cpu.memptr = 0x0BAD, cpu.i = 0x3F, cpu.r = 0x10;
    machine.place(0xC000, {0x21, 0x43});
    for (std::size_t k = 0; k < code.size(); ++k) {
        machine.at(static_cast<std::uint16_t>(0x8000 + k)) = code[k];
    }
    return machine;
}
