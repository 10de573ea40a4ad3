// SPDX-License-Identifier: GPL-3.0-or-later
// Executes single instructions that are described on stdin and describes what happened on stdout. One case is one line of numbers:
//     the 20 registers in the order of `kRegisters`, n, n pairs (address, byte) of memory, m, m bytes for port reads
// and so is one answer:
//     the 20 registers, EI pending (0/1), LD A,I/R pending (0/1), n, the n bytes at the same addresses,
//     k, k triples (address, data or -1, pins) for k T-states
#include <array>
#include <cstdint>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "logging_bus.hpp"
#include "z80.hpp"

namespace {

using oakemu::CpuState;

constexpr std::array<std::uint16_t CpuState::*, 13> kWords{&CpuState::pc, &CpuState::sp,  &CpuState::af,    &CpuState::bc,  &CpuState::de,
                                                           &CpuState::hl, &CpuState::af2, &CpuState::bc2,   &CpuState::de2, &CpuState::hl2,
                                                           &CpuState::ix, &CpuState::iy,  &CpuState::memptr};
constexpr std::array<std::uint8_t CpuState::*, 7> kBytes{&CpuState::i,    &CpuState::r,    &CpuState::q,     &CpuState::im,
                                                         &CpuState::iff1, &CpuState::iff2, &CpuState::halted};

unsigned next_number() {
    unsigned value = 0;
    std::cin >> value;
    return value;
}

void print_registers(const CpuState& cpu) {
    for (const auto word : kWords) {
        std::cout << cpu.*word << ' ';
    }
    for (const auto byte : kBytes) {
        std::cout << static_cast<unsigned>(cpu.*byte) << ' ';
    }
}

/// Reads one case whose first number is `first`, runs it, prints the answer.
void run_case(unsigned first) {
    CpuState cpu;
    cpu.pc = static_cast<std::uint16_t>(first);
    for (std::size_t k = 1; k < kWords.size(); ++k) {
        cpu.*kWords[k] = static_cast<std::uint16_t>(next_number());
    }
    for (const auto byte : kBytes) {
        cpu.*byte = static_cast<std::uint8_t>(next_number());
    }
    LoggingBus bus;
    std::vector<std::uint16_t> addresses;
    for (unsigned n = next_number(); n > 0; --n) {
        addresses.push_back(static_cast<std::uint16_t>(next_number()));
        bus.memory[addresses.back()] = static_cast<std::uint8_t>(next_number());
    }
    for (unsigned n = next_number(); n > 0; --n) {
        bus.port_bytes.push_back(static_cast<std::uint8_t>(next_number()));
    }

    oakemu::z80::Z80<LoggingBus> z80(std::move(bus));
    z80.load(cpu);
    z80.step();
    z80.store(cpu);

    print_registers(cpu);
    const auto now = static_cast<std::int32_t>(z80.bus.t);
    std::cout << (cpu.no_int_at == now) << ' ' << (cpu.ld_a_ir_at == now) << ' ' << addresses.size();
    for (const std::uint16_t address : addresses) {
        std::cout << ' ' << static_cast<unsigned>(z80.bus.memory[address]);
    }
    std::cout << ' ' << z80.bus.cycles.size();
    for (const Cycle& cycle : z80.bus.cycles) {
        std::cout << ' ' << cycle.address << ' ' << (cycle.data ? static_cast<int>(*cycle.data) : -1) << ' ' << cycle.pins;
    }
    std::cout << '\n';
}

}  // namespace

int main() {
    std::ios::sync_with_stdio(false);
    for (unsigned first = 0; std::cin >> first;) {
        run_case(first);
    }
    return 0;
}
