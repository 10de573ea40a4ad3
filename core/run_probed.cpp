// SPDX-License-Identifier: GPL-3.0-or-later
#include "probed_bus.hpp"
#include "run_loop.hpp"

namespace oakemu {
namespace {

using ProbedCpu = z80::Z80<ProbedBus>;

}  // namespace

std::uint32_t run_frame_probed(Machine& machine, const Setup& setup, Probe& probe) {
    machine.state.cpu.hook_reported = 0;
    PagedWiring wiring(machine, setup);
    ProbedCpu cpu(ProbedBus(wiring, machine.state.t, probe));
    const std::uint32_t frame = cpu.bus.clock().timings.frame;
    probe.run_begins(machine, machine.state.t);
    run_loop::run_until(cpu, machine.state, frame, [&] {
        do {
            cpu.step();
        } while (cpu.bus.t < cpu.stop);
        return false;
    });
    probe.frame_ends(machine, machine.state.t);
    run_loop::end_frame(machine, setup, frame);
    return cpu.bus.fetches;
}

}  // namespace oakemu
