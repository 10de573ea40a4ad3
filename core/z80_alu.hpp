// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "z80.hpp"

/// Arithmetic, logic, rotations and their flags.
namespace oakemu::z80 {

// In left ^ right ^ result, bit n + 1 is the carry out of bit n: bit 4 is H, bit 8 is C, and V is set when bits 7 and 8 differ.
inline constexpr auto kCarries = [] {
    std::array<std::uint8_t, 512> table{};
    for (std::uint32_t carries = 0; carries < 512; ++carries) {
        table[carries] = u8((carries & kHalf) | ((carries >> 8U) & kCarry) | (((carries >> 5U) ^ (carries >> 6U)) & kParity));
    }
    return table;
}();
constexpr std::uint32_t half_carry_overflow(std::uint32_t carries) { return kCarries[carries & 511U]; }

template <class Bus>
void Processor<Bus>::add(std::uint8_t value, std::uint32_t carry) {
    const std::uint32_t result = a + value + carry;
    const std::uint32_t carries = a ^ value ^ result;
    a = u8(result);
    set_flags(kSignZero[a] | half_carry_overflow(carries));
}

template <class Bus>
std::uint8_t Processor<Bus>::subtract(std::uint8_t value, std::uint32_t carry) {
    const std::uint32_t result = static_cast<std::uint32_t>(a) - value - carry;
    const std::uint32_t carries = a ^ value ^ result;
    set_flags(kSignZero[u8(result)] | kNegative | half_carry_overflow(carries));
    return u8(result);
}

template <class Bus>
template <int operation>
void Processor<Bus>::alu(std::uint8_t value) {
    if constexpr (operation == 0) {
        add(value, 0);
    } else if constexpr (operation == 1) {
        add(value, f & kCarry);
    } else if constexpr (operation == 2) {
        a = subtract(value, 0);
    } else if constexpr (operation == 3) {
        a = subtract(value, f & kCarry);
    } else if constexpr (operation == 4) {
        a = a & value;
        set_flags(kSignZeroParity[a] | kHalf);
    } else if constexpr (operation == 5) {
        a = a ^ value;
        set_flags(kSignZeroParity[a]);
    } else if constexpr (operation == 6) {
        a = a | value;
        set_flags(kSignZeroParity[a]);
    } else {
        subtract(value, 0);
        set_flags((f & ~static_cast<std::uint32_t>(kFlags53)) | (value & kFlags53));  // CP shows 5 and 3 of its operand
    }
}

template <class Bus>
std::uint8_t Processor<Bus>::increment(std::uint8_t value) {
    const std::uint8_t result = u8(value + 1U);
    set_flags((f & kCarry) | kIncrement[result]);
    return result;
}

template <class Bus>
std::uint8_t Processor<Bus>::decrement(std::uint8_t value) {
    const std::uint8_t result = u8(value - 1U);
    set_flags((f & kCarry) | kDecrement[result]);
    return result;
}

template <class Bus>
std::uint16_t Processor<Bus>::add16(std::uint16_t left, std::uint16_t right) {
    const std::uint32_t result = static_cast<std::uint32_t>(left) + right;
    const std::uint32_t carries = left ^ right ^ result;
    memptr = u16(left + 1U);
    set_flags((f & (kSign | kZero | kParity)) | ((result >> 8U) & kFlags53) | ((carries >> 8U) & kHalf) | (result >> 16U));
    return u16(result);
}

template <class Bus>
void Processor<Bus>::adc16(std::uint16_t right) {
    const std::uint16_t left = hl;
    const std::uint32_t result = static_cast<std::uint32_t>(left) + right + (f & kCarry);
    const std::uint32_t carries = (left ^ right ^ result) >> 8U;
    memptr = u16(left + 1U);
    hl = u16(result);
    set_flags((high(hl) & (kSign | kFlags53)) | (u16(result) == 0 ? kZero : 0U) | half_carry_overflow(carries));
}

template <class Bus>
void Processor<Bus>::sbc16(std::uint16_t right) {
    const std::uint16_t left = hl;
    const std::uint32_t result = static_cast<std::uint32_t>(left) - right - (f & kCarry);
    const std::uint32_t carries = (left ^ right ^ result) >> 8U;
    memptr = u16(left + 1U);
    hl = u16(result);
    set_flags((high(hl) & (kSign | kFlags53)) | (u16(result) == 0 ? kZero : 0U) | kNegative | half_carry_overflow(carries));
}

/// RLC, RRC, RL, RR, SLA, SRA, SLL, SRL.
template <class Bus>
std::uint8_t Processor<Bus>::rotate(int operation, std::uint8_t value) {
    const std::uint32_t carry_in = f & kCarry;
    std::uint32_t result = 0;
    const std::uint32_t carry_out = (operation & 1) == 0 ? value >> 7U : value & 1U;
    switch (operation) {
        case 0:
            result = (value << 1U) | carry_out;
            break;
        case 1:
            result = (value >> 1U) | (carry_out << 7U);
            break;
        case 2:
            result = (value << 1U) | carry_in;
            break;
        case 3:
            result = (value >> 1U) | (carry_in << 7U);
            break;
        case 4:
            result = value << 1U;
            break;
        case 5:
            result = (value >> 1U) | (value & 0x80U);
            break;
        case 6:
            result = (value << 1U) | 1U;
            break;
        default:
            result = value >> 1U;
            break;
    }
    set_flags(kSignZeroParity[u8(result)] | carry_out);
    return u8(result);
}

/// Flags of BIT. `masked` is the operand and the one bit.
template <class Bus>
void Processor<Bus>::bit_flags(std::uint8_t masked, std::uint8_t source_of_53) {
    set_flags((f & kCarry) | kHalf | (masked & kSign) | (masked == 0 ? kZero | kParity : 0U) | (source_of_53 & kFlags53));
}

template <class Bus>
void Processor<Bus>::daa() {
    std::uint32_t correction = 0;
    std::uint32_t carry = f & kCarry;
    if ((f & kHalf) != 0 || (a & 0x0FU) > 9) {
        correction = 0x06;
    }
    if (carry != 0 || a > 0x99) {
        correction |= 0x60U;
        carry = kCarry;
    }
    const std::uint8_t result = u8((f & kNegative) != 0 ? a - correction : a + correction);
    set_flags(kSignZeroParity[result] | ((a ^ result) & kHalf) | (f & kNegative) | carry);
    a = result;
}

/// RLCA, RRCA, RLA, RRA, DAA, CPL, SCF, CCF.
template <class Bus>
template <int operation>
void Processor<Bus>::accumulator_operation() {
    const std::uint32_t kept = f & (kSign | kZero | kParity);
    const std::uint32_t carry_in = f & kCarry;
    if constexpr (operation < 4) {
        const std::uint32_t carry_out = operation % 2 == 0 ? a >> 7U : a & 1U;
        const std::uint32_t shifted_in = operation < 2 ? carry_out : carry_in;
        a = u8(operation % 2 == 0 ? (a << 1U) | shifted_in : (a >> 1U) | (shifted_in << 7U));
        set_flags(kept | (a & kFlags53) | carry_out);
    } else if constexpr (operation == 4) {
        daa();
    } else if constexpr (operation == 5) {
        a = u8(a ^ 0xFFU);
        set_flags(kept | carry_in | kHalf | kNegative | (a & kFlags53));
    } else {
        // Zilog: flags 5 and 3 are those of A, or'ed with those of F unless the last instruction wrote F.
        const std::uint32_t flags53 = (flags_written_at + 1 == r ? a : f | a) & kFlags53;
        set_flags(kept | flags53 | (operation == 6 ? kCarry : (carry_in != 0 ? kHalf : kCarry)));
    }
}

}  // namespace oakemu::z80
