// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <type_traits>

namespace oakemu {

/// Where a tape stands: a part of the machine's state. The tape itself (`Tape`) is shared and never changes.
struct TapeState {
    std::int64_t edge = 0;      ///< playing: T of this frame at which the pulse that is heard ends; stopped: the T that were left of it
    std::int64_t played = 0;    ///< T of tape that will have passed when that pulse ends
    std::uint32_t segment = 0;  ///< the segment from which the pulse after that one comes
    std::uint32_t item = 0;     ///< its pulse, symbol or sample within the segment
    std::uint32_t pulse = 0;    ///< its place within the symbol
    std::uint32_t loops = 0;    ///< how often the current loop is still to be played
    std::uint32_t reads = 0;    ///< reads of the ULA port while a tape is in; wraps around
    std::uint8_t playing = 0;
    std::uint8_t level = 0;  ///< what is heard, 0 or 1
    std::uint8_t flips = 0;  ///< whether the pulse that is heard ends with an edge
    std::uint8_t padding = 0;
};

static_assert(std::has_unique_object_representations_v<TapeState>, "equal machines save to equal bytes, so padding is spelled out");

}  // namespace oakemu
