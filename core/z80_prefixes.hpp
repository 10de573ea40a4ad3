// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "z80.hpp"

/// The CB table (rotations and single bits), and the DD and FD prefixes, also combined.
namespace oakemu::z80 {

/// The rotation `y`, or RES or SET of bit `y`.
template <class Bus>
template <int x, int y>
std::uint8_t Processor<Bus>::rotate_or_change(std::uint8_t value) {
    constexpr std::uint8_t mask = u8(1U << y);
    if constexpr (x == 0) {
        return rotate(y, value);
    } else {
        return x == 2 ? u8(value & ~static_cast<std::uint32_t>(mask)) : u8(value | mask);
    }
}

template <class Bus>
template <std::uint8_t code>
void Processor<Bus>::cb_operation() {
    constexpr Opcode op(code);
    constexpr std::uint8_t mask = u8(1U << op.y);
    if constexpr (op.z != 6 && op.x == 1) {
        const std::uint8_t value = get<op.z, Index::hl>();
        bit_flags(value & mask, value);
    } else if constexpr (op.z != 6) {
        set<op.z, Index::hl>(rotate_or_change<op.x, op.y>(get<op.z, Index::hl>()));
    } else {
        const std::uint16_t address = hl;
        const std::uint8_t value = bus.read(address);
        bus.idle(address, 1);
        if constexpr (op.x == 1) {
            bit_flags(value & mask, high(memptr));
        } else {
            bus.write(address, rotate_or_change<op.x, op.y>(value));
        }
    }
}

template <class Bus>
void Processor<Bus>::store_copy(int number, std::uint8_t value) {
    switch (number) {
        case 0:
            set<0, Index::hl>(value);
            break;
        case 1:
            set<1, Index::hl>(value);
            break;
        case 2:
            set<2, Index::hl>(value);
            break;
        case 3:
            set<3, Index::hl>(value);
            break;
        case 4:
            set<4, Index::hl>(value);
            break;
        case 5:
            set<5, Index::hl>(value);
            break;
        case 7:
            a = value;
            break;
        default:
            break;
    }
}

/// DD CB d op and FD CB d op: always on memory, with a copy of the result in the register that `op` names.
template <class Bus>
template <Index index>
void Processor<Bus>::indexed_cb_operation() {
    memptr = displaced(get_pair<2, index>(), immediate());
    const std::uint16_t address = memptr;
    const std::uint16_t address_of_code = pc;
    const Opcode op(immediate());
    bus.idle(address_of_code, 2);
    const std::uint8_t value = bus.read(address);
    bus.idle(address, 1);
    const std::uint8_t mask = u8(1U << static_cast<std::uint32_t>(op.y));
    if (op.x == 1) {
        bit_flags(value & mask, high(address));
        return;
    }
    const std::uint8_t result = op.x == 0   ? rotate(op.y, value)
                                : op.x == 2 ? u8(value & ~static_cast<std::uint32_t>(mask))
                                            : u8(value | mask);
    bus.write(address, result);
    store_copy(op.z, result);
}

}  // namespace oakemu::z80
