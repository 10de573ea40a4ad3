// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "halted.hpp"
#include "hooked_bus.hpp"
#include "machine.hpp"
#include "z80_chain.hpp"

/// The loop around the CPU: interrupts, HALT, hooks, and the end of a frame.
namespace oakemu::run_loop {

/// The NOPs of a halted CPU up to `limit`, where nothing can wake it.
template <class Bus>
OAKEMU_INLINE std::uint32_t pass_halt(z80::Processor<Bus>& cpu, std::uint32_t limit) {
    const HaltedTime time = halted_until(limit, cpu.bus.t, cpu.bus.waits_for(cpu.pc) ? &cpu.bus.clock() : nullptr);
    cpu.bus.t = time.t;
    cpu.r += time.nops;
    return time.nops;
}

/// Runs instructions until T `limit` of this frame (at most its end), or a hook stops it. `run` executes at least one instruction, goes on
/// while cpu.bus.t < cpu.stop, and returns whether a hook stopped it.
template <class Bus, class Run>
bool run_until(z80::Processor<Bus>& cpu, State& state, std::uint32_t limit, Run run) {
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
        stopped = run();
    }
    cpu.store(state.cpu);
    state.t = cpu.bus.t;
    return stopped;
}

template <class Bus>
void run_plain(Machine& machine, const Setup& setup, std::uint32_t limit) {
    z80::Home<Bus> home{.wiring{machine, setup}};
    z80::Processor<Bus> cpu(Bus(home.wiring, machine.state.t), home.cold);
    run_until(cpu, machine.state, limit, [&] {
        z80::Chain<Bus>::run(home, cpu);
        return false;
    });
}

/// Who wants to know which instructions.
struct HookSet {
    const Hooks& hooks;
    HookFunction on_hit;
    void* context;
};

template <class Plain>
bool run_hooked(Machine& machine, const Setup& setup, std::uint32_t limit, const HookSet& watch) {
    using Bus = HookedBus<Plain>;
    z80::Home<Bus> home{.wiring{machine, setup, watch.hooks, watch.on_hit, watch.context}};
    z80::Processor<Bus> cpu(Bus(home.wiring, machine.state.t), home.cold);
    return run_until(cpu, machine.state, limit, [&] {
        z80::Chain<Bus>::run(home, cpu);
        return home.wiring.stopped;
    });
}

// Each is a CPU of its own, compiled in a file of its own.
void run_exact48(Machine& machine, const Setup& setup, std::uint32_t limit);
void run_uncontended48(Machine& machine, const Setup& setup, std::uint32_t limit);
void run_paged(Machine& machine, const Setup& setup, std::uint32_t limit);
bool run_exact48_hooked(Machine& machine, const Setup& setup, std::uint32_t limit, const HookSet& watch);
bool run_uncontended48_hooked(Machine& machine, const Setup& setup, std::uint32_t limit, const HookSet& watch);
bool run_paged_hooked(Machine& machine, const Setup& setup, std::uint32_t limit, const HookSet& watch);

/// Ends the frame that `state.t` has passed by `state.t - frame` T.
void end_frame(Machine& machine, const Setup& setup, std::uint32_t frame);

}  // namespace oakemu::run_loop
