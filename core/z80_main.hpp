// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "z80.hpp"

/// The unprefixed opcodes, and with `indexed` the same after DD or FD, where HL is IX or IY and (HL) is (IX+d) or (IY+d).
namespace oakemu::z80 {

template <class Bus>
template <int number, bool indexed>
std::uint8_t& Z80<Bus>::reg() {
    static_assert(number >= 0 && number <= 7 && number != 6);
    if constexpr (number == 0) {
        return b;
    } else if constexpr (number == 1) {
        return c;
    } else if constexpr (number == 2) {
        return d;
    } else if constexpr (number == 3) {
        return e;
    } else if constexpr (number == 4) {
        return indexed ? xyh : h;
    } else if constexpr (number == 5) {
        return indexed ? xyl : l;
    } else {
        return a;
    }
}

template <class Bus>
template <int number, bool indexed>
std::uint16_t Z80<Bus>::get_pair() const {
    if constexpr (number == 0) {
        return bc();
    } else if constexpr (number == 1) {
        return de();
    } else if constexpr (number == 2) {
        return hl<indexed>();
    } else {
        return sp;
    }
}

template <class Bus>
template <int number, bool indexed>
void Z80<Bus>::set_pair(std::uint16_t value) {
    if constexpr (number == 0) {
        b = high(value), c = low(value);
    } else if constexpr (number == 1) {
        d = high(value), e = low(value);
    } else if constexpr (number == 2) {
        reg<4, indexed>() = high(value), reg<5, indexed>() = low(value);
    } else {
        sp = value;
    }
}

/// NZ, Z, NC, C, PO, PE, P, M.
template <class Bus>
template <int number>
bool Z80<Bus>::condition() const {
    constexpr std::uint8_t masks[] = {kZero, kCarry, kParity, kSign};
    return ((f & masks[number / 2]) != 0) == (number % 2 != 0);
}

/// HL, or IX+d / IY+d after the T-states in which it is computed.
template <class Bus>
template <bool indexed>
std::uint16_t Z80<Bus>::operand_address() {
    if constexpr (indexed) {
        const std::uint16_t address_of_d = pc;
        memptr = displaced(hl<true>(), immediate());
        bus.idle(address_of_d, 5);
        return memptr;
    } else {
        return hl<false>();
    }
}

template <class Bus>
void Z80<Bus>::jump_relative(bool taken) {
    const std::uint16_t address_of_d = pc;
    const std::uint8_t displacement = immediate();
    if (taken) {
        bus.idle(address_of_d, 5);
        pc = memptr = displaced(pc, displacement);
    }
}

template <class Bus>
void Z80<Bus>::call(bool taken) {
    memptr = immediate16();
    if (taken) {
        bus.idle(u16(pc - 1U), 1);
        push(pc);
        pc = memptr;
    }
}

/// IN A,(n) and OUT (n),A.
template <class Bus>
void Z80<Bus>::port_operation(bool is_in) {
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
template <bool indexed>
void Z80<Bus>::exchange_stack() {
    memptr = read16(sp);
    const std::uint16_t upper = u16(sp + 1U);
    bus.idle(upper, 1);
    bus.write(upper, high(hl<indexed>()));
    bus.write(sp, low(hl<indexed>()));
    bus.idle(sp, 2);
    set_pair<2, indexed>(memptr);
}

/// LD between A or HL and (BC), (DE), (nn).
template <class Bus>
template <std::uint8_t code, bool indexed>
void Z80<Bus>::indirect_load() {
    constexpr Opcode op(code);
    const std::uint16_t address = op.p == 0 ? bc() : op.p == 1 ? de() : immediate16();
    memptr = u16(address + 1U);
    if constexpr (op.p == 2 && op.q) {
        set_pair<2, indexed>(read16(address));
    } else if constexpr (op.p == 2) {
        bus.write(address, low(hl<indexed>()));
        bus.write(memptr, high(hl<indexed>()));
    } else if constexpr (op.q) {
        a = bus.read(address);
    } else {
        bus.write(address, a);
        memptr = pair(a, low(memptr));
    }
}

template <class Bus>
template <std::uint8_t code, bool indexed>
void Z80<Bus>::quarter0() {
    constexpr Opcode op(code);
    if constexpr (op.z == 0) {
        if constexpr (op.y == 1) {  // EX AF,AF'
            const std::uint16_t af = pair(a, f);
            a = high(af2), f = low(af2);
            af2 = af;
        } else if constexpr (op.y == 2) {  // DJNZ
            idle_refresh(1);
            b = u8(b - 1U);
            jump_relative(b != 0);
        } else if constexpr (op.y == 3) {
            jump_relative(true);
        } else if constexpr (op.y > 3) {
            jump_relative(condition<op.y - 4>());
        }
    } else if constexpr (op.z == 1 && op.q) {
        idle_refresh(7);
        set_pair<2, indexed>(add16(hl<indexed>(), get_pair<op.p, indexed>()));
    } else if constexpr (op.z == 1) {
        set_pair<op.p, indexed>(immediate16());
    } else if constexpr (op.z == 2) {
        indirect_load<code, indexed>();
    } else if constexpr (op.z == 3) {
        idle_refresh(2);
        set_pair<op.p, indexed>(u16(get_pair<op.p, indexed>() + (op.q ? 0xFFFFU : 1U)));
    } else if constexpr (op.z == 7) {
        accumulator_operation<op.y>();
    } else if constexpr (op.y != 6) {  // INC r, DEC r, LD r,n
        auto& target = reg<op.y, indexed>();
        target = op.z == 4 ? increment(target) : op.z == 5 ? decrement(target) : immediate();
    } else if constexpr (op.z == 6 && indexed) {  // LD (IX+d),n: n is read while IX+d is computed
        memptr = displaced(hl<true>(), immediate());
        const std::uint16_t address_of_n = pc;
        const std::uint8_t value = immediate();
        bus.idle(address_of_n, 2);
        bus.write(memptr, value);
    } else if constexpr (op.z == 6) {
        bus.write(hl<false>(), immediate());
    } else {
        const std::uint16_t address = operand_address<indexed>();
        const std::uint8_t value = bus.read(address);
        bus.idle(address, 1);
        bus.write(address, op.z == 4 ? increment(value) : decrement(value));
    }
}

/// LD r,r' and HALT. With (IX+d) the other operand is plain H or L.
template <class Bus>
template <std::uint8_t code, bool indexed>
void Z80<Bus>::quarter1() {
    constexpr Opcode op(code);
    if constexpr (code == 0x76) {
        halted = 1;
        stop = 0;
    } else if constexpr (op.z == 6) {
        reg<op.y, false>() = bus.read(operand_address<indexed>());
    } else if constexpr (op.y == 6) {
        bus.write(operand_address<indexed>(), reg<op.z, false>());
    } else {
        reg<op.y, indexed>() = reg<op.z, indexed>();
    }
}

template <class Bus>
template <std::uint8_t code, bool indexed>
void Z80<Bus>::quarter3() {
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
        set_pair<op.p, indexed>(pop());
    } else if constexpr (code == 0xC9) {
        pc = memptr = pop();
    } else if constexpr (code == 0xD9) {  // EXX
        const std::uint16_t old_bc = bc(), old_de = de(), old_hl = hl<false>();
        set_pair<0, false>(bc2), set_pair<1, false>(de2), set_pair<2, false>(hl2);
        bc2 = old_bc, de2 = old_de, hl2 = old_hl;
    } else if constexpr (code == 0xE9) {
        pc = hl<indexed>();
    } else if constexpr (code == 0xF9) {
        idle_refresh(2);
        sp = hl<indexed>();
    } else if constexpr (op.z == 2) {
        memptr = immediate16();
        pc = condition<op.y>() ? memptr : pc;
    } else if constexpr (code == 0xC3) {
        pc = memptr = immediate16();
    } else if constexpr (code == 0xD3 || code == 0xDB) {
        port_operation(code == 0xDB);
    } else if constexpr (code == 0xE3) {
        exchange_stack<indexed>();
    } else if constexpr (code == 0xEB) {
        const std::uint16_t old_de = de();
        set_pair<1, false>(hl<false>());
        set_pair<2, false>(old_de);
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
        push(get_pair<op.p, indexed>());
    } else if constexpr (op.z == 6) {
        alu<op.y>(immediate());
    } else {
        idle_refresh(1);
        push(pc);
        pc = memptr = u16(op.y * 8);
    }
}

template <class Bus>
template <std::uint8_t code, bool indexed>
void Z80<Bus>::main_operation() {
    constexpr Opcode op(code);
    if constexpr (op.x == 0) {
        quarter0<code, indexed>();
    } else if constexpr (op.x == 1) {
        quarter1<code, indexed>();
    } else if constexpr (op.x == 3) {
        quarter3<code, indexed>();
    } else if constexpr (op.z == 6) {
        alu<op.y>(bus.read(operand_address<indexed>()));
    } else {
        alu<op.y>(reg<op.z, indexed>());
    }
}

}  // namespace oakemu::z80
