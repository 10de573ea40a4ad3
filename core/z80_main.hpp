// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <utility>

#include "z80.hpp"

/// The unprefixed opcodes, and with an `index` the same after DD or FD, where HL is IX or IY and (HL) is (IX+d) or (IY+d).
namespace oakemu::z80 {

template <class Bus>
template <int number, Index index>
std::uint8_t Processor<Bus>::get() const {
    static_assert(number >= 0 && number <= 7 && number != 6);
    if constexpr (number == 7) {
        return a;
    } else if constexpr (number % 2 == 0) {
        return high(get_pair<number / 2, index>());
    } else {
        return low(get_pair<number / 2, index>());
    }
}

template <class Bus>
template <int number, Index index>
void Processor<Bus>::set(std::uint8_t value) {
    static_assert(number >= 0 && number <= 7 && number != 6);
    if constexpr (number == 7) {
        a = value;
    } else if constexpr (number % 2 == 0) {
        set_pair<number / 2, index>(pair(value, low(get_pair<number / 2, index>())));
    } else {
        set_pair<number / 2, index>(pair(high(get_pair<number / 2, index>()), value));
    }
}

/// BC, DE, HL (or IX, IY), SP.
template <class Bus>
template <int number, Index index>
std::uint16_t Processor<Bus>::get_pair() const {
    if constexpr (number == 2) {
        return index == Index::hl ? hl : index == Index::ix ? ix : iy;
    } else {
        return number == 0 ? bc : number == 1 ? de : sp;
    }
}

template <class Bus>
template <int number, Index index>
void Processor<Bus>::set_pair(std::uint16_t value) {
    if constexpr (number == 2) {
        (index == Index::hl ? hl : index == Index::ix ? ix : iy) = value;
    } else {
        (number == 0 ? bc : number == 1 ? de : sp) = value;
    }
}

/// NZ, Z, NC, C, PO, PE, P, M.
template <class Bus>
template <int number>
bool Processor<Bus>::condition() const {
    constexpr std::uint8_t masks[] = {kZero, kCarry, kParity, kSign};
    return ((f & masks[number / 2]) != 0) == (number % 2 != 0);
}

/// HL, or IX+d / IY+d after the T-states in which it is computed.
template <class Bus>
template <Index index>
std::uint16_t Processor<Bus>::operand_address() {
    if constexpr (index != Index::hl) {
        const std::uint16_t address_of_d = pc;
        memptr = displaced(get_pair<2, index>(), immediate());
        bus.idle(address_of_d, 5);
        return memptr;
    } else {
        return hl;
    }
}

template <class Bus>
void Processor<Bus>::jump_relative(bool taken) {
    const std::uint16_t address_of_d = pc;
    const std::uint8_t displacement = immediate();
    if (taken) {
        bus.idle(address_of_d, 5);
        pc = memptr = displaced(pc, displacement);
    }
}

template <class Bus>
void Processor<Bus>::call(bool taken) {
    memptr = immediate16();
    if (taken) {
        bus.idle(u16(pc - 1U), 1);
        push(pc);
        pc = memptr;
    }
}

/// IN A,(n) and OUT (n),A.
template <class Bus>
void Processor<Bus>::port_operation(bool is_in) {
    const std::uint16_t port = pair(a, immediate());
    if (is_in) {
        memptr = u16(port + 1U);
        a = bus.in(port);
    } else {
        memptr = pair(a, u8(low(port) + 1U));
        bus.out(port, a);
    }
}

template <class Bus>
template <Index index>
void Processor<Bus>::exchange_stack() {
    memptr = read16(sp);
    const std::uint16_t upper = u16(sp + 1U);
    bus.idle(upper, 1);
    bus.write(upper, high(get_pair<2, index>()));
    bus.write(sp, low(get_pair<2, index>()));
    bus.idle(sp, 2);
    set_pair<2, index>(memptr);
}

/// LD between A or HL and (BC), (DE), (nn).
template <class Bus>
template <std::uint8_t code, Index index>
void Processor<Bus>::indirect_load() {
    constexpr Opcode op(code);
    const std::uint16_t address = op.p == 0 ? bc : op.p == 1 ? de : immediate16();
    memptr = u16(address + 1U);
    if constexpr (op.p == 2 && op.q) {
        set_pair<2, index>(read16(address));
    } else if constexpr (op.p == 2) {
        bus.write(address, low(get_pair<2, index>()));
        bus.write(memptr, high(get_pair<2, index>()));
    } else if constexpr (op.q) {
        a = bus.read(address);
    } else {
        bus.write(address, a);
        memptr = pair(a, low(memptr));
    }
}

template <class Bus>
template <std::uint8_t code, Index index>
void Processor<Bus>::quarter0() {
    constexpr Opcode op(code);
    if constexpr (op.z == 0) {
        if constexpr (op.y == 1) {  // EX AF,AF'
            const std::uint16_t af = pair(a, f);
            a = high(af2), f = low(af2);
            af2 = af;
        } else if constexpr (op.y == 2) {  // DJNZ
            idle_refresh(1);
            set_b(b() - 1U);
            jump_relative(b() != 0);
        } else if constexpr (op.y == 3) {
            jump_relative(true);
        } else if constexpr (op.y > 3) {
            jump_relative(condition<op.y - 4>());
        }
    } else if constexpr (op.z == 1 && op.q) {
        idle_refresh(7);
        set_pair<2, index>(add16(get_pair<2, index>(), get_pair<op.p, index>()));
    } else if constexpr (op.z == 1) {
        set_pair<op.p, index>(immediate16());
    } else if constexpr (op.z == 2) {
        indirect_load<code, index>();
    } else if constexpr (op.z == 3) {
        idle_refresh(2);
        set_pair<op.p, index>(u16(get_pair<op.p, index>() + (op.q ? 0xFFFFU : 1U)));
    } else if constexpr (op.z == 7) {
        accumulator_operation<op.y>();
    } else if constexpr (op.y != 6) {  // INC r, DEC r, LD r,n
        const std::uint8_t value = get<op.y, index>();
        set<op.y, index>(op.z == 4 ? increment(value) : op.z == 5 ? decrement(value) : immediate());
    } else if constexpr (op.z == 6 && index != Index::hl) {  // LD (IX+d),n: n is read while IX+d is computed
        memptr = displaced(get_pair<2, index>(), immediate());
        const std::uint16_t address_of_n = pc;
        const std::uint8_t value = immediate();
        bus.idle(address_of_n, 2);
        bus.write(memptr, value);
    } else if constexpr (op.z == 6) {
        bus.write(hl, immediate());
    } else {
        const std::uint16_t address = operand_address<index>();
        const std::uint8_t value = bus.read(address);
        bus.idle(address, 1);
        bus.write(address, op.z == 4 ? increment(value) : decrement(value));
    }
}

/// LD r,r' and HALT. With (IX+d) the other operand is plain H or L.
template <class Bus>
template <std::uint8_t code, Index index>
void Processor<Bus>::quarter1() {
    constexpr Opcode op(code);
    if constexpr (code == 0x76) {
        halted = 1;
        stop = 0;
    } else if constexpr (op.z == 6) {
        set<op.y, Index::hl>(bus.read(operand_address<index>()));
    } else if constexpr (op.y == 6) {
        bus.write(operand_address<index>(), get<op.z, Index::hl>());
    } else {
        set<op.y, index>(get<op.z, index>());
    }
}

template <class Bus>
template <std::uint8_t code, Index index>
void Processor<Bus>::quarter3() {
    constexpr Opcode op(code);
    if constexpr (op.z == 0) {  // RET cc
        idle_refresh(1);
        if (condition<op.y>()) {
            pc = memptr = pop();
        }
    } else if constexpr (code == 0xF1) {  // POP AF does not count as writing flags: Q stays 0
        const std::uint16_t af = pop();
        a = high(af), f = low(af);
    } else if constexpr (op.z == 1 && !op.q) {
        set_pair<op.p, index>(pop());
    } else if constexpr (code == 0xC9) {
        pc = memptr = pop();
    } else if constexpr (code == 0xD9) {  // EXX
        std::swap(bc, bc2), std::swap(de, de2), std::swap(hl, hl2);
    } else if constexpr (code == 0xE9) {
        pc = get_pair<2, index>();
    } else if constexpr (code == 0xF9) {
        idle_refresh(2);
        sp = get_pair<2, index>();
    } else if constexpr (op.z == 2) {
        memptr = immediate16();
        pc = condition<op.y>() ? memptr : pc;
    } else if constexpr (code == 0xC3) {
        pc = memptr = immediate16();
    } else if constexpr (code == 0xD3 || code == 0xDB) {
        port_operation(code == 0xDB);
    } else if constexpr (code == 0xE3) {
        exchange_stack<index>();
    } else if constexpr (code == 0xEB) {
        std::swap(de, hl);
    } else if constexpr (code == 0xF3) {
        iff1 = iff2 = 0;
    } else if constexpr (code == 0xFB) {
        iff1 = iff2 = 1;
        no_int_at = static_cast<std::int32_t>(bus.t);
    } else if constexpr (op.z == 4) {
        call(condition<op.y>());
    } else if constexpr (code == 0xCD) {
        call(true);
    } else if constexpr (code == 0xF5) {
        idle_refresh(1);
        push(pair(a, f));
    } else if constexpr (op.z == 5) {
        idle_refresh(1);
        push(get_pair<op.p, index>());
    } else if constexpr (op.z == 6) {
        alu<op.y>(immediate());
    } else {
        idle_refresh(1);
        push(pc);
        pc = memptr = u16(op.y * 8);
    }
}

template <class Bus>
template <std::uint8_t code, Index index>
void Processor<Bus>::main_operation() {
    constexpr Opcode op(code);
    if constexpr (op.x == 0) {
        quarter0<code, index>();
    } else if constexpr (op.x == 1) {
        quarter1<code, index>();
    } else if constexpr (op.x == 3) {
        quarter3<code, index>();
    } else if constexpr (op.z == 6) {
        alu<op.y>(bus.read(operand_address<index>()));
    } else {
        alu<op.y>(get<op.z, index>());
    }
}

}  // namespace oakemu::z80
