// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "z80.hpp"

/// The ED table. What it does not define takes 8 T and does nothing.
namespace oakemu::z80 {

template <class Bus>
void Processor<Bus>::load_a_from(std::uint8_t value) {
    idle_refresh(1);
    a = value;
    set_flags((f & kCarry) | kSignZero[a] | (iff2 != 0 ? kParity : 0U));
    ld_a_ir_at = static_cast<std::int32_t>(bus.t);
}

/// RLD and RRD.
template <class Bus>
void Processor<Bus>::rotate_digit(bool left) {
    const std::uint16_t address = hl;
    const std::uint8_t value = bus.read(address);
    bus.idle(address, 4);
    const std::uint32_t digit = a & 0x0FU;
    bus.write(address, u8(left ? (value << 4U) | digit : (value >> 4U) | (digit << 4U)));
    a = u8((a & 0xF0U) | (left ? value >> 4U : value & 0x0FU));
    memptr = u16(address + 1U);
    set_flags((f & kCarry) | kSignZeroParity[a]);
}

/// LD I,A; LD R,A; LD A,I; LD A,R; RRD; RLD; two NOPs.
template <class Bus>
template <int operation>
void Processor<Bus>::ed_special() {
    if constexpr (operation == 0) {
        idle_refresh(1);
        i = a;
    } else if constexpr (operation == 1) {
        idle_refresh(1);
        r = a, r7 = a & 0x80U, flags_written_at = r - 1;
    } else if constexpr (operation == 2) {
        load_a_from(i);
    } else if constexpr (operation == 3) {
        load_a_from(low(refresh_address()));
    } else if constexpr (operation == 4 || operation == 5) {
        rotate_digit(operation == 5);
    }
}

template <class Bus>
template <std::uint8_t code>
void Processor<Bus>::ed_quarter1() {
    constexpr Opcode op(code);
    if constexpr (op.z == 0) {  // IN r,(C); IN F,(C)
        memptr = u16(bc + 1U);
        const std::uint8_t value = bus.in(bc);
        set_flags((f & kCarry) | kSignZeroParity[value]);
        if constexpr (op.y != 6) {
            set<op.y, Index::hl>(value);
        }
    } else if constexpr (op.z == 1) {  // OUT (C),r; OUT (C),0
        memptr = u16(bc + 1U);
        if constexpr (op.y == 6) {
            bus.out(bc, 0);
        } else {
            bus.out(bc, get<op.y, Index::hl>());
        }
    } else if constexpr (op.z == 2) {
        idle_refresh(7);
        if constexpr (op.q) {
            adc16(get_pair<op.p, Index::hl>());
        } else {
            sbc16(get_pair<op.p, Index::hl>());
        }
    } else if constexpr (op.z == 3) {
        const std::uint16_t address = immediate16();
        memptr = u16(address + 1U);
        if constexpr (op.q) {
            set_pair<op.p, Index::hl>(read16(address));
        } else {
            bus.write(address, low(get_pair<op.p, Index::hl>()));
            bus.write(memptr, high(get_pair<op.p, Index::hl>()));
        }
    } else if constexpr (op.z == 4) {  // NEG
        const std::uint8_t value = a;
        a = 0;
        a = subtract(value, 0);
    } else if constexpr (op.z == 5) {  // RETN and RETI
        iff1 = iff2;
        pc = memptr = pop();
    } else if constexpr (op.z == 6) {
        constexpr std::uint8_t modes[] = {0, 0, 1, 2};
        im = modes[op.y & 3];
    } else {
        ed_special<op.y>();
    }
}

/// The instruction is fetched again: 5 T, and flags 5 and 3 come from its address, which is then in use.
template <class Bus>
void Processor<Bus>::repeat_block(std::uint16_t address_on_bus) {
    bus.idle(address_on_bus, 5);
    pc = u16(pc - 2U);
    memptr = u16(pc + 1U);
    set_flags((f & ~static_cast<std::uint32_t>(kFlags53)) | (high(pc) & kFlags53));
}

/// Fetches a block instruction again that repeats, if nothing comes between and it is still the same; else the run loop has to see to it.
template <class Bus>
bool Processor<Bus>::refetch_block(bool is_intact) {
    if constexpr (requires { bus.is_hooked(pc); }) {
        is_intact = is_intact && !bus.is_hooked(pc);
    }
    if (bus.t < stop && is_intact) {
        fetch(), fetch();
        return true;
    }
    return false;
}

template <class Bus>
template <bool up>
void Processor<Bus>::block_load(bool repeat) {
    constexpr std::uint32_t delta = up ? 1U : 0xFFFFU;
    std::uint16_t count = bc;  // what might change with every write to memory is kept in a variable
    std::uint8_t value = 0;
    for (bool again = true; again;) {
        const std::uint16_t target = de;
        value = bus.read(hl);
        bus.write(target, value);
        bus.idle(target, 2);
        count = u16(count - 1U);
        de = u16(target + delta);
        hl = u16(hl + delta);
        again = repeat && count != 0;
        if (again) {
            bus.idle(target, 5);
            pc = u16(pc - 2U);
            memptr = u16(pc + 1U);
            again = refetch_block(((target - pc) & 0x3FFFU) > 1U);  // the same memory may be in two pages
        }
    }
    bc = count;
    const std::uint32_t kept = f & (kSign | kZero | kCarry);
    if (repeat && count != 0) {
        set_flags(kept | kParity | (high(pc) & kFlags53));
    } else {
        const std::uint32_t sum = a + value;
        set_flags(kept | (count != 0 ? kParity : 0U) | (sum & kFlag3) | ((sum << 4U) & kFlag5));
    }
}

template <class Bus>
template <bool up>
void Processor<Bus>::block_compare(bool repeat) {
    constexpr std::uint32_t delta = up ? 1U : 0xFFFFU;
    for (bool again = true; again;) {
        const std::uint16_t address = hl;
        const std::uint8_t value = bus.read(address);
        bus.idle(address, 5);
        bc = u16(bc - 1U);
        hl = u16(address + delta);
        memptr = u16(memptr + delta);
        const std::uint8_t result = u8(static_cast<std::uint32_t>(a) - value);
        const std::uint32_t half = (a ^ value ^ result) & kHalf;
        const std::uint32_t source = static_cast<std::uint32_t>(result) - (half >> 4U);
        set_flags((f & kCarry) | kNegative | (result & kSign) | (result == 0 ? kZero : 0U) | half | (bc != 0 ? kParity : 0U) |
                  (source & kFlag3) | ((source << 4U) & kFlag5));
        again = repeat && bc != 0 && result != 0;
        if (again) {
            repeat_block(address);
            again = refetch_block(true);
        }
    }
}

/// INI, IND, OUTI, OUTD: B has been decremented; `sum` is the byte plus C +- 1 or the new L.
template <class Bus>
void Processor<Bus>::block_port_flags(std::uint8_t value, std::uint32_t sum) {
    set_flags(kSignZero[b()] | ((value >> 6U) & kNegative) | (sum > 0xFF ? kHalf | kCarry : 0U) |
              (even_parity((sum & 7U) ^ b()) ? kParity : 0U));
}

/// While INIR, INDR, OTIR, OTDR repeat, H and P/V also show the next step of B.
template <class Bus>
void Processor<Bus>::repeat_port_block(std::uint16_t address_on_bus, std::uint8_t value) {
    repeat_block(address_on_bus);
    std::uint32_t half = 0;
    std::uint32_t next = b();
    if ((f & kCarry) != 0) {
        const bool down = (value & 0x80U) != 0;
        half = (b() & 0x0FU) == (down ? 0x00U : 0x0FU) ? kHalf : 0U;
        next = down ? b() - 1U : b() + 1U;
    }
    const std::uint32_t parity = even_parity(next & 7U) ? 0U : kParity;
    set_flags(((f & ~static_cast<std::uint32_t>(kHalf)) | half) ^ parity);
}

template <class Bus>
template <bool up>
void Processor<Bus>::block_in(bool repeat) {
    constexpr std::uint32_t delta = up ? 1U : 0xFFFFU;
    idle_refresh(1);
    const std::uint8_t value = bus.in(bc);
    memptr = u16(bc + delta);
    set_b(b() - 1U);
    const std::uint16_t address = hl;
    bus.write(address, value);
    hl = u16(address + delta);
    block_port_flags(value, value + ((c() + delta) & 0xFFU));
    if (repeat && b() != 0) {
        repeat_port_block(address, value);
    }
}

template <class Bus>
template <bool up>
void Processor<Bus>::block_out(bool repeat) {
    constexpr std::uint32_t delta = up ? 1U : 0xFFFFU;
    idle_refresh(1);
    const std::uint8_t value = bus.read(hl);
    set_b(b() - 1U);
    bus.out(bc, value);
    memptr = u16(bc + delta);
    hl = u16(hl + delta);
    block_port_flags(value, static_cast<std::uint32_t>(value) + low(hl));
    if (repeat && b() != 0) {
        repeat_port_block(bc, value);
    }
}

template <class Bus>
template <std::uint8_t code>
void Processor<Bus>::ed_operation() {
    constexpr Opcode op(code);
    if constexpr (op.x == 1) {
        ed_quarter1<code>();
    } else if constexpr (op.x == 2 && op.z < 4 && op.y >= 4) {
        constexpr bool up = op.y % 2 == 0;
        constexpr bool repeat = op.y >= 6;
        if constexpr (op.z == 0) {
            block_load<up>(repeat);
        } else if constexpr (op.z == 1) {
            block_compare<up>(repeat);
        } else if constexpr (op.z == 2) {
            block_in<up>(repeat);
        } else {
            block_out<up>(repeat);
        }
    }
}

}  // namespace oakemu::z80
