// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tape_state.hpp"

namespace oakemu {

/// What a stretch of tape does. Each pulse is heard at the current level, which then changes (an edge), if not said otherwise.
enum class TapeOp : std::uint8_t {
    repeat,      ///< symbol `first`, `count` times
    data,        ///< `count` symbols of `bits` bits each from byte `first` on, most significant bit first; `extra` is symbol 0
    pulses,      ///< `count` pulses from pulse `first` on
    samples,     ///< `count` bits from byte `first` on are levels, each for `extra` T; the last one stays
    hold,        ///< the current level for `count` T, without an edge afterwards
    level,       ///< the level becomes `first`, in no time
    stop,        ///< the tape stops
    stop_48k,    ///< the tape stops on a 48K machine
    loop_begin,  ///< what follows, up to its loop_end, is played `count` times
    loop_end,
};

struct TapeSegment {
    TapeOp op = TapeOp::hold;
    std::uint8_t bits = 0;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    std::uint32_t extra = 0;
};

/// A group of pulses that stands for a value.
struct TapeSymbol {
    enum class Start : std::uint8_t { edge, no_edge, low, high };
    std::uint32_t first = 0;  ///< its first pulse
    std::uint32_t count = 0;
    Start start = Start::edge;  ///< the level with which it begins
};

/// Everything on a tape, in the order in which it is played. Immutable, and shared by all machines that play it.
class Tape {
public:
    /// No tape lasts longer: 100 hours.
    static constexpr std::int64_t kMaxDuration = std::int64_t{100} * 3600 * 3'500'000;
    /// Pulses, symbols and commands that take no time, loops included; they are played in one go.
    static constexpr std::int64_t kMaxInstants = 10'000'000;

    /// Throws std::invalid_argument if something is not there, or lasts too long.
    Tape(std::vector<TapeSegment> segments, std::vector<TapeSymbol> symbols, std::vector<std::uint32_t> pulses,
         std::vector<std::uint8_t> bytes);

    std::span<const TapeSegment> segments() const { return segments_; }
    const TapeSymbol& symbol(std::uint32_t number) const { return symbols_[number]; }
    std::uint32_t pulse(std::uint32_t number) const { return pulses_[number]; }
    /// The `bits` bits (at most 8) that are item `number` of those from byte `first` on.
    std::uint32_t value(std::uint32_t first, std::uint32_t bits, std::uint32_t number) const;

    /// T from the beginning to the end, without the time for which it stops.
    std::int64_t duration() const { return begins_.back(); }
    /// T of tape at which a segment, or the end, is reached for the first time.
    std::int64_t begin_of(std::uint32_t segment) const { return begins_[segment]; }

private:
    struct Length {
        std::int64_t t = 0, instants = 0;
    };
    void check_segment(const TapeSegment& segment, std::size_t number) const;
    void check_symbol(std::uint64_t number, std::size_t segment) const;
    Length symbol_length(std::uint32_t number) const;
    Length segment_length(const TapeSegment& segment) const;
    void measure();

    std::vector<TapeSegment> segments_;
    std::vector<TapeSymbol> symbols_;
    std::vector<std::uint32_t> pulses_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::int64_t> begins_;
};

/// Plays on up to T `t` of this frame.
void tape_play_to(TapeState& state, const Tape& tape, std::int64_t t, bool is_48k);

/// The level at T `t` of this frame. Times must not go backwards.
inline std::uint8_t tape_level(TapeState& state, const Tape& tape, std::int64_t t, bool is_48k) {
    if (state.playing != 0 && t >= state.edge) [[unlikely]] {
        tape_play_to(state, tape, t, is_48k);
    }
    return state.level;
}

/// Starts the tape at T `t` of this frame, where it stands; nothing if it plays.
void tape_start(TapeState& state, const Tape& tape, std::int64_t t, bool is_48k);

/// Stops the tape at T `t` of this frame, in the middle of a pulse if need be; nothing if it does not play.
void tape_stop(TapeState& state, const Tape& tape, std::int64_t t, bool is_48k);

/// Winds a stopped tape to the beginning of a segment (or, with their number, to the end).
void tape_wind(TapeState& state, const Tape& tape, std::uint32_t segment);

/// Ends a frame of `frame` T, whose last instruction ended at T `t` of it.
inline void tape_end_frame(TapeState& state, const Tape& tape, std::int64_t t, std::int64_t frame, bool is_48k) {
    if (state.playing != 0) {
        tape_level(state, tape, t, is_48k);
        state.edge -= state.playing != 0 ? frame : 0;
    }
}

/// T of tape that have passed at T `t` of this frame.
inline std::int64_t tape_position(const TapeState& state, std::int64_t t) {
    return state.played - (state.playing != 0 ? state.edge - t : state.edge);
}

/// Whether a state can have come from playing this tape, or from playing any if there is none. To be asked before foreign bytes are
/// taken for a state.
bool tape_state_is_sane(const TapeState& state, const Tape* tape);

}  // namespace oakemu
