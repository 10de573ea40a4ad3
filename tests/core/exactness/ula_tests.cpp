// SPDX-License-Identifier: GPL-3.0-or-later
// Waits, ports and the floating bus of every machine, early and late. Right values: J. Rak's measurements and the hardware facts, as
// numbers.
#include <array>
#include <string>

#include "check.hpp"
#include "test_machine.hpp"

namespace {

using oakemu::Model;
using Row = std::array<std::uint32_t, 8>;

struct Ula {
    Model model;
    std::uint8_t late;
    std::uint32_t first_wait, line, last_wait, first_byte;  ///< the last one is that of the floating bus
};
constexpr std::array<Ula, 5> kUlas{{{Model::spectrum48, 0, 14335, 224, 57244, 14338},
                                    {Model::spectrum48, 1, 14336, 224, 57245, 14339},
                                    {Model::spectrum128, 0, 14361, 228, 58034, 14364},
                                    {Model::spectrum128, 1, 14362, 228, 58035, 14365},
                                    {Model::plus2, 0, 14361, 228, 58034, 14364}}};

TestMachine made(const Ula& ula) {
    TestMachine machine(ula.model);
    machine.state->late = ula.late;
    return machine;
}

bool pages(const Ula& ula) { return ula.model != Model::spectrum48; }

std::uint32_t nop_at(TestMachine& machine, std::uint16_t pc, std::uint32_t t) {
    machine.at(pc) = 0x00;
    machine.cpu().pc = pc;
    machine.state->t = t;
    return machine.step();
}

void waits_are_where_they_are(Check& check) {
    constexpr Row nop{10, 9, 8, 7, 6, 5, 4, 4};
    for (const Ula& ula : kUlas) {
        TestMachine machine = made(ula);
        for (std::uint32_t k = 0; k < 8; ++k) {
            for (const std::uint32_t start :
                 {ula.first_wait, ula.first_wait + 120, ula.first_wait + ula.line, ula.first_wait + 191 * ula.line}) {
                check.equal(nop_at(machine, 0x4000, start + k), nop[k], "T of a NOP in the screen at " + std::to_string(start + k));
                check.equal(nop_at(machine, 0x7FFF, start + k), nop[k], "T of a NOP at 0x7FFF");
                check.equal(nop_at(machine, 0x8000, start + k), 4, "T of a NOP at 0x8000");
                check.equal(nop_at(machine, 0x3FFF, start + k), 4, "T of a NOP in ROM");
            }
        }
        check.equal(nop_at(machine, 0x4000, ula.first_wait - 1), 4, "T right before the first wait");
        check.equal(nop_at(machine, 0x4000, ula.first_wait + 128), 4, "T after the picture's part of a line");
        check.equal(nop_at(machine, 0x4000, ula.first_wait + ula.line - 1), 4, "T right before the next line");
        check.equal(nop_at(machine, 0x4000, ula.last_wait), 5, "T at the last wait");
        check.equal(nop_at(machine, 0x4000, ula.last_wait + 1), 4, "T after the last wait");
        check.equal(nop_at(machine, 0x4000, ula.first_wait + 192 * ula.line), 4, "T below the picture");
        check.equal(nop_at(machine, 0x4000, 0), 4, "T at the start of the frame");
    }
}

void odd_banks_wait(Check& check) {
    for (const Ula& ula : kUlas) {
        for (std::uint8_t bank = 0; bank < 8 && pages(ula); ++bank) {
            TestMachine machine = made(ula);
            machine.state->port_7ffd = bank;
            check.equal(nop_at(machine, 0xC000, ula.first_wait), bank % 2 == 1 ? 10 : 4, "T in bank " + std::to_string(bank));
            check.equal(nop_at(machine, 0x4000, ula.first_wait), 10, "T at 0x4000 with any bank at 0xC000");
            check.equal(nop_at(machine, 0x8000, ula.first_wait), 4, "T at 0x8000 with any bank at 0xC000");
        }
        TestMachine machine = made(ula);
        check.equal(nop_at(machine, 0xC000, ula.first_wait), 4, "T at 0xC000 with bank 0, or of a 48K machine");
    }
}

/// T of the port cycle alone, when it begins at `t`.
std::uint32_t port_cycle(TestMachine& machine, std::uint16_t port, std::uint32_t t) {
    machine.cpu().pc = 0x8000;
    machine.place(0x8000, {0xED, 0x59});  // OUT (C),E
    machine.cpu().bc = port;
    machine.cpu().de = machine.state->port_7ffd;
    machine.state->t = t - 8;
    return machine.step() - 8;
}

void ports_wait_in_four_patterns(Check& check) {
    // From the first wait on; N:1 C:3, C:1 C:3, C:1 C:1 C:1 C:1, N:4.
    constexpr Row even{9, 8, 7, 6, 5, 4, 4, 10}, even_high{10, 9, 8, 7, 6, 5, 4, 10}, odd_high{16, 15, 14, 13, 12, 11, 10, 16};
    for (const Ula& ula : kUlas) {
        TestMachine machine = made(ula);
        for (std::uint32_t k = 0; k < 8; ++k) {
            const std::uint32_t t = ula.first_wait + k;
            check.equal(port_cycle(machine, 0x00FE, t), even[k], "T of port 00FE");
            check.equal(port_cycle(machine, 0x3FFE, t), even[k], "T of port 3FFE");
            check.equal(port_cycle(machine, 0x4000, t), even_high[k], "T of port 4000");
            check.equal(port_cycle(machine, 0x7FFE, t), even_high[k], "T of port 7FFE");
            check.equal(port_cycle(machine, 0x7FFF, t), odd_high[k], "T of port 7FFF");
            check.equal(port_cycle(machine, 0x40FF, t), odd_high[k], "T of port 40FF");
            check.equal(port_cycle(machine, 0x80FF, t), 4, "T of port 80FF");
            for (std::uint8_t bank = 0; bank < 8; ++bank) {
                machine.state->port_7ffd = pages(ula) ? bank : 0;
                const bool waits = pages(ula) && bank % 2 == 1;
                check.equal(port_cycle(machine, 0xC0FF, t), waits ? odd_high[k] : 4, "T of port C0FF");
                check.equal(port_cycle(machine, 0xFFFE, t), waits ? even_high[k] : even[k], "T of port FFFE");
            }
            machine.state->port_7ffd = 0;
        }
    }
}

/// What IN A,(n) (0xDB) or IN A,(C) (0xED) reads from an unattached port if the last T of its port cycle is `t`.
std::uint8_t floating_at(TestMachine& machine, std::uint8_t code, std::uint32_t t) {
    machine.cpu().pc = 0x8000;
    machine.place(0x8000, {code, static_cast<std::uint8_t>(code == 0xDB ? 0xFF : 0x78)});
    machine.cpu().bc = 0x00FF;
    machine.set_a(0);
    machine.state->t = t - (code == 0xDB ? 10 : 11);
    machine.step();
    return machine.a();
}

void floating_bus_shows_the_shown_screen(Check& check) {
    for (const Ula& ula : kUlas) {
        for (const std::uint8_t paging : {std::uint8_t{0x00}, std::uint8_t{0x08}, std::uint8_t{0x0F}}) {
            TestMachine machine = made(ula);
            const bool shows_7 = pages(ula) && paging != 0;
            machine.state->port_7ffd = pages(ula) ? paging : 0;
            for (std::size_t k = 0; k < machine.machine.ram.size(); ++k) {
                machine.machine.ram[k] = static_cast<std::uint8_t>(k % 251);
            }
            const std::size_t screen = shows_7 ? 7 * 0x4000 : 0;
            const auto byte = [&](std::size_t offset) { return static_cast<std::uint8_t>((screen + offset) % 251); };
            for (const std::uint8_t code : {std::uint8_t{0xDB}, std::uint8_t{0xED}}) {
                const std::uint32_t t = ula.first_byte;
                const auto expect = [&](std::uint32_t when, std::uint8_t value) {
                    check.equal(floating_at(machine, code, when), value, "byte at T " + std::to_string(when) + " of " + std::to_string(t));
                };
                expect(t - 1, 0xFF);
                expect(t, byte(0)), expect(t + 1, byte(0x1800)), expect(t + 2, byte(1)), expect(t + 3, byte(0x1801));
                expect(t + 4, 0xFF), expect(t + 7, 0xFF);
                expect(t + 8, byte(2)), expect(t + 123, byte(0x181F)), expect(t + 124, 0xFF), expect(t + 128, 0xFF);
                expect(t + ula.line, byte(0x0100)), expect(t + ula.line + 1, byte(0x1800));
                expect(t + 8 * ula.line, byte(0x0020)), expect(t + 8 * ula.line + 1, byte(0x1820));
                expect(t + 64 * ula.line, byte(0x0800)), expect(t + 191 * ula.line + 122, byte(0x17FF));
                expect(t + 191 * ula.line + 123, byte(0x1AFF)), expect(t + 192 * ula.line, 0xFF);
            }
        }
    }
}

void ini_moves_the_floating_byte(Check& check) {
    for (const Ula& ula : kUlas) {
        TestMachine machine = made(ula);
        machine.place(0x5800, {0x47});
        machine.place(0x8000, {0xED, 0xA2});
        machine.cpu().bc = 0x01FF, machine.cpu().hl = 0x9000;
        machine.state->t = ula.first_byte + 1 - 12;  // 9 T, then the port cycle
        check.equal(machine.step(), 16, "T of INI");
        check.equal(machine.at(0x9000), 0x47, "the byte that was moved");
    }
}

void waits_come_before_the_byte(Check& check) {
    // Port 7FFF waits four times: from the first wait on 16 T, so the byte is that of first_wait + 15 = first_byte + 12 of an early ULA.
    for (const Ula& ula : kUlas) {
        TestMachine machine = made(ula);
        machine.place(0x5800, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
        machine.place(0x4000, {10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
        machine.place(0x8000, {0xDB, 0xFF});
        machine.set_a(0x7F);
        machine.state->t = ula.first_wait - 7;
        check.equal(machine.step(), 7 + 16, "T");
        check.equal(machine.a(), 0xFF, "the idle bus in the second half of 8 T");
        machine.cpu().pc = 0x8000;
        machine.set_a(0x00);
        machine.state->t = ula.first_wait - 7 + 8;  // port 00FF does not wait: byte of first_wait + 11 = first_byte + 8
        machine.step();
        check.equal(machine.a(), 12, "bitmap byte 2");
    }
}

void writes_to_rom_do_not_wait(Check& check) {
    for (const Ula& ula : kUlas) {
        TestMachine machine = made(ula);
        for (const std::uint16_t address : {std::uint16_t{0x3FFF}, std::uint16_t{0x4000}}) {
            machine.place(0x8000, {0x77});  // LD (HL),A
            machine.cpu().pc = 0x8000;
            machine.cpu().hl = address;
            machine.state->t = ula.first_wait - 4;
            check.equal(machine.step(), address < 0x4000 ? 7 : 13, "T of a write");
        }
    }
}

void halt_waits_by_the_byte_behind_it(Check& check) {
    for (const Ula& ula : kUlas) {
        struct Where {
            std::uint16_t pc;
            std::uint8_t paging;
            bool halt_waits, nops_wait;
        };
        for (const Where where : {Where{0x7FFF, 0, true, false}, Where{0x3FFF, 0, false, true}, Where{0xBFFF, 1, false, true},
                                  Where{0xBFFF, 0, false, false}, Where{0xFFFF, 1, true, false}, Where{0x7FFE, 0, true, true}}) {
            if (where.paging != 0 && !pages(ula)) {
                continue;
            }
            TestMachine machine = made(ula);
            machine.state->port_7ffd = where.paging;
            machine.at(where.pc) = 0x76;
            machine.cpu().pc = where.pc;
            machine.cpu().r = 0x7E;
            machine.state->t = ula.first_wait;
            check.equal(machine.step(), where.halt_waits ? 10 : 4, "T of HALT at " + std::to_string(where.pc));
            check.equal(machine.cpu().pc, static_cast<std::uint16_t>(where.pc + 1), "PC");
            machine.state->t = ula.first_wait + 8;
            check.equal(machine.step(), where.nops_wait ? 10 : 4, "T of a NOP behind the HALT at " + std::to_string(where.pc));
            check.equal(machine.cpu().r, 0x00, "R, which counts the NOPs too");
        }
    }
}

}  // namespace

int main() {
    return run_tests({
        {"waits_are_where_they_are", waits_are_where_they_are},
        {"odd_banks_wait", odd_banks_wait},
        {"ports_wait_in_four_patterns", ports_wait_in_four_patterns},
        {"floating_bus_shows_the_shown_screen", floating_bus_shows_the_shown_screen},
        {"ini_moves_the_floating_byte", ini_moves_the_floating_byte},
        {"waits_come_before_the_byte", waits_come_before_the_byte},
        {"writes_to_rom_do_not_wait", writes_to_rom_do_not_wait},
        {"halt_waits_by_the_byte_behind_it", halt_waits_by_the_byte_behind_it},
    });
}
