// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "machine.hpp"
#include "ports.hpp"
#include "timing.hpp"
#include "z80_opcodes.hpp"

namespace oakemu {

/// What the CPU of a 48K Spectrum with early timing sees, and its ULA's waits if `contended`. Made for speed; PagedBus does the same
/// for every machine.
template <bool contended>
class Bus48 {
public:
    std::uint32_t t;

    Bus48(Machine& machine, const Setup& setup)
        : t(machine.state.t), machine_(&machine), tape_(setup.tape), rom_(setup.roms->images[0].data()), ram_(machine.ram.data()) {}

    static constexpr const UlaClock& clock() { return kUlaClocks[0]; }

    /// Whether the CPU waits for memory at an address.
    OAKEMU_INLINE bool waits_for(std::uint16_t address) const { return contended && is_contended48(address); }

    OAKEMU_INLINE std::uint8_t fetch(std::uint16_t address, std::uint16_t /*refresh*/) { return timed_read(address, 4); }

    OAKEMU_INLINE std::uint8_t read(std::uint16_t address) { return timed_read(address, 3); }

    OAKEMU_INLINE void write(std::uint16_t address, std::uint8_t value) {
        if (address < kContendedEnd) {
            if (address < kRamStart) {
                t += 3;
                return;
            }
            wait();
        }
        t += 3;
        ram_[address - kRamStart] = value;
    }

    OAKEMU_INLINE void idle(std::uint16_t address, std::uint32_t n) {
        if (waits_for(address)) {
            for (std::uint32_t k = 0; k < n; ++k) {
                t += kUlaClocks[0].waits[t] + 1U;
            }
            return;
        }
        t += n;
    }

    /// No wait: neither MREQ nor a ULA port is involved.
    OAKEMU_INLINE void acknowledge(std::uint16_t /*pc*/, std::uint16_t /*refresh*/) { t += 7; }

    OAKEMU_INLINE std::uint8_t peek(std::uint16_t address) const {
        return address >= kRamStart ? ram_[address - kRamStart] : rom_[address];
    }

    std::uint8_t in(std::uint16_t port) {
        pass_port_cycle(port);
        return ports::read<false>(*machine_, tape_, clock(), port, t - 1);
    }

    void out(std::uint16_t port, std::uint8_t value) {
        pass_port_cycle(port);
        ports::write<false>(machine_->state, port, value);
    }

private:
    static constexpr std::uint16_t kRamStart = 0x4000, kContendedEnd = 0x8000;

    OAKEMU_INLINE void wait() {
        if constexpr (contended) {
            t += kUlaClocks[0].waits[t];
        }
    }

    /// Most accesses go to the upper 32K, which neither waits nor is ROM: one comparison finds that out.
    OAKEMU_INLINE std::uint8_t timed_read(std::uint16_t address, std::uint32_t n) {
        if (address < kContendedEnd) [[unlikely]] {
            if (address < kRamStart) {
                t += n;
                return rom_[address];
            }
            wait();
        }
        t += n;
        return ram_[address - kRamStart];
    }

    void pass_port_cycle(std::uint16_t port) {
        t = contended ? ports::end_of_cycle(kUlaClocks[0].waits, t, port, is_contended48(port)) : t + 4;
    }

    Machine* machine_;
    const Tape* tape_;
    const std::uint8_t* rom_;
    std::uint8_t* ram_;
};

}  // namespace oakemu
