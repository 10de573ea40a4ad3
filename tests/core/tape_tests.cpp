// SPDX-License-Identifier: GPL-3.0-or-later
// What is heard from a tape, T by T. Right values: computed by hand from the descriptions of the formats.
#include "tape.hpp"

#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "edge_loops.hpp"
#include "listening.hpp"
#include "test_machine.hpp"

namespace {

using oakemu::Tape;
using oakemu::TapeOp;
using oakemu::TapeSegment;
using oakemu::TapeState;
using oakemu::TapeSymbol;
using Start = oakemu::TapeSymbol::Start;
/// (T of the edge, level from then on)
using Edges = std::vector<std::pair<std::int64_t, int>>;

constexpr std::int64_t kFrame = 69888;

TapeSegment tone(std::uint32_t symbol, std::uint32_t count) { return {.op = TapeOp::repeat, .first = symbol, .count = count}; }
TapeSegment hold(std::uint32_t t) { return {.op = TapeOp::hold, .count = t}; }
TapeSegment level(std::uint32_t value) { return {.op = TapeOp::level, .first = value}; }
TapeSegment command(TapeOp op, std::uint32_t count = 0) { return {.op = op, .count = count}; }
TapeSegment bits(std::uint32_t first, std::uint32_t count, std::uint32_t symbol, std::uint8_t width = 1) {
    return {.op = TapeOp::data, .bits = width, .first = first, .count = count, .extra = symbol};
}

/// Where the level changes within `until` T of a tape that is started at T 0, looking every T.
Edges edges(const Tape& tape, std::int64_t until, bool is_48k = true) {
    TapeState state;
    Edges found;
    oakemu::tape_start(state, tape, 0, is_48k);
    int before = 0;
    for (std::int64_t t = 0; t < until; ++t) {
        const int now = oakemu::tape_level(state, tape, t, is_48k);
        if (now != before) {
            found.emplace_back(t, now);
            before = now;
        }
    }
    return found;
}

void same(Check& check, const Edges& got, const Edges& want, const char* what) {
    check.equal(got.size(), want.size(), what);
    for (std::size_t k = 0; k < std::min(got.size(), want.size()); ++k) {
        check.equal(got[k].first, want[k].first, what);
        check.equal(got[k].second, want[k].second, what);
    }
}

void pulses_are_heard_at_the_level_and_then_change_it(Check& check) {
    // A tone of 3 x 10 T, then 2 pulses of 4 and 6 T.
    const Tape tape({tone(0, 3), {.op = TapeOp::pulses, .first = 1, .count = 2}}, {{.first = 0, .count = 1}}, {10, 4, 6}, {});
    same(check, edges(tape, 60), {{10, 1}, {20, 0}, {30, 1}, {34, 0}, {40, 1}}, "tone and pulses");
    check.equal(tape.duration(), 40, "duration");
    check.equal(tape.begin_of(1), 30, "begin of the pulses");
}

void bits_are_pairs_of_pulses(Check& check) {
    // 101 of 0xA0: one = 2 x 7 T, zero = 2 x 3 T.
    const Tape tape({bits(0, 3, 0)}, {{.first = 0, .count = 2}, {.first = 2, .count = 2}}, {3, 3, 7, 7}, {0xA0});
    same(check, edges(tape, 50), {{7, 1}, {14, 0}, {17, 1}, {20, 0}, {27, 1}, {34, 0}}, "bits");
    check.equal(tape.duration(), 34, "duration");
}

void symbols_may_be_wider_than_a_bit(Check& check) {
    // 3 bits each, 0b001'010'11'1'00...: symbols 1, 2 and 7, the last across two bytes.
    std::vector<TapeSymbol> symbols(8);
    symbols[1] = {.first = 0, .count = 1};
    symbols[2] = {.first = 1, .count = 1};
    symbols[7] = {.first = 2, .count = 2};
    const Tape tape({bits(1, 3, 0, 3)}, symbols, {1, 2, 7, 70}, {0xFF, 0b00101011, 0b10000000});
    same(check, edges(tape, 100), {{1, 1}, {3, 0}, {10, 1}, {80, 0}}, "symbols");
}

void symbols_begin_as_they_say(Check& check) {
    const auto with = [](Start start) {
        return Tape({tone(0, 1), tone(1, 1), tone(0, 1)}, {{.first = 0, .count = 1}, {.first = 1, .count = 1, .start = start}}, {10, 5},
                    {});
    };
    same(check, edges(with(Start::edge), 30), {{10, 1}, {15, 0}, {25, 1}}, "edge");
    same(check, edges(with(Start::no_edge), 30), {{15, 1}, {25, 0}}, "no edge: the pulse before gets longer");
    same(check, edges(with(Start::low), 30), {{15, 1}, {25, 0}}, "low");
    same(check, edges(with(Start::high), 30), {{10, 1}, {15, 0}, {25, 1}}, "high");
    const Tape after_pause({hold(10), level(0), tone(0, 2)}, {{.first = 0, .count = 1, .start = Start::no_edge}}, {5}, {});
    same(check, edges(after_pause, 30), {{20, 1}}, "without edges from silence on");
}

void a_pause_is_one_ms_of_the_next_level_and_then_low(Check& check) {
    const std::vector<TapeSegment> pause{hold(3500), level(0), hold(1000)};
    const auto after = [&](std::uint32_t count) {
        return Tape({tone(0, count), pause[0], pause[1], pause[2], tone(0, 2)}, {{.first = 0, .count = 1}}, {10}, {});
    };
    // After one pulse the level is high: 1 ms of it, then low. The pulse behind the pause makes no edge when it begins.
    same(check, edges(after(1), 5000), {{10, 1}, {3510, 0}, {4520, 1}, {4530, 0}}, "from high");
    same(check, edges(after(2), 5000), {{10, 1}, {20, 0}, {4530, 1}, {4540, 0}}, "from low");
}

void without_a_pause_the_level_is_kept(Check& check) {
    const Tape tape({tone(0, 3), tone(1, 2)}, {{.first = 0, .count = 1}, {.first = 1, .count = 1}}, {10, 4}, {});
    same(check, edges(tape, 50), {{10, 1}, {20, 0}, {30, 1}, {34, 0}, {38, 1}}, "two tones");
}

void pulses_of_no_length_turn_the_level(Check& check) {
    const Tape tape({{.op = TapeOp::pulses, .first = 0, .count = 3}}, {}, {0, 10, 10}, {});
    same(check, edges(tape, 30), {{0, 1}, {10, 0}, {20, 1}}, "a pulse of no length first");
}

void samples_are_levels(Check& check) {
    // 0b0110'1..: low, high, high, low, high; 5 samples of 8 T. The last level stays.
    const Tape tape({{.op = TapeOp::samples, .first = 0, .count = 5, .extra = 8}, hold(20)}, {}, {}, {0b01101000});
    same(check, edges(tape, 80), {{8, 1}, {24, 0}, {32, 1}}, "samples");
    check.equal(tape.duration(), 60, "duration");
}

void loops_repeat(Check& check) {
    const Tape tape({command(TapeOp::loop_begin, 3), tone(0, 1), tone(1, 1), command(TapeOp::loop_end), tone(1, 1)},
                    {{.first = 0, .count = 1}, {.first = 1, .count = 1}}, {10, 4}, {});
    same(check, edges(tape, 80), {{10, 1}, {14, 0}, {24, 1}, {28, 0}, {38, 1}, {42, 0}, {46, 1}}, "three times");
    check.equal(tape.duration(), 46, "duration");
}

void a_stop_waits_for_play(Check& check) {
    const Tape tape({tone(0, 1), hold(20), command(TapeOp::stop), tone(0, 1)}, {{.first = 0, .count = 1}}, {10}, {});
    TapeState state;
    oakemu::tape_start(state, tape, 0, true);
    check.equal(oakemu::tape_level(state, tape, 29, true), 1, "level before the stop");
    check.equal(state.playing, 1, "playing before the stop");
    oakemu::tape_level(state, tape, 30, true);
    check.equal(state.playing, 0, "playing after the stop");
    oakemu::tape_end_frame(state, tape, kFrame, kFrame, true);
    check.equal(oakemu::tape_position(state, 50), 30, "position while stopped");
    oakemu::tape_start(state, tape, 100, true);
    check.equal(oakemu::tape_level(state, tape, 109, true), 1, "the level was kept");
    check.equal(oakemu::tape_level(state, tape, 110, true), 0, "edge after the start");
    check.equal(state.playing, 0, "playing at the end");
    check.equal(state.segment, 4, "segment at the end");
}

void a_stop_for_48k_stops_no_128k(Check& check) {
    const Tape tape({tone(0, 1), command(TapeOp::stop_48k), tone(0, 1)}, {{.first = 0, .count = 1}}, {10}, {});
    same(check, edges(tape, 50, true), {{10, 1}}, "48K");
    same(check, edges(tape, 50, false), {{10, 1}, {20, 0}}, "128K");
}

void stopping_keeps_the_rest_of_a_pulse(Check& check) {
    const Tape tape({tone(0, 3)}, {{.first = 0, .count = 1}}, {10}, {});
    TapeState state;
    oakemu::tape_start(state, tape, 100, true);
    oakemu::tape_stop(state, tape, 113, true);
    check.equal(state.level, 1, "level when stopped");
    check.equal(oakemu::tape_position(state, 5000), 13, "position while stopped");
    oakemu::tape_start(state, tape, 1000, true);
    check.equal(oakemu::tape_level(state, tape, 1006, true), 1, "7 T are left: before the edge");
    check.equal(oakemu::tape_level(state, tape, 1007, true), 0, "at the edge");
    check.equal(oakemu::tape_position(state, 1009), 22, "position");
}

void frames_pass_without_a_trace(Check& check) {
    const Tape tape({tone(0, 200'000)}, {{.first = 0, .count = 1}}, {855}, {});
    TapeState state;
    oakemu::tape_start(state, tape, 0, true);
    for (std::int64_t frame = 0; frame < 100; ++frame) {
        for (std::int64_t t = frame % 7; t < kFrame; t += 997) {
            const std::int64_t all = frame * kFrame + t;
            check.equal(oakemu::tape_level(state, tape, t, true), all / 855 % 2, "level");
            check.equal(oakemu::tape_position(state, t), all, "position");
        }
        oakemu::tape_end_frame(state, tape, kFrame + frame % 20, kFrame, true);
        check.that(state.edge > frame % 20, "the tape has caught up at the end of a frame");
    }
}

void winding_goes_to_a_segment(Check& check) {
    const Tape tape({tone(0, 3), hold(5), tone(0, 1)}, {{.first = 0, .count = 1}}, {10}, {});
    TapeState state;
    state.reads = 7;
    oakemu::tape_start(state, tape, 0, true);
    oakemu::tape_level(state, tape, 12, true);
    oakemu::tape_wind(state, tape, 2);
    check.equal(state.playing, 0, "playing");
    check.equal(state.level, 0, "level");
    check.equal(state.reads, 7, "reads");
    check.equal(oakemu::tape_position(state, 99), 35, "position");
    oakemu::tape_wind(state, tape, 77);
    check.equal(state.segment, 3, "behind the end");
    check.equal(oakemu::tape_position(state, 0), 45, "position at the end");
}

void broken_tapes_are_refused(Check& check) {
    const auto refused = [&](std::vector<TapeSegment> segments, std::vector<TapeSymbol> symbols, std::vector<std::uint32_t> pulses,
                             std::vector<std::uint8_t> bytes, const char* what) {
        try {
            const Tape tape(std::move(segments), std::move(symbols), std::move(pulses), std::move(bytes));
            check.that(false, what);
        } catch (const std::invalid_argument&) {
        }
    };
    const TapeSymbol one{.first = 0, .count = 1};
    refused({tone(0, 1)}, {}, {}, {}, "no symbol");
    refused({tone(0, 1)}, {one}, {}, {}, "no pulse of a symbol");
    refused({bits(0, 9, 0)}, {one, one}, {1}, {0}, "no bytes");
    refused({bits(0, 8, 0)}, {one}, {1}, {0}, "no second symbol");
    refused({bits(0, 8, 0xFFFFFFFF)}, {one}, {1}, {0}, "a symbol far away");
    refused({bits(0, 1, 0, 9)}, {one, one}, {1}, {0, 0}, "9 bits");
    refused({{.op = TapeOp::pulses, .first = 1, .count = 1}}, {}, {1}, {}, "no pulses");
    refused({{.op = TapeOp::samples, .first = 0, .count = 9, .extra = 1}}, {}, {}, {0}, "no samples");
    refused({level(2)}, {}, {}, {}, "level 2");
    refused({command(static_cast<TapeOp>(99))}, {}, {}, {}, "no known kind");
    refused({command(TapeOp::loop_end)}, {}, {}, {}, "an end without a loop");
    refused({command(TapeOp::loop_begin, 2)}, {}, {}, {}, "a loop without an end");
    refused({command(TapeOp::loop_begin, 2), command(TapeOp::loop_begin, 2), command(TapeOp::loop_end), command(TapeOp::loop_end)}, {}, {},
            {}, "a loop in a loop");
    refused({command(TapeOp::loop_begin, 65535), tone(0, 65535), tone(0, 65535), command(TapeOp::loop_end)}, {one}, {65535}, {},
            "a tape of years");
    refused({command(TapeOp::loop_begin, 65535), tone(0, 65535), command(TapeOp::loop_end)}, {one}, {0}, {}, "billions of pulses at once");
    refused({command(TapeOp::loop_begin, 4'000'000'000), level(1), command(TapeOp::loop_end)}, {}, {}, {}, "billions of commands at once");
    refused({tone(0, 4'000'000'000)}, {{.first = 0, .count = 0}}, {}, {}, "billions of empty symbols");
}

void any_state_can_be_played_on(Check& check) {
    const Tape tape({tone(0, 3),
                     bits(0, 8, 0),
                     command(TapeOp::loop_begin, 3),
                     {.op = TapeOp::samples, .first = 0, .count = 8, .extra = 3},
                     {.op = TapeOp::pulses, .first = 0, .count = 2},
                     command(TapeOp::loop_end),
                     hold(9)},
                    {{.first = 0, .count = 1}, {.first = 0, .count = 2}}, {10, 20}, {0x5A});
    for (std::uint32_t segment = 0; segment < 9; ++segment) {
        for (const std::uint32_t wild : {0U, 1U, 7U, 0xFFFFFFFFU}) {
            TapeState state{.segment = segment, .item = wild, .pulse = wild, .loops = wild, .playing = 1};
            oakemu::tape_level(state, tape, 100'000, true);
            check.equal(state.playing, 0, "the end is reached");
        }
    }
}

/// A machine with a program that the tape's level reaches, or does not.
bool listens(std::initializer_list<std::uint8_t> program) {
    TestMachine machine;
    const Tape tape({hold(1000)}, {}, {}, {});
    machine.place(0x8000, program);
    oakemu::Setup setup = machine.setup();
    setup.tape = &tape;
    return oakemu::listens_to_tape(machine.machine, setup);
}

void listeners_are_told_from_keyboard_readers(Check& check) {
    // INC B; IN A,(FE); AND 40; JR Z,start; JR $
    check.that(listens({0x04, 0xDB, 0xFE, 0xE6, 0x40, 0x28, 0xF9, 0x18, 0xFE}), "a loop that waits for a high level listens");
    // The same that looks at the keys.
    check.that(!listens({0x04, 0xDB, 0xFE, 0xE6, 0x1F, 0x28, 0xF9, 0x18, 0xFE}), "a loop that looks at the keys does not listen");
    // IN A,(FE); LD (9000),A; AND 1F; CP 1F; JR Z,start: the byte goes into memory, but changes nothing.
    check.that(!listens({0xDB, 0xFE, 0x32, 0x00, 0x90, 0xE6, 0x1F, 0xFE, 0x1F, 0x28, 0xF5}), "a loop that keeps the byte does not listen");
    check.that(!listens({0x18, 0xFE}), "a loop without a port does not listen");
}

void the_port_reads_the_tape(Check& check) {
    TestMachine machine;
    const Tape tape({hold(1029), level(1), hold(1'000'000)}, {}, {}, {});
    machine.place(0x8000, {0xDB, 0xFE, 0xDB, 0xFE, 0xDB, 0xFE});
    oakemu::Setup setup = machine.setup();
    oakemu::State& state = *machine.state;
    setup.tape = &tape;
    state.port_fe = 0x10;
    oakemu::run_tstates(machine.machine, setup, 1);
    check.equal(machine.a() & 0x40, 0x40, "EAR while the tape is stopped is the speaker's");
    oakemu::tape_start(state.tape, tape, 0, true);
    machine.set_a(0xFF);
    oakemu::run_tstates(machine.machine, setup, 1);  // taken at T 1011 + 10
    check.equal(machine.a() & 0x40, 0, "EAR before the edge");
    machine.set_a(0xFF);
    state.t = 1018;
    oakemu::run_tstates(machine.machine, setup, 1);  // taken at T 1028
    check.equal(machine.a() & 0x40, 0, "EAR 1 T before the edge");
    machine.cpu().pc = 0x8000;
    machine.set_a(0xFF);
    state.t = 1019;
    oakemu::run_tstates(machine.machine, setup, 1);
    check.equal(machine.a() & 0x40, 0x40, "EAR at the edge");
    check.equal(state.tape.reads, 4, "reads");
}

void turns_taken_at_once_come_to_the_same(Check& check) {
    TestMachine machine;
    const Tape tape({tone(0, 40), tone(1, 400)}, {{.first = 0, .count = 1}, {.first = 1, .count = 1}}, {30'000, 700}, {});
    // again: CALL 8020; LD A,C; CPL; LD C,A; LD A,5; JR again; at 8020 the delay and the loop, and RET
    machine.place(0x8000, {0xCD, 0x20, 0x80, 0x79, 0x2F, 0x4F, 0x3E, 0x05, 0x18, 0xF6});
    machine.place(0x8020, {0x3D, 0x20, 0xFD, 0xA7, 0x04, 0xC8, 0x3E, 0x7F, 0xDB, 0xFE, 0x1F, 0xD0, 0xA9, 0xE6, 0x20, 0x28, 0xF3, 0xC9});
    oakemu::Setup setup = machine.setup();
    setup.tape = &tape;
    oakemu::tape_start(machine.state->tape, tape, machine.state->t, true);
    oakemu::Machine fast = machine.machine;
    oakemu::EdgeLoops loops;
    loops.find(fast, setup);
    check.equal(loops.addresses().size(), 2, "parts of loops");
    for (int frame = 0; frame < 20; ++frame) {
        oakemu::run_frame(machine.machine, setup);
        check.that(!loops.run_frame(fast, setup, {}).has_value(), "the frame ends");
        check.that(fast == machine.machine, "the machines are equal");
    }
    check.that(fast.state.tape.reads > 1000, "the loops have read the tape");
    check.equal(loops.run_frame(fast, setup, {0x8024}).value_or(0), 0x8024, "a stop in the loop");
}

}  // namespace

int main() {
    return run_tests({
        {"pulses_are_heard_at_the_level_and_then_change_it", pulses_are_heard_at_the_level_and_then_change_it},
        {"bits_are_pairs_of_pulses", bits_are_pairs_of_pulses},
        {"symbols_may_be_wider_than_a_bit", symbols_may_be_wider_than_a_bit},
        {"symbols_begin_as_they_say", symbols_begin_as_they_say},
        {"a_pause_is_one_ms_of_the_next_level_and_then_low", a_pause_is_one_ms_of_the_next_level_and_then_low},
        {"without_a_pause_the_level_is_kept", without_a_pause_the_level_is_kept},
        {"pulses_of_no_length_turn_the_level", pulses_of_no_length_turn_the_level},
        {"samples_are_levels", samples_are_levels},
        {"loops_repeat", loops_repeat},
        {"a_stop_waits_for_play", a_stop_waits_for_play},
        {"a_stop_for_48k_stops_no_128k", a_stop_for_48k_stops_no_128k},
        {"stopping_keeps_the_rest_of_a_pulse", stopping_keeps_the_rest_of_a_pulse},
        {"frames_pass_without_a_trace", frames_pass_without_a_trace},
        {"winding_goes_to_a_segment", winding_goes_to_a_segment},
        {"broken_tapes_are_refused", broken_tapes_are_refused},
        {"any_state_can_be_played_on", any_state_can_be_played_on},
        {"listeners_are_told_from_keyboard_readers", listeners_are_told_from_keyboard_readers},
        {"the_port_reads_the_tape", the_port_reads_the_tape},
        {"turns_taken_at_once_come_to_the_same", turns_taken_at_once_come_to_the_same},
    });
}
