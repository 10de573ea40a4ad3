// SPDX-License-Identifier: GPL-3.0-or-later
// Results and flags of arithmetic, logic, rotations and bits for all operands, against a bitwise reference.
#include <random>
#include <string>

#include "check.hpp"
#include "flag_reference.hpp"
#include "test_machine.hpp"

namespace {

using reference::Result;

/// A machine with one instruction at 0x8000 that is run again and again.
class Bench {
public:
    explicit Bench(std::initializer_list<std::uint8_t> code) { machine_.place(0x8000, code); }

    void run(std::uint8_t a, std::uint8_t f) {
        oakemu::CpuState& cpu = machine_.cpu();
        cpu.af = static_cast<std::uint16_t>(a * 256 + f);
        cpu.pc = 0x8000;
        cpu.q = 0;
        machine_.state->t = 1000;
        oakemu::run_tstates(machine_.machine, setup_, 1);
    }
    oakemu::CpuState& cpu() { return machine_.cpu(); }
    std::uint8_t& at(std::uint16_t address) { return machine_.at(address); }
    Result result() { return {machine_.a(), machine_.f()}; }

private:
    TestMachine machine_;
    oakemu::Setup setup_ = machine_.setup();
};

/// Counts what differs and tells the first.
class Comparison {
public:
    Comparison(Check& check, std::string what) : check_(&check), what_(std::move(what)) {}
    ~Comparison() { check_->that(wrong_ == 0, what_ + ": " + std::to_string(wrong_) + " wrong, first: " + first_); }
    Comparison(const Comparison&) = delete;
    Comparison& operator=(const Comparison&) = delete;

    void that(int got, int got_f, int want, int want_f, int input, int operand, int f) {
        if (got != want || got_f != want_f) {
            if (wrong_++ == 0) {
                first_ = std::to_string(input) + " with " + std::to_string(operand) + " and F " + std::to_string(f) + " gives " +
                         std::to_string(got) + " F " + std::to_string(got_f) + ", not " + std::to_string(want) + " F " +
                         std::to_string(want_f);
            }
        }
    }

private:
    Check* check_;
    std::string what_, first_;
    int wrong_ = 0;
};

std::uint8_t u8(int value) { return static_cast<std::uint8_t>(value); }

void arithmetic_of_all_operands(Check& check) {
    for (int operation = 0; operation < 8; ++operation) {
        Bench bench({u8(0x80 + 8 * operation)});  // op A,B
        Comparison comparison(check, "operation " + std::to_string(operation));
        for (int a = 0; a < 256; ++a) {
            for (int b = 0; b < 256; ++b) {
                const int f = (a * 7 + b) & 0xFE;  // only C matters
                for (int carry = 0; carry < 2; ++carry) {
                    bench.cpu().bc = static_cast<std::uint16_t>(b * 256);
                    bench.run(u8(a), u8(f | carry));
                    const Result want = reference::arithmetic(operation, a, b, carry != 0);
                    comparison.that(bench.result().value, bench.result().f, want.value, want.f, a, b, f | carry);
                }
            }
        }
    }
}

/// The operand comes the same way from everywhere: registers, memory, the code, half index registers.
void operands_come_from_everywhere(Check& check) {
    struct Source {
        const char* name;
        std::initializer_list<std::uint8_t> code;
        std::uint8_t place;  ///< of the byte in which the operation is, 0 or 1
    };
    for (const Source& source : {Source{"B", {0x80}, 0}, Source{"C", {0x81}, 0}, Source{"D", {0x82}, 0}, Source{"E", {0x83}, 0},
                                 Source{"H", {0x84}, 0}, Source{"L", {0x85}, 0}, Source{"(HL)", {0x86}, 0}, Source{"n", {0xC6, 0x5A}, 0},
                                 Source{"IXH", {0xDD, 0x84}, 1}, Source{"IYL", {0xFD, 0x85}, 1}, Source{"(IX-2)", {0xDD, 0x86, 0xFE}, 1}}) {
        for (int operation = 0; operation < 8; ++operation) {
            Bench bench(source.code);
            bench.at(static_cast<std::uint16_t>(0x8000 + source.place)) = u8(std::data(source.code)[source.place] + 8 * operation);
            bench.cpu().bc = bench.cpu().de = bench.cpu().hl = bench.cpu().ix = bench.cpu().iy = 0x5A5A;
            bench.at(0x5A5A) = bench.at(0x5A58) = 0x5A;
            bench.run(0x96, 0x01);
            const Result want = reference::arithmetic(operation, 0x96, 0x5A, true);
            check.equal(bench.result().value, want.value, std::string("A after an operation with ") + source.name);
            check.equal(bench.result().f, want.f, std::string("F after an operation with ") + source.name);
        }
    }
}

void increments_and_decrements(Check& check) {
    for (const bool up : {true, false}) {
        Bench bench({u8(up ? 0x04 : 0x05)});  // INC B, DEC B
        Bench memory({0xDD, u8(up ? 0x34 : 0x35), 0x01});
        memory.cpu().ix = 0x9000;
        Comparison comparison(check, up ? "INC" : "DEC");
        for (int value = 0; value < 256; ++value) {
            for (const int f : {0x00, 0x01, 0xFF}) {
                bench.cpu().bc = static_cast<std::uint16_t>(value * 256);
                bench.run(0x11, u8(f));
                const Result want = up ? reference::increment(value, f) : reference::decrement(value, f);
                comparison.that(bench.cpu().bc >> 8, bench.result().f, want.value, want.f, value, 0, f);
                memory.at(0x9001) = u8(value);
                memory.run(0x11, u8(f));
                comparison.that(memory.at(0x9001), memory.result().f, want.value, want.f, value, 0, f);
            }
        }
    }
}

void rotations(Check& check) {
    for (int operation = 0; operation < 8; ++operation) {
        Bench bench({0xCB, u8(8 * operation + 2)});                         // on D
        Bench indexed({0xFD, 0xCB, 0x80, u8(8 * operation + 3)});           // on (IY-128), a copy to E
        Bench accumulator({u8(operation < 4 ? 8 * operation + 7 : 0x07)});  // RLCA and its kin
        indexed.cpu().iy = 0x9080;
        Comparison comparison(check, "rotation " + std::to_string(operation));
        for (int value = 0; value < 256; ++value) {
            for (const int f : {0x00, 0x01, 0xFE, 0xFF}) {
                const Result want = reference::rotate(operation, value, (f & 1) != 0);
                bench.cpu().de = static_cast<std::uint16_t>(value * 256);
                bench.run(0x22, u8(f));
                comparison.that(bench.cpu().de >> 8, bench.result().f, want.value, want.f, value, 0, f);
                indexed.at(0x9000) = u8(value);
                indexed.run(0x22, u8(f));
                comparison.that(indexed.at(0x9000), indexed.result().f, want.value, want.f, value, 1, f);
                comparison.that(indexed.cpu().de & 0xFF, 0, want.value, 0, value, 2, f);
                if (operation < 4) {
                    accumulator.run(u8(value), u8(f));
                    const Result want_a = reference::rotate_a(operation, value, f);
                    comparison.that(accumulator.result().value, accumulator.result().f, want_a.value, want_a.f, value, 3, f);
                }
            }
        }
    }
}

void decimal_adjustment(Check& check) {
    Bench bench({0x27});
    Comparison comparison(check, "DAA");
    int rows = 0;
    for (int a = 0; a < 256; ++a) {
        for (int f = 0; f < 256; ++f) {
            Result want{};
            if (reference::daa(a, f, want)) {
                ++rows;
                bench.run(u8(a), u8(f));
                comparison.that(bench.result().value, bench.result().f, want.value, want.f, a, 0, f);
            }
        }
    }
    check.that(rows > 20000, "the manual's table covers inputs");
}

void complement_negation_and_carry(Check& check) {
    Bench neg({0xED, 0x44}), cpl({0x2F}), scf({0x37}), ccf({0x3F});
    Comparison comparison(check, "NEG, CPL, SCF, CCF");
    for (int a = 0; a < 256; ++a) {
        for (int f = 0; f < 256; ++f) {
            const Result negated = reference::subtract(0, a, false);
            neg.run(u8(a), u8(f));
            comparison.that(neg.result().value, neg.result().f, negated.value, negated.f, a, 0, f);
            cpl.run(u8(a), u8(f));
            comparison.that(cpl.result().value, cpl.result().f, a ^ 0xFF, (f & 0xC5) | 0x12 | ((a ^ 0xFF) & 0x28), a, 1, f);
            // With Q 0, flags 5 and 3 are those of A or F.
            scf.run(u8(a), u8(f));
            comparison.that(scf.result().value, scf.result().f, a, (f & 0xC4) | ((a | f) & 0x28) | 1, a, 2, f);
            ccf.run(u8(a), u8(f));
            comparison.that(ccf.result().value, ccf.result().f, a, (f & 0xC4) | ((a | f) & 0x28) | ((f & 1) != 0 ? 0x10 : 0x01), a, 3, f);
        }
    }
}

void bits(Check& check) {
    for (int bit = 0; bit < 8; ++bit) {
        Bench of_register({0xCB, u8(0x41 + 8 * bit)}), of_memory({0xCB, u8(0x46 + 8 * bit)}),
            indexed({0xDD, 0xCB, 0x7F, u8(0x40 + 8 * bit)});
        Bench reset({0xCB, u8(0x81 + 8 * bit)}), set({0xCB, u8(0xC1 + 8 * bit)});
        Comparison comparison(check, "bit " + std::to_string(bit));
        for (int value = 0; value < 256; ++value) {
            const bool one = ((value >> bit) & 1) != 0;
            const auto want = [&](int f, int source) {
                return (f & 1) | 0x10 | (one ? 0 : 0x44) | (one && bit == 7 ? 0x80 : 0) | (source & 0x28);
            };
            for (const int f : {0x00, 0x01, 0xFF}) {
                of_register.cpu().bc = static_cast<std::uint16_t>(value);
                of_register.run(0x33, u8(f));
                comparison.that(0, of_register.result().f, 0, want(f, value), value, 0, f);
                of_memory.cpu().hl = 0x9000;
                of_memory.cpu().memptr = static_cast<std::uint16_t>(value * 0x0101 ^ 0xFF00);
                of_memory.at(0x9000) = u8(value);
                of_memory.run(0x33, u8(f));
                comparison.that(0, of_memory.result().f, 0, want(f, value ^ 0xFF), value, 1, f);
                indexed.cpu().ix = 0xA781;  // and 127 more is 0xA800
                indexed.at(0xA800) = u8(value);
                indexed.run(0x33, u8(f));
                comparison.that(0, indexed.result().f, 0, want(f, 0xA8), value, 2, f);
                reset.cpu().bc = set.cpu().bc = static_cast<std::uint16_t>(value);
                reset.run(0x33, u8(f)), set.run(0x33, u8(f));
                comparison.that(reset.cpu().bc, reset.result().f, value & ~(1 << bit), f, value, 3, f);
                comparison.that(set.cpu().bc, set.result().f, value | (1 << bit), f, value, 4, f);
            }
        }
    }
}

void sixteen_bit_arithmetic(Check& check) {
    Bench add({0x09}), add_ix({0xDD, 0x09}), adc({0xED, 0x4A}), sbc({0xED, 0x42});  // with BC
    Comparison comparison(check, "16 bits");
    std::mt19937 random(16);
    constexpr int edges[]{0x0000, 0x0001, 0x0FFF, 0x1000, 0x7FFF, 0x8000, 0xEFFF, 0xF000, 0xFFFF};
    for (int round = 0; round < 20000; ++round) {
        const int left = round < 8100 ? edges[round % 9] : static_cast<int>(random() & 0xFFFF);
        const int right = round < 81 ? edges[round / 9] : static_cast<int>(random() & 0xFFFF);
        const int f = static_cast<int>(random() & 0xFF);
        for (Bench* bench : {&add, &add_ix, &adc, &sbc}) {
            bench->cpu().hl = bench->cpu().ix = static_cast<std::uint16_t>(left);
            bench->cpu().bc = static_cast<std::uint16_t>(right);
            bench->run(0x44, u8(f));
        }
        const auto sum = reference::add16(left, right, f), with = reference::adc16(left, right, (f & 1) != 0),
                   less = reference::sbc16(left, right, (f & 1) != 0);
        comparison.that(add.cpu().hl, add.result().f, sum.value, sum.f, left, right, f);
        comparison.that(add_ix.cpu().ix, add_ix.result().f, sum.value, sum.f, left, right, f);
        comparison.that(adc.cpu().hl, adc.result().f, with.value, with.f, left, right, f);
        comparison.that(sbc.cpu().hl, sbc.result().f, less.value, less.f, left, right, f);
    }
}

}  // namespace

int main() {
    return run_tests({
        {"arithmetic_of_all_operands", arithmetic_of_all_operands},
        {"operands_come_from_everywhere", operands_come_from_everywhere},
        {"increments_and_decrements", increments_and_decrements},
        {"rotations", rotations},
        {"decimal_adjustment", decimal_adjustment},
        {"complement_negation_and_carry", complement_negation_and_carry},
        {"bits", bits},
        {"sixteen_bit_arithmetic", sixteen_bit_arithmetic},
    });
}
