// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "z80.hpp"

/// The CB table (rotations and single bits), and the DD and FD prefixes, also combined.
namespace oakemu::z80 {

/// The rotation `y`, or RES or SET of bit `y`.
template <class Bus>
template <int x, int y>
std::uint8_t Z80<Bus>::rotate_or_change(std::uint8_t value) {
    constexpr std::uint8_t mask = u8(1U << y);
    if constexpr (x == 0) {
        return rotate(y, value);
    } else {
        return x == 2 ? u8(value & ~static_cast<std::uint32_t>(mask)) : u8(value | mask);
    }
}

template <class Bus>
template <std::uint8_t code>
void Z80<Bus>::cb_operation() {
    constexpr Opcode op(code);
    constexpr std::uint8_t mask = u8(1U << op.y);
    if constexpr (op.z != 6 && op.x == 1) {
        const std::uint8_t value = reg<op.z, false>();
        bit_flags(value & mask, value);
    } else if constexpr (op.z != 6) {
        reg<op.z, false>() = rotate_or_change<op.x, op.y>(reg<op.z, false>());
    } else {
        const std::uint16_t address = hl<false>();
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
void Z80<Bus>::cb_prefix() {
    switch (fetch()) {
#define OAKEMU_CB_CASE(n)  \
    case n:                \
        cb_operation<n>(); \
        return;
        OAKEMU_OPCODES(OAKEMU_CB_CASE)
#undef OAKEMU_CB_CASE
    }
}

template <class Bus>
void Z80<Bus>::store_copy(int number, std::uint8_t value) {
    switch (number) {
        case 0:
            b = value;
            break;
        case 1:
            c = value;
            break;
        case 2:
            d = value;
            break;
        case 3:
            e = value;
            break;
        case 4:
            h = value;
            break;
        case 5:
            l = value;
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
void Z80<Bus>::indexed_cb_operation() {
    memptr = displaced(hl<true>(), immediate());
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

/// Runs what follows a DD or FD and returns true; or fetches an opcode on which the prefix has no effect into `code` and returns false.
template <class Bus>
bool Z80<Bus>::index_prefix(std::uint16_t& index, std::uint8_t& code) {
    const std::uint8_t next = bus.peek(pc);
    if (next == 0xDD || next == 0xFD || next == 0xED) {
        // The later prefix wins. The lone one is an instruction of its own, after which INT is not sampled.
        no_int_at = static_cast<std::int32_t>(bus.t);
        return true;
    }
    code = fetch();
    xyh = high(index), xyl = low(index);
    switch (code) {
#define OAKEMU_INDEX_CASE(n)                  \
    case n:                                   \
        if constexpr ((n) == 0xCB) {          \
            indexed_cb_operation();           \
            return true;                      \
        } else if constexpr (uses_index(n)) { \
            main_operation<n, true>();        \
            break;                            \
        } else {                              \
            return false;                     \
        }
        OAKEMU_OPCODES(OAKEMU_INDEX_CASE)
#undef OAKEMU_INDEX_CASE
    }
    index = pair(xyh, xyl);
    return true;
}

}  // namespace oakemu::z80
