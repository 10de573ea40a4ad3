// SPDX-License-Identifier: GPL-3.0-or-later
// Waits, hooks and the runners of the 48K machine. Right values: hardware facts and hand computation.
#include <array>
#include <cstring>
#include <vector>

#include "check.hpp"
#include "test_machine.hpp"
#include "timing.hpp"

namespace {

using oakemu::Timing;

// Measured on a real 48K by J. Rak: the T-states that a NOP takes when it begins at 14335, 14336, ... 14342.
constexpr std::array<std::uint32_t, 8> kNop{10, 9, 8, 7, 6, 5, 4, 4};

void contention_table_has_the_pattern(Check& check) {
    const std::uint8_t* const waits = oakemu::kUlaClocks[0].waits;
    check.equal(waits[14334], 0, "delay at 14334");
    for (std::uint32_t k = 0; k < 8; ++k) {
        check.equal(waits[14335 + k], kNop[k] - 4, "delay of the first column");
        check.equal(waits[14335 + 191 * 224 + 120 + k], kNop[k] - 4, "delay of the last column of the last line");
    }
    check.equal(waits[14335 + 128], 0, "delay in the border");
    check.equal(waits[14335 + 192 * 224], 0, "delay below the picture");
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
        stepped.become(whole);
        for (int frame = 0; frame < 4; ++frame) {
            whole.run_frame();
            while (stepped.state->frame == static_cast<std::uint64_t>(frame)) {
                stepped.step();
            }
            check.equal(stepped.state->t, whole.state->t, "T");
            check.equal(stepped.cpu().r, whole.cpu().r, "R");
            check.that(stepped.machine == whole.machine, "the machines are equal");
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
        fast.machine = exact.machine;
        fast.timing = Timing::uncontended;
        for (int frame = 0; frame < 5; ++frame) {
            exact.run_frame();
            fast.run_frame();
        }
        const bool same = exact.machine == fast.machine;
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
    const auto run = [&] { return oakemu::run_frame_hooked(machine.machine, machine.setup(), hooks, Hits::record, &hits); };
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
    hooked.become(plain);
    oakemu::Hooks hooks;
    hooks.set(0x8000), hooks.set(0x0038), hooks.set(0x8002);
    Hits hits;
    for (int frame = 0; frame < 3; ++frame) {
        plain.run_frame();
        oakemu::run_frame_hooked(hooked.machine, hooked.setup(), hooks, Hits::record, &hits);
    }
    check.that(plain.machine == hooked.machine, "the machines are equal");
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
    const auto run = [&] { return oakemu::run_frame_hooked(machine.machine, machine.setup(), hooks, Hits::record, &hits); };
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
        {"internal_cycles_wait_on_the_address_on_the_bus", internal_cycles_wait_on_the_address_on_the_bus},
        {"rom_cannot_be_written", rom_cannot_be_written},
        {"runners_agree", runners_agree},
        {"contention_is_the_only_difference_of_the_timings", contention_is_the_only_difference_of_the_timings},
        {"hooks_report_before_the_instruction", hooks_report_before_the_instruction},
        {"hooks_do_not_change_what_runs", hooks_do_not_change_what_runs},
        {"interrupt_comes_before_the_hook", interrupt_comes_before_the_hook},
        {"pc_and_addresses_wrap", pc_and_addresses_wrap},
    });
}
