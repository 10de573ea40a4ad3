// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace oakemu {

/// Which keys and joystick directions are held, as the port reads of a program tell.
struct HeldKeys {
    static constexpr std::size_t kJoystick = 8;

    std::array<std::uint8_t, 9> held{};   ///< the 8 half rows (FEFE first), bits 0-4, then the Kempston joystick; 1 = held
    std::array<std::uint8_t, 9> known{};  ///< 1 = the last frame has told; else it is the last that was known, or a guess that fits
};

/// The port reads of one frame, seen as questions about keys.
class KeyReads {
public:
    void clear() { rows_read_ = 0, joystick_read_ = false; }

    /// A program has read `value` from `port`. Of several reads of the same rows the last one counts.
    void read(std::uint16_t port, std::uint8_t value) {
        if ((port & 1U) == 0) {
            read_rows(static_cast<std::uint8_t>(~static_cast<std::uint32_t>(port) >> 8U), value);
        } else if ((port & 0xE0U) == 0) {
            read_joystick(value);
        }
    }

    /// Brings `keys` up to date. What no read tells stays as it was.
    void tell(HeldKeys& keys) const;

private:
    void read_rows(std::uint8_t rows, std::uint8_t value) {
        std::size_t i = 0;
        while (i < rows_read_ && rows_[i] != rows) {
            ++i;
        }
        if (i == rows_read_) {
            rows_[i] = rows;
            ++rows_read_;
        }
        held_[i] = ~static_cast<std::uint32_t>(value) & 0x1FU;
    }

    void read_joystick(std::uint8_t value) {
        // Where no joystick is fitted something else answers. One has 0 in bits 5 to 7, and cannot point both ways.
        if ((value & 0xE0U) == 0 && (value & 3U) != 3 && (value & 12U) != 12) {
            joystick_ = value;
            joystick_read_ = true;
        }
    }

    std::array<std::uint8_t, 256> rows_{};  ///< the half rows that were read together, bit 0 = FEFE; in the order of their first read
    std::array<std::uint8_t, 256> held_{};  ///< what was held in any of them
    std::size_t rows_read_ = 0;
    std::uint8_t joystick_ = 0;
    bool joystick_read_ = false;
};

}  // namespace oakemu
