// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "machine.hpp"
#include "z80.hpp"

/// What the CPU sees, a second time: written straight from the hardware facts, by arithmetic where the core has tables, one T-state
/// after the other, and with a branch for each rule. It knows the layout of State and of RAM, and shares nothing else with the core.
class SlowBus {
public:
    std::uint32_t t;

    SlowBus(oakemu::Machine& machine, const oakemu::Setup& setup)
        : t(machine.state.t), machine_(&machine), roms_(setup.roms), waits_(setup.timing == oakemu::Timing::exact) {}

    bool is_128k() const { return machine_->state.model != oakemu::Model::spectrum48; }
    std::uint32_t line() const { return is_128k() ? 228 : 224; }
    std::uint32_t frame() const { return is_128k() ? 311 * 228 : 312 * 224; }
    std::uint32_t interrupt() const { return is_128k() ? 36 : 32; }

    std::uint8_t fetch(std::uint16_t address, std::uint16_t /*refresh*/) {
        wait(address);
        t += 4;
        return peek(address);
    }
    std::uint8_t read(std::uint16_t address) {
        wait(address);
        t += 3;
        return peek(address);
    }
    void write(std::uint16_t address, std::uint8_t value) {
        wait(address);
        t += 3;
        if (address >= 0x4000) {
            machine_->ram[place(address)] = value;
        }
    }
    void idle(std::uint16_t address, std::uint32_t n) {
        for (; n > 0; --n) {
            wait(address);
            t += 1;
        }
    }
    void acknowledge(std::uint16_t /*pc*/, std::uint16_t /*refresh*/) { t += 7; }
    std::uint8_t peek(std::uint16_t address) const {
        if (address >= 0x4000) {
            return machine_->ram[place(address)];
        }
        return roms_->images[is_128k() && (machine_->state.port_7ffd & 16) != 0 ? 1 : 0][address];
    }

    std::uint8_t in(std::uint16_t port) {
        pass_port_cycle(port);
        const std::uint8_t value = port_value(port);
        if (is_128k() && (port & 0x8002) == 0) {
            page(value);
        }
        return value;
    }

    void out(std::uint16_t port, std::uint8_t value) {
        pass_port_cycle(port);
        oakemu::State& state = machine_->state;
        const bool a15 = (port & 0x8000) != 0, a14 = (port & 0x4000) != 0, a1 = (port & 2) != 0, a0 = (port & 1) != 0;
        if (!a0) {
            state.port_fe = value;
            state.border = value % 8;
        }
        if (is_128k() && !a1 && !a15) {
            page(value);
        }
        if (is_128k() && !a1 && a15 && a14) {
            state.ay_selected = value % 16;
        }
        if (is_128k() && !a1 && a15 && !a14) {
            constexpr int bits[16] = {8, 4, 8, 4, 8, 4, 5, 8, 5, 5, 5, 8, 8, 4, 8, 8};
            state.ay[state.ay_selected] = static_cast<std::uint8_t>(value % (1 << bits[state.ay_selected]));
        }
    }

private:
    bool is_contended(std::uint16_t address) const {
        return address / 0x4000 == 1 || (address >= 0xC000 && is_128k() && machine_->state.port_7ffd % 2 == 1);
    }

    std::size_t place(std::uint16_t address) const {
        constexpr int order[8] = {5, 2, 0, 1, 3, 4, 6, 7};
        const int seen = address < 0x8000 ? 5 : address < 0xC000 ? 2 : is_128k() ? machine_->state.port_7ffd % 8 : 0;
        return static_cast<std::size_t>(std::find(order, order + 8, seen) - order) * 0x4000 + address % 0x4000;
    }

    /// Line and T in the line since the `first` T of the picture's first line. False outside of the picture's 192 times 128 T.
    bool in_picture(std::int64_t first, std::int64_t& y, std::int64_t& x) const {
        const std::int64_t since = static_cast<std::int64_t>(t) - first - machine_->state.late;
        y = since / line(), x = since % line();
        return since >= 0 && y < 192 && x < 128;
    }

    void wait_at_ula() {
        std::int64_t y = 0, x = 0;
        if (waits_ && in_picture(is_128k() ? 14361 : 14335, y, x)) {
            t += static_cast<std::uint32_t>(std::max<std::int64_t>(0, 6 - x % 8));
        }
    }

    void wait(std::uint16_t address) {
        if (is_contended(address)) {
            wait_at_ula();
        }
    }

    /// N:1 C:3, N:4, C:1 C:3 or C:1 C:1 C:1 C:1.
    void pass_port_cycle(std::uint16_t port) {
        wait(port);
        t += 1;
        if (port % 2 == 0) {
            wait_at_ula();
            t += 3;
            return;
        }
        for (int k = 0; k < 3; ++k) {
            wait(port);
            t += 1;
        }
    }

    void page(std::uint8_t value) {
        if ((machine_->state.port_7ffd & 32) == 0) {
            machine_->state.port_7ffd = value;
        }
    }

    std::uint8_t port_value(std::uint16_t port) {
        const oakemu::State& state = machine_->state;
        if (port % 2 == 0) {
            std::uint8_t lines = 0x1F;
            for (int row = 0; row < 8; ++row) {
                if (((port >> (8 + row)) & 1) == 0) {
                    lines = static_cast<std::uint8_t>(lines & ~state.keys[static_cast<std::size_t>(row)]);
                }
            }
            return static_cast<std::uint8_t>(lines | 0xA0 | ((state.port_fe & 16) != 0 ? 0x40 : 0));
        }
        if (state.kempston_fitted != 0 && (port & 0xE0) == 0) {
            return state.kempston;
        }
        if (is_128k() && (port & 0xC002) == 0xC000) {
            const bool a_is_input = (state.ay[7] & 0x40) == 0, b_is_input = (state.ay[7] & 0x80) == 0;
            return state.ay_selected == 14   ? (a_is_input ? 0xBF : static_cast<std::uint8_t>(state.ay[14] & 0xBF))
                   : state.ay_selected == 15 ? (b_is_input ? 0xFF : state.ay[15])
                                             : state.ay[state.ay_selected];
        }
        --t;  // the last T of the cycle
        std::int64_t y = 0, x = 0;
        const bool shown = in_picture(is_128k() ? 14364 : 14338, y, x) && x % 8 < 4;
        ++t;
        if (!shown) {
            return 0xFF;
        }
        const std::int64_t column = x / 8 * 2 + x % 4 / 2;
        const std::int64_t bitmap = y / 64 * 2048 + y % 8 * 256 + y / 8 % 8 * 32 + column, attribute = 6144 + y / 8 * 32 + column;
        const std::int64_t bank = is_128k() && (state.port_7ffd & 8) != 0 ? 7 : 0;  // places of banks 7 and 5
        return machine_->ram[static_cast<std::size_t>(bank * 0x4000 + (x % 2 == 0 ? bitmap : attribute))];
    }

    oakemu::Machine* machine_;
    const oakemu::RomSet* roms_;
    bool waits_;
};

/// Executes one instruction, one NOP of a halted CPU, or accepts an interrupt.
inline void step_slowly(oakemu::Machine& machine, const oakemu::Setup& setup) {
    oakemu::z80::Z80<SlowBus> cpu(SlowBus(machine, setup));
    cpu.load(machine.state.cpu);
    if (cpu.bus.t < cpu.bus.interrupt() && cpu.iff1 != 0 && cpu.no_int_at != static_cast<std::int32_t>(cpu.bus.t)) {
        cpu.interrupt();
    } else if (cpu.halted != 0) {
        cpu.bus.fetch(cpu.pc, 0);
        ++cpu.r;
    } else {
        cpu.step();
    }
    cpu.store(machine.state.cpu);
    machine.state.t = cpu.bus.t;
    if (cpu.bus.t >= cpu.bus.frame()) {
        const auto frame = static_cast<std::int32_t>(cpu.bus.frame());
        machine.state.t -= cpu.bus.frame();
        ++machine.state.frame;
        machine.state.cpu.no_int_at = std::max(machine.state.cpu.no_int_at - frame, -1);
        machine.state.cpu.ld_a_ir_at = std::max(machine.state.cpu.ld_a_ir_at - frame, -1);
    }
}
