// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cstdint>

/// Names for bits of F, small conversions, and the flag tables of the Z80.
namespace oakemu::z80 {

inline constexpr std::uint8_t kCarry = 0x01, kNegative = 0x02, kParity = 0x04, kFlag3 = 0x08;
inline constexpr std::uint8_t kHalf = 0x10, kFlag5 = 0x20, kZero = 0x40, kSign = 0x80;
inline constexpr std::uint8_t kFlags53 = kFlag5 | kFlag3;

constexpr std::uint8_t u8(std::uint32_t value) { return static_cast<std::uint8_t>(value); }
constexpr std::uint16_t u16(std::uint32_t value) { return static_cast<std::uint16_t>(value); }
constexpr std::uint8_t high(std::uint16_t pair) { return u8(pair >> 8U); }
constexpr std::uint8_t low(std::uint16_t pair) { return u8(pair); }
constexpr std::uint16_t pair(std::uint8_t high_byte, std::uint8_t low_byte) {
    return u16((static_cast<std::uint32_t>(high_byte) << 8U) | low_byte);
}

/// base + a signed displacement byte, modulo 64K.
constexpr std::uint16_t displaced(std::uint16_t base, std::uint8_t displacement) {
    return u16(base + static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int8_t>(displacement))));
}

using FlagTable = std::array<std::uint8_t, 256>;

constexpr FlagTable make_flag_table(std::uint8_t (*flags)(std::uint8_t)) {
    FlagTable table{};
    for (std::uint32_t value = 0; value < 256; ++value) {
        table[value] = flags(u8(value));
    }
    return table;
}

constexpr std::uint8_t sign_zero_53(std::uint8_t value) { return u8((value & (kSign | kFlags53)) | (value == 0 ? kZero : 0U)); }
constexpr bool even_parity(std::uint32_t value) { return std::popcount(value & 0xFFU) % 2 == 0; }

/// S, Z, 5 and 3 of a result.
inline constexpr FlagTable kSignZero = make_flag_table(sign_zero_53);

/// S, Z, 5, 3 and P/V as even parity.
inline constexpr FlagTable kSignZeroParity =
    make_flag_table([](std::uint8_t value) { return u8(sign_zero_53(value) | (even_parity(value) ? kParity : 0U)); });

/// All flags but C after INC, by result.
inline constexpr FlagTable kIncrement = make_flag_table(
    [](std::uint8_t result) { return u8(sign_zero_53(result) | (result == 0x80 ? kParity : 0U) | ((result & 0x0FU) == 0 ? kHalf : 0U)); });

/// All flags but C after DEC, by result.
inline constexpr FlagTable kDecrement = make_flag_table([](std::uint8_t result) {
    return u8(sign_zero_53(result) | kNegative | (result == 0x7F ? kParity : 0U) | ((result & 0x0FU) == 0x0F ? kHalf : 0U));
});

}  // namespace oakemu::z80
