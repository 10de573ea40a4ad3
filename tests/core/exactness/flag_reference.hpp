// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

/// Results and flags of the Z80, computed a bit at a time as its manual describes them: full adders, shifts, and for DAA the manual's
/// table. Nothing here is taken from the core.
namespace reference {

struct Result {
    std::uint8_t value, f;
};

constexpr std::uint8_t byte(int value) { return static_cast<std::uint8_t>(value & 0xFF); }

constexpr bool even_parity(int value) {
    bool even = true;
    for (int bit = 0; bit < 8; ++bit) {
        even = even != (((value >> bit) & 1) != 0);
    }
    return even;
}

constexpr std::uint8_t flags(bool s, bool z, int source_of_53, bool h, bool pv, bool n, bool c) {
    return byte((s ? 128 : 0) + (z ? 64 : 0) + (source_of_53 & 0x28) + (h ? 16 : 0) + (pv ? 4 : 0) + (n ? 2 : 0) + (c ? 1 : 0));
}

/// What `bits` full adders in a row give, and the carries out of bit 3 (or 11), out of the last bit, and into it.
struct Sum {
    int value;
    bool half, carry, into_last;
};
constexpr Sum full_adders(int a, int b, bool carry, int bits) {
    Sum sum{0, false, carry, false};
    for (int bit = 0; bit < bits; ++bit) {
        const int ones = ((a >> bit) & 1) + ((b >> bit) & 1) + (sum.carry ? 1 : 0);
        sum.into_last = sum.carry;
        sum.value |= (ones & 1) << bit;
        sum.carry = ones > 1;
        if (bit == bits - 5) {
            sum.half = sum.carry;
        }
    }
    return sum;
}

constexpr Result add(int a, int b, bool carry) {
    const Sum sum = full_adders(a, b, carry, 8);
    return {byte(sum.value), flags(sum.value > 127, sum.value == 0, sum.value, sum.half, sum.carry != sum.into_last, false, sum.carry)};
}

/// A + not B + not borrow; the manual's borrows are the adders' carries inverted.
constexpr Result subtract(int a, int b, bool borrow) {
    const Sum sum = full_adders(a, ~b & 0xFF, !borrow, 8);
    return {byte(sum.value), flags(sum.value > 127, sum.value == 0, sum.value, !sum.half, sum.carry != sum.into_last, true, !sum.carry)};
}

constexpr Result logic(int value, bool h) {
    return {byte(value), flags(value > 127, value == 0, value, h, even_parity(value), false, false)};
}

/// ADD ADC SUB SBC AND XOR OR CP in the order of their opcodes.
constexpr Result arithmetic(int operation, int a, int b, bool carry) {
    switch (operation) {
        case 0:
            return add(a, b, false);
        case 1:
            return add(a, b, carry);
        case 2:
            return subtract(a, b, false);
        case 3:
            return subtract(a, b, carry);
        case 4:
            return logic(a & b, true);
        case 5:
            return logic(a ^ b, false);
        case 6:
            return logic(a | b, false);
        default:
            return {byte(a), byte((subtract(a, b, false).f & ~0x28) | (b & 0x28))};
    }
}

constexpr Result increment(int value, int f) {
    const Result sum = add(value, 1, false);
    return {sum.value, byte((sum.f & ~1) | (f & 1))};
}
constexpr Result decrement(int value, int f) {
    const Result difference = subtract(value, 1, false);
    return {difference.value, byte((difference.f & ~1) | (f & 1))};
}

/// RLC RRC RL RR SLA SRA SLL SRL.
constexpr Result rotate(int operation, int value, bool carry) {
    const bool left = operation % 2 == 0;
    const bool out = ((value >> (left ? 7 : 0)) & 1) != 0;
    bool in = false;  // SLA, SRL
    switch (operation) {
        case 0:
        case 1:
            in = out;
            break;
        case 2:
        case 3:
            in = carry;
            break;
        case 5:
            in = value > 127;
            break;  // SRA keeps the sign
        case 6:
            in = true;
            break;  // SLL
        default:
            break;
    }
    const int result = left ? (value * 2 + (in ? 1 : 0)) & 0xFF : value / 2 + (in ? 128 : 0);
    return {byte(result), byte(logic(result, false).f | (out ? 1 : 0))};
}

/// RLCA RRCA RLA RRA: S, Z and P/V stay.
constexpr Result rotate_a(int operation, int a, int f) {
    const Result result = rotate(operation, a, (f & 1) != 0);
    return {result.value, byte((f & 0xC4) | (result.value & 0x28) | (result.f & 1))};
}

/// One row of the manual's table for DAA: when C, the high digit, H and the low digit are such, add this, and C is that.
struct DaaRow {
    bool c;
    int high_from, high_to;
    bool h;
    int low_from, low_to, added;
    bool c_after;
};
inline constexpr DaaRow kDaaAfterAddition[]{
    {false, 0, 9, false, 0, 9, 0x00, false},  {false, 0, 8, false, 10, 15, 0x06, false}, {false, 0, 9, true, 0, 3, 0x06, false},
    {false, 10, 15, false, 0, 9, 0x60, true}, {false, 9, 15, false, 10, 15, 0x66, true}, {false, 10, 15, true, 0, 3, 0x66, true},
    {true, 0, 2, false, 0, 9, 0x60, true},    {true, 0, 2, false, 10, 15, 0x66, true},   {true, 0, 3, true, 0, 3, 0x66, true}};
inline constexpr DaaRow kDaaAfterSubtraction[]{{false, 0, 9, false, 0, 9, 0x00, false},
                                               {false, 0, 8, true, 6, 15, 0xFA, false},
                                               {true, 7, 15, false, 0, 9, 0xA0, true},
                                               {true, 6, 15, true, 6, 15, 0x9A, true}};

/// DAA as far as the manual tells it; false for an A and F that no addition or subtraction of BCD numbers leaves.
constexpr bool daa(int a, int f, Result& result) {
    const auto matches = [&](const DaaRow& row) {
        return row.c == ((f & 1) != 0) && row.h == ((f & 16) != 0) && a / 16 >= row.high_from && a / 16 <= row.high_to &&
               a % 16 >= row.low_from && a % 16 <= row.low_to;
    };
    const auto apply = [&](const DaaRow& row) {
        const int value = (a + row.added) & 0xFF;
        result = {byte(value), byte((logic(value, ((a ^ value) & 16) != 0).f) | (f & 2) | (row.c_after ? 1 : 0))};
        return true;
    };
    if ((f & 2) == 0) {
        for (const DaaRow& row : kDaaAfterAddition) {
            if (matches(row)) return apply(row);
        }
    } else {
        for (const DaaRow& row : kDaaAfterSubtraction) {
            if (matches(row)) return apply(row);
        }
    }
    return false;
}

struct WideResult {
    int value;
    std::uint8_t f;
};

constexpr WideResult add16(int left, int right, int f) {
    const Sum sum = full_adders(left, right, false, 16);
    return {sum.value, byte((f & 0xC4) | ((sum.value >> 8) & 0x28) | (sum.half ? 16 : 0) | (sum.carry ? 1 : 0))};
}
constexpr WideResult adc16(int left, int right, bool carry) {
    const Sum sum = full_adders(left, right, carry, 16);
    return {sum.value, flags(sum.value > 0x7FFF, sum.value == 0, sum.value >> 8, sum.half, sum.carry != sum.into_last, false, sum.carry)};
}
constexpr WideResult sbc16(int left, int right, bool borrow) {
    const Sum sum = full_adders(left, ~right & 0xFFFF, !borrow, 16);
    return {sum.value, flags(sum.value > 0x7FFF, sum.value == 0, sum.value >> 8, !sum.half, sum.carry != sum.into_last, true, !sum.carry)};
}

}  // namespace reference
