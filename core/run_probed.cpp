// SPDX-License-Identifier: GPL-3.0-or-later
#include "probed_bus.hpp"
#include "run_loop.hpp"

namespace oakemu {
namespace {

using run_loop::NoHooks;

using ProbedCpu = z80::Z80<ProbedBus>;

/// Runs until `fetches` M1 cycles are done, whatever the time.
void run_fetches(ProbedCpu& cpu, State& state, std::uint32_t fetches) {
    cpu.load(state.cpu);
    const std::uint32_t interrupt_length = cpu.bus.clock().timings.interrupt;
    while (cpu.bus.fetches < fetches) {
        if (cpu.bus.t < interrupt_length && cpu.accepts_interrupt()) {
            cpu.interrupt();
        } else if (cpu.halted != 0) {
            cpu.bus.fetches += run_loop::pass_halt(cpu, cpu.bus.t + 1);
        } else {
            cpu.step();
        }
        // A recording may have more T in a frame than there are: time stands still rather than running past the tables.
        cpu.bus.t = std::min(cpu.bus.t, cpu.bus.clock().timings.frame);
    }
    cpu.store(state.cpu);
    state.t = cpu.bus.t;
}

}  // namespace

std::uint32_t run_frame_probed(Machine& machine, const Setup& setup, Probe& probe) {
    machine.state.cpu.hook_reported = 0;
    ProbedCpu cpu(ProbedBus(machine, setup, probe));
    const std::uint32_t frame = cpu.bus.clock().timings.frame;
    probe.run_begins(machine, machine.state.t);
    run_loop::run_until(cpu, machine.state, frame, NoHooks{});
    probe.frame_ends(machine, machine.state.t);
    run_loop::end_frame(machine, setup, frame);
    return cpu.bus.fetches;
}

std::uint32_t run_fetches_probed(Machine& machine, const Setup& setup, std::uint32_t fetches, Probe& probe) {
    machine.state.cpu.hook_reported = 0;
    ProbedCpu cpu(ProbedBus(machine, setup, probe));
    probe.run_begins(machine, machine.state.t);
    run_fetches(cpu, machine.state, fetches);
    probe.frame_ends(machine, machine.state.t);
    run_loop::end_frame(machine, setup, machine.state.t);
    return cpu.bus.fetches;
}

}  // namespace oakemu
