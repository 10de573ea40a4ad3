// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "halted.hpp"
#include "machine.hpp"
#include "z80.hpp"

/// The loop around the CPU: interrupts, HALT, hooks, and the end of a frame.
namespace oakemu::run_loop {

/// Nobody watches: the whole check disappears.
struct NoHooks {
    template <class Cpu>
    OAKEMU_INLINE bool stops(const Cpu& /*cpu*/) {
        return false;
    }
};

struct WatchedHooks {
    const Hooks& hooks;
    HookFunction on_hit;
    void* context;
    State& state;

    template <class Cpu>
    OAKEMU_INLINE bool stops(const Cpu& cpu) {
        if (!hooks.test(cpu.pc)) [[likely]] {
            return false;
        }
        return report(cpu);
    }

private:
    template <class Cpu>
    [[gnu::noinline]] bool report(Cpu cpu) {
        if (state.cpu.hook_reported != 0) {
            state.cpu.hook_reported = 0;
            return false;
        }
        cpu.store(state.cpu);
        state.t = cpu.bus.t;
        const bool stop = on_hit(context, cpu.pc);
        state.cpu.hook_reported = stop ? 1 : 0;
        return stop;
    }
};

/// The NOPs of a halted CPU up to `limit`, where nothing can wake it.
template <class Bus>
OAKEMU_INLINE std::uint32_t pass_halt(z80::Z80<Bus>& cpu, std::uint32_t limit) {
    const HaltedTime time = halted_until(limit, cpu.bus.t, cpu.bus.waits_for(cpu.pc) ? &cpu.bus.clock() : nullptr);
    cpu.bus.t = time.t;
    cpu.r = z80::u8(cpu.r + time.nops);
    cpu.q = 0;
    return time.nops;
}

/// Runs instructions until T `limit` of this frame (at most its end). Returns true if a hook stopped it.
template <class Bus, class Watch>
bool run_until(z80::Z80<Bus>& cpu, State& state, std::uint32_t limit, Watch watch) {
    cpu.load(state.cpu);
    const std::uint32_t interrupt_length = cpu.bus.clock().timings.interrupt;
    bool stopped = false;
    while (!stopped && cpu.bus.t < limit) {
        const bool int_is_low = cpu.bus.t < interrupt_length;
        if (int_is_low && cpu.accepts_interrupt()) {
            cpu.interrupt();
            state.cpu.hook_reported = 0;
            if constexpr (requires { cpu.bus.tell_interrupt(); }) {
                cpu.store(state.cpu);
                state.t = cpu.bus.t;
                cpu.bus.tell_interrupt();
            }
            continue;
        }
        if (cpu.halted != 0) {
            const std::uint32_t nops = pass_halt(cpu, int_is_low ? cpu.bus.t + 1 : limit);
            if constexpr (requires { cpu.bus.fetches; }) {
                cpu.bus.fetches += nops;
            }
            continue;
        }
        // While INT is low every instruction comes back here; afterwards nothing can happen before `limit` but a HALT.
        cpu.stop = int_is_low ? 0 : limit;
        do {
            if (watch.stops(cpu)) {
                stopped = true;
                break;
            }
            cpu.step();
        } while (cpu.bus.t < cpu.stop);
    }
    cpu.store(state.cpu);
    state.t = cpu.bus.t;
    return stopped;
}

template <class Bus>
void run_plain(Machine& machine, const Setup& setup, std::uint32_t limit) {
    z80::Z80<Bus> cpu(Bus(machine, setup));
    run_until(cpu, machine.state, limit, NoHooks{});
}

template <class Bus>
bool run_hooked(Machine& machine, const Setup& setup, std::uint32_t limit, const WatchedHooks& watch) {
    z80::Z80<Bus> cpu(Bus(machine, setup));
    return run_until(cpu, machine.state, limit, watch);
}

// Each is a CPU of its own, compiled in a file of its own.
void run_exact48(Machine& machine, const Setup& setup, std::uint32_t limit);
void run_uncontended48(Machine& machine, const Setup& setup, std::uint32_t limit);
void run_paged(Machine& machine, const Setup& setup, std::uint32_t limit);
bool run_exact48_hooked(Machine& machine, const Setup& setup, std::uint32_t limit, const WatchedHooks& watch);
bool run_uncontended48_hooked(Machine& machine, const Setup& setup, std::uint32_t limit, const WatchedHooks& watch);
bool run_paged_hooked(Machine& machine, const Setup& setup, std::uint32_t limit, const WatchedHooks& watch);

/// Ends the frame that `state.t` has passed by `state.t - frame` T.
void end_frame(Machine& machine, const Setup& setup, std::uint32_t frame);

}  // namespace oakemu::run_loop
