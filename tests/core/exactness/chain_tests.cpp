// SPDX-License-Identifier: GPL-3.0-or-later
// What makes the run loop fast: instructions that jump to each other, hooks that cost nothing elsewhere, block instructions that repeat
// without being fetched again. Each against the slow bus, which has none of it.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"
#include "random_program.hpp"
#include "slow_bus.hpp"
#include "test_machine.hpp"

namespace {

using oakemu::Model;
using oakemu::Timing;

constexpr std::array<std::pair<Model, Timing>, 4> kKinds{{{Model::spectrum48, Timing::exact},
                                                          {Model::spectrum48, Timing::uncontended},
                                                          {Model::spectrum128, Timing::exact},
                                                          {Model::spectrum128, Timing::uncontended}}};

TestMachine make_machine(const std::pair<Model, Timing>& kind, RandomProgram& random) {
    TestMachine machine(kind.first);
    machine.timing = kind.second;
    random.fill(machine);
    return machine;
}

struct Hit {
    std::uint64_t frame;
    std::uint32_t t;
    std::uint16_t pc;
    bool operator==(const Hit&) const = default;
};

struct Recorder {
    oakemu::Machine& machine;
    std::vector<Hit> hits{};

    /// Stops at every third hit.
    static bool record(void* context, std::uint16_t pc) {
        auto& self = *static_cast<Recorder*>(context);
        self.hits.push_back({self.machine.state.frame, self.machine.state.t, pc});
        return self.hits.size() % 3 == 0;
    }
};

/// Whether the next step is an instruction, rather than an interrupt or a NOP of a halted CPU.
bool is_instruction_next(const TestMachine& machine) {
    const oakemu::State& state = machine.machine.state;
    const std::uint32_t interrupt = oakemu::timings_of(state.model).interrupt;
    const bool interrupted = state.t < interrupt && state.cpu.iff1 != 0 && state.cpu.no_int_at != static_cast<std::int32_t>(state.t);
    return !interrupted && state.cpu.halted == 0;
}

/// Also where a program writes to hooked addresses and pages memory under them, which random ones do all the time.
void every_hooked_instruction_is_reported(Check& check) {
    std::size_t total = 0;
    for (const auto& kind : kKinds) {
        for (std::uint32_t seed = 0; seed < 30; ++seed) {
            RandomProgram random(seed);
            TestMachine fast = make_machine(kind, random);
            TestMachine slow(fast);
            oakemu::Hooks hooks;
            // Few hooks leave most opcodes alone, many meet more.
            for (std::uint32_t n = seed % 2 == 0 ? 12 : 3000; n > 0; --n) {
                hooks.set(static_cast<std::uint16_t>(random.below(4) == 0 ? fast.cpu().pc + random.below(64) : random.below(0x10000)));
            }
            Recorder recorder{fast.machine};
            std::vector<Hit> expected;
            const std::uint64_t last = fast.state->frame + 2;
            while (fast.state->frame < last) {
                oakemu::run_frame_hooked(fast.machine, fast.setup(), hooks, Recorder::record, &recorder);
            }
            while (slow.state->frame < last) {
                if (is_instruction_next(slow) && hooks.test(slow.cpu().pc)) {
                    expected.push_back({slow.state->frame, slow.state->t, slow.cpu().pc});
                }
                step_slowly(slow.machine, slow.setup());
            }
            const std::string where = "model " + std::to_string(static_cast<int>(kind.first)) + " seed " + std::to_string(seed);
            check.that(recorder.hits == expected, where + ": the hits");
            fast.cpu().hook_reported = 0;
            check.that(fast.machine == slow.machine, where + ": the machine");
            total += expected.size();
        }
    }
    check.that(total > 10'000, "there are hits");
}

/// Runs a frame and gives the addresses of the hits.
std::vector<std::uint16_t> hits_of(TestMachine& machine, const oakemu::Hooks& hooks) {
    std::vector<std::uint16_t> addresses;
    const auto record = [](void* context, std::uint16_t pc) {
        static_cast<std::vector<std::uint16_t>*>(context)->push_back(pc);
        return false;
    };
    oakemu::run_frame_hooked(machine.machine, machine.setup(), hooks, record, &addresses);
    return addresses;
}

/// Each program puts an INC B where there was an INC C, and goes there.
void hooks_see_what_has_just_been_put_there(Check& check) {
    constexpr std::uint8_t kIncB = 0x04, kIncC = 0x0C;
    oakemu::Hooks hooks;
    hooks.set(0xC000);
    for (const auto& kind : kKinds) {
        const auto run = [&](std::initializer_list<std::uint8_t> code, const char* how) {
            TestMachine machine(kind.first);
            machine.timing = kind.second;
            machine.place(0x8000, {0xF3});  // DI
            machine.place(0x8001, code);
            machine.at(0x9000) = kIncB;
            machine.place(0xC000, {kIncC, 0x76});
            check.that(hits_of(machine, hooks) == std::vector<std::uint16_t>{0xC000}, how);
            check.equal(machine.cpu().bc >> 8, 1, how);
        };
        run({0x06, 0x00, 0x3E, kIncB, 0x32, 0x00, 0xC0, 0xC3, 0x00, 0xC0}, "LD (nn),A");
        run({0x06, 0x00, 0x31, 0x02, 0xC0, 0x21, kIncB, 0x76, 0xE5, 0xC3, 0x00, 0xC0}, "PUSH HL");
        run({0x06, 0x00, 0x31, 0x01, 0xC0, 0x21, 0x00, kIncB, 0xE5, 0xC3, 0x00, 0xC0}, "PUSH HL, high byte");
        run({0x21, 0x00, 0x90, 0x11, 0x00, 0xC0, 0x01, 0x01, 0x00, 0xED, 0xB0, 0xC3, 0x00, 0xC0}, "LDIR");
    }
    TestMachine machine(Model::spectrum128);
    machine.place(0x8000, {0xF3, 0x01, 0xFD, 0x7F, 0x3E, 0x01, 0xED, 0x79, 0xC3, 0x00, 0xC0});  // OUT (0x7FFD),1; JP 0xC000
    machine.place(0xC000, {kIncC, 0x76});
    machine.machine.ram[oakemu::kBankPlace[1]] = kIncB, machine.machine.ram[oakemu::kBankPlace[1] + 1] = 0x76;
    check.that(hits_of(machine, hooks) == std::vector<std::uint16_t>{0xC000}, "paging");
    check.equal(machine.cpu().bc >> 8, 0x80, "paging");
}

/// Block instructions where they may end, wait or overwrite themselves: next to borders, to each other and to the end of the frame.
void block_instructions_repeat_as_if_fetched_again(Check& check) {
    constexpr std::array<std::uint8_t, 8> codes{0xB0, 0xB8, 0xB1, 0xB9, 0xB2, 0xBA, 0xB3, 0xBB};
    constexpr std::array<std::uint16_t, 6> places{0x3FF0, 0x4000, 0x7FF0, 0x8000, 0xBFF0, 0xFFF0};
    for (const auto& kind : kKinds) {
        for (std::uint32_t seed = 1000; seed < 1120; ++seed) {
            RandomProgram random(seed);
            TestMachine fast = make_machine(kind, random);
            oakemu::CpuState& cpu = fast.cpu();
            const auto near_a_border = [&] { return static_cast<std::uint16_t>(places[random.below(6)] + random.below(32)); };
            cpu.pc = random.below(2) == 0 ? near_a_border() : static_cast<std::uint16_t>(random.below(0x10000));
            for (std::uint16_t* pair : {&cpu.hl, &cpu.de}) {
                const std::uint32_t where = random.below(3);
                *pair = where == 0   ? near_a_border()
                        : where == 1 ? static_cast<std::uint16_t>(cpu.pc + random.below(512) - 256)
                                     : static_cast<std::uint16_t>(random.below(0x10000));
            }
            cpu.bc = static_cast<std::uint16_t>(random.below(3) == 0 ? random.below(0x10000) : random.below(600));
            fast.at(cpu.pc) = 0xED;
            fast.at(static_cast<std::uint16_t>(cpu.pc + 1)) = codes[seed % codes.size()];
            TestMachine slow(fast);
            for (int part = 0; part < 20; ++part) {
                oakemu::run_tstates(fast.machine, fast.setup(), 1 + random.below(part < 10 ? 300 : 30'000));
                while (slow.state->frame < fast.state->frame || slow.state->t < fast.state->t) {
                    step_slowly(slow.machine, slow.setup());
                }
                check.that(fast.machine == slow.machine,
                           "model " + std::to_string(static_cast<int>(kind.first)) + " seed " + std::to_string(seed));
            }
        }
    }
}

void* run_frames_of_everything(void* /*unused*/) {
    for (const auto& kind : kKinds) {
        for (std::uint32_t seed = 2000; seed < 2010; ++seed) {
            RandomProgram random(seed);
            // A machine is no guest for a small stack, but it owns most of what it has.
            const auto machine = std::make_unique<TestMachine>(make_machine(kind, random));
            for (int frame = 0; frame < 4; ++frame) {
                machine->run_frame();
            }
            std::fill(machine->machine.ram.begin(), machine->machine.ram.end(), std::uint8_t{0});
            machine->cpu().pc = 0x8000;
            machine->run_frame();
        }
    }
    return nullptr;
}

/// If instructions called instead of jumping, a frame would need hundreds of kilobytes.
void a_frame_needs_no_stack(Check& check) {
    constexpr std::size_t kStack = 128 * 1024;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    check.equal(pthread_attr_setstacksize(&attributes, kStack), 0, "setting the size of the stack");
    pthread_t thread{};
    check.equal(pthread_create(&thread, &attributes, run_frames_of_everything, nullptr), 0, "starting a thread");
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

}  // namespace

int main() {
    return run_tests({
        {"every_hooked_instruction_is_reported", every_hooked_instruction_is_reported},
        {"hooks_see_what_has_just_been_put_there", hooks_see_what_has_just_been_put_there},
        {"block_instructions_repeat_as_if_fetched_again", block_instructions_repeat_as_if_fetched_again},
        {"a_frame_needs_no_stack", a_frame_needs_no_stack},
    });
}
