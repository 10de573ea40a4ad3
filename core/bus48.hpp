// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "machine.hpp"
#include "ports.hpp"
#include "timing.hpp"
#include "z80_opcodes.hpp"

namespace oakemu {

/// What lasts of a Bus48.
struct Wiring48 {
    Machine* machine;
    const Tape* tape;
    const std::uint8_t* rom;
    std::uint8_t* ram;

    Wiring48(Machine& its_machine, const Setup& setup)
        : machine(&its_machine), tape(setup.tape), rom(setup.roms->images[0].data()), ram(its_machine.ram.data()) {}
};

/// What the CPU of a 48K Spectrum with early timing sees, and its ULA's waits if `contended`. Made for speed; PagedBus does the same
/// for every machine.
template <bool contended>
class Bus48 {
public:
    using Wiring = Wiring48;

    std::uint32_t t;

    OAKEMU_INLINE Bus48(const Wiring48& wiring, std::uint32_t its_t) : t(its_t), wiring_(wiring) {}

    static constexpr const UlaClock& clock() { return kUlaClocks[0]; }

    /// Whether the CPU waits for memory at an address.
    OAKEMU_INLINE bool waits_for(std::uint16_t address) const { return contended && is_contended48(address); }

    OAKEMU_INLINE bool is_quick(std::uint16_t address) const { return address >= kContendedEnd; }

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
        wiring_.ram[address - kRamStart] = value;
    }

    OAKEMU_INLINE std::uint16_t read16(std::uint16_t address) {
        if (has_quick_word(address)) [[likely]] {
            t += 6;
            std::uint16_t value = 0;
            std::memcpy(&value, wiring_.ram + (address - kRamStart), sizeof value);
            return value;
        }
        const std::uint8_t low_byte = read(address);
        return static_cast<std::uint16_t>(low_byte | (read(static_cast<std::uint16_t>(address + 1)) << 8));
    }

    OAKEMU_INLINE void push16(std::uint16_t address, std::uint16_t value) {
        if (has_quick_word(address)) [[likely]] {
            t += 6;
            std::memcpy(wiring_.ram + (address - kRamStart), &value, sizeof value);
            return;
        }
        write(static_cast<std::uint16_t>(address + 1), static_cast<std::uint8_t>(value >> 8));
        write(address, static_cast<std::uint8_t>(value));
    }

    OAKEMU_INLINE void idle(std::uint16_t address, std::uint32_t n) {
        if (waits_for(address) && t + n > clock().first_wait && t < clock().end_of_waits) {
            for (std::uint32_t k = 0; k < n; ++k) {
                t += kUlaClocks[0].waits[t] + 1U;
            }
            return;
        }
        t += n;
    }

    OAKEMU_INLINE void idle_refresh(std::uint8_t i, std::uint32_t n) {
        if (contended && static_cast<std::uint8_t>(i - 0x40U) < 0x40U) [[unlikely]] {
            idle(kRamStart, n);
        } else {
            t += n;
        }
    }

    /// No wait: neither MREQ nor a ULA port is involved.
    OAKEMU_INLINE void acknowledge(std::uint16_t /*pc*/, std::uint16_t /*refresh*/) { t += 7; }

    OAKEMU_INLINE std::uint8_t peek(std::uint16_t address) const {
        return address >= kRamStart ? wiring_.ram[address - kRamStart] : wiring_.rom[address];
    }

    OAKEMU_INLINE std::uint8_t in(std::uint16_t port) {
        t = end_of_port_cycle(port, t);
        return port_value(wiring_, port, t - 1);
    }

    OAKEMU_INLINE void out(std::uint16_t port, std::uint8_t value) {
        t = end_of_port_cycle(port, t);
        ports::write<false>(wiring_.machine->state, port, value);
    }

private:
    static constexpr std::uint16_t kRamStart = 0x4000, kContendedEnd = 0x8000;

    OAKEMU_INLINE void wait() {
        if constexpr (contended) {
            t += kUlaClocks[0].waits[t];
        }
    }

    /// Whether both bytes are in the upper 32K, and in the host's order.
    static constexpr bool has_quick_word(std::uint16_t address) {
        return std::endian::native == std::endian::little && address >= kContendedEnd && address != 0xFFFF;
    }

    /// Most accesses go to the upper 32K, which neither waits nor is ROM: one comparison finds that out.
    OAKEMU_INLINE std::uint8_t timed_read(std::uint16_t address, std::uint32_t n) {
        if (address < kContendedEnd) [[unlikely]] {
            if (address < kRamStart) {
                t += n;
                return wiring_.rom[address];
            }
            wait();
        }
        t += n;
        return wiring_.ram[address - kRamStart];
    }

    // These take no `this`: whatever knows where this object is would keep it out of the host's registers.
    [[gnu::noinline]] static std::uint32_t end_of_port_cycle(std::uint16_t port, std::uint32_t t) {
        return contended ? ports::end_of_cycle(kUlaClocks[0].waits, t, port, is_contended48(port)) : t + 4;
    }

    [[gnu::noinline]] static std::uint8_t port_value(const Wiring48& wiring, std::uint16_t port, std::uint32_t t) {
        return ports::read<false>(*wiring.machine, wiring.tape, clock(), port, t);
    }

    const Wiring48& wiring_;
};

}  // namespace oakemu
