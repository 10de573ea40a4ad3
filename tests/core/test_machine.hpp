// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>

#include "machine.hpp"
#include "timing.hpp"

/// A machine whose ROM and RAM are NOPs, with short ways to fill it and to run it.
struct TestMachine {
    std::unique_ptr<oakemu::RomSet> roms = std::make_unique<oakemu::RomSet>();
    oakemu::Machine machine;
    oakemu::State* state = &machine.state;
    oakemu::Timing timing = oakemu::Timing::exact;

    explicit TestMachine(oakemu::Model model = oakemu::Model::spectrum48) : machine(model) {
        state->t = 1000;  // INT is high, and the picture far away
        cpu().pc = 0x8000;
        cpu().sp = 0xFF00;
    }

    TestMachine(const TestMachine& other)
        : roms(std::make_unique<oakemu::RomSet>(*other.roms)), machine(other.machine), timing(other.timing) {}
    TestMachine& operator=(const TestMachine&) = delete;

    oakemu::Setup setup() const { return {.roms = roms.get(), .timing = timing}; }

    /// Takes over the machine and the ROMs of another one.
    void become(const TestMachine& other) {
        *roms = *other.roms;
        machine = other.machine;
    }

    oakemu::CpuState& cpu() { return state->cpu; }

    std::uint8_t& at(std::uint16_t address) {
        return address < 0x4000 ? roms->images[oakemu::rom_paged(*state)][address] : machine.at(address);
    }

    void place(std::uint16_t address, std::initializer_list<std::uint8_t> bytes) {
        for (const std::uint8_t byte : bytes) {
            at(address++) = byte;
        }
    }

    /// Executes one instruction, or accepts an interrupt; gives the T-states that it took.
    std::uint32_t step() {
        const std::uint32_t start = state->t;
        const std::uint64_t frame = state->frame;
        oakemu::run_tstates(machine, setup(), 1);
        return static_cast<std::uint32_t>((state->frame - frame) * oakemu::timings_of(state->model).frame) + state->t - start;
    }

    void run_frame() { oakemu::run_frame(machine, setup()); }

    std::uint16_t stacked() { return static_cast<std::uint16_t>(at(cpu().sp) + 256 * at(static_cast<std::uint16_t>(cpu().sp + 1))); }
    std::uint8_t a() { return static_cast<std::uint8_t>(cpu().af >> 8); }
    std::uint8_t f() { return static_cast<std::uint8_t>(cpu().af); }
    void set_a(std::uint8_t value) { cpu().af = static_cast<std::uint16_t>((cpu().af & 0x00FF) | (value << 8)); }
};
