// SPDX-License-Identifier: GPL-3.0-or-later
// How long each kind of instruction takes at each T around the first and the last waits of a frame. Right values: the addresses that
// an instruction puts on the bus, from the published tables of contended instructions, and the waits of the hardware facts.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "check.hpp"
#include "test_machine.hpp"

namespace {

using oakemu::Model;

struct Row {
    const char* name;
    std::vector<std::uint8_t> code;  ///< 0xAA 0xBB stands for the address nn, 0xCC for the low byte of the port
    /// Bus cycles: address:T, xN for N of them; `io` is a port cycle on BC (in IN A,(n) on A and n), io- is that with B counted down.
    const char* cycles;
};

const std::vector<Row> kRows{
    {"NOP", {0x00}, "pc:4"},
    {"HALT", {0x76}, "pc:4"},
    {"DD NOP", {0xDD, 0x00}, "pc:4 pc+1:4"},
    {"undefined ED", {0xED, 0x00}, "pc:4 pc+1:4"},
    {"LD A,n", {0x3E, 0x00}, "pc:4 pc+1:3"},
    {"LD A,(HL)", {0x7E}, "pc:4 hl:3"},
    {"LD (HL),A", {0x77}, "pc:4 hl:3"},
    {"LD (HL),n", {0x36, 0x00}, "pc:4 pc+1:3 hl:3"},
    {"LD A,(DE)", {0x1A}, "pc:4 de:3"},
    {"LD (BC),A", {0x02}, "pc:4 bc:3"},
    {"LD HL,nn", {0x21, 0xAA, 0xBB}, "pc:4 pc+1:3 pc+2:3"},
    {"LD (nn),A", {0x32, 0xAA, 0xBB}, "pc:4 pc+1:3 pc+2:3 nn:3"},
    {"LD HL,(nn)", {0x2A, 0xAA, 0xBB}, "pc:4 pc+1:3 pc+2:3 nn:3 nn+1:3"},
    {"LD (nn),HL", {0x22, 0xAA, 0xBB}, "pc:4 pc+1:3 pc+2:3 nn:3 nn+1:3"},
    {"LD DE,(nn)", {0xED, 0x5B, 0xAA, 0xBB}, "pc:4 pc+1:4 pc+2:3 pc+3:3 nn:3 nn+1:3"},
    {"ADD A,(HL)", {0x86}, "pc:4 hl:3"},
    {"INC (HL)", {0x34}, "pc:4 hl:3 hl:1 hl:3"},
    {"SET 0,(HL)", {0xCB, 0xC6}, "pc:4 pc+1:4 hl:3 hl:1 hl:3"},
    {"RLC (HL)", {0xCB, 0x06}, "pc:4 pc+1:4 hl:3 hl:1 hl:3"},
    {"BIT 0,(HL)", {0xCB, 0x46}, "pc:4 pc+1:4 hl:3 hl:1"},
    {"RLD", {0xED, 0x6F}, "pc:4 pc+1:4 hl:3 hl:1x4 hl:3"},
    {"INC HL", {0x23}, "pc:4 ir:1x2"},
    {"DEC IX", {0xDD, 0x2B}, "pc:4 pc+1:4 ir:1x2"},
    {"LD SP,HL", {0xF9}, "pc:4 ir:1x2"},
    {"ADD HL,DE", {0x19}, "pc:4 ir:1x7"},
    {"ADD IX,DE", {0xDD, 0x19}, "pc:4 pc+1:4 ir:1x7"},
    {"ADC HL,DE", {0xED, 0x5A}, "pc:4 pc+1:4 ir:1x7"},
    {"LD A,I", {0xED, 0x57}, "pc:4 pc+1:4 ir:1"},
    {"LD I,A", {0xED, 0x47}, "pc:4 pc+1:4 ir:1"},
    {"LD R,A", {0xED, 0x4F}, "pc:4 pc+1:4 ir:1"},
    {"PUSH DE", {0xD5}, "pc:4 ir:1 sp-1:3 sp-2:3"},
    {"PUSH IX", {0xDD, 0xE5}, "pc:4 pc+1:4 ir:1 sp-1:3 sp-2:3"},
    {"POP DE", {0xD1}, "pc:4 sp:3 sp+1:3"},
    {"RST 8", {0xCF}, "pc:4 ir:1 sp-1:3 sp-2:3"},
    {"RET", {0xC9}, "pc:4 sp:3 sp+1:3"},
    {"RET NZ", {0xC0}, "pc:4 ir:1 sp:3 sp+1:3"},
    {"RET Z", {0xC8}, "pc:4 ir:1"},
    {"RETN", {0xED, 0x45}, "pc:4 pc+1:4 sp:3 sp+1:3"},
    {"JP nn", {0xC3, 0xAA, 0xBB}, "pc:4 pc+1:3 pc+2:3"},
    {"JP Z,nn", {0xCA, 0xAA, 0xBB}, "pc:4 pc+1:3 pc+2:3"},
    {"JP (IX)", {0xDD, 0xE9}, "pc:4 pc+1:4"},
    {"JR", {0x18, 0x05}, "pc:4 pc+1:3 pc+1:1x5"},
    {"JR Z", {0x28, 0x05}, "pc:4 pc+1:3"},
    {"DJNZ", {0x10, 0x05}, "pc:4 ir:1 pc+1:3 pc+1:1x5"},
    {"CALL nn", {0xCD, 0xAA, 0xBB}, "pc:4 pc+1:3 pc+2:3 pc+2:1 sp-1:3 sp-2:3"},
    {"CALL Z,nn", {0xCC, 0xAA, 0xBB}, "pc:4 pc+1:3 pc+2:3"},
    {"EX (SP),HL", {0xE3}, "pc:4 sp:3 sp+1:3 sp+1:1 sp+1:3 sp:3 sp:1x2"},
    {"LDI", {0xED, 0xA0}, "pc:4 pc+1:4 hl:3 de:3 de:1x2"},
    {"LDIR", {0xED, 0xB0}, "pc:4 pc+1:4 hl:3 de:3 de:1x2 de:1x5"},
    {"LDDR", {0xED, 0xB8}, "pc:4 pc+1:4 hl:3 de:3 de:1x2 de:1x5"},
    {"CPI", {0xED, 0xA1}, "pc:4 pc+1:4 hl:3 hl:1x5"},
    {"CPIR", {0xED, 0xB1}, "pc:4 pc+1:4 hl:3 hl:1x5 hl:1x5"},
    {"INI", {0xED, 0xA2}, "pc:4 pc+1:4 ir:1 io hl:3"},
    {"INIR", {0xED, 0xB2}, "pc:4 pc+1:4 ir:1 io hl:3 hl:1x5"},
    {"OUTI", {0xED, 0xA3}, "pc:4 pc+1:4 ir:1 hl:3 io-"},
    {"OTIR", {0xED, 0xB3}, "pc:4 pc+1:4 ir:1 hl:3 io- bc-256:1x5"},
    {"IN E,(C)", {0xED, 0x58}, "pc:4 pc+1:4 io"},
    {"OUT (C),E", {0xED, 0x59}, "pc:4 pc+1:4 io"},
    {"OUT (C),0", {0xED, 0x71}, "pc:4 pc+1:4 io"},
    {"IN A,(n)", {0xDB, 0xCC}, "pc:4 pc+1:3 io"},
    {"OUT (n),A", {0xD3, 0xCC}, "pc:4 pc+1:3 io"},
    {"LD A,(IX+5)", {0xDD, 0x7E, 0x05}, "pc:4 pc+1:4 pc+2:3 pc+2:1x5 ix+5:3"},
    {"LD (IX+5),A", {0xDD, 0x77, 0x05}, "pc:4 pc+1:4 pc+2:3 pc+2:1x5 ix+5:3"},
    {"LD (IX+5),n", {0xDD, 0x36, 0x05, 0x00}, "pc:4 pc+1:4 pc+2:3 pc+3:3 pc+3:1x2 ix+5:3"},
    {"INC (IX+5)", {0xDD, 0x34, 0x05}, "pc:4 pc+1:4 pc+2:3 pc+2:1x5 ix+5:3 ix+5:1 ix+5:3"},
    {"SET 0,(IX+5)", {0xDD, 0xCB, 0x05, 0xC6}, "pc:4 pc+1:4 pc+2:3 pc+3:3 pc+3:1x2 ix+5:3 ix+5:1 ix+5:3"},
    {"BIT 0,(IX+5)", {0xDD, 0xCB, 0x05, 0x46}, "pc:4 pc+1:4 pc+2:3 pc+3:3 pc+3:1x2 ix+5:3 ix+5:1"},
};

/// One clock, and which kinds of address are in contended memory, which is at `area`.
struct Place {
    Model model;
    std::uint32_t late;
    std::uint16_t area;
    bool code, data, stack, port, refresh, odd_port;

    std::uint32_t first() const { return (model == Model::spectrum48 ? 14335U : 14361U) + late; }
    std::uint32_t line() const { return model == Model::spectrum48 ? 224 : 228; }
    bool contends(std::uint32_t address) const { return (address & 0xC000U) == area; }
    std::uint32_t wait(std::uint32_t t) const {
        if (t < first() || (t - first()) / line() >= 192 || (t - first()) % line() >= 128) {
            return 0;
        }
        return std::array<std::uint32_t, 8>{6, 5, 4, 3, 2, 1, 0, 0}[(t - first()) % line() % 8];
    }
    std::uint16_t at(bool contended, std::uint32_t offset) const {
        return static_cast<std::uint16_t>((contended ? area : 0x8000) + offset);
    }
};

/// T at which the bus cycles end that begin at `t`.
std::uint32_t end_of(std::istringstream cycles, const Place& place, const oakemu::CpuState& cpu, std::uint32_t nn, std::uint32_t t) {
    const auto pass = [&](std::uint32_t address, std::uint32_t n) { t += (place.contends(address) ? place.wait(t) : 0) + n; };
    const std::array<std::pair<std::string, std::uint32_t>, 8> names{
        {{"pc", cpu.pc}, {"hl", cpu.hl}, {"de", cpu.de}, {"bc", cpu.bc}, {"sp", cpu.sp}, {"ix", cpu.ix}, {"nn", nn}, {"ir", cpu.i * 256U}}};
    for (std::string token; cycles >> token;) {
        if (token.starts_with("io")) {
            const std::uint32_t port = cpu.bc - (token == "io-" ? 256U : 0U);
            pass(port, 1);
            if (port % 2 == 0) {
                t += place.wait(t) + 3;
            } else {
                pass(port, 1), pass(port, 1), pass(port, 1);
            }
            continue;
        }
        const auto name = std::find_if(names.begin(), names.end(), [&](const auto& n) { return token.starts_with(n.first); });
        const int offset = token[2] == ':' ? 0 : std::atoi(token.c_str() + 2);
        const std::size_t colon = token.find(':'), times = token.find('x', colon);
        const int count = times == std::string::npos ? 1 : std::atoi(token.c_str() + times + 1);
        for (int k = 0; k < count; ++k) {
            pass(name->second + static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(std::atoi(token.c_str() + colon + 1)));
        }
    }
    return t;
}

void prepare(TestMachine& machine, const Place& place, const Row& row, std::uint16_t nn) {
    oakemu::State& state = *machine.state;
    oakemu::CpuState cpu;
    cpu.pc = place.at(place.code, 0x2000);
    cpu.hl = place.at(place.data, 0x1000), cpu.de = place.at(place.data, 0x1100), cpu.ix = place.at(place.data, 0x1200);
    cpu.sp = place.at(place.stack, 0x3000);
    cpu.bc = place.at(place.port, place.odd_port ? 0x0DFF : 0x0DFE);
    cpu.i = static_cast<std::uint8_t>(place.at(place.refresh, 0x3F00) >> 8);
    cpu.af = cpu.bc & 0xFF00;  // the high byte of the port in IN A,(n); no flag is set
    state.cpu = cpu;
    state.late = static_cast<std::uint8_t>(place.late);
    state.port_7ffd = place.area == 0xC000 ? 3 : 0;
    for (std::size_t k = 0; k < row.code.size(); ++k) {
        const std::uint8_t byte = row.code[k];
        const bool operand = k > 0;
        machine.at(static_cast<std::uint16_t>(cpu.pc + k)) = operand && byte == 0xAA   ? static_cast<std::uint8_t>(nn)
                                                             : operand && byte == 0xBB ? static_cast<std::uint8_t>(nn >> 8)
                                                             : operand && byte == 0xCC ? static_cast<std::uint8_t>(cpu.bc)
                                                                                       : byte;
    }
}

/// From before the first wait, over the end of the first picture line and its gap, and around the last waits of the frame.
std::vector<std::uint32_t> moments(const Place& place) {
    std::vector<std::uint32_t> starts;
    const auto add = [&](std::uint32_t from, std::uint32_t count) {
        for (std::uint32_t k = 0; k < count; ++k) starts.push_back(from + k);
    };
    add(place.first() - 25, 34), add(place.first() + 110, 22), add(place.first() + 191 * place.line() + 110, 22);
    return starts;
}

void check_place(Check& check, TestMachine& machine, const Place& place) {
    const std::uint16_t nn = place.at(place.data, 0x1300);
    const std::vector<std::uint32_t> starts = moments(place);
    for (const Row& row : kRows) {
        const bool uses_port = std::string(row.cycles).find("io") != std::string::npos;
        if (place.odd_port && !uses_port) {
            continue;
        }
        for (const std::uint32_t start : starts) {
            prepare(machine, place, row, nn);
            machine.state->t = start;
            const std::uint32_t expected = end_of(std::istringstream(row.cycles), place, machine.cpu(), nn, start) - start;
            const std::uint32_t taken = machine.step();
            if (taken != expected) {
                check.equal(taken, expected,
                            std::string(row.name) + " at " + std::to_string(start) + ", area " + std::to_string(place.area) + ", late " +
                                std::to_string(place.late));
                return;
            }
        }
    }
}

void every_kind_of_instruction_waits_as_its_cycles_do(Check& check) {
    for (const Model model : {Model::spectrum48, Model::spectrum128}) {
        TestMachine machine(model);
        for (std::uint32_t late = 0; late < 2; ++late) {
            for (std::uint32_t mask = 0; mask < 64; ++mask) {
                const auto bit = [&](int n) { return ((mask >> n) & 1U) != 0; };
                // One kind of address in contended memory, all but one, all, or none.
                const int set = std::popcount(mask & 31U);
                if (set == 2 || set == 3) {
                    continue;
                }
                Place place{model, late, 0x4000, bit(0), bit(1), bit(2), bit(3), bit(4), bit(5)};
                check_place(check, machine, place);
                if (model != Model::spectrum48) {
                    place.area = 0xC000;
                    check_place(check, machine, place);
                }
            }
        }
    }
}

}  // namespace

int main() { return run_tests({{"every_kind_of_instruction_waits_as_its_cycles_do", every_kind_of_instruction_waits_as_its_cycles_do}}); }
