// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "model.hpp"

/// Facts of the machines as data. T counts from the moment INT goes low.
/// Sources: Fuse/libspectrum for the figures, SkoolKit's contention pattern, kosarev/zx screen timing for the floating bus.
namespace oakemu {

/// When what happens in a frame, on a machine whose ULA is "early". Of a "late" one everything comes 1 T later.
struct Timings {
    std::uint32_t line;       ///< T per line
    std::uint32_t frame;      ///< T per frame
    std::uint32_t interrupt;  ///< T for which INT stays low
    std::uint32_t contended;  ///< first T at which the ULA makes the CPU wait
    std::uint32_t floating;   ///< T at which the first bitmap byte is on the bus
    std::uint32_t clock;      ///< T per second

    static constexpr std::uint32_t kPictureLines = 192;
    static constexpr std::uint32_t kPictureT = 128;  ///< T of each picture line in which the ULA reads

    /// No waits from here to the end of the frame.
    constexpr std::uint32_t contended_end() const { return contended + kPictureLines * line; }
};

inline constexpr Timings kTimings48{224, 69888, 32, 14335, 14338, 3'500'000};
inline constexpr Timings kTimings128{228, 70908, 36, 14361, 14364, 3'546'900};

constexpr const Timings& timings_of(Model model) { return has_paging(model) ? kTimings128 : kTimings48; }

/// No instruction that starts inside a frame, with all its waits, ends later than this after it.
inline constexpr std::uint32_t kOvershoot = 64;

/// T for which an access to contended memory waits, by the T at which it would begin. The first entry is T -1.
template <std::uint32_t frame>
using ContentionTable = std::array<std::uint8_t, 1 + frame + kOvershoot>;

template <std::uint32_t frame>
constexpr ContentionTable<frame> make_contention_table(const Timings& timings) {
    constexpr std::array<std::uint8_t, 8> pattern{6, 5, 4, 3, 2, 1, 0, 0};
    ContentionTable<frame> table{};
    for (std::uint32_t line = 0; line < Timings::kPictureLines; ++line) {
        for (std::uint32_t x = 0; x < Timings::kPictureT; ++x) {
            table[1 + timings.contended + line * timings.line + x] = pattern[x % 8];
        }
    }
    return table;
}

inline constexpr auto kContentionTable48 = make_contention_table<kTimings48.frame>(kTimings48);
inline constexpr auto kContentionTable128 = make_contention_table<kTimings128.frame>(kTimings128);

/// What the NOPs of a halted CPU in contended memory do from some T of a picture line until they have left that line.
struct HaltedLine {
    std::uint8_t t, nops;
};

template <std::uint32_t line>
constexpr std::array<HaltedLine, line> make_halted_line_table(const Timings& timings, const std::uint8_t* contention) {
    std::array<HaltedLine, line> table{};
    for (std::uint32_t x = 0; x < line; ++x) {
        std::uint32_t end = x, nops = 0;
        for (; end < line; ++nops) {
            end += contention[timings.contended + end] + 4U;
        }
        table[x] = {static_cast<std::uint8_t>(end - x), static_cast<std::uint8_t>(nops)};
    }
    return table;
}

inline constexpr auto kHaltedLine48 = make_halted_line_table<kTimings48.line>(kTimings48, kContentionTable48.data() + 1);
inline constexpr auto kHaltedLine128 = make_halted_line_table<kTimings128.line>(kTimings128, kContentionTable128.data() + 1);

constexpr bool is_contended48(std::uint16_t address) { return (address & 0xC000U) == 0x4000U; }

/// Place in a screen bank of the byte that the ULA has on the bus at `t` of an early machine, or -1 when the bus idles (and reads 0xFF).
constexpr std::int32_t floating_bus_place(const Timings& timings, std::uint32_t t) {
    if (t < timings.floating || t >= timings.floating + Timings::kPictureLines * timings.line) {
        return -1;
    }
    const std::uint32_t y = (t - timings.floating) / timings.line;
    const std::uint32_t x = (t - timings.floating) % timings.line;
    const std::uint32_t phase = x % 8;
    if (x >= Timings::kPictureT || phase >= 4) {
        return -1;
    }
    const std::uint32_t column = x / 8 * 2 + phase / 2;
    const std::uint32_t bitmap = ((y & 0xC0U) << 5U) | ((y & 7U) << 8U) | ((y & 0x38U) << 2U);
    const std::uint32_t row = phase % 2 == 0 ? bitmap : 0x1800U + 32U * (y / 8U);
    return static_cast<std::int32_t>(row + column);
}

/// The ULA of one model with one timing.
struct UlaClock {
    Timings timings;
    std::uint32_t late;          ///< T by which everything is later than `timings` says, 0 or 1
    const std::uint8_t* waits;   ///< by T of the frame
    const HaltedLine* halted;    ///< by T since the line's first wait
    std::uint32_t first_wait;    ///< in the frame
    std::uint32_t end_of_waits;  ///< none from here to the end of the frame

    /// Place in the display of the byte that is on the bus at `t`, or -1 when the bus idles.
    constexpr std::int32_t floating_place(std::uint32_t t) const { return floating_bus_place(timings, t - late); }
};

constexpr UlaClock make_ula_clock(bool paging, std::uint32_t late) {
    const Timings& timings = paging ? kTimings128 : kTimings48;
    return {.timings = timings,
            .late = late,
            .waits = (paging ? kContentionTable128.data() : kContentionTable48.data()) + 1 - late,
            .halted = paging ? kHaltedLine128.data() : kHaltedLine48.data(),
            .first_wait = timings.contended + late,
            .end_of_waits = timings.contended_end() + late};
}

inline constexpr std::array<UlaClock, 4> kUlaClocks{make_ula_clock(false, 0), make_ula_clock(false, 1), make_ula_clock(true, 0),
                                                    make_ula_clock(true, 1)};

constexpr const UlaClock& ula_clock(Model model, bool late) { return kUlaClocks[(has_paging(model) ? 2U : 0U) + (late ? 1U : 0U)]; }

}  // namespace oakemu
