// SPDX-License-Identifier: GPL-3.0-or-later
#include "display_changes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "video.hpp"

namespace oakemu {
namespace {

constexpr std::size_t kColumns = 32;

/// Offsets in the display file of the nine runs of bytes that make a band: eight lines of pixels, then the attributes.
std::array<std::size_t, 9> runs_of(std::size_t band) {
    const std::size_t first = (band >> 3) * 0x800 + (band & 7) * kColumns;
    return {first,         first + 0x100, first + 0x200, first + 0x300,           first + 0x400,
            first + 0x500, first + 0x600, first + 0x700, 0x1800 + band * kColumns};
}

/// 0 if both runs of 32 bytes are the same.
std::uint64_t difference_of(const std::uint8_t* a, const std::uint8_t* b) {
    std::uint64_t difference = 0;
    for (std::size_t i = 0; i < kColumns; i += 8) {
        std::uint64_t left = 0, right = 0;
        std::memcpy(&left, a + i, 8);
        std::memcpy(&right, b + i, 8);
        difference |= left ^ right;
    }
    return difference;
}

}  // namespace

std::uint32_t DisplayChanges::take(const Machine& machine) {
    const bool swapped = flash_swapped(machine);
    const bool flashed = swapped != swapped_;
    std::uint32_t changed = 0;
    for (std::size_t band = 0; band < kBands; ++band) {
        const std::array<std::size_t, 9> runs = runs_of(band);
        std::uint64_t difference = 0;
        for (const std::size_t run : runs) difference |= difference_of(machine.display() + run, seen_.data() + run);
        const std::uint8_t* attributes = machine.display() + runs.back();
        const bool flashes =
            flashed && std::any_of(attributes, attributes + kColumns, [](std::uint8_t byte) { return (byte & 0x80) != 0; });
        if (difference != 0) {
            for (const std::size_t run : runs) std::memcpy(seen_.data() + run, machine.display() + run, kColumns);
        }
        if (difference != 0 || flashes || !known_) changed |= 1U << band;
    }
    swapped_ = swapped;
    known_ = true;
    return changed;
}

}  // namespace oakemu
