// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "state.hpp"
#include "z80_opcodes.hpp"
#include "z80_tables.hpp"

namespace oakemu::z80 {

/// A Zilog NMOS Z80, one instruction a step.
///
/// Every instruction is written as the sequence of its bus accesses, and the Bus owns time: contention, ports and memory all follow
/// from that sequence. A Bus has
///     std::uint32_t t                                        T-states in the current frame
///     std::uint8_t fetch(address, refresh)                   an M1 cycle, 4 T; `refresh` is on the bus in its second half
///     std::uint8_t read(address); void write(address, byte)  3 T
///     void idle(address, n)                                  n T in which the CPU works and `address` stays on the bus
///     std::uint8_t in(port); void out(port, byte)            4 T
///     void acknowledge(pc, refresh)                          the interrupt acknowledge cycle, 7 T
///     std::uint8_t peek(address)                             no time passes
///
/// The object is meant to live on the stack of a run loop: load() before, store() after.
template <class Bus>
struct Z80 {
    Bus bus;
    std::uint32_t stop = 0;  ///< the run loop goes on while bus.t < stop; HALT sets it to 0

    std::uint8_t a = 0, f = 0, b = 0, c = 0, d = 0, e = 0, h = 0, l = 0;
    std::uint8_t xyh = 0, xyl = 0;  ///< IX or IY while an instruction with their prefix runs
    std::uint16_t pc = 0, sp = 0, ix = 0, iy = 0, memptr = 0;
    std::uint8_t i = 0, r = 0, r7 = 0;  ///< R counts in r and keeps its bit 7 in r7
    std::uint8_t q = 0, last_q = 0;     ///< flags written by this and by the last instruction, else 0
    std::uint16_t af2 = 0, bc2 = 0, de2 = 0, hl2 = 0;
    std::uint8_t im = 0, iff1 = 0, iff2 = 0, halted = 0;
    std::int32_t no_int_at = -1, ld_a_ir_at = -1;

    explicit Z80(Bus&& its_bus) : bus(static_cast<Bus&&>(its_bus)) {}

    OAKEMU_INLINE void load(const CpuState& cpu);
    OAKEMU_INLINE void store(CpuState& cpu) const;

    /// Executes one instruction with all its prefixes.
    OAKEMU_INLINE void step();

    /// Whether a low INT would be answered now, between two instructions.
    OAKEMU_INLINE bool accepts_interrupt() const { return iff1 != 0 && static_cast<std::int32_t>(bus.t) != no_int_at; }
    OAKEMU_INLINE void interrupt();

    OAKEMU_INLINE std::uint16_t refresh_address() const { return pair(i, u8((r & 0x7FU) | r7)); }

private:
    // Bus helpers.
    OAKEMU_INLINE std::uint8_t fetch() {
        const std::uint8_t code = bus.fetch(pc, refresh_address());
        pc = u16(pc + 1U);
        ++r;
        return code;
    }
    OAKEMU_INLINE std::uint8_t immediate() {
        const std::uint8_t value = bus.read(pc);
        pc = u16(pc + 1U);
        return value;
    }
    OAKEMU_INLINE std::uint16_t immediate16() {
        const std::uint8_t low_byte = immediate();
        return pair(immediate(), low_byte);
    }
    OAKEMU_INLINE std::uint16_t read16(std::uint16_t address) {
        const std::uint8_t low_byte = bus.read(address);
        return pair(bus.read(u16(address + 1U)), low_byte);
    }
    OAKEMU_INLINE void push(std::uint16_t value) {
        sp = u16(sp - 1U);
        bus.write(sp, high(value));
        sp = u16(sp - 1U);
        bus.write(sp, low(value));
    }
    OAKEMU_INLINE std::uint16_t pop() {
        const std::uint16_t value = read16(sp);
        sp = u16(sp + 2U);
        return value;
    }
    /// n T with the address of the last refresh still on the bus.
    OAKEMU_INLINE void idle_refresh(std::uint32_t n) { bus.idle(pair(i, u8(((r - 1U) & 0x7FU) | r7)), n); }

    // Registers by their number in the opcode. 6, memory, is the caller's business.
    template <int number, bool indexed>
    OAKEMU_INLINE std::uint8_t& reg();
    template <int number, bool indexed>
    OAKEMU_INLINE std::uint16_t get_pair() const;
    template <int number, bool indexed>
    OAKEMU_INLINE void set_pair(std::uint16_t value);
    template <bool indexed>
    OAKEMU_INLINE std::uint16_t hl() const {
        return indexed ? pair(xyh, xyl) : pair(h, l);
    }
    OAKEMU_INLINE std::uint16_t bc() const { return pair(b, c); }
    OAKEMU_INLINE std::uint16_t de() const { return pair(d, e); }
    template <int number>
    OAKEMU_INLINE bool condition() const;
    OAKEMU_INLINE void set_flags(std::uint32_t flags) { q = f = u8(flags); }

    // z80_alu.hpp
    template <int operation>
    OAKEMU_INLINE void alu(std::uint8_t value);
    OAKEMU_INLINE void add(std::uint8_t value, std::uint32_t carry);
    OAKEMU_INLINE std::uint8_t subtract(std::uint8_t value, std::uint32_t carry);
    OAKEMU_INLINE std::uint8_t increment(std::uint8_t value);
    OAKEMU_INLINE std::uint8_t decrement(std::uint8_t value);
    OAKEMU_INLINE std::uint16_t add16(std::uint16_t left, std::uint16_t right);
    OAKEMU_INLINE void adc16(std::uint16_t right);
    OAKEMU_INLINE void sbc16(std::uint16_t right);
    OAKEMU_INLINE std::uint8_t rotate(int operation, std::uint8_t value);
    OAKEMU_INLINE void bit_flags(std::uint8_t masked, std::uint8_t source_of_53);
    template <int operation>
    OAKEMU_INLINE void accumulator_operation();
    OAKEMU_INLINE void daa();

    // z80_main.hpp: the unprefixed table, and with `indexed` its DD and FD forms
    template <std::uint8_t code, bool indexed>
    OAKEMU_INLINE void main_operation();
    template <std::uint8_t code, bool indexed>
    OAKEMU_INLINE void quarter0();
    template <std::uint8_t code, bool indexed>
    OAKEMU_INLINE void quarter1();
    template <std::uint8_t code, bool indexed>
    OAKEMU_INLINE void quarter3();
    template <std::uint8_t code, bool indexed>
    OAKEMU_INLINE void indirect_load();
    template <bool indexed>
    OAKEMU_INLINE void exchange_stack();
    OAKEMU_INLINE void jump_relative(bool taken);
    OAKEMU_INLINE void call(bool taken);
    OAKEMU_INLINE void port_operation(bool is_in);
    template <bool indexed>
    OAKEMU_INLINE std::uint16_t operand_address();

    // z80_prefixes.hpp
    OAKEMU_INLINE void cb_prefix();
    template <std::uint8_t code>
    OAKEMU_INLINE void cb_operation();
    template <int x, int y>
    OAKEMU_INLINE std::uint8_t rotate_or_change(std::uint8_t value);
    OAKEMU_INLINE void indexed_cb_operation();
    OAKEMU_INLINE void store_copy(int number, std::uint8_t value);
    OAKEMU_INLINE bool index_prefix(std::uint16_t& index, std::uint8_t& code);

    // z80_ed.hpp
    OAKEMU_INLINE void ed_prefix();
    template <std::uint8_t code>
    OAKEMU_INLINE void ed_operation();
    template <std::uint8_t code>
    OAKEMU_INLINE void ed_quarter1();
    template <int operation>
    OAKEMU_INLINE void ed_special();
    OAKEMU_INLINE void load_a_from(std::uint8_t value);
    OAKEMU_INLINE void rotate_digit(bool left);
    template <bool up>
    OAKEMU_INLINE void block_load(bool repeat);
    template <bool up>
    OAKEMU_INLINE void block_compare(bool repeat);
    template <bool up>
    OAKEMU_INLINE void block_in(bool repeat);
    template <bool up>
    OAKEMU_INLINE void block_out(bool repeat);
    OAKEMU_INLINE void block_port_flags(std::uint8_t value, std::uint32_t sum);
    OAKEMU_INLINE void repeat_block(std::uint16_t address_on_bus);
    OAKEMU_INLINE void repeat_port_block(std::uint16_t address_on_bus, std::uint8_t value);
};

template <class Bus>
void Z80<Bus>::load(const CpuState& cpu) {
    a = high(cpu.af), f = low(cpu.af);
    b = high(cpu.bc), c = low(cpu.bc);
    d = high(cpu.de), e = low(cpu.de);
    h = high(cpu.hl), l = low(cpu.hl);
    af2 = cpu.af2, bc2 = cpu.bc2, de2 = cpu.de2, hl2 = cpu.hl2;
    pc = cpu.pc, sp = cpu.sp, ix = cpu.ix, iy = cpu.iy, memptr = cpu.memptr;
    i = cpu.i, r = cpu.r, r7 = cpu.r & 0x80U, q = cpu.q;
    im = cpu.im, iff1 = cpu.iff1, iff2 = cpu.iff2, halted = cpu.halted;
    no_int_at = cpu.no_int_at, ld_a_ir_at = cpu.ld_a_ir_at;
}

template <class Bus>
void Z80<Bus>::store(CpuState& cpu) const {
    cpu.af = pair(a, f), cpu.bc = bc(), cpu.de = de(), cpu.hl = pair(h, l);
    cpu.af2 = af2, cpu.bc2 = bc2, cpu.de2 = de2, cpu.hl2 = hl2;
    cpu.pc = pc, cpu.sp = sp, cpu.ix = ix, cpu.iy = iy, cpu.memptr = memptr;
    cpu.i = i, cpu.r = u8((r & 0x7FU) | r7), cpu.q = q;
    cpu.im = im, cpu.iff1 = iff1, cpu.iff2 = iff2, cpu.halted = halted;
    cpu.no_int_at = no_int_at, cpu.ld_a_ir_at = ld_a_ir_at;
}

template <class Bus>
void Z80<Bus>::interrupt() {
    if (static_cast<std::int32_t>(bus.t) == ld_a_ir_at) {
        f = u8(f & ~static_cast<std::uint32_t>(kParity));  // NMOS: IFF2 is already 0 when it is copied to P/V
    }
    halted = 0;
    iff1 = iff2 = 0;
    q = 0;
    bus.acknowledge(pc, refresh_address());
    ++r;
    push(pc);
    // Nothing drives the data bus: IM 0 sees RST 38, IM 2 the vector 0xFF.
    pc = im == 2 ? read16(pair(i, 0xFF)) : u16(0x0038);
    memptr = pc;
}

template <class Bus>
void Z80<Bus>::step() {
    last_q = q;
    q = 0;
    std::uint8_t code = fetch();
    for (;;) {
        switch (code) {
#define OAKEMU_MAIN_CASE(n)                                                   \
    case n:                                                                   \
        if constexpr ((n) == 0xCB) {                                          \
            cb_prefix();                                                      \
        } else if constexpr ((n) == 0xED) {                                   \
            ed_prefix();                                                      \
        } else if constexpr ((n) == 0xDD || (n) == 0xFD) {                    \
            if (!index_prefix((n) == 0xDD ? ix : iy, code)) {                 \
                continue; /* `code` means the same with and without prefix */ \
            }                                                                 \
        } else {                                                              \
            main_operation<n, false>();                                       \
        }                                                                     \
        return;
            OAKEMU_OPCODES(OAKEMU_MAIN_CASE)
#undef OAKEMU_MAIN_CASE
        }
    }
}

}  // namespace oakemu::z80

#include "z80_alu.hpp"
#include "z80_ed.hpp"
#include "z80_main.hpp"
#include "z80_prefixes.hpp"
