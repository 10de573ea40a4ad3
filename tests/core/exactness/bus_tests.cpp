// SPDX-License-Identifier: GPL-3.0-or-later
// Every bus of the core against a slow one, and against each other, on random programs in all machines.
#include <array>
#include <cstring>
#include <string>

#include "check.hpp"
#include "probe.hpp"
#include "random_program.hpp"
#include "run_loop.hpp"
#include "slow_bus.hpp"
#include "test_machine.hpp"

namespace {

using oakemu::Model;
using oakemu::Timing;

struct Kind {
    Model model;
    bool late;
    Timing timing;
};
constexpr std::array<Kind, 7> kKinds{{{Model::spectrum48, false, Timing::exact},
                                      {Model::spectrum48, true, Timing::exact},
                                      {Model::spectrum128, false, Timing::exact},
                                      {Model::spectrum128, true, Timing::exact},
                                      {Model::plus2, false, Timing::exact},
                                      {Model::spectrum48, false, Timing::uncontended},
                                      {Model::spectrum128, false, Timing::uncontended}}};

TestMachine random_machine(const Kind& kind, std::uint32_t seed) {
    TestMachine machine(kind.model);
    machine.state->late = kind.late ? 1 : 0;
    machine.timing = kind.timing;
    RandomProgram(seed).fill(machine);
    return machine;
}

std::string describe(const Kind& kind, std::uint32_t seed, const TestMachine& machine) {
    const oakemu::State& state = machine.machine.state;
    return "model " + std::to_string(static_cast<int>(kind.model)) + " late " + std::to_string(kind.late) + " exact " +
           std::to_string(kind.timing == Timing::exact) + " seed " + std::to_string(seed) + ": after PC " + std::to_string(state.cpu.pc) +
           " T " + std::to_string(state.t);
}

/// Like run_tstates(1), on the bus of all machines.
void step_paged(TestMachine& machine) {
    oakemu::run_loop::run_paged(machine.machine, machine.setup(), machine.state->t + 1);
    const std::uint32_t frame = oakemu::timings_of(machine.state->model).frame;
    if (machine.state->t >= frame) {
        oakemu::run_loop::end_frame(machine.machine, machine.setup(), frame);
    }
}

bool same_state(const TestMachine& left, const TestMachine& right) {
    return std::memcmp(&left.machine.state, &right.machine.state, sizeof left.machine.state) == 0;
}

void each_step_equals_the_slow_one(Check& check) {
    for (const Kind& kind : kKinds) {
        for (std::uint32_t seed = 0; seed < 40; ++seed) {
            TestMachine fast = random_machine(kind, seed);
            TestMachine paged(fast), slow(fast);
            for (int step = 0; step < 400; ++step) {
                const std::string where = describe(kind, seed, fast);
                fast.step();
                step_paged(paged);
                step_slowly(slow.machine, slow.setup());
                if (!same_state(fast, slow) || !same_state(paged, slow)) {
                    check.that(same_state(fast, slow), where + ": state of the machine");
                    check.that(same_state(paged, slow), where + ": state on the paged bus");
                    break;
                }
            }
            check.that(fast.machine.ram == slow.machine.ram, describe(kind, seed, fast) + ": RAM");
            check.that(paged.machine.ram == slow.machine.ram, describe(kind, seed, fast) + ": RAM on the paged bus");
        }
    }
}

struct Nobody final : oakemu::Probe {};

/// What can be seen of a frame at once is what its steps do: skipping HALT, leaving the INT pulse, hooks and probes change nothing.
void each_frame_equals_its_steps(Check& check) {
    oakemu::Hooks never_hit;
    const auto fail = [](void* context, std::uint16_t) {
        static_cast<Check*>(context)->that(false, "no hook is set");
        return false;
    };
    Nobody nobody;
    for (const Kind& kind : kKinds) {
        for (std::uint32_t seed = 100; seed < 106; ++seed) {
            TestMachine whole = random_machine(kind, seed);
            TestMachine probed(whole), hooked(whole), slow(whole);
            for (int frame = 0; frame < 3; ++frame) {
                whole.run_frame();
                oakemu::run_frame_probed(probed.machine, probed.setup(), nobody);
                oakemu::run_frame_hooked(hooked.machine, hooked.setup(), never_hit, fail, &check);
                while (slow.state->frame == static_cast<std::uint64_t>(frame)) {
                    step_slowly(slow.machine, slow.setup());
                }
                const std::string where = describe(kind, seed, whole);
                check.that(whole.machine == slow.machine, where + ": the frame");
                check.that(probed.machine == slow.machine, where + ": the probed frame");
                check.that(hooked.machine == slow.machine, where + ": the hooked frame");
            }
        }
    }
}

}  // namespace

int main() {
    return run_tests({
        {"each_step_equals_the_slow_one", each_step_equals_the_slow_one},
        {"each_frame_equals_its_steps", each_frame_equals_its_steps},
    });
}
