// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "machine.hpp"
#include "state.hpp"
#include "timing.hpp"
#include "z80_opcodes.hpp"

namespace oakemu {

/// What the CPU of a 48K Spectrum sees: 16K ROM, 48K RAM, the ULA port, the Kempston port, and the ULA's waits if `contended`.
template <bool contended>
class Bus48 {
public:
    static constexpr bool kContended = contended;
    std::uint32_t t;

    Bus48(State& state, const Rom& rom) : t(state.t), state_(&state), rom_(rom.data()), ram_(state.ram.data()) {}

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
        if constexpr (contended) {
            if (timing48::is_contended(address)) {
                for (std::uint32_t k = 0; k < n; ++k) {
                    t += timing48::kContention[t] + 1U;
                }
                return;
            }
        }
        t += n;
    }

    /// No wait: neither MREQ nor a ULA port is involved.
    OAKEMU_INLINE void acknowledge(std::uint16_t /*pc*/, std::uint16_t /*refresh*/) { t += 7; }

    OAKEMU_INLINE std::uint8_t peek(std::uint16_t address) const {
        return address >= kRamStart ? ram_[address - kRamStart] : rom_[address];
    }

    std::uint8_t in(std::uint16_t port) {
        t = after_port_cycle(t, port);
        return port_value(*state_, port, t - 1);
    }

    void out(std::uint16_t port, std::uint8_t value) {
        t = after_port_cycle(t, port);
        if ((port & 1U) == 0) {
            state_->port_fe = value;
            state_->border = value & 7U;
        }
    }

private:
    static constexpr std::uint16_t kRamStart = 0x4000, kContendedEnd = 0x8000;

    OAKEMU_INLINE void wait() {
        if constexpr (contended) {
            t += timing48::kContention[t];
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

    /// The four wait patterns of a port cycle that begins at `t`; returns the T at which it ends.
    static std::uint32_t after_port_cycle(std::uint32_t t, std::uint16_t port) {
        if constexpr (!contended) {
            return t + 4;
        }
        const auto wait_then = [&t](std::uint32_t n) { t += timing48::kContention[t] + n; };
        const bool is_ula = (port & 1U) == 0;
        if (timing48::is_contended(port)) {
            wait_then(1);
        } else {
            t += 1;
        }
        if (is_ula) {
            wait_then(3);
        } else if (timing48::is_contended(port)) {
            wait_then(1), wait_then(1), wait_then(1);
        } else {
            t += 3;
        }
        return t;
    }

    /// The byte that a port gives when it is read at `t`.
    static std::uint8_t port_value(const State& state, std::uint16_t port, std::uint32_t t) {
        if ((port & 1U) == 0) {
            std::uint32_t held = 0;
            for (std::uint32_t row = 0; row < 8; ++row) {
                if ((port & (0x0100U << row)) == 0) {
                    held |= state.keys[row];
                }
            }
            // With no signal at EAR an issue 3 machine reads back its own speaker bit. Bits 5 and 7 float high.
            const std::uint32_t ear = (state.port_fe & 0x10U) != 0 ? 0x40U : 0U;
            return static_cast<std::uint8_t>(0xA0U | ear | (~held & 0x1FU));
        }
        if ((port & 0xE0U) == 0 && state.kempston_fitted != 0) {
            return state.kempston & 0x1FU;
        }
        const std::uint16_t address = timing48::floating_bus_address(t);
        return address == 0 ? std::uint8_t{0xFF} : state.ram[static_cast<std::size_t>(address) - kRamStart];
    }

    State* state_;
    const std::uint8_t* rom_;
    std::uint8_t* ram_;
};

}  // namespace oakemu
