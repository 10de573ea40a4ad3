// SPDX-License-Identifier: GPL-3.0-or-later
// What a Z80 does beyond its manual: Q, opcodes without a name, prefixes without effect. Right values: the hardware facts.
#include <array>
#include <string>
#include <vector>

#include "check.hpp"
#include "known_registers.hpp"

namespace {

void q_tells_who_wrote_flags(Check& check) {
    struct Rule {
        Code code;
        bool writes;
    };
    const std::vector<Rule> rules{
        {{0x00}, false},
        {{0x78}, false},
        {{0x7E}, false},
        {{0x3E, 0x28}, false},
        {{0x01, 0, 0}, false},
        {{0x03}, false},
        {{0x0B}, false},
        {{0xF1}, false},
        {{0xF5}, false},
        {{0x08}, false},
        {{0xD9}, false},
        {{0xEB}, false},
        {{0xE3}, false},
        {{0xDB, 0xFF}, false},
        {{0xD3, 0xFF}, false},
        {{0xED, 0x51}, false},
        {{0xC3, 0, 0x91}, false},
        {{0xC9}, false},
        {{0x10, 0}, false},
        {{0x18, 0}, false},
        {{0xCB, 0xC0}, false},
        {{0xCB, 0x80}, false},
        {{0xDD, 0xCB, 0, 0xC6}, false},
        {{0xED, 0x47}, false},
        {{0xED, 0x4F}, false},
        {{0xED, 0x46}, false},
        {{0xED, 0x00}, false},
        {{0xED, 0x45}, false},
        {{0xFB}, false},
        {{0xF3}, false},
        {{0xF9}, false},
        {{0x80}, true},
        {{0x90}, true},
        {{0xA0}, true},
        {{0xA8}, true},
        {{0xB0}, true},
        {{0xB8}, true},
        {{0xFE, 0x28}, true},
        {{0x04}, true},
        {{0x35}, true},
        {{0x09}, true},
        {{0xDD, 0x09}, true},
        {{0xED, 0x4A}, true},
        {{0xED, 0x42}, true},
        {{0x07}, true},
        {{0x1F}, true},
        {{0x27}, true},
        {{0x2F}, true},
        {{0x37}, true},
        {{0x3F}, true},
        {{0xCB, 0x00}, true},
        {{0xCB, 0x3E}, true},
        {{0xCB, 0x40}, true},
        {{0xCB, 0x46}, true},
        {{0xDD, 0xCB, 0, 0x46}, true},
        {{0xDD, 0xCB, 0, 0x06}, true},
        {{0xED, 0x44}, true},
        {{0xED, 0x57}, true},
        {{0xED, 0x5F}, true},
        {{0xED, 0x50}, true},
        {{0xED, 0x70}, true},
        {{0xED, 0x6F}, true},
        {{0xED, 0x67}, true},
        {{0xED, 0xA0}, true},
        {{0xED, 0xA1}, true},
        {{0xED, 0xA2}, true},
        {{0xED, 0xA3}, true},
        {{0xED, 0xB0}, true},
        {{0xED, 0xB1}, true},
        {{0xED, 0xB2}, true},
        {{0xED, 0xB3}, true},
    };
    for (const Rule& rule : rules) {
        for (const std::uint8_t after : {std::uint8_t{0x37}, std::uint8_t{0x3F}}) {
            for (const int prefixes : {0, 1, 2}) {  // one without effect, and before it a lone one
                TestMachine machine = holding(rule.code);
                machine.cpu().af = 0x00FF, machine.cpu().af2 = 0x00FF;
                machine.cpu().q = 0xFF;
                machine.place(0xC000, {0xFF, 0x00});
                machine.step();
                check.equal(machine.cpu().q, rule.writes ? machine.f() : 0, "Q after " + hex(rule.code));
                const std::uint16_t pc = machine.cpu().pc;
                if (pc >= 0x4000) {
                    machine.place(pc, {0xDD, 0xFD, after});
                    machine.cpu().pc = static_cast<std::uint16_t>(pc + 2 - prefixes);
                    const std::uint8_t a = machine.a(), f = machine.f();
                    machine.cpu().iff1 = 0;
                    for (int step = 0; step < (prefixes == 2 ? 2 : 1); ++step) {
                        machine.step();
                    }
                    check.equal(machine.f() & 0x28, (rule.writes ? a : a | f) & 0x28,
                                "flags 5 and 3 of SCF or CCF after " + hex(rule.code));
                }
            }
        }
    }
}

bool is_defined_after_ed(int code) {
    const int y = (code >> 3) & 7, z = code & 7;
    return (code >= 0x40 && code < 0x80 && code != 0x77 && code != 0x7F) || (code >= 0xA0 && code < 0xC0 && y >= 4 && z < 4);
}

void undefined_ed_does_nothing(Check& check) {
    int undefined = 0;
    for (int code = 0; code < 256; ++code) {
        if (is_defined_after_ed(code)) {
            continue;
        }
        ++undefined;
        TestMachine machine = holding({0xED, static_cast<std::uint8_t>(code)});
        TestMachine expected(machine);
        check.equal(machine.step(), 8, "T of ED " + std::to_string(code));
        expected.cpu().pc = 0x8002, expected.cpu().r = 0x12, expected.state->t += 8;
        check.that(machine.machine == expected.machine, "nothing but PC and R changes by ED " + std::to_string(code));
    }
    check.equal(undefined, 256 - 62 - 16, "number of undefined codes");
}

void opcodes_have_doubles(Check& check) {
    struct Double {
        std::uint8_t code, same_as;
    };
    for (const Double pair : {Double{0x4C, 0x44}, Double{0x54, 0x44}, Double{0x5C, 0x44}, Double{0x64, 0x44}, Double{0x6C, 0x44},
                              Double{0x74, 0x44}, Double{0x7C, 0x44}, Double{0x55, 0x45}, Double{0x5D, 0x45}, Double{0x65, 0x45},
                              Double{0x6D, 0x45}, Double{0x75, 0x45}, Double{0x7D, 0x45}, Double{0x4D, 0x45}, Double{0x4E, 0x46},
                              Double{0x66, 0x46}, Double{0x6E, 0x46}, Double{0x76, 0x56}, Double{0x7E, 0x5E}}) {
        TestMachine left = holding({0xED, pair.code}), right = holding({0xED, pair.same_as});
        left.cpu().iff2 = right.cpu().iff2 = 1;
        left.step(), right.step();
        left.at(0x8001) = right.at(0x8001);
        check.that(left.machine == right.machine, "ED " + hex({pair.code}) + "is ED " + hex({pair.same_as}));
    }
    for (const auto& [code, mode] : {std::pair{0x46, 0}, std::pair{0x56, 1}, std::pair{0x5E, 2}}) {
        TestMachine machine = holding({0xED, static_cast<std::uint8_t>(code)});
        machine.step();
        check.equal(machine.cpu().im, mode, "interrupt mode");
    }
}

/// A DD or FD before an opcode that knows no HL costs 4 T and counts in R, and that is all.
void prefix_without_effect(Check& check) {
    for (const std::uint8_t prefix : {std::uint8_t{0xDD}, std::uint8_t{0xFD}}) {
        for (int number = 0; number < 256; ++number) {
            const auto code = static_cast<std::uint8_t>(number);
            const bool is_prefix = code == 0xCB || code == 0xDD || code == 0xED || code == 0xFD;
            const int y = (code >> 3) & 7, z = code & 7, x = code >> 6, p = y >> 1;
            const auto hl = [](int r) { return r >= 4 && r <= 6; };
            const bool indexed =
                (x == 0 && ((z == 1 && (p == 2 || y % 2 == 1)) || (z >= 2 && z <= 3 && p == 2) || (z >= 4 && z <= 6 && hl(y)))) ||
                (x == 1 && code != 0x76 && (hl(y) || hl(z))) || (x == 2 && hl(z)) || code == 0xE1 || code == 0xE3 || code == 0xE5 ||
                code == 0xE9 || code == 0xF9;
            if (is_prefix || indexed) {
                continue;
            }
            TestMachine plain = holding({0x00, code, 0x05, 0x91}), prefixed = holding({prefix, code, 0x05, 0x91});
            plain.cpu().q = prefixed.cpu().q = 0x28;
            plain.cpu().pc = 0x8001, plain.cpu().r += 1, plain.state->t += 4;
            plain.at(0x8000) = prefix;
            plain.step(), prefixed.step();
            check.that(plain.machine == prefixed.machine, "a prefix before " + hex({code}) + "has no effect");
        }
    }
}

void indexed_cb_copies_its_result(Check& check) {
    for (int number = 0; number < 256; ++number) {
        const int y = (number >> 3) & 7, z = number & 7, x = number >> 6;
        TestMachine machine = holding({0xDD, 0xCB, 0x07, static_cast<std::uint8_t>(number)});
        machine.at(0xA007) = 0x5A;
        const std::array<int, 8> before{0x34, 0x56, 0x56, 0xFF, 0x9A, 0xBC, 0, 0x12};
        check.equal(machine.step(), x == 1 ? 20 : 23, "T");
        check.equal(machine.cpu().r, 0x12, "R, which counts two");
        const oakemu::CpuState& cpu = machine.cpu();
        const std::array<int, 8> after{cpu.bc >> 8, cpu.bc & 0xFF, cpu.de >> 8, cpu.de & 0xFF, cpu.hl >> 8, cpu.hl & 0xFF, 0, cpu.af >> 8};
        const int result = machine.at(0xA007);
        if (x > 1) {
            check.equal(result, x == 2 ? 0x5A & ~(1 << y) : 0x5A | (1 << y), "byte after RES or SET");
        }
        for (std::size_t reg = 0; reg < 8; ++reg) {
            const bool copied = x != 1 && static_cast<int>(reg) == z && reg != 6;
            check.equal(after[reg], copied ? result : before[reg], "register " + std::to_string(reg) + " after " + std::to_string(number));
        }
        check.equal(cpu.ix, 0xA000, "IX");
    }
}

void in_f_and_out_0(Check& check) {
    TestMachine machine = holding({0xED, 0x70, 0xED, 0x71});
    machine.cpu().bc = 0xFEFE;
    machine.state->keys[0] = 0x1F;  // the port gives 0xA0
    const std::uint16_t before[]{machine.cpu().bc, machine.cpu().de, machine.cpu().hl};
    machine.cpu().af = 0x1201;
    machine.step();
    check.equal(machine.cpu().af, 0x12A5, "A, which stays, and F: S, 5, P/V and the old C");
    machine.state->port_fe = 0xFF;
    machine.step();
    check.equal(machine.state->port_fe, 0x00, "OUT (C),0 of an NMOS Z80");
    check.that(before[0] == machine.cpu().bc && before[1] == machine.cpu().de && before[2] == machine.cpu().hl, "registers stay");
}

}  // namespace

int main() {
    return run_tests({
        {"q_tells_who_wrote_flags", q_tells_who_wrote_flags},
        {"undefined_ed_does_nothing", undefined_ed_does_nothing},
        {"opcodes_have_doubles", opcodes_have_doubles},
        {"prefix_without_effect", prefix_without_effect},
        {"indexed_cb_copies_its_result", indexed_cb_copies_its_result},
        {"in_f_and_out_0", in_f_and_out_0},
    });
}
