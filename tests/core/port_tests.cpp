// SPDX-License-Identifier: GPL-3.0-or-later
// Ports of the 48K machine: waits, keyboard, joystick, latches and the floating bus. Right values: hardware facts.
#include <array>

#include "check.hpp"
#include "test_machine.hpp"
#include "timing.hpp"

namespace {

using oakemu::Timing;
using Row = std::array<std::uint32_t, 8>;

// Measured on a real 48K by J. Rak: the T-states that one cycle takes when it begins at 14335, 14336, ... 14342.
constexpr Row kPort00FE{9, 8, 7, 6, 5, 4, 4, 10};
constexpr Row kPort7FFE{10, 9, 8, 7, 6, 5, 4, 10};
constexpr Row kPort7FFF{16, 15, 14, 13, 12, 11, 10, 16};
constexpr Row kPort00FF{4, 4, 4, 4, 4, 4, 4, 4};

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

void floating_bus_shows_what_the_ula_reads(Check& check) {
    const auto address = [](std::uint32_t t) { return oakemu::kUlaClocks[0].floating_place(t) + 0x4000; };
    constexpr int idle = 0x3FFF;
    constexpr std::array<int, 9> first{0x4000, 0x5800, 0x4001, 0x5801, idle, idle, idle, idle, 0x4002};
    for (std::uint32_t k = 0; k < first.size(); ++k) {
        check.equal(address(14338 + k), first[k], "address in the first line");
    }
    check.equal(address(14337), idle, "address before the picture");
    check.equal(address(14338 + 128), idle, "address in the border");
    check.equal(address(14338 + 224), 0x4100, "address at the start of line 1");
    check.equal(address(14338 + 8 * 224 + 1), 0x5820, "attribute address of line 8");
    check.equal(address(14338 + 191 * 224 + 122), 0x57FF, "last bitmap address");
    check.equal(address(14338 + 191 * 224 + 123), 0x5AFF, "last attribute address");
    check.equal(address(14338 + 192 * 224), idle, "address below the picture");
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
    oakemu::power_on(machine.machine);
    check.equal(machine.state->kempston_fitted, 1, "joystick after power-on");
    check.equal(machine.state->kempston, 0, "joystick bits after power-on");
}

}  // namespace

int main() {
    return run_tests({
        {"ports_wait_in_four_patterns", ports_wait_in_four_patterns},
        {"floating_bus_shows_what_the_ula_reads", floating_bus_shows_what_the_ula_reads},
        {"unattached_port_reads_the_floating_bus", unattached_port_reads_the_floating_bus},
        {"keyboard_rows_and_together", keyboard_rows_and_together},
        {"ula_port_latches", ula_port_latches},
        {"kempston_answers_if_fitted", kempston_answers_if_fitted},
    });
}
