// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "z80.hpp"

/// Instructions that follow each other without a loop around them.
///
/// Each opcode is a function that executes its instruction, fetches the next opcode and jumps to that one's function, with the
/// registers in constant use as its arguments. So these stay in registers of the host, and every opcode has an indirect jump of its
/// own, by which the host learns what usually follows it. The jump is a call in tail position; where compilers do not turn such a
/// call into a jump, a loop calls one function after the other.
///
/// It needs a Bus that is a view: made for one instruction from what lasts, `Bus::Wiring`, and T. It also has
///     bool is_quick(address)    no fetch there waits
namespace oakemu::z80 {

#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
inline constexpr bool kTailCalls = true;
#else
inline constexpr bool kTailCalls = false;
#endif

template <class Bus>
struct Home;

/// The function of one opcode, after its fetch.
template <class Bus>
using Link = void (*)(Home<Bus>* home, std::uint32_t t, std::uint32_t pc, std::uint32_t a, std::uint32_t de, std::uint32_t hl);

/// What lasts while instructions come and go.
template <class Bus>
struct Home {
    ColdRegisters cold{};
    typename Bus::Wiring wiring;
    // Where the chain has ended; without tail calls where it goes on, too.
    std::uint32_t t = 0, pc = 0, a = 0, de = 0, hl = 0;
    Link<Bus> next = nullptr;
};

template <class Bus>
class Chain {
    using Cpu = Processor<Bus>;

public:
    /// Executes at least one instruction, and goes on while cpu.bus.t < cpu.stop. `cpu` works on `home`.
    static void run(Home<Bus>& home, Cpu& cpu) {
        fetch_anywhere(&home, cpu.bus.t, cpu.pc, cpu.a, cpu.de, cpu.hl);
        while (!kTailCalls && home.next != nullptr) {
            home.next(&home, home.t, home.pc, home.a, home.de, home.hl);
        }
        cpu.bus.t = home.t;
        set_registers(cpu, home.pc, home.a, home.de, home.hl);
    }

    template <Table table, std::uint8_t code>
    static constexpr Link<Bus> pick() {
        return is_as_in_main(table, code) ? &link<Table::main, code> : &link<table, code>;
    }

    template <Table table>
    static constexpr auto kLinks = make_table<Chain, table>();

    /// Stands in for opcodes that are found at hooked addresses (HookedBus). The fetch was a quick one.
    static void look_at_hooks(Home<Bus>* home, std::uint32_t t, std::uint32_t pc, std::uint32_t a, std::uint32_t de, std::uint32_t hl) {
        const std::uint32_t address = u16(pc - 1U);
        if (home->wiring.hooks->test(u16(address))) [[unlikely]] {
            --home->cold.r;
            if (stops_at(home, t - 4, address, a, de, hl)) {
                return jump(&end, home, t - 4, address, a, de, hl);
            }
            ++home->cold.r;
        }
        return jump(kLinks<Table::main>[Bus(home->wiring, t).peek(u16(address))], home, t, pc, a, de, hl);
    }

private:
    template <Table table, std::uint8_t code>
    static void link(Home<Bus>* home, std::uint32_t t, std::uint32_t pc, std::uint32_t a, std::uint32_t de, std::uint32_t hl) {
        Cpu cpu(Bus(home->wiring, t), home->cold);
        set_registers(cpu, pc, a, de, hl);
        constexpr Table next = table_after(table, code);
        if constexpr (next == Table::main) {
            cpu.template execute<table, code>();
        } else if (next == Table::cb || next == Table::ed || !cpu.is_lone_prefix()) {
            return go_on(kLinks<next>[cpu.fetch()], home, cpu);
        }
        if (cpu.bus.t >= home->cold.stop) [[unlikely]] {
            return go_on(&end, home, cpu);
        }
        if (!cpu.bus.is_quick(cpu.pc)) [[unlikely]] {
            return go_on(&fetch_anywhere, home, cpu);
        }
        if constexpr (requires { home->wiring.links; }) {
            return go_on(home->wiring.links[cpu.fetch()], home, cpu);
        } else {
            return go_on(kLinks<Table::main>[cpu.fetch()], home, cpu);
        }
    }

    /// The functions below are not inlined, which would cost each opcode's function registers.
    [[gnu::noinline]] static void fetch_anywhere(Home<Bus>* home, std::uint32_t t, std::uint32_t pc, std::uint32_t a, std::uint32_t de,
                                                 std::uint32_t hl) {
        if constexpr (requires { home->wiring.hooks; }) {
            if (home->wiring.hooks->test(u16(pc)) && stops_at(home, t, pc, a, de, hl)) [[unlikely]] {
                return jump(&end, home, t, pc, a, de, hl);
            }
        }
        Cpu cpu(Bus(home->wiring, t), home->cold);
        set_registers(cpu, pc, a, de, hl);
        return go_on(kLinks<Table::main>[cpu.fetch()], home, cpu);
    }

    [[gnu::noinline]] static void end(Home<Bus>* home, std::uint32_t t, std::uint32_t pc, std::uint32_t a, std::uint32_t de,
                                      std::uint32_t hl) {
        home->t = t, home->pc = pc, home->a = a, home->de = de, home->hl = hl;
        home->next = nullptr;
    }

    [[gnu::noinline]] static bool stops_at(Home<Bus>* home, std::uint32_t t, std::uint32_t pc, std::uint32_t a, std::uint32_t de,
                                           std::uint32_t hl) {
        Cpu cpu(Bus(home->wiring, t), home->cold);
        set_registers(cpu, pc, a, de, hl);
        return home->wiring.stops(cpu);
    }

    OAKEMU_INLINE static void set_registers(Cpu& cpu, std::uint32_t pc, std::uint32_t a, std::uint32_t de, std::uint32_t hl) {
        if (pc > 0xFFFF || a > 0xFF || de > 0xFFFF || hl > 0xFFFF) {
            __builtin_unreachable();  // spares narrowing what is narrow
        }
        cpu.pc = u16(pc), cpu.a = u8(a), cpu.de = u16(de), cpu.hl = u16(hl);
    }

    OAKEMU_INLINE static void go_on(Link<Bus> next, Home<Bus>* home, const Cpu& cpu) {
        return jump(next, home, cpu.bus.t, cpu.pc, cpu.a, cpu.de, cpu.hl);
    }

    OAKEMU_INLINE static void jump(Link<Bus> next, Home<Bus>* home, std::uint32_t t, std::uint32_t pc, std::uint32_t a, std::uint32_t de,
                                   std::uint32_t hl) {
        if constexpr (kTailCalls) {
            return next(home, t, pc, a, de, hl);
        } else {
            end(home, t, pc, a, de, hl);
            home->next = next == &end ? nullptr : next;
        }
    }
};

}  // namespace oakemu::z80
