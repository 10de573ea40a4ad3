// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "state.hpp"
#include "z80_opcodes.hpp"
#include "z80_tables.hpp"

namespace oakemu::z80 {

/// The registers that stay in memory from one instruction to the next.
struct ColdRegisters {
    std::uint32_t stop = 0;              ///< instructions follow each other while bus.t < stop; HALT sets it to 0
    std::uint32_t r = 0;                 ///< counts M1 cycles without end; bits 0 to 6 are those of R
    std::uint32_t flags_written_at = 0;  ///< r in the last instruction that wrote flags
    std::uint16_t bc = 0, sp = 0, ix = 0, iy = 0, memptr = 0;
    std::uint16_t af2 = 0, bc2 = 0, de2 = 0, hl2 = 0;
    std::uint8_t f = 0, i = 0, r7 = 0, im = 0, iff1 = 0, iff2 = 0, halted = 0;  ///< r7 holds bit 7 of R
    std::int32_t no_int_at = -1, ld_a_ir_at = -1;
};

/// A Zilog NMOS Z80: its registers, and all instructions as functions on them.
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
/// and may have, where it is quicker at several steps at once:
///     std::uint16_t read16(address)                          read(address), then read(address + 1) as the high byte
///     void push16(address, value)                            write(address + 1, high byte), then write(address, low byte)
///     void idle_refresh(i, n)                                idle() with an address whose high byte is `i`
/// and
///     bool is_hooked(address)                                somebody wants to see every instruction at an address
///
/// Registers in constant use are members, which the compiler can keep in those of the host; see z80_chain.hpp. The references are
/// names for what stays in memory.
template <class Bus>
struct Processor {
    Bus bus;
    std::uint16_t pc = 0, de = 0, hl = 0;
    std::uint8_t a = 0;
    ColdRegisters& cold;

    std::uint32_t &stop = cold.stop, &r = cold.r, &flags_written_at = cold.flags_written_at;
    std::uint16_t &bc = cold.bc, &sp = cold.sp, &ix = cold.ix, &iy = cold.iy, &memptr = cold.memptr;
    std::uint16_t &af2 = cold.af2, &bc2 = cold.bc2, &de2 = cold.de2, &hl2 = cold.hl2;
    std::uint8_t &f = cold.f, &i = cold.i, &r7 = cold.r7, &im = cold.im, &iff1 = cold.iff1, &iff2 = cold.iff2, &halted = cold.halted;
    std::int32_t &no_int_at = cold.no_int_at, &ld_a_ir_at = cold.ld_a_ir_at;

    OAKEMU_INLINE Processor(Bus&& its_bus, ColdRegisters& its_cold) : bus(static_cast<Bus&&>(its_bus)), cold(its_cold) {}
    Processor(const Processor&) = delete;
    Processor& operator=(const Processor&) = delete;

    OAKEMU_INLINE void load(const CpuState& cpu);
    OAKEMU_INLINE void store(CpuState& cpu) const;

    /// Whether a low INT would be answered now, between two instructions.
    OAKEMU_INLINE bool accepts_interrupt() const { return iff1 != 0 && static_cast<std::int32_t>(bus.t) != no_int_at; }
    OAKEMU_INLINE void interrupt();

    OAKEMU_INLINE std::uint16_t refresh_address() const { return pair(i, u8((r & 0x7FU) | r7)); }

    /// The M1 cycle that reads an opcode or a prefix.
    OAKEMU_INLINE std::uint8_t fetch() {
        const std::uint16_t address = pc, refresh = refresh_address();
        ++r;
        pc = u16(pc + 1U);
        return bus.fetch(address, refresh);
    }

    /// Whether the DD or FD just fetched stands alone, because what follows has a prefix of its own. It is an instruction then, after
    /// which INT is not sampled.
    OAKEMU_INLINE bool is_lone_prefix() {
        const std::uint8_t next = bus.peek(pc);
        if (next == 0xDD || next == 0xFD || next == 0xED) {
            no_int_at = static_cast<std::int32_t>(bus.t);
            // Yet Q outlives it, as it does where the prefix has an effect or none.
            flags_written_at += flags_written_at + 1U == r ? 1U : 0U;
            return true;
        }
        return false;
    }

    /// What an opcode does, once it has been fetched, by where it is looked up.
    template <Table table, std::uint8_t code>
    OAKEMU_INLINE void execute();

private:
    // Bus helpers.
    OAKEMU_INLINE std::uint8_t immediate() {
        const std::uint8_t value = bus.read(pc);
        pc = u16(pc + 1U);
        return value;
    }
    OAKEMU_INLINE std::uint16_t immediate16() {
        const std::uint16_t value = read16(pc);
        pc = u16(pc + 2U);
        return value;
    }
    OAKEMU_INLINE std::uint16_t read16(std::uint16_t address) {
        if constexpr (requires { bus.read16(address); }) {
            return bus.read16(address);
        } else {
            const std::uint8_t low_byte = bus.read(address);
            return pair(bus.read(u16(address + 1U)), low_byte);
        }
    }
    OAKEMU_INLINE void push(std::uint16_t value) {
        sp = u16(sp - 2U);
        if constexpr (requires { bus.push16(sp, value); }) {
            bus.push16(sp, value);
        } else {
            bus.write(u16(sp + 1U), high(value));
            bus.write(sp, low(value));
        }
    }
    OAKEMU_INLINE std::uint16_t pop() {
        const std::uint16_t value = read16(sp);
        sp = u16(sp + 2U);
        return value;
    }
    /// n T with the address of the last refresh still on the bus.
    OAKEMU_INLINE void idle_refresh(std::uint32_t n) {
        if constexpr (requires { bus.idle_refresh(i, n); }) {
            bus.idle_refresh(i, n);
        } else {
            bus.idle(pair(i, u8(((r - 1U) & 0x7FU) | r7)), n);
        }
    }

    // Registers by their number in the opcode. 6, memory, is the caller's business.
    template <int number, Index index>
    OAKEMU_INLINE std::uint8_t get() const;
    template <int number, Index index>
    OAKEMU_INLINE void set(std::uint8_t value);
    template <int number, Index index>
    OAKEMU_INLINE std::uint16_t get_pair() const;
    template <int number, Index index>
    OAKEMU_INLINE void set_pair(std::uint16_t value);
    OAKEMU_INLINE std::uint8_t b() const { return high(bc); }
    OAKEMU_INLINE std::uint8_t c() const { return low(bc); }
    OAKEMU_INLINE void set_b(std::uint32_t value) { bc = pair(u8(value), c()); }
    template <int number>
    OAKEMU_INLINE bool condition() const;
    OAKEMU_INLINE void set_flags(std::uint32_t flags) {
        f = u8(flags);
        flags_written_at = r;
    }

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

    // z80_main.hpp: the unprefixed table, and with an `index` its DD and FD forms
    template <std::uint8_t code, Index index>
    OAKEMU_INLINE void main_operation();
    template <std::uint8_t code, Index index>
    OAKEMU_INLINE void quarter0();
    template <std::uint8_t code, Index index>
    OAKEMU_INLINE void quarter1();
    template <std::uint8_t code, Index index>
    OAKEMU_INLINE void quarter3();
    template <std::uint8_t code, Index index>
    OAKEMU_INLINE void indirect_load();
    template <Index index>
    OAKEMU_INLINE void exchange_stack();
    OAKEMU_INLINE void jump_relative(bool taken);
    OAKEMU_INLINE void call(bool taken);
    OAKEMU_INLINE void port_operation(bool is_in);
    template <Index index>
    OAKEMU_INLINE std::uint16_t operand_address();

    // z80_prefixes.hpp
    template <std::uint8_t code>
    OAKEMU_INLINE void cb_operation();
    template <int x, int y>
    OAKEMU_INLINE std::uint8_t rotate_or_change(std::uint8_t value);
    template <Index index>
    OAKEMU_INLINE void indexed_cb_operation();
    OAKEMU_INLINE void store_copy(int number, std::uint8_t value);

    // z80_ed.hpp
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
    OAKEMU_INLINE bool refetch_block(bool is_intact);
    OAKEMU_INLINE void repeat_port_block(std::uint16_t address_on_bus, std::uint8_t value);
};

template <class Bus>
void Processor<Bus>::load(const CpuState& cpu) {
    a = high(cpu.af), f = low(cpu.af);
    bc = cpu.bc, de = cpu.de, hl = cpu.hl;
    af2 = cpu.af2, bc2 = cpu.bc2, de2 = cpu.de2, hl2 = cpu.hl2;
    pc = cpu.pc, sp = cpu.sp, ix = cpu.ix, iy = cpu.iy, memptr = cpu.memptr;
    i = cpu.i, r = cpu.r, r7 = cpu.r & 0x80U;
    flags_written_at = cpu.q != 0 ? r : r - 1U;
    im = cpu.im, iff1 = cpu.iff1, iff2 = cpu.iff2, halted = cpu.halted;
    no_int_at = cpu.no_int_at, ld_a_ir_at = cpu.ld_a_ir_at;
}

template <class Bus>
void Processor<Bus>::store(CpuState& cpu) const {
    cpu.af = pair(a, f), cpu.bc = bc, cpu.de = de, cpu.hl = hl;
    cpu.af2 = af2, cpu.bc2 = bc2, cpu.de2 = de2, cpu.hl2 = hl2;
    cpu.pc = pc, cpu.sp = sp, cpu.ix = ix, cpu.iy = iy, cpu.memptr = memptr;
    cpu.i = i, cpu.r = u8((r & 0x7FU) | r7);
    cpu.q = flags_written_at == r ? f : std::uint8_t{0};
    cpu.im = im, cpu.iff1 = iff1, cpu.iff2 = iff2, cpu.halted = halted;
    cpu.no_int_at = no_int_at, cpu.ld_a_ir_at = ld_a_ir_at;
}

template <class Bus>
void Processor<Bus>::interrupt() {
    if (static_cast<std::int32_t>(bus.t) == ld_a_ir_at) {
        f = u8(f & ~static_cast<std::uint32_t>(kParity));  // NMOS: IFF2 is already 0 when it is copied to P/V
    }
    halted = 0;
    iff1 = iff2 = 0;
    bus.acknowledge(pc, refresh_address());
    ++r;
    push(pc);
    // Nothing drives the data bus: IM 0 sees RST 38, IM 2 the vector 0xFF.
    pc = im == 2 ? read16(pair(i, 0xFF)) : u16(0x0038);
    memptr = pc;
}

template <class Bus>
template <Table table, std::uint8_t code>
void Processor<Bus>::execute() {
    constexpr Index index = table == Table::ix ? Index::ix : table == Table::iy ? Index::iy : Index::hl;
    if constexpr (table == Table::cb) {
        cb_operation<code>();
    } else if constexpr (table == Table::ed) {
        ed_operation<code>();
    } else if constexpr (index != Index::hl && code == 0xCB) {
        indexed_cb_operation<index>();
    } else {
        if constexpr (index != Index::hl && reads_q(code)) {
            // The prefix does not come between the last instruction and this one.
            flags_written_at += flags_written_at + 2U == r ? 1U : 0U;
        }
        main_operation<code, index>();
    }
}

}  // namespace oakemu::z80

#include "z80_alu.hpp"
#include "z80_ed.hpp"
#include "z80_main.hpp"
#include "z80_prefixes.hpp"
#include "z80_step.hpp"
