// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

/// Facts of the 48K machine ("early" ULA) as data. T counts from the moment INT goes low.
/// Sources: Fuse/libspectrum for the figures, SkoolKit's contention pattern, kosarev/zx screen timing for the floating bus.
namespace oakemu::timing48 {

inline constexpr std::uint32_t kLine = 224;         ///< T per line
inline constexpr std::uint32_t kFrame = 69888;      ///< T per frame, 312 lines
inline constexpr std::uint32_t kInterrupt = 32;     ///< T for which INT stays low
inline constexpr std::uint32_t kContended = 14335;  ///< first T at which the ULA makes the CPU wait
inline constexpr std::uint32_t kPictureLines = 192;
inline constexpr std::uint32_t kPictureT = 128;    ///< T of each picture line in which the ULA reads
inline constexpr std::uint32_t kFloating = 14338;  ///< T at which the first bitmap byte is on the bus

inline constexpr std::uint32_t kContendedEnd = kContended + kPictureLines * kLine;  ///< no waits from here to the end of the frame

/// No instruction that starts inside a frame, with all its waits, ends later than this after it.
inline constexpr std::uint32_t kOvershoot = 64;

using ContentionTable = std::array<std::uint8_t, kFrame + kOvershoot>;

constexpr ContentionTable make_contention_table() {
    constexpr std::array<std::uint8_t, 8> pattern{6, 5, 4, 3, 2, 1, 0, 0};
    ContentionTable table{};
    for (std::uint32_t line = 0; line < kPictureLines; ++line) {
        for (std::uint32_t x = 0; x < kPictureT; ++x) {
            table[kContended + line * kLine + x] = pattern[x % 8];
        }
    }
    return table;
}

/// T for which an access to contended memory waits, by the T at which it would begin.
inline constexpr ContentionTable kContention = make_contention_table();

/// What the NOPs of a halted CPU in contended memory do from some T of a picture line until they have left that line.
struct HaltedLine {
    std::uint8_t t, nops;
};

using HaltedLineTable = std::array<HaltedLine, kLine>;

constexpr HaltedLineTable make_halted_line_table() {
    HaltedLineTable table{};
    for (std::uint32_t x = 0; x < kLine; ++x) {
        std::uint32_t end = x, nops = 0;
        for (; end < kLine; ++nops) {
            end += kContention[kContended + end] + 4U;
        }
        table[x] = {static_cast<std::uint8_t>(end - x), static_cast<std::uint8_t>(nops)};
    }
    return table;
}

/// By T since the line's first wait.
inline constexpr HaltedLineTable kHaltedLine = make_halted_line_table();

constexpr bool is_contended(std::uint16_t address) { return (address & 0xC000U) == 0x4000U; }

/// Address whose byte the ULA has on the bus at `t`, or 0 when the bus idles (and reads 0xFF).
constexpr std::uint16_t floating_bus_address(std::uint32_t t) {
    if (t < kFloating || t >= kFloating + kPictureLines * kLine) {
        return 0;
    }
    const std::uint32_t y = (t - kFloating) / kLine;
    const std::uint32_t x = (t - kFloating) % kLine;
    const std::uint32_t phase = x % 8;
    if (x >= kPictureT || phase >= 4) {
        return 0;
    }
    const std::uint32_t column = x / 8 * 2 + phase / 2;
    const std::uint32_t bitmap = 0x4000U | ((y & 0xC0U) << 5U) | ((y & 7U) << 8U) | ((y & 0x38U) << 2U);
    const std::uint32_t row = phase % 2 == 0 ? bitmap : 0x5800U + 32U * (y / 8U);
    return static_cast<std::uint16_t>(row + column);
}

}  // namespace oakemu::timing48
