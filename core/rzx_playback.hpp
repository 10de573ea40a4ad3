// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "held_keys.hpp"
#include "machine.hpp"
#include "probe.hpp"

namespace oakemu {

/// Recorded frames: how many M1 cycles each has, and what its port reads give. The spans have a value a frame.
struct RecordedFrames {
    std::span<const std::uint16_t> fetches;
    std::span<const std::int64_t> starts;  ///< where in `data` each frame's bytes begin
    std::span<const std::uint16_t> counts;
    std::span<const std::uint8_t> data;
};

/// What emulators do differently at the end of a frame. The numbers are those of SkoolKit's rzxplay.py.
struct RzxHabits {
    /// An interrupt right after LD A,I or LD A,R resets P/V, as on an NMOS Z80.
    static constexpr unsigned kLoadFlag = 1;
    /// After EI, a frame of one or two M1 cycles begins without an interrupt.
    static constexpr unsigned kShortFrames = 2;
};

/// Plays recorded frames, each of which begins with an interrupt (if enabled) and ends when its M1 cycles are done, whatever the time.
/// No interrupt comes between them, nor before the first.
class RzxPlayback {
public:
    /// Where a program went another way than when it was recorded.
    struct Desync {
        std::size_t frame = 0;  ///< in the frames that were given
        std::uint32_t reads = 0;
        std::uint32_t recorded = 0;
    };

    explicit RzxPlayback(unsigned habits) : habits_(habits) {}

    /// The machine has become a snapshot: its next frame is the first.
    void restart() { first_ = true; }

    /// Plays one frame of `frames`. Returns false if it has another number of port reads than was recorded; it is then played to its
    /// end with 0xFF for each byte that is missing. The machine's own keys, joystick and tape have no say. `watcher` may be null.
    bool play(Machine& machine, const Setup& setup, const RecordedFrames& frames, std::size_t number, Probe* watcher);

    const HeldKeys& keys() const { return keys_; }
    const Desync& desync() const { return desync_; }

private:
    unsigned habits_;
    bool first_ = true;
    KeyReads reads_;
    HeldKeys keys_;
    Desync desync_;
};

}  // namespace oakemu
