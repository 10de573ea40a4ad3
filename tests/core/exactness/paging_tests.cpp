// SPDX-License-Identifier: GPL-3.0-or-later
// The paging latch and the sound chip's ports of the 128K machines at their edges. Right values: hardware facts.
#include <string>

#include "check.hpp"
#include "test_machine.hpp"

namespace {

using oakemu::Model;

TestMachine with_banks(Model model) {
    TestMachine machine(model);
    for (std::uint8_t bank = 0; bank < 8; ++bank) {
        for (std::size_t k = 0; k < oakemu::kBankSize; ++k) {
            machine.machine.ram[oakemu::kBankPlace[bank] + k] = bank;
        }
    }
    machine.roms->images[0].fill(0x30), machine.roms->images[1].fill(0x31);
    return machine;
}

void out(TestMachine& machine, std::uint16_t port, std::uint8_t value) {
    machine.place(0x8000, {0xED, 0x59});  // OUT (C),E
    machine.cpu().pc = 0x8000, machine.cpu().bc = port, machine.cpu().de = value;
    machine.state->t = 1000;
    machine.step();
}

std::uint8_t in(TestMachine& machine, std::uint16_t port, std::uint32_t t = 1000) {
    machine.place(0x8000, {0xED, 0x58});  // IN E,(C)
    machine.cpu().pc = 0x8000, machine.cpu().bc = port;
    machine.state->t = t;
    machine.step();
    return static_cast<std::uint8_t>(machine.cpu().de);
}

/// What the CPU itself reads at an address.
std::uint8_t peek(TestMachine& machine, std::uint16_t address) {
    machine.place(0x8000, {0x7E});
    machine.cpu().pc = 0x8000, machine.cpu().hl = address;
    machine.state->t = 1000;
    machine.step();
    return machine.a();
}

void every_value_maps_memory(Check& check) {
    for (const Model model : {Model::spectrum128, Model::plus2}) {
        for (int value = 0; value < 256; ++value) {
            TestMachine machine = with_banks(model);
            out(machine, 0x7FFD, static_cast<std::uint8_t>(value));
            check.equal(peek(machine, 0x2000), 0x30 + ((value >> 4) & 1), "ROM");
            check.equal(peek(machine, 0x5000), 5, "bank at 0x4000");
            check.equal(peek(machine, 0xA000), 2, "bank at 0x8000");
            check.equal(peek(machine, 0xE000), value & 7, "bank at 0xC000");
            check.equal(machine.machine.display()[1000], (value & 8) != 0 ? 7 : 5, "screen");
            out(machine, 0x7FFD, static_cast<std::uint8_t>(value ^ 0x1F));
            check.equal(peek(machine, 0xE000), (value & 0x20) != 0 ? value & 7 : (value & 7) ^ 7, "bank after a second OUT");
        }
    }
}

void latch_is_decoded_by_two_lines(Check& check) {
    for (int high = 0; high < 256; ++high) {
        for (const int low : {0xFD, 0xFF, 0x00, 0x02, 0x01, 0xFC}) {
            TestMachine machine = with_banks(Model::spectrum128);
            out(machine, static_cast<std::uint16_t>(high * 256 + low), 0x04);
            const bool pages = high < 0x80 && (low & 2) == 0;
            check.equal(machine.state->port_7ffd, pages ? 4 : 0, "latch after port " + std::to_string(high * 256 + low));
            const bool selects = high >= 0xC0 && (low & 2) == 0;
            check.equal(machine.state->ay_selected, selects ? 4 : 0, "selected after port " + std::to_string(high * 256 + low));
            const bool writes = high >= 0x80 && high < 0xC0 && (low & 2) == 0;
            check.equal(machine.state->ay[0], writes ? 4 : 0, "sound register after port " + std::to_string(high * 256 + low));
        }
    }
}

void code_goes_on_in_the_bank_that_came_in(Check& check) {
    TestMachine machine(Model::spectrum128);
    machine.place(0xC000, {0xED, 0x59});                    // in bank 0: OUT (C),E
    machine.machine.ram[oakemu::kBankPlace[3] + 2] = 0x3C;  // in bank 3: INC A
    machine.cpu().pc = 0xC000, machine.cpu().bc = 0x7FFD, machine.cpu().de = 3;
    machine.set_a(0);
    machine.step(), machine.step();
    check.equal(machine.a(), 1, "A");
    // The fetch of that INC waits, as bank 3 is contended; the OUT before it did not.
    machine.state->port_7ffd = 0;
    machine.cpu().pc = 0xC000;
    machine.state->t = 14361 - 12;
    check.equal(machine.step(), 12, "T of OUT in bank 0");
    check.equal(machine.step(), 10, "T of INC A in bank 3");
}

void writes_reach_the_bank_that_is_in(Check& check) {
    TestMachine machine(Model::spectrum128);
    for (std::uint8_t bank = 0; bank < 8; ++bank) {
        out(machine, 0x7FFD, bank);
        machine.place(0x8000, {0x36, static_cast<std::uint8_t>(0x40 + bank)});  // LD (HL),n
        machine.cpu().pc = 0x8000, machine.cpu().hl = 0xFFFF;
        machine.step();
    }
    for (std::uint8_t bank = 0; bank < 8; ++bank) {
        check.equal(machine.machine.ram[oakemu::kBankPlace[bank] + 0x3FFF], 0x40 + bank, "last byte of a bank");
    }
    check.equal(machine.at(0xBFFF), 0x42, "bank 2 seen at 0x8000");
    check.equal(machine.at(0x7FFF), 0x45, "bank 5 seen at 0x4000");
}

/// Bank 2 is seen twice, so a block instruction can overwrite itself from afar.
void ldir_overwrites_itself_through_the_other_page(Check& check) {
    for (const std::uint16_t pc : {std::uint16_t{0x8000}, std::uint16_t{0xC000}}) {
        TestMachine machine(Model::spectrum128);
        machine.state->port_7ffd = 2;
        machine.place(pc, {0xED, 0xB0, 0x18, 0xFE});  // LDIR, and a loop without end
        machine.place(0x9000, {0xA0, 0x18});
        machine.cpu().pc = pc, machine.cpu().hl = 0x9000, machine.cpu().bc = 5;
        machine.cpu().de = static_cast<std::uint16_t>((pc ^ 0x4000) + 1);  // its second byte becomes that of LDI
        machine.run_frame();
        check.equal(machine.cpu().bc, 3, "BC after a round of LDIR and one of LDI");
        check.equal(machine.at(static_cast<std::uint16_t>(pc + 1)), 0xA0, "second byte");
    }
}

void a_read_latches_what_is_on_the_bus(Check& check) {
    TestMachine machine(Model::spectrum128);
    // From 14360 on the port cycle is 1 T, 6 waits and 1 T, 1 T, 6 waits and 1 T: its last T is 14375, when attribute 3 is fetched.
    machine.place(0x5803, {0x13});
    check.equal(in(machine, 0x7FFD, 14360 - 8), 0x13, "byte read");
    check.equal(machine.state->port_7ffd, 0x13, "latch");
    TestMachine idle(Model::spectrum128);
    check.equal(in(idle, 0x3FFD), 0xFF, "byte read while the bus idles");
    check.equal(idle.state->port_7ffd, 0xFF, "latch, which is locked now");
    out(idle, 0x7FFD, 0x00);
    check.equal(idle.state->port_7ffd, 0xFF, "locked latch");
    check.equal(in(idle, 0x3FFD, 14364 - 11), 0x00, "a read of a locked latch reads the bus all the same");
    check.equal(idle.state->port_7ffd, 0xFF, "locked latch");
    TestMachine small(Model::spectrum48);
    in(small, 0x7FFD);
    out(small, 0x7FFD, 0x07);
    check.equal(small.state->port_7ffd, 0, "latch of a 48K machine");
    oakemu::power_on(idle.machine);
    check.equal(idle.state->port_7ffd, 0, "latch after power-on");
}

void sound_registers(Check& check) {
    TestMachine machine(Model::plus2);
    constexpr std::uint8_t masks[]{0xFF, 0x0F, 0xFF, 0x0F, 0xFF, 0x0F, 0x1F, 0xFF, 0x1F, 0x1F, 0x1F, 0xFF, 0xFF, 0x0F};
    for (std::uint8_t number = 0; number < 14; ++number) {
        for (const std::uint8_t value : {std::uint8_t{0xFF}, std::uint8_t{0xA5}}) {
            out(machine, 0xFFFD, number);
            out(machine, 0xBFFD, value);
            check.equal(in(machine, 0xFFFD), value & masks[number], "register " + std::to_string(number));
        }
    }
    check.equal(in(machine, 0xBFFD), 0xFF, "the port for writing reads the floating bus");
    out(machine, 0xFFFD, 14);
    out(machine, 0xBFFD, 0xFF);
    check.equal(in(machine, 0xFFFD), 0xBF, "port A as an output, against the serial interface");
    out(machine, 0xFFFD, 7);
    out(machine, 0xBFFD, 0x00);
    out(machine, 0xFFFD, 14);
    check.equal(in(machine, 0xFFFD), 0xBF, "port A as an input");
    out(machine, 0xFFFD, 15);
    out(machine, 0xBFFD, 0x12);
    check.equal(in(machine, 0xFFFD), 0xFF, "port B as an input");
}

void power_on_state(Check& check) {
    for (const Model model : {Model::spectrum128, Model::plus2}) {
        TestMachine machine = with_banks(model);
        machine.state->late = 1, machine.state->issue2 = 1;
        machine.state->ay.fill(3), machine.state->ay_selected = 3, machine.state->port_fe = 0x17, machine.state->keys.fill(1);
        oakemu::power_on(machine.machine);
        oakemu::State fresh;
        fresh.model = machine.state->model, fresh.late = 1, fresh.issue2 = 1;
        oakemu::Machine expected(fresh.model);
        expected.state = fresh;
        check.that(machine.machine == expected, "all but the hardware is as new");
    }
}

}  // namespace

int main() {
    return run_tests({
        {"every_value_maps_memory", every_value_maps_memory},
        {"latch_is_decoded_by_two_lines", latch_is_decoded_by_two_lines},
        {"code_goes_on_in_the_bank_that_came_in", code_goes_on_in_the_bank_that_came_in},
        {"writes_reach_the_bank_that_is_in", writes_reach_the_bank_that_is_in},
        {"ldir_overwrites_itself_through_the_other_page", ldir_overwrites_itself_through_the_other_page},
        {"a_read_latches_what_is_on_the_bus", a_read_latches_what_is_on_the_bus},
        {"sound_registers", sound_registers},
        {"power_on_state", power_on_state},
    });
}
