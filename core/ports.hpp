// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "machine.hpp"
#include "tape.hpp"
#include "timing.hpp"

/// What is behind the ports: ULA, joystick, paging and the sound chip.
namespace oakemu::ports {

constexpr bool is_ula(std::uint16_t port) { return (port & 1U) == 0; }
constexpr bool is_paging(std::uint16_t port) { return (port & 0x8002U) == 0; }           // 0x7FFD
constexpr bool is_ay_select(std::uint16_t port) { return (port & 0xC002U) == 0xC000U; }  // 0xFFFD, which is also read
constexpr bool is_ay_data(std::uint16_t port) { return (port & 0xC002U) == 0x8000U; }    // 0xBFFD

/// The bits that each register of an AY-3-8912 has.
inline constexpr std::array<std::uint8_t, 16> kAyMask{0xFF, 0x0F, 0xFF, 0x0F, 0xFF, 0x0F, 0x1F, 0xFF,
                                                      0x1F, 0x1F, 0x1F, 0xFF, 0xFF, 0x0F, 0xFF, 0xFF};

inline std::uint8_t read_ula(Machine& machine, const Tape* tape, std::uint16_t port, std::uint32_t t) {
    const State& state = machine.state;
    std::uint32_t held = 0;
    for (std::uint32_t row = 0; row < 8; ++row) {
        if ((port & (0x0100U << row)) == 0) {
            held |= state.keys[row];
        }
    }
    // With no signal at EAR the machine reads back its own speaker bit, one of issue 2 MIC as well. Bits 5 and 7 float high.
    bool ear = (state.port_fe & (state.issue2 != 0 ? 0x18U : 0x10U)) != 0;
    if (tape != nullptr) [[unlikely]] {
        ++machine.state.tape.reads;
        if (state.tape.playing != 0) {
            ear = tape_level(machine.state.tape, *tape, t, !has_paging(state.model)) != 0;
        }
    }
    return static_cast<std::uint8_t>(0xA0U | (ear ? 0x40U : 0U) | (~held & 0x1FU));
}

/// What an unattached port reads as at `t`: the byte that the ULA fetches, or 0xFF.
inline std::uint8_t read_floating(const Machine& machine, const UlaClock& clock, std::uint32_t t) {
    const std::int32_t place = clock.floating_place(t);
    return place < 0 ? std::uint8_t{0xFF} : machine.display()[place];
}

/// The sound chip's data bus. With its ports as inputs (register 7, bits 6 and 7) nothing pulls their lines low but the serial interface.
inline std::uint8_t read_ay(const State& state) {
    const std::uint8_t value = state.ay[state.ay_selected];
    if (state.ay_selected == 14) {
        return (state.ay[7] & 0x40U) != 0 ? value & 0xBFU : 0xBFU;
    }
    if (state.ay_selected == 15 && (state.ay[7] & 0x80U) == 0) {
        return 0xFF;
    }
    return value;
}

/// A byte reaches the paging latch. Returns whether it was open.
inline bool write_paging(State& state, std::uint8_t value) {
    if ((state.port_7ffd & kPagingLock) != 0) {
        return false;
    }
    state.port_7ffd = value;
    return true;
}

/// The byte that a port gives when it is read at `t`.
template <bool paging>
std::uint8_t read(Machine& machine, const Tape* tape, const UlaClock& clock, std::uint16_t port, std::uint32_t t) {
    const State& state = machine.state;
    if (is_ula(port)) {
        return read_ula(machine, tape, port, t);
    }
    if ((port & 0xE0U) == 0 && state.kempston_fitted != 0) {
        return state.kempston & 0x1FU;
    }
    if constexpr (paging) {
        if (has_paging(state.model) && is_ay_select(port)) {
            return read_ay(state);
        }
    }
    return read_floating(machine, clock, t);
}

/// A byte reaches the latches. Returns whether the memory map may have changed.
template <bool paging>
bool write(State& state, std::uint16_t port, std::uint8_t value) {
    if (is_ula(port)) {
        state.port_fe = value;
        state.border = value & 7U;
    }
    if constexpr (paging) {
        if (has_paging(state.model)) {
            if (is_ay_select(port)) {
                state.ay_selected = value & 15U;
            } else if (is_ay_data(port)) {
                state.ay[state.ay_selected] = value & kAyMask[state.ay_selected];
            } else if (is_paging(port)) {
                return write_paging(state, value);
            }
        }
    }
    return false;
}

/// The four patterns of waits of a port cycle that begins at `t`; returns the T at which it ends.
inline std::uint32_t end_of_cycle(const std::uint8_t* waits, std::uint32_t t, std::uint16_t port, bool high_byte_contended) {
    const auto wait_then = [&](std::uint32_t n) { t += waits[t] + n; };
    if (high_byte_contended) {
        wait_then(1);
    } else {
        t += 1;
    }
    if (is_ula(port)) {
        wait_then(3);
    } else if (high_byte_contended) {
        wait_then(1), wait_then(1), wait_then(1);
    } else {
        t += 3;
    }
    return t;
}

}  // namespace oakemu::ports
