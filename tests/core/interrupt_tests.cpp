// SPDX-License-Identifier: GPL-3.0-or-later
// When INT is accepted and what it does. Right values: the 48K facts (INT low for T 0 to 31, IM 1 13 T, IM 2 19 T) worked out by hand.
#include "check.hpp"
#include "test_machine.hpp"

namespace {

constexpr std::uint8_t kEi = 0xFB, kHalt = 0x76, kRet = 0xC9, kIncA = 0x3C;

/// At T `t`, with interrupts enabled in mode 1.
TestMachine enabled_at(std::uint32_t t) {
    TestMachine machine;
    machine.state->t = t;
    machine.cpu().iff1 = machine.cpu().iff2 = 1;
    machine.cpu().im = 1;
    return machine;
}

void mode_1_pushes_pc_and_calls_0038(Check& check) {
    TestMachine machine = enabled_at(0);
    machine.cpu().r = 0xFF;
    check.equal(machine.step(), 13, "T");
    check.equal(machine.cpu().pc, 0x0038, "PC");
    check.equal(machine.cpu().memptr, 0x0038, "MEMPTR");
    check.equal(machine.cpu().sp, 0xFEFE, "SP");
    check.equal(machine.stacked(), 0x8000, "return address");
    check.equal(machine.cpu().iff1, 0, "IFF1");
    check.equal(machine.cpu().iff2, 0, "IFF2");
    check.equal(machine.cpu().r, 0x80, "R, whose bit 7 does not count");
}

void mode_0_sees_rst_38(Check& check) {
    TestMachine machine = enabled_at(0);
    machine.cpu().im = 0;
    check.equal(machine.step(), 13, "T");
    check.equal(machine.cpu().pc, 0x0038, "PC");
}

void mode_2_reads_its_vector_at_i_ff(Check& check) {
    TestMachine machine = enabled_at(0);
    machine.cpu().im = 2;
    machine.cpu().i = 0xFD;
    machine.place(0xFDFF, {0x34, 0x92});
    check.equal(machine.step(), 19, "T");
    check.equal(machine.cpu().pc, 0x9234, "PC");
    check.equal(machine.cpu().memptr, 0x9234, "MEMPTR");
    check.equal(machine.stacked(), 0x8000, "return address");
}

void int_is_a_level_of_32_t(Check& check) {
    for (const std::uint32_t t : {0U, 1U, 17U, 31U}) {
        TestMachine machine = enabled_at(t);
        machine.step();
        check.equal(machine.cpu().pc, 0x0038, "PC while INT is low");
    }
    for (const std::uint32_t t : {32U, 33U, 69884U}) {
        TestMachine machine = enabled_at(t);
        machine.step();
        check.equal(machine.cpu().pc, 0x8001, "PC while INT is high");
    }
    TestMachine machine = enabled_at(0);
    machine.cpu().iff1 = 0;
    machine.step();
    check.equal(machine.cpu().pc, 0x8001, "PC with interrupts disabled");
}

void ei_protects_the_next_instruction(Check& check) {
    TestMachine machine;
    machine.cpu().im = 1;
    machine.state->t = 0;
    machine.place(0x8000, {kEi, kEi, kIncA});
    machine.set_a(0);
    machine.step();
    check.equal(machine.cpu().pc, 0x8001, "PC after EI");
    machine.step();
    check.equal(machine.cpu().pc, 0x8002, "PC after a second EI");
    machine.step();
    check.equal(machine.a(), 1, "A");
    machine.step();
    check.equal(machine.cpu().pc, 0x0038, "PC");
    check.equal(machine.stacked(), 0x8003, "return address");
    check.equal(machine.state->t, 25, "T");
}

void ei_inside_the_pulse_is_in_time_or_not(Check& check) {
    // EI and the NOP after it take 8 T: from 23 they end at 31, where INT is still low.
    for (const std::uint32_t start : {20U, 23U, 24U}) {
        TestMachine machine;
        machine.cpu().im = 1;
        machine.state->t = start;
        machine.place(0x8000, {kEi});
        machine.step();
        machine.step();
        machine.step();
        check.equal(machine.cpu().pc, start < 24 ? 0x0038 : 0x8003, "PC");
    }
}

void ei_that_ends_with_the_frame_still_protects(Check& check) {
    for (const std::uint32_t overshoot : {0U, 3U}) {
        TestMachine machine;
        machine.cpu().im = 1;
        machine.state->t = 69888 - 4 + overshoot;
        machine.place(0x8000, {kEi});
        machine.step();
        check.equal(machine.state->frame, 1, "frame");
        check.equal(machine.state->t, overshoot, "T after EI");
        machine.step();
        check.equal(machine.cpu().pc, 0x8002, "PC after the protected NOP");
        machine.step();
        check.equal(machine.cpu().pc, 0x0038, "PC");
    }
}

void protection_is_over_long_after(Check& check) {
    TestMachine machine = enabled_at(100);
    machine.place(0x8000, {kEi, kHalt});
    machine.run_frame();
    machine.cpu().iff1 = 0;
    for (int frame = 0; frame < 3; ++frame) {
        machine.run_frame();
    }
    machine.cpu().iff1 = 1;
    machine.step();
    check.equal(machine.cpu().pc, 0x0038, "PC");
}

void lone_prefix_protects_too(Check& check) {
    for (const std::uint8_t prefix : {std::uint8_t{0xDD}, std::uint8_t{0xFD}}) {
        TestMachine machine;
        machine.cpu().im = 1;
        machine.state->t = 0;
        machine.place(0x8000, {kEi, prefix, 0xDD, 0x21, 0x34, 0x12});  // EI; prefix; LD IX,0x1234
        machine.cpu().r = 0;
        check.equal(machine.step(), 4, "T of EI");
        check.equal(machine.step(), 4, "T of the lone prefix");
        check.equal(machine.cpu().r, 2, "R");
        check.equal(machine.step(), 14, "T of LD IX,nn");
        check.equal(machine.cpu().ix, 0x1234, "IX");
        check.equal(machine.step(), 13, "T of the interrupt");
        check.equal(machine.stacked(), 0x8006, "return address");
    }
}

void prefix_before_ed_is_lone(Check& check) {
    TestMachine machine;
    machine.place(0x8000, {0xFD, 0xED, 0x6A});  // FD; ADC HL,HL
    machine.cpu().hl = 0x0102;
    machine.cpu().iy = 0x4444;
    machine.cpu().af = 0;
    check.equal(machine.step(), 4, "T of the prefix");
    check.equal(machine.step(), 15, "T of ADC HL,HL");
    check.equal(machine.cpu().hl, 0x0204, "HL");
    check.equal(machine.cpu().iy, 0x4444, "IY");
}

void ld_a_i_before_an_interrupt_loses_its_parity(Check& check) {
    for (const std::uint8_t code : {std::uint8_t{0x57}, std::uint8_t{0x5F}}) {  // LD A,I; LD A,R
        for (const bool accepted : {true, false}) {
            TestMachine machine = enabled_at(accepted ? 69888 - 9 + 3 : 1000);
            machine.place(0x8000, {0xED, code});
            machine.step();
            check.equal(machine.f() & 4, 4, "P/V after the instruction");
            machine.step();
            check.equal(machine.cpu().pc, accepted ? 0x0038 : 0x8003, "PC");
            check.equal(machine.f() & 4, accepted ? 0 : 4, "P/V");
        }
    }
    TestMachine machine = enabled_at(0);
    machine.place(0x8000, {0xED, 0x57});
    machine.cpu().no_int_at = 0;
    machine.step();
    machine.cpu().no_int_at = 9;  // one more instruction in between
    machine.step();
    machine.step();
    check.equal(machine.cpu().pc, 0x0038, "PC");
    check.equal(machine.f() & 4, 4, "P/V one instruction later");
}

void short_routine_is_entered_twice(Check& check) {
    // 13 + INC A 4 + EI 4 + RET 10 = 31: INT is still low. A NOP more and it is not.
    for (const bool with_nop : {false, true}) {
        TestMachine machine = enabled_at(0);
        machine.set_a(0);
        machine.place(0x8000, {0x18, 0xFE});  // JR to itself
        if (with_nop) {
            machine.place(0x0038, {kIncA, 0x00, kEi, kRet});
        } else {
            machine.place(0x0038, {kIncA, kEi, kRet});
        }
        machine.run_frame();
        check.equal(machine.a(), with_nop ? 1 : 2, "entries in one frame");
    }
}

void halt_waits_for_the_interrupt(Check& check) {
    TestMachine machine = enabled_at(100);
    machine.place(0x8000, {kHalt});
    machine.cpu().r = 0;
    machine.run_frame();
    // 100 + 4 for the HALT itself, then (69888 - 104) / 4 = 17446 NOPs: 17447 M1 cycles, and 17447 mod 128 = 39.
    check.equal(machine.state->frame, 1, "frame");
    check.equal(machine.state->t, 0, "T");
    check.equal(machine.cpu().r, 39, "R");
    check.equal(machine.cpu().halted, 1, "halted");
    check.equal(machine.step(), 13, "T of the interrupt");
    check.equal(machine.cpu().halted, 0, "halted");
    check.equal(machine.stacked(), 0x8001, "return address");
}

void halt_inside_the_pulse_ends_at_once(Check& check) {
    TestMachine machine = enabled_at(10);
    machine.cpu().no_int_at = 10;
    machine.place(0x8000, {kHalt});
    check.equal(machine.step(), 4, "T of HALT");
    check.equal(machine.step(), 13, "T of the interrupt");
    check.equal(machine.stacked(), 0x8001, "return address");
}

void halt_without_interrupts_never_ends(Check& check) {
    TestMachine machine;
    machine.place(0x8000, {0xF3, kHalt});  // DI; HALT
    for (int frame = 0; frame < 3; ++frame) {
        machine.run_frame();
    }
    check.equal(machine.cpu().halted, 1, "halted");
    check.equal(machine.cpu().pc, 0x8002, "PC");
    check.equal(machine.state->frame, 3, "frame");
}

}  // namespace

int main() {
    return run_tests({
        {"mode_1_pushes_pc_and_calls_0038", mode_1_pushes_pc_and_calls_0038},
        {"mode_0_sees_rst_38", mode_0_sees_rst_38},
        {"mode_2_reads_its_vector_at_i_ff", mode_2_reads_its_vector_at_i_ff},
        {"int_is_a_level_of_32_t", int_is_a_level_of_32_t},
        {"ei_protects_the_next_instruction", ei_protects_the_next_instruction},
        {"ei_inside_the_pulse_is_in_time_or_not", ei_inside_the_pulse_is_in_time_or_not},
        {"ei_that_ends_with_the_frame_still_protects", ei_that_ends_with_the_frame_still_protects},
        {"protection_is_over_long_after", protection_is_over_long_after},
        {"lone_prefix_protects_too", lone_prefix_protects_too},
        {"prefix_before_ed_is_lone", prefix_before_ed_is_lone},
        {"ld_a_i_before_an_interrupt_loses_its_parity", ld_a_i_before_an_interrupt_loses_its_parity},
        {"short_routine_is_entered_twice", short_routine_is_entered_twice},
        {"halt_waits_for_the_interrupt", halt_waits_for_the_interrupt},
        {"halt_inside_the_pulse_ends_at_once", halt_inside_the_pulse_ends_at_once},
        {"halt_without_interrupts_never_ends", halt_without_interrupts_never_ends},
    });
}
