// SPDX-License-Identifier: GPL-3.0-or-later
// Block instructions between their rounds, when they overwrite themselves, and where 64K wrap. Right values: hardware facts.
#include <initializer_list>

#include "check.hpp"
#include "test_machine.hpp"

namespace {

TestMachine at(std::uint16_t pc, std::initializer_list<std::uint8_t> code) {
    TestMachine machine;
    machine.place(pc, code);
    machine.cpu().pc = pc;
    machine.cpu().af = 0;
    return machine;
}

void ldir_overwrites_itself(Check& check) {
    // The second byte of LDIR becomes that of LDI in the first round: the second one is the last, with BC left over.
    TestMachine machine = at(0x8000, {0xED, 0xB0, 0x3C});
    machine.place(0x9000, {0xA0, 0x3C});
    machine.cpu().hl = 0x9000, machine.cpu().de = 0x8001, machine.cpu().bc = 5;
    check.equal(machine.step(), 21, "T of the round of LDIR");
    check.equal(machine.step(), 16, "T of LDI");
    check.equal(machine.cpu().pc, 0x8002, "PC");
    check.equal(machine.cpu().bc, 3, "BC");
    check.equal(machine.at(0x8002), 0x3C, "the byte behind");
    // Or its first byte a NOP: the 0xB0 that is left is OR B.
    TestMachine other = at(0x8000, {0xED, 0xB0});
    other.cpu().hl = 0x9000, other.cpu().de = 0x8000, other.cpu().bc = 0x0200;
    other.step();
    check.equal(other.step(), 4, "T of NOP");
    check.equal(other.step(), 4, "T of OR B");
    check.equal(other.a(), 0x01, "A");
}

void lddr_moves_down_over_its_source(Check& check) {
    TestMachine machine = at(0x8000, {0xED, 0xB8});
    machine.place(0x9000, {1, 2, 3, 4});
    machine.cpu().hl = 0x9003, machine.cpu().de = 0x9002, machine.cpu().bc = 3;
    check.equal(machine.step() + machine.step() + machine.step(), 21 + 21 + 16, "T");
    check.equal(machine.at(0x9000), 4, "the last byte, copied again and again");
    check.equal(machine.cpu().hl, 0x9000, "HL");
    check.equal(machine.cpu().de, 0x8FFF, "DE");
}

void addresses_wrap(Check& check) {
    TestMachine machine = at(0xFFFF, {0xED});
    machine.at(0x0000) = 0xB0;
    machine.cpu().hl = 0xFFFF, machine.cpu().de = 0xBFFF, machine.cpu().bc = 2;
    machine.step();
    check.equal(machine.cpu().pc, 0xFFFF, "PC between the rounds");
    check.equal(machine.cpu().memptr, 0x0000, "MEMPTR");
    check.equal(machine.cpu().hl, 0x0000, "HL");
    machine.step();
    check.equal(machine.cpu().pc, 0x0001, "PC");
    check.equal(machine.at(0xC000), 0xB0, "a byte that was moved out of ROM");
}

void bc_zero_is_64k(Check& check) {
    TestMachine machine = at(0x8000, {0xED, 0xB0});
    machine.cpu().hl = 0x9000, machine.cpu().de = 0x9000;
    check.equal(machine.step(), 21, "T");
    check.equal(machine.cpu().bc, 0xFFFF, "BC");
    TestMachine inir = at(0x8000, {0xED, 0xB2});
    inir.cpu().hl = 0x9000, inir.cpu().bc = 0x00FF;
    check.equal(inir.step(), 21, "T");
    check.equal(inir.cpu().bc, 0xFFFF, "BC after a round of INIR");
}

void flags_of_ldi_show_a_plus_the_byte(Check& check) {
    for (int a = 0; a < 256; ++a) {
        for (int f = 0; f < 256; f += 51) {
            TestMachine machine = at(0x8000, {0xED, 0xA0});
            machine.at(0x9000) = 0x5A;
            machine.cpu().hl = 0x9000, machine.cpu().de = 0xA000, machine.cpu().bc = a % 2 == 0 ? 1 : 2;
            machine.cpu().af = static_cast<std::uint16_t>(a * 256 + f);
            machine.step();
            const int sum = a + 0x5A;
            check.equal(machine.f(), (f & 0xC1) | (a % 2 == 0 ? 0 : 4) | (sum & 8) | ((sum & 2) != 0 ? 0x20 : 0), "F");
        }
    }
}

void cpir_stops_at_its_byte(Check& check) {
    TestMachine machine = at(0xA800, {0xED, 0xB1});
    machine.place(0x9000, {1, 2, 3});
    machine.cpu().hl = 0x9000, machine.cpu().bc = 10, machine.cpu().af = 0x0201;
    check.equal(machine.step(), 21, "T of a round");
    check.equal(machine.f(), 0x02 | 0x04 | 0x01 | 0x28, "F between the rounds: 5 and 3 of PC's high byte, C as it was");
    check.equal(machine.step(), 16, "T of the round that finds it");
    check.equal(machine.f(), 0x40 | 0x02 | 0x04 | 0x01, "F when found");
    check.equal(machine.cpu().hl, 0x9002, "HL");
    check.equal(machine.cpu().bc, 8, "BC");
}

/// By hand from the published findings: while INIR and OTIR repeat, P/V also has the parity of the low bits of B (one more or one less
/// if C, by bit 7 of the byte), and with C H tells whether that step would carry.
void port_blocks_that_repeat(Check& check) {
    struct Case {
        std::uint8_t b, byte, l, h_flag, parity_of;  ///< parity_of: what P/V is the even parity of, after everything
    };
    // OTIR outputs a byte of (HL); k = byte + L after the step. With B counted down to b.
    const Case cases[]{
        {0x10, 0x20, 0x10, 0x00, ((0x20 + 0x11) & 7) ^ 0x10},  // no carry: parity of (k & 7) ^ B, twice turned by that of B & 7 = 0
        {0x10, 0xF0, 0x20, 0x10, ((0xF0 + 0x21) & 7) ^ 0x10},  // carry, bit 7 set: B - 1 = 0x0F borrows, and has parity 7: odd
        {0x1F, 0x70, 0xA0, 0x10, ((0x70 + 0xA1) & 7) ^ 0x1F},  // carry, bit 7 clear: B + 1 = 0x20 carries
        {0x12, 0x70, 0xA0, 0x00, ((0x70 + 0xA1) & 7) ^ 0x12},
    };
    const auto even = [](int value) { return __builtin_popcount(static_cast<unsigned>(value)) % 2 == 0; };
    for (const Case& c : cases) {
        TestMachine machine = at(0xA000, {0xED, 0xB3});
        machine.cpu().hl = static_cast<std::uint16_t>(0x9000 + c.l);
        machine.at(machine.cpu().hl) = c.byte;
        machine.cpu().bc = static_cast<std::uint16_t>((c.b + 1) * 256 + 0xFF);
        check.equal(machine.step(), 21, "T");
        const bool carry = c.byte + c.l + 1 > 255;
        const int next = !carry ? c.b : c.byte > 127 ? c.b - 1 : c.b + 1;
        const bool pv = even(c.parity_of & 0xFF) == even(next & 7);
        check.equal(machine.f() & 0x04, pv ? 4 : 0, "P/V");
        check.equal(machine.f() & 0x10, c.h_flag, "H");
        check.equal(machine.f() & 0x28, 0x20, "flags 5 and 3 of PC's high byte");
        check.equal(machine.f() & 0x83, (c.b & 0x80) | (c.byte > 127 ? 2 : 0) | (carry ? 1 : 0), "S, N, C");
    }
}

void port_of_outi_has_the_new_b(Check& check) {
    // Port 0x7FFE reads the half row of A15 = 0; OUTI on an even port writes the ULA whatever B is; INI reads with the old B.
    TestMachine machine = at(0x8000, {0xED, 0xA2});
    machine.state->keys[7] = 0x01;
    machine.cpu().bc = 0x7FFE, machine.cpu().hl = 0x9000;
    machine.step();
    check.equal(machine.at(0x9000), 0xBE, "INI with B 0x7F");
    check.equal(machine.cpu().bc, 0x7EFE, "BC");
    TestMachine paged(oakemu::Model::spectrum128);
    paged.place(0x8000, {0xED, 0xA3});
    paged.place(0x9000, {0x03});
    paged.cpu().hl = 0x9000, paged.cpu().bc = 0x80FD;  // with B counted down it is the paging latch's port
    paged.step();
    check.equal(paged.state->port_7ffd, 3, "OUTI with B 0x80");
}

}  // namespace

int main() {
    return run_tests({
        {"ldir_overwrites_itself", ldir_overwrites_itself},
        {"lddr_moves_down_over_its_source", lddr_moves_down_over_its_source},
        {"addresses_wrap", addresses_wrap},
        {"bc_zero_is_64k", bc_zero_is_64k},
        {"flags_of_ldi_show_a_plus_the_byte", flags_of_ldi_show_a_plus_the_byte},
        {"cpir_stops_at_its_byte", cpir_stops_at_its_byte},
        {"port_blocks_that_repeat", port_blocks_that_repeat},
        {"port_of_outi_has_the_new_b", port_of_outi_has_the_new_b},
    });
}
