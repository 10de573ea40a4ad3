// SPDX-License-Identifier: GPL-3.0-or-later
// Waits, ports, hooks and the runners of the 48K machine. Right values: hardware facts and hand computation.
#include <array>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "test_machine.hpp"
#include "timing.hpp"

namespace {

using oakemu::Timing;
using Row = std::array<std::uint32_t, 8>;

// Measured on a real 48K by J. Rak: the T-states that one cycle takes when it begins at 14335, 14336, ... 14342.
constexpr Row kNop{10, 9, 8, 7, 6, 5, 4, 4};
constexpr Row kPort00FE{9, 8, 7, 6, 5, 4, 4, 10};
constexpr Row kPort7FFE{10, 9, 8, 7, 6, 5, 4, 10};
constexpr Row kPort7FFF{16, 15, 14, 13, 12, 11, 10, 16};
constexpr Row kPort00FF{4, 4, 4, 4, 4, 4, 4, 4};

void contention_table_has_the_pattern(Check& check) {
    using oakemu::timing48::kContention;
    check.equal(kContention[14334], 0, "delay at 14334");
    for (std::uint32_t k = 0; k < 8; ++k) {
        check.equal(kContention[14335 + k], kNop[k] - 4, "delay of the first column");
        check.equal(kContention[14335 + 191 * 224 + 120 + k], kNop[k] - 4, "delay of the last column of the last line");
    }
    check.equal(kContention[14335 + 128], 0, "delay in the border");
    check.equal(kContention[14335 + 192 * 224], 0, "delay below the picture");
}

void nop_in_contended_memory_waits(Check& check) {
    for (std::uint32_t k = 0; k < 8; ++k) {
        for (const std::uint16_t pc : {std::uint16_t{0x4000}, std::uint16_t{0x7FFF}}) {
            TestMachine machine;
            machine.cpu().pc = pc;
            machine.state->t = 14335 + k;
            check.equal(machine.step(), kNop[k], "T of NOP");
        }
        for (const std::uint16_t pc : {std::uint16_t{0x3FFF}, std::uint16_t{0x8000}}) {
            TestMachine machine;
            machine.cpu().pc = pc;
            machine.state->t = 14335 + k;
            check.equal(machine.step(), 4, "T of NOP elsewhere");
        }
    }
}

/// T of the port cycle alone in IN A,(n) or OUT (n),A when it begins at `t`.
std::uint32_t port_cycle(std::uint8_t code, std::uint16_t port, std::uint32_t t, Timing timing = Timing::exact) {
    TestMachine machine;
    machine.timing = timing;
    machine.place(0x8000, {code, static_cast<std::uint8_t>(port)});
    machine.set_a(static_cast<std::uint8_t>(port >> 8));
    machine.state->t = t - 7;
    return machine.step() - 7;
}

void ports_wait_in_four_patterns(Check& check) {
    for (std::uint32_t k = 0; k < 8; ++k) {
        for (const std::uint8_t code : {std::uint8_t{0xDB}, std::uint8_t{0xD3}}) {
            check.equal(port_cycle(code, 0x00FE, 14335 + k), kPort00FE[k], "T of port 00FE");
            check.equal(port_cycle(code, 0x7FFE, 14335 + k), kPort7FFE[k], "T of port 7FFE");
            check.equal(port_cycle(code, 0x7FFF, 14335 + k), kPort7FFF[k], "T of port 7FFF");
            check.equal(port_cycle(code, 0x00FF, 14335 + k), kPort00FF[k], "T of port 00FF");
            check.equal(port_cycle(code, 0x7FFF, 14335 + k, Timing::uncontended), 4, "T of port 7FFF without waits");
        }
    }
}

void internal_cycles_wait_on_the_address_on_the_bus(Check& check) {
    // INC (HL) at 0x8000 with HL = 0x4000: fetch 4, read 3, internal 1, write 3, of which three cycles see contended memory. The read
    // begins at 14335 and waits 6 (14344 after it, delay 5), the internal cycle ends at 14350 (delay 0), the write at 14353.
    TestMachine machine;
    machine.place(0x8000, {0x34});
    machine.cpu().hl = 0x4000;
    machine.state->t = 14331;
    check.equal(machine.step(), 14353 - 14331, "T of INC (HL)");
    // LD A,I keeps IR on the bus for one T, from 14343 (delay 6).
    TestMachine refresh;
    refresh.place(0x8000, {0xED, 0x57});
    refresh.cpu().i = 0x40;
    refresh.state->t = 14335;
    check.equal(refresh.step(), 9 + 6, "T of LD A,I");
}

void floating_bus_shows_what_the_ula_reads(Check& check) {
    using oakemu::timing48::floating_bus_address;
    constexpr std::array<std::uint16_t, 9> first{0x4000, 0x5800, 0x4001, 0x5801, 0, 0, 0, 0, 0x4002};
    for (std::uint32_t k = 0; k < first.size(); ++k) {
        check.equal(floating_bus_address(14338 + k), first[k], "address in the first line");
    }
    check.equal(floating_bus_address(14337), 0, "address before the picture");
    check.equal(floating_bus_address(14338 + 128), 0, "address in the border");
    check.equal(floating_bus_address(14338 + 224), 0x4100, "address at the start of line 1");
    check.equal(floating_bus_address(14338 + 8 * 224 + 1), 0x5820, "attribute address of line 8");
    check.equal(floating_bus_address(14338 + 191 * 224 + 122), 0x57FF, "last bitmap address");
    check.equal(floating_bus_address(14338 + 191 * 224 + 123), 0x5AFF, "last attribute address");
    check.equal(floating_bus_address(14338 + 192 * 224), 0, "address below the picture");
}

void unattached_port_reads_the_floating_bus(Check& check) {
    for (const std::uint32_t t : {14337U, 14338U, 14339U, 14340U, 14341U, 14342U}) {
        TestMachine machine;
        machine.place(0x4000, {0x11, 0x22});
        machine.place(0x5800, {0x33, 0x44});
        machine.place(0x8000, {0xDB, 0xFF});  // IN A,(0xFF): the byte is taken 10 T after the start
        machine.set_a(0x00);
        machine.state->t = t - 10;
        machine.step();
        constexpr std::array<std::uint8_t, 6> bytes{0xFF, 0x11, 0x33, 0x22, 0x44, 0xFF};
        check.equal(machine.a(), bytes[t - 14337], "byte on the floating bus");

        TestMachine through_c;
        through_c.place(0x5800, {0x33});
        through_c.place(0x8000, {0xED, 0x78});  // IN A,(C): 11 T after the start
        through_c.cpu().bc = 0x00FF;
        through_c.state->t = 14339 - 11;
        through_c.step();
        check.equal(through_c.a(), 0x33, "byte on the floating bus by IN A,(C)");
    }
}

std::uint8_t in(TestMachine& machine, std::uint16_t port) {
    machine.cpu().pc = 0x8000;
    machine.state->t = 1000;
    machine.place(0x8000, {0xDB, static_cast<std::uint8_t>(port)});
    machine.set_a(static_cast<std::uint8_t>(port >> 8));
    machine.step();
    return machine.a();
}

void keyboard_rows_and_together(Check& check) {
    TestMachine machine;
    check.equal(in(machine, 0x00FE), 0xBF, "all rows with no key held");
    for (std::uint32_t row = 0; row < 8; ++row) {
        for (std::uint32_t bit = 0; bit < 5; ++bit) {
            machine.state->keys = {};
            machine.state->keys[row] = static_cast<std::uint8_t>(1U << bit);
            for (std::uint32_t other = 0; other < 8; ++other) {
                const auto port = static_cast<std::uint16_t>(((0xFFU ^ (1U << other)) << 8U) | 0xFEU);
                check.equal(in(machine, port), other == row ? 0xBFU ^ (1U << bit) : 0xBFU, "half row");
            }
            check.equal(in(machine, 0x00FE), 0xBFU ^ (1U << bit), "all rows");
            check.equal(in(machine, 0xFFFE), 0xBF, "no row");
            check.equal(in(machine, 0x0002), 0xBFU ^ (1U << bit), "any even port");
        }
    }
    machine.state->keys = {1, 2, 0, 0, 0, 0, 0, 4};
    check.equal(in(machine, 0x7CFE), 0xBF ^ 7, "three rows at once");
    check.equal(in(machine, 0x7EFE), 0xBF ^ 5, "two rows at once");
}

void ula_port_latches(Check& check) {
    TestMachine machine;
    machine.place(0x8000, {0xD3, 0xFE, 0xD3, 0xFF});
    machine.set_a(0xFD);
    machine.step();
    check.equal(machine.state->border, 5, "border");
    check.equal(machine.state->port_fe, 0xFD, "port FE");
    check.equal(in(machine, 0xFFFE), 0xFF, "EAR with the speaker bit set");
    machine.place(0x8000, {0xD3, 0xFF});
    machine.cpu().pc = 0x8000;
    machine.set_a(0);
    machine.step();
    check.equal(machine.state->border, 5, "border after an odd port");
    machine.state->port_fe = 0x0F;
    check.equal(in(machine, 0xFFFE), 0xBF, "EAR with the speaker bit clear");
}

void kempston_answers_if_fitted(Check& check) {
    TestMachine machine;
    machine.state->kempston = 0x15;
    check.equal(in(machine, 0x001F), 0xFF, "port 1F with nothing there");
    machine.state->kempston_fitted = 1;
    check.equal(in(machine, 0x001F), 0x15, "port 1F");
    check.equal(in(machine, 0xAA1F), 0x15, "port 1F with another high byte");
    check.equal(in(machine, 0x0001), 0x15, "port 01, where A5 to A7 are 0 as well");
    check.equal(in(machine, 0x00DF), 0xFF, "port DF");
    machine.state->kempston = 0xFF;
    check.equal(in(machine, 0x001F), 0x1F, "bits 5 to 7");
    oakemu::power_on(*machine.state);
    check.equal(machine.state->kempston_fitted, 1, "joystick after power-on");
    check.equal(machine.state->kempston, 0, "joystick bits after power-on");
}

void rom_cannot_be_written(Check& check) {
    TestMachine machine;
    machine.place(0x8000, {0x32, 0xFF, 0x3F, 0x32, 0x00, 0x40});  // LD (0x3FFF),A; LD (0x4000),A
    machine.set_a(0x55);
    machine.step();
    machine.step();
    check.equal(machine.at(0x3FFF), 0, "last byte of ROM");
    check.equal(machine.at(0x4000), 0x55, "first byte of RAM");
}

/// Every way to let a frame pass gives the same machine. The program sits and halts at `pc`, on both sides of contended memory.
void runners_agree(Check& check) {
    for (const std::uint16_t pc : {std::uint16_t{0x3FF0}, std::uint16_t{0x4800}, std::uint16_t{0x7FF0}, std::uint16_t{0x9000}}) {
        TestMachine whole;
        whole.state->t = 0;
        whole.cpu().pc = pc;
        whole.cpu().hl = 0x5000;
        whole.cpu().bc = 600;
        whole.place(pc, {0x34, 0x23, 0x0B, 0x78, 0xB1, 0x20, 0xF9, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x76});
        whole.place(0x0038, {0x3C, 0xFB, 0xC9});
        TestMachine stepped;
        *stepped.rom = *whole.rom;
        *stepped.state = *whole.state;
        for (int frame = 0; frame < 4; ++frame) {
            whole.run_frame();
            while (stepped.state->frame == static_cast<std::uint64_t>(frame)) {
                stepped.step();
            }
            check.equal(stepped.state->t, whole.state->t, "T");
            check.equal(stepped.cpu().r, whole.cpu().r, "R");
            check.equal(std::memcmp(stepped.state.get(), whole.state.get(), sizeof(oakemu::State)), 0, "difference of the states");
        }
        check.equal(whole.cpu().halted, 1, "halted");
    }
}

void contention_is_the_only_difference_of_the_timings(Check& check) {
    for (const bool in_screen : {false, true}) {
        TestMachine exact;
        exact.cpu().hl = in_screen ? 0x5000 : 0x9000;
        exact.place(0x8000, {0x34, 0x86, 0x2C, 0x18, 0xFB});  // INC (HL); ADD A,(HL); INC L; JR
        TestMachine fast;
        *fast.state = *exact.state;
        fast.timing = Timing::uncontended;
        for (int frame = 0; frame < 5; ++frame) {
            exact.run_frame();
            fast.run_frame();
        }
        const bool same = std::memcmp(exact.state.get(), fast.state.get(), sizeof(oakemu::State)) == 0;
        check.equal(same, !in_screen, "equality of exact and uncontended");
    }
}

struct Hits {
    std::vector<std::uint16_t> pcs;
    bool stop = false;
    static bool record(void* context, std::uint16_t pc) {
        auto* hits = static_cast<Hits*>(context);
        hits->pcs.push_back(pc);
        return hits->stop;
    }
};

void hooks_report_before_the_instruction(Check& check) {
    TestMachine machine;
    machine.state->t = 100;
    machine.place(0x8000, {0x3C, 0x3C, 0x3C, 0x18, 0xFC});  // INC A; INC A; loop: INC A; JR loop... from the second INC on
    oakemu::Hooks hooks;
    hooks.set(0x8001);
    Hits hits;
    hits.stop = true;
    machine.set_a(0);
    const auto run = [&] { return oakemu::run_frame_hooked(*machine.state, *machine.rom, machine.timing, hooks, Hits::record, &hits); };
    check.that(run(), "the first stop");
    check.equal(machine.cpu().pc, 0x8001, "PC");
    check.equal(machine.a(), 1, "A before the hooked instruction");
    check.equal(machine.state->t, 104, "T");
    check.that(run(), "the second stop");
    check.equal(machine.a(), 3, "A one round later");
    check.equal(hits.pcs.size(), 2, "number of hits");

    // A round is INC A, INC A, JR: 4 + 4 + 12 T. The stop at 124 has reported the round that begins there.
    hits = {};
    check.that(!run(), "a frame without a stop");
    check.equal(hits.pcs.size(), (69888 - 124 - 1) / 20, "number of hits in the rest of the frame");
    check.equal(machine.state->frame, 1, "frame");
}

void hooks_do_not_change_what_runs(Check& check) {
    TestMachine plain;
    plain.state->t = 0;
    plain.cpu().iff1 = 1;
    plain.cpu().im = 1;
    plain.place(0x8000, {0x3C, 0x76, 0x18, 0xFC});  // INC A; HALT; JR
    plain.place(0x0038, {0xFB, 0xC9});
    TestMachine hooked;
    *hooked.rom = *plain.rom;
    *hooked.state = *plain.state;
    oakemu::Hooks hooks;
    hooks.set(0x8000), hooks.set(0x0038), hooks.set(0x8002);
    Hits hits;
    for (int frame = 0; frame < 3; ++frame) {
        plain.run_frame();
        oakemu::run_frame_hooked(*hooked.state, *hooked.rom, hooked.timing, hooks, Hits::record, &hits);
    }
    check.equal(std::memcmp(plain.state.get(), hooked.state.get(), sizeof(oakemu::State)), 0, "difference of the states");
    // Entered twice in the first frame (13 + 4 + 10 = 27 T). A halted CPU waits at 0x8002 without executing it.
    const std::vector<std::uint16_t> first{0x0038, 0x0038, 0x8000, 0x0038, 0x0038, 0x8002, 0x8000};
    check.that(hits.pcs.size() > first.size() && std::equal(first.begin(), first.end(), hits.pcs.begin()), "order of the hits");
}

void interrupt_comes_before_the_hook(Check& check) {
    TestMachine machine;
    machine.state->t = 0;
    machine.cpu().iff1 = 1;
    machine.cpu().im = 1;
    machine.place(0x0038, {0xC9});
    oakemu::Hooks hooks;
    hooks.set(0x8000);
    Hits hits;
    hits.stop = true;
    const auto run = [&] { return oakemu::run_frame_hooked(*machine.state, *machine.rom, machine.timing, hooks, Hits::record, &hits); };
    check.that(run(), "a stop");
    check.equal(machine.state->t, 13 + 10, "T of the stop, after the interrupt routine");
    check.equal(hits.pcs.size(), 1, "number of hits");
}

void pc_and_addresses_wrap(Check& check) {
    TestMachine machine;
    machine.cpu().pc = 0xFFFF;
    machine.place(0xFFFF, {0x3E});
    machine.place(0x0000, {0x77});
    check.equal(machine.step(), 7, "T of LD A,n");
    check.equal(machine.cpu().pc, 0x0001, "PC");
    check.equal(machine.a(), 0x77, "A");
}

}  // namespace

int main() {
    return run_tests({
        {"contention_table_has_the_pattern", contention_table_has_the_pattern},
        {"nop_in_contended_memory_waits", nop_in_contended_memory_waits},
        {"ports_wait_in_four_patterns", ports_wait_in_four_patterns},
        {"internal_cycles_wait_on_the_address_on_the_bus", internal_cycles_wait_on_the_address_on_the_bus},
        {"floating_bus_shows_what_the_ula_reads", floating_bus_shows_what_the_ula_reads},
        {"unattached_port_reads_the_floating_bus", unattached_port_reads_the_floating_bus},
        {"keyboard_rows_and_together", keyboard_rows_and_together},
        {"ula_port_latches", ula_port_latches},
        {"kempston_answers_if_fitted", kempston_answers_if_fitted},
        {"rom_cannot_be_written", rom_cannot_be_written},
        {"runners_agree", runners_agree},
        {"contention_is_the_only_difference_of_the_timings", contention_is_the_only_difference_of_the_timings},
        {"hooks_report_before_the_instruction", hooks_report_before_the_instruction},
        {"hooks_do_not_change_what_runs", hooks_do_not_change_what_runs},
        {"interrupt_comes_before_the_hook", interrupt_comes_before_the_hook},
        {"pc_and_addresses_wrap", pc_and_addresses_wrap},
    });
}
