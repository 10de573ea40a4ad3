// SPDX-License-Identifier: GPL-3.0-or-later
#include "tape.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

namespace oakemu {
namespace {

/// Sums of lengths stay far below what an int64 holds, and above everything that is allowed.
constexpr std::int64_t kTooLong = std::int64_t{1} << 60;

std::int64_t add(std::int64_t left, std::int64_t right) { return std::min(left + right, kTooLong); }

std::int64_t multiply(std::int64_t left, std::int64_t right) { return left != 0 && right > kTooLong / left ? kTooLong : left * right; }

[[noreturn]] void refuse(std::size_t segment, const std::string& what) {
    throw std::invalid_argument("segment " + std::to_string(segment) + " of the tape " + what);
}

}  // namespace

Tape::Tape(std::vector<TapeSegment> segments, std::vector<TapeSymbol> symbols, std::vector<std::uint32_t> pulses,
           std::vector<std::uint8_t> bytes)
    : segments_(std::move(segments)), symbols_(std::move(symbols)), pulses_(std::move(pulses)), bytes_(std::move(bytes)) {
    if (segments_.size() >= UINT32_MAX) {
        throw std::invalid_argument("the tape has too many segments");
    }
    for (std::size_t k = 0; k < segments_.size(); ++k) {
        check_segment(segments_[k], k);
    }
    measure();
}

std::uint32_t Tape::value(std::uint32_t first, std::uint32_t bits, std::uint32_t number) const {
    const std::uint64_t bit = std::uint64_t{number} * bits;
    const std::size_t byte = first + static_cast<std::size_t>(bit / 8);
    const auto end = static_cast<std::uint32_t>(bit % 8) + bits;  // bits to take from here on, counted from the byte's highest
    const std::uint32_t two = bytes_[byte] * 256U + (end > 8 ? bytes_[byte + 1] : 0U);
    return (two >> (16U - end)) & ((1U << bits) - 1U);
}

void Tape::check_symbol(std::uint64_t number, std::size_t segment) const {
    if (number >= symbols_.size()) {
        refuse(segment, "has no symbol " + std::to_string(number));
    }
    const TapeSymbol& symbol = symbols_[static_cast<std::size_t>(number)];
    if (std::uint64_t{symbol.first} + symbol.count > pulses_.size()) {
        refuse(segment, "lacks pulses of symbol " + std::to_string(number));
    }
}

void Tape::check_segment(const TapeSegment& segment, std::size_t number) const {
    const auto check_bytes = [&](std::uint64_t bits) {
        if (segment.first + (bits + 7) / 8 > bytes_.size()) {
            refuse(number, "lacks bytes");
        }
    };
    switch (segment.op) {
        case TapeOp::repeat:
            check_symbol(segment.first, number);
            break;
        case TapeOp::data: {
            if (segment.bits < 1 || segment.bits > 8) {
                refuse(number, "has symbols of " + std::to_string(segment.bits) + " bits");
            }
            check_bytes(std::uint64_t{segment.count} * segment.bits);
            for (std::uint64_t k = 0; k < std::uint64_t{1} << segment.bits; ++k) {
                check_symbol(segment.extra + k, number);
            }
            break;
        }
        case TapeOp::pulses:
            if (std::uint64_t{segment.first} + segment.count > pulses_.size()) {
                refuse(number, "lacks pulses");
            }
            break;
        case TapeOp::samples:
            check_bytes(segment.count);
            break;
        case TapeOp::level:
            if (segment.first > 1) {
                refuse(number, "sets the level to " + std::to_string(segment.first));
            }
            break;
        case TapeOp::hold:
        case TapeOp::stop:
        case TapeOp::stop_48k:
        case TapeOp::loop_begin:
        case TapeOp::loop_end:
            break;
        default:
            refuse(number, "is of no known kind");
    }
}

Tape::Length Tape::symbol_length(std::uint32_t number) const {
    const TapeSymbol& symbol = symbols_[number];
    Length length{0, 1};  // finding out that a symbol has no pulses is work, too
    for (std::uint32_t k = 0; k < symbol.count; ++k) {
        const std::uint32_t t = pulses_[symbol.first + k];
        length.t += t;
        length.instants += t == 0 ? 1 : 0;
    }
    length.instants -= length.t > 0 ? 1 : 0;
    return length;
}

Tape::Length Tape::segment_length(const TapeSegment& segment) const {
    Length length{0, 1};
    switch (segment.op) {
        case TapeOp::repeat: {
            const Length one = symbol_length(segment.first);
            length = {multiply(one.t, segment.count), add(1, multiply(one.instants, segment.count))};
            break;
        }
        case TapeOp::data: {
            std::vector<std::int64_t> times(std::size_t{1} << segment.bits);
            for (std::uint32_t k = 0; k < segment.count; ++k) {
                ++times[value(segment.first, segment.bits, k)];
            }
            for (std::uint32_t k = 0; k < times.size(); ++k) {
                const Length one = symbol_length(segment.extra + k);
                length = {add(length.t, multiply(one.t, times[k])), add(length.instants, multiply(one.instants, times[k]))};
            }
            break;
        }
        case TapeOp::pulses:
            for (std::uint32_t k = 0; k < segment.count; ++k) {
                const std::uint32_t t = pulses_[segment.first + k];
                length.t += t;
                length.instants += t == 0 ? 1 : 0;
            }
            break;
        case TapeOp::samples:
            length.t = multiply(segment.count, segment.extra);
            length.instants += segment.extra == 0 ? segment.count : 0;
            break;
        case TapeOp::hold:
            length.t = segment.count;
            break;
        default:
            break;
    }
    return length;
}

/// Adds everything up, and sees that loops are neither nested nor open.
void Tape::measure() {
    begins_.reserve(segments_.size() + 1);
    std::map<std::array<std::uint32_t, 5>, Length> known;  // calls may play the same thing again and again
    Length all;
    Length before_loop;
    std::uint32_t loop_start = 0;  // the segment behind the loop_begin that is open, or 0
    for (std::uint32_t k = 0; k < segments_.size(); ++k) {
        begins_.push_back(all.t);
        TapeSegment& segment = segments_[k];
        const std::array<std::uint32_t, 5> key{static_cast<std::uint32_t>(segment.op), segment.bits, segment.first, segment.count,
                                               segment.extra};
        auto found = known.find(key);
        if (found == known.end()) {
            found = known.emplace(key, segment_length(segment)).first;
        }
        const Length length = found->second;
        all = {add(all.t, length.t), add(all.instants, length.instants)};
        if (segment.op == TapeOp::loop_begin) {
            if (loop_start != 0) {
                refuse(k, "begins a loop in a loop");
            }
            loop_start = k + 1;
            before_loop = all;
        } else if (segment.op == TapeOp::loop_end) {
            if (loop_start == 0) {
                refuse(k, "ends a loop that has not begun");
            }
            const std::int64_t times = std::max(segments_[loop_start - 1].count, 1U);
            all = {add(before_loop.t, multiply(all.t - before_loop.t, times)),
                   add(before_loop.instants, multiply(all.instants - before_loop.instants, times))};
            segment.first = loop_start;
            loop_start = 0;
        }
    }
    if (loop_start != 0) {
        refuse(loop_start - 1, "begins a loop that does not end");
    }
    begins_.push_back(all.t);
    if (all.t > kMaxDuration) {
        throw std::invalid_argument("the tape is longer than 100 hours");
    }
    if (all.instants > kMaxInstants) {
        throw std::invalid_argument("the tape has more than 10000000 pulses and commands that take no time");
    }
}

namespace {

/// One step from segment to segment, or to the next pulse; changes the tape's state.
class Player {
public:
    Player(TapeState& state, const Tape& tape, bool is_48k) : state_(state), tape_(tape), is_48k_(is_48k) {}

    void play_to(std::int64_t t) {
        while (state_.playing != 0 && state_.edge <= t) {
            edge_was_made_ = state_.flips != 0;
            state_.level ^= state_.flips;
            start_next_pulse();
        }
    }

private:
    void start_next_pulse() {
        const auto segments = tape_.segments();
        for (bool started = false; !started;) {
            if (state_.segment >= segments.size()) {
                halt();
                return;
            }
            const TapeSegment& segment = segments[state_.segment];
            switch (segment.op) {
                case TapeOp::repeat:
                    started = play_symbol(segment, segment.first);
                    break;
                case TapeOp::data:
                    started = state_.item < segment.count
                                  ? play_symbol(segment, segment.extra + tape_.value(segment.first, segment.bits, state_.item))
                                  : next_segment();
                    break;
                case TapeOp::pulses:
                    started = state_.item < segment.count ? play(tape_.pulse(segment.first + state_.item++), true) : next_segment();
                    break;
                case TapeOp::samples:
                    started = state_.item < segment.count ? play_samples(segment) : next_segment();
                    break;
                case TapeOp::hold:
                    started = state_.item++ == 0 ? play(segment.count, false) : next_segment();
                    break;
                default:
                    if (command(segment)) {
                        return;
                    }
            }
        }
    }

    bool play(std::uint64_t length, bool flips) {
        state_.flips = flips ? 1 : 0;
        state_.edge += static_cast<std::int64_t>(length);
        state_.played += static_cast<std::int64_t>(length);
        return true;
    }

    bool play_symbol(const TapeSegment& segment, std::uint32_t number) {
        if (state_.item >= segment.count) {
            return next_segment();
        }
        const TapeSymbol& symbol = tape_.symbol(number);
        if (state_.pulse >= symbol.count) {
            state_.pulse = 0;
            ++state_.item;
            return false;
        }
        if (state_.pulse == 0) {
            begin_symbol(symbol.start);
        }
        return play(tape_.pulse(symbol.first + state_.pulse++), true);
    }

    void begin_symbol(TapeSymbol::Start start) {
        switch (start) {
            case TapeSymbol::Start::edge:
                break;
            case TapeSymbol::Start::no_edge:
                state_.level ^= edge_was_made_ ? 1 : 0;
                break;
            case TapeSymbol::Start::low:
                state_.level = 0;
                break;
            case TapeSymbol::Start::high:
                state_.level = 1;
                break;
        }
    }

    bool play_samples(const TapeSegment& segment) {
        const std::uint32_t level = tape_.value(segment.first, 1, state_.item);
        std::uint32_t end = state_.item + 1;
        while (end < segment.count && tape_.value(segment.first, 1, end) == level) {
            ++end;
        }
        const std::uint64_t length = std::uint64_t{end - state_.item} * segment.extra;
        state_.item = end;
        state_.level = static_cast<std::uint8_t>(level);
        return play(length, false);
    }

    /// Returns whether the tape has stopped.
    bool command(const TapeSegment& segment) {
        const bool stops = segment.op == TapeOp::stop || (segment.op == TapeOp::stop_48k && is_48k_);
        if (segment.op == TapeOp::level) {
            state_.level = static_cast<std::uint8_t>(segment.first);
            edge_was_made_ = false;
        } else if (segment.op == TapeOp::loop_begin) {
            state_.loops = segment.count;
        } else if (segment.op == TapeOp::loop_end && state_.loops > 1 && state_.loops <= tape_.segments()[segment.first - 1].count) {
            --state_.loops;
            state_.segment = segment.first - 1;
        }
        next_segment();
        if (stops) {
            halt();
        }
        return stops;
    }

    bool next_segment() {
        ++state_.segment;
        state_.item = state_.pulse = 0;
        return false;
    }

    void halt() {
        state_.playing = 0;
        state_.edge = 0;
        state_.flips = 0;
    }

    TapeState& state_;
    const Tape& tape_;
    bool is_48k_;
    bool edge_was_made_ = false;
};

}  // namespace

void tape_play_to(TapeState& state, const Tape& tape, std::int64_t t, bool is_48k) { Player(state, tape, is_48k).play_to(t); }

void tape_start(TapeState& state, const Tape& tape, std::int64_t t, bool is_48k) {
    if (state.playing == 0) {
        state.playing = 1;
        state.edge += t;
        tape_level(state, tape, t, is_48k);
    }
}

void tape_stop(TapeState& state, const Tape& tape, std::int64_t t, bool is_48k) {
    tape_level(state, tape, t, is_48k);
    if (state.playing != 0) {
        state.playing = 0;
        state.edge -= t;
    }
}

void tape_wind(TapeState& state, const Tape& tape, std::uint32_t segment) {
    const std::uint32_t reads = state.reads;
    state = TapeState{};
    state.reads = reads;
    state.segment = std::min(segment, static_cast<std::uint32_t>(tape.segments().size()));
    state.played = tape.begin_of(state.segment);
}

bool tape_state_is_sane(const TapeState& state, const Tape* tape) {
    // Whatever else the fields are, playing on looks no further than the tape goes; but it must not have to catch up with years.
    constexpr std::int64_t longest = Tape::kMaxDuration;
    return state.playing <= 1 && state.level <= 1 && state.flips <= 1 && state.padding == 0 && state.edge >= 0 && state.edge <= longest &&
           state.played >= 0 && state.played <= longest && (tape == nullptr || state.segment <= tape->segments().size());
}

}  // namespace oakemu
