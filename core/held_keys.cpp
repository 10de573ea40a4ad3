// SPDX-License-Identifier: GPL-3.0-or-later
#include "held_keys.hpp"

#include <bit>

namespace oakemu {
namespace {

constexpr std::size_t kRows = 8;

std::uint8_t without(std::uint8_t value, std::uint8_t bits) { return static_cast<std::uint8_t>(value & ~static_cast<std::uint32_t>(bits)); }

std::uint8_t with(std::uint8_t value, std::uint8_t bits) { return static_cast<std::uint8_t>(value | bits); }

/// A key that is up in several rows together is up in each of them.
void tell_released(HeldKeys& keys, std::uint8_t rows, std::uint8_t held) {
    const auto released = static_cast<std::uint8_t>(~static_cast<std::uint32_t>(held) & 0x1FU);
    for (std::size_t row = 0; row < kRows; ++row) {
        if ((rows >> row & 1U) != 0) {
            const std::uint8_t news = without(released, keys.known[row]);
            keys.held[row] = without(keys.held[row], news);
            keys.known[row] = with(keys.known[row], news);
        }
    }
}

/// One key of those at `bit` in some rows is held. If only one of them can be, it is; else one that was held before, or else the first.
void tell_one_of(HeldKeys& keys, std::uint8_t rows, std::uint8_t bit) {
    std::size_t candidates = 0, first = kRows;
    for (std::size_t row = 0; row < kRows; ++row) {
        if ((rows >> row & 1U) == 0) {
            continue;
        }
        const bool known = (keys.known[row] & bit) != 0;
        const bool held = (keys.held[row] & bit) != 0;
        if (known && held) {
            return;
        }
        if (!known) {
            ++candidates;
            first = first == kRows || (held && (keys.held[first] & bit) == 0) ? row : first;
        }
    }
    if (candidates > 0) {
        keys.held[first] = with(keys.held[first], bit);
        keys.known[first] = candidates == 1 ? with(keys.known[first], bit) : keys.known[first];
    }
}

}  // namespace

void KeyReads::tell(HeldKeys& keys) const {
    keys.known = {};
    // What is certain first, so that it narrows down the rest.
    for (std::size_t i = 0; i < rows_read_; ++i) {
        if (std::has_single_bit(rows_[i])) {
            const auto row = static_cast<std::size_t>(std::countr_zero(rows_[i]));
            keys.held[row] = held_[i];
            keys.known[row] = 0x1F;
        }
    }
    for (std::size_t i = 0; i < rows_read_; ++i) {
        tell_released(keys, rows_[i], held_[i]);
    }
    for (std::size_t i = 0; i < rows_read_; ++i) {
        for (std::uint8_t bit = 1; bit < 0x20; bit = static_cast<std::uint8_t>(bit << 1U)) {
            if ((held_[i] & bit) != 0) {
                tell_one_of(keys, rows_[i], bit);
            }
        }
    }
    if (joystick_read_) {
        keys.held[HeldKeys::kJoystick] = joystick_;
        keys.known[HeldKeys::kJoystick] = 0x1F;
    }
}

}  // namespace oakemu
