// SPDX-License-Identifier: GPL-3.0-or-later
// INT at the edges of its pulse, of the frame and of instructions, on all machines. Right values: the hardware facts (INT is low for
// 32 T on a 48K and 36 T on a 128K, sampled when an instruction ends, not after EI or a lone prefix), worked out by hand.
#include <array>
#include <initializer_list>
#include <string>

#include "check.hpp"
#include "test_machine.hpp"

namespace {

using oakemu::Model;

constexpr std::uint8_t kEi = 0xFB, kDi = 0xF3, kHalt = 0x76, kRet = 0xC9, kIncA = 0x3C, kScf = 0x37, kOrA = 0xB7;

struct Facts {
    Model model;
    std::uint32_t frame, pulse;
};
constexpr std::array<Facts, 3> kMachines{{{Model::spectrum48, 69888, 32}, {Model::spectrum128, 70908, 36}, {Model::plus2, 70908, 36}}};

TestMachine enabled_at(const Facts& facts, std::uint32_t t, std::initializer_list<std::uint8_t> code) {
    TestMachine machine(facts.model);
    machine.state->t = t;
    machine.cpu().iff1 = machine.cpu().iff2 = 1;
    machine.cpu().im = 1;
    machine.set_a(0);
    machine.place(0x8000, code);
    return machine;
}

bool is_entered(TestMachine& machine) { return machine.cpu().pc == 0x0038; }

void pulse_has_its_length(Check& check) {
    for (const Facts& facts : kMachines) {
        for (const std::uint8_t late : {std::uint8_t{0}, std::uint8_t{1}}) {
            for (std::uint32_t t = 0; t < 48; ++t) {
                TestMachine machine = enabled_at(facts, t, {});
                machine.state->late = late;
                machine.step();
                check.equal(is_entered(machine), t < facts.pulse, "INT taken at T " + std::to_string(t));
            }
        }
    }
}

void instruction_over_the_frame_is_answered_where_it_ends(Check& check) {
    for (const Facts& facts : kMachines) {
        for (std::uint32_t before = 1; before <= 23; ++before) {
            TestMachine machine = enabled_at(facts, facts.frame - before, {0xDD, 0xE3});  // EX (SP),IX: 23 T
            machine.step();
            check.equal(machine.state->frame, 1, "frame");
            check.equal(machine.state->t, 23 - before, "T after the frame's end");
            check.equal(machine.step(), 13, "T of the interrupt");
            check.that(is_entered(machine), "INT is taken");
            check.equal(machine.stacked(), 0x8002, "return address");
        }
    }
}

/// EI or a prefix without an end hides the whole pulse; the instruction after the chain is out of it.
void chains_hide_the_pulse(Check& check) {
    for (const Facts& facts : kMachines) {
        for (const std::uint8_t link : {kEi, std::uint8_t{0xDD}, std::uint8_t{0xFD}}) {
            for (const std::uint32_t links : {4U, facts.pulse / 4 - 1, facts.pulse / 4}) {
                TestMachine machine = enabled_at(facts, facts.frame - 4, {0x00});
                for (std::uint32_t k = 0; k < links; ++k) {
                    machine.at(static_cast<std::uint16_t>(0x8001 + k)) = link;
                }
                machine.cpu().no_int_at = link == kEi ? static_cast<std::int32_t>(facts.frame) : -1;  // as if an EI came first
                machine.at(static_cast<std::uint16_t>(0x8001 + links)) = 0x26;                        // LD H,n, or LD IXh,n
                machine.step();
                if (link != kEi) {
                    check.equal(machine.state->t, 0, "T");
                    machine.cpu().no_int_at = 0;
                }
                for (std::uint32_t k = 0; k < links; ++k) {
                    // The last prefix and what it changes are one instruction.
                    check.equal(machine.step(), link != kEi && k + 1 == links ? 11 : 4, "T of a link");
                    check.that(!is_entered(machine), "no INT in the chain");
                }
                if (link == kEi) {
                    check.equal(machine.step(), 7, "T of the instruction after the chain");
                }
                // INT is low when the chain and the LD after it have ended by then.
                const bool expected = 4 * links + 7 < facts.pulse;
                machine.step();
                check.equal(is_entered(machine), expected, "INT after " + std::to_string(links) + " links");
            }
        }
    }
}

void prefix_before_a_plain_opcode_is_no_place_for_int(Check& check) {
    TestMachine machine = enabled_at(kMachines[0], 69888 - 4, {0xDD, kIncA, kIncA});
    check.equal(machine.step(), 8, "T of DD INC A");
    check.equal(machine.state->t, 4, "T");
    machine.step();
    check.that(is_entered(machine), "INT is taken after it");
    check.equal(machine.stacked(), 0x8002, "return address");
    check.equal(machine.a(), 1, "A");
}

void di_at_the_edge_wins(Check& check) {
    for (const Facts& facts : kMachines) {
        for (std::uint32_t before = 1; before <= 4; ++before) {
            TestMachine machine = enabled_at(facts, facts.frame - before, {kDi});
            machine.step();
            machine.step();
            check.equal(machine.cpu().pc, 0x8002, "PC: INT came while DI ran");
        }
        TestMachine machine = enabled_at(facts, facts.frame - 4, {0x00, kDi});
        machine.step();
        machine.step();
        check.that(is_entered(machine), "INT comes before the DI");
    }
}

void int_is_sampled_between_the_rounds_of_a_block(Check& check) {
    const Facts& facts = kMachines[0];
    // The byte at 0xB000 is moved to 0xB100 when the frame ends; flags 5 and 3 show the address of the LDIR.
    for (const std::uint16_t pc : {std::uint16_t{0x8000}, std::uint16_t{0xA800}, std::uint16_t{0x8800}, std::uint16_t{0xA000}}) {
        TestMachine machine = enabled_at(facts, facts.frame - 21, {});
        machine.place(pc, {0xED, 0xB0});
        machine.cpu().pc = pc;
        machine.cpu().hl = 0xB000, machine.cpu().de = 0xB100, machine.cpu().bc = 3;
        machine.cpu().af = 0x0028;
        check.equal(machine.step(), 21, "T of a round");
        check.equal(machine.cpu().pc, pc, "PC");
        check.equal(machine.cpu().memptr, pc + 1, "MEMPTR");
        check.equal(machine.f(), 0x04 | ((pc >> 8) & 0x28), "F between the rounds");
        machine.step();
        check.that(is_entered(machine), "INT is taken");
        check.equal(machine.stacked(), pc, "return address");
        machine.place(0x0038, {kRet});
        check.equal(machine.step(), 10, "T of RET");
        check.equal(machine.step(), 21, "T of the next round");
        check.equal(machine.step(), 16, "T of the last round");
        check.equal(machine.cpu().bc, 0, "BC");
        check.equal(machine.f(), 0x00, "F at the end, where A + byte is 0");
    }
}

void mode_2_can_be_entered_twice(Check& check) {
    // 19 T, then EI 4 and RET 10 end at 33: inside a 128K's pulse, outside of a 48K's.
    for (const Facts& facts : kMachines) {
        TestMachine machine = enabled_at(facts, 0, {0x00, 0x00});
        machine.cpu().im = 2;
        machine.cpu().i = 0xB0;
        machine.place(0xB0FF, {0x00, 0xB2});
        machine.place(0xB200, {kEi, kRet});
        check.equal(machine.step(), 19, "T of the interrupt");
        check.equal(machine.cpu().pc, 0xB200, "PC");
        machine.step(), machine.step();
        check.equal(machine.state->t, 33, "T after RET");
        machine.step();
        check.equal(machine.cpu().pc, facts.pulse == 36 ? 0xB200 : 0x8001, "PC");
    }
}

void vector_wraps_and_may_be_in_rom(Check& check) {
    TestMachine machine = enabled_at(kMachines[0], 0, {});
    machine.cpu().im = 2;
    machine.cpu().i = 0xFF;  // bytes at 0xFFFF and 0x0000
    machine.at(0xFFFF) = 0x18;
    machine.at(0x0000) = 0x99;
    machine.step();
    check.equal(machine.cpu().pc, 0x9918, "PC");
}

void stack_in_rom_swallows_the_return_address(Check& check) {
    TestMachine machine = enabled_at(kMachines[0], 0, {});
    machine.cpu().sp = 0x0001;
    check.equal(machine.step(), 13, "T");
    check.equal(machine.cpu().sp, 0xFFFF, "SP");
    check.equal(machine.at(0x0000), 0, "ROM");
    check.equal(machine.at(0xFFFF), 0x00, "low byte, in RAM");
}

void halt_at_the_edge(Check& check) {
    for (const Facts& facts : kMachines) {
        // HALT that ends with the frame, or up to 3 T into the pulse, is left at once; the return address is behind it.
        for (std::uint32_t before = 1; before <= 4; ++before) {
            TestMachine machine = enabled_at(facts, facts.frame - before, {kHalt});
            check.equal(machine.step(), 4, "T of HALT");
            check.equal(machine.step(), 13, "T of the interrupt");
            check.equal(machine.stacked(), 0x8001, "return address");
        }
        // EI, HALT with EI ending inside the pulse: HALT runs first.
        TestMachine machine = enabled_at(facts, facts.frame - 4, {kEi, kHalt});
        machine.cpu().iff1 = 0;
        machine.step();
        check.equal(machine.step(), 4, "T of HALT after EI");
        check.equal(machine.cpu().halted, 1, "halted");
        check.equal(machine.step(), 13, "T of the interrupt");
        check.equal(machine.stacked(), 0x8002, "return address");
        check.equal(machine.state->t, 17, "T");
        // From HALT to the routine: NOPs of 4 T end at the first moment of the pulse that they reach.
        for (std::uint32_t phase = 0; phase < 4; ++phase) {
            TestMachine waiting = enabled_at(facts, 60000 + phase, {kHalt});
            waiting.run_frame();
            check.equal(waiting.state->t, (4 - (facts.frame - 60000 - phase) % 4) % 4, "T when the frame has ended");
            waiting.step();
            check.that(is_entered(waiting), "INT is taken");
        }
    }
}

void interrupt_forgets_what_q_was(Check& check) {
    // OR A writes flags (none are set in F but Z and P); SCF right after it shows A alone, with an interrupt between them A or F.
    for (const bool interrupted : {false, true}) {
        TestMachine machine = enabled_at(kMachines[0], interrupted ? 69888 - 4 : 1000, {0xFE, 0x28, kScf});  // CP 0x28
        machine.state->t -= 3;
        machine.cpu().im = 1;
        machine.place(0x0038, {kScf});
        machine.step();
        check.equal(machine.f() & 0x28, 0x28, "flags 5 and 3 after CP 0x28");
        if (interrupted) {
            machine.step();
            check.that(is_entered(machine), "INT is taken");
        }
        machine.step();
        check.equal(machine.f() & 0x28, interrupted ? 0x28 : 0x00, "flags 5 and 3 after SCF with A 0");
    }
}

void nops_of_a_halt_forget_q_too(Check& check) {
    TestMachine machine = enabled_at(kMachines[0], 1000, {kOrA, kHalt});
    machine.step(), machine.step(), machine.step();
    check.equal(machine.cpu().q, 0, "Q");
}

}  // namespace

int main() {
    return run_tests({
        {"pulse_has_its_length", pulse_has_its_length},
        {"instruction_over_the_frame_is_answered_where_it_ends", instruction_over_the_frame_is_answered_where_it_ends},
        {"chains_hide_the_pulse", chains_hide_the_pulse},
        {"prefix_before_a_plain_opcode_is_no_place_for_int", prefix_before_a_plain_opcode_is_no_place_for_int},
        {"di_at_the_edge_wins", di_at_the_edge_wins},
        {"int_is_sampled_between_the_rounds_of_a_block", int_is_sampled_between_the_rounds_of_a_block},
        {"mode_2_can_be_entered_twice", mode_2_can_be_entered_twice},
        {"vector_wraps_and_may_be_in_rom", vector_wraps_and_may_be_in_rom},
        {"stack_in_rom_swallows_the_return_address", stack_in_rom_swallows_the_return_address},
        {"halt_at_the_edge", halt_at_the_edge},
        {"interrupt_forgets_what_q_was", interrupt_forgets_what_q_was},
        {"nops_of_a_halt_forget_q_too", nops_of_a_halt_forget_q_too},
    });
}
