// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "batch.hpp"
#include "machine.hpp"
#include "snapshot.hpp"

/// A game of a few bytes. Once a frame it counts up kFrames and down kCountdown, adds the held keys of half row A to kKeys, puts the
/// count on the screen and calls kRoutine.
namespace game {

inline constexpr std::uint16_t kFrames = 0x9000, kKeys = 0x9001, kCountdown = 0x9003, kRandom = 0x9010, kRoutine = 0x8040;

inline void place(oakemu::Machine& machine, std::uint16_t address, std::initializer_list<std::uint8_t> bytes) {
    std::copy(bytes.begin(), bytes.end(), machine.ram.begin() + (address - 0x4000));
}

/// Halted, with the interrupt of the first frame about to come: after n frames kFrames holds n.
inline oakemu::Machine start(std::uint8_t countdown = 255) {
    oakemu::Machine machine;
    place(machine, 0x8000,
          {
              0x76,              // loop: HALT
              0x21, 0x00, 0x90,  // LD HL,kFrames
              0x34,              // INC (HL)
              0x7E,              // LD A,(HL)
              0x32, 0x00, 0x40,  // LD (0x4000),A
              0x3E, 0xFD,        // LD A,0xFD
              0xDB, 0xFE,        // IN A,(0xFE)
              0x2F,              // CPL
              0xE6, 0x1F,        // AND 0x1F
              0x23,              // INC HL
              0x86,              // ADD A,(HL)
              0x77,              // LD (HL),A
              0x23, 0x23,        // INC HL; INC HL
              0x35,              // DEC (HL)
              0xCD, 0x40, 0x80,  // CALL kRoutine
              0x18, 0xE5         // JR loop
          });
    place(machine, kRoutine, {0xC9});  // RET
    place(machine, kCountdown, {countdown});
    // Attributes: black on white.
    std::fill_n(machine.ram.begin() + 0x1800, 768, std::uint8_t{0x38});
    machine.state.t = 0;
    machine.state.cpu.pc = 0x8001;
    machine.state.cpu.sp = 0xFF00;
    machine.state.cpu.im = 1;
    machine.state.cpu.iff1 = machine.state.cpu.iff2 = 1;
    machine.state.cpu.halted = 1;
    return machine;
}

/// Nothing but an interrupt routine: EI; RET.
inline std::vector<std::byte> rom() {
    std::vector<std::byte> bytes(16384);
    bytes[0x38] = std::byte{0xFB};
    bytes[0x39] = std::byte{0xC9};
    return bytes;
}

inline oakemu::BatchConfig config(int num_envs = 1, int num_threads = 1, std::uint8_t countdown = 255) {
    oakemu::BatchConfig made;
    made.rom = rom();
    made.start_states = {oakemu::save(start(countdown))};
    made.num_envs = num_envs;
    made.num_threads = num_threads;
    made.actions.resize(3);  // nothing; key A, which adds 1 a frame; key S, which adds 2
    made.actions[1].keys[1] = 1;
    made.actions[2].keys[1] = 2;
    made.area = {0, 0, 64, 48};
    made.size = {21, 16};
    made.stack = 2;
    made.variables = {{.address = kFrames}, {.address = kKeys}, {.address = kCountdown, .type = oakemu::VariableType::bits, .low = 2}};
    made.rewards = {{{oakemu::Op::constant, 1.0}}};
    return made;
}

inline constexpr std::size_t kNumVariables = 3;

/// `variable` >= `value`
inline std::vector<oakemu::Instruction> at_least(int variable, double value) {
    return {{oakemu::Op::variable, static_cast<double>(variable)}, {oakemu::Op::constant, value}, {oakemu::Op::greater_equal, 0.0}};
}

}  // namespace game

/// A batch with the arrays into which it writes.
struct TestBatch {
    oakemu::Batch batch;
    std::size_t n, pixels, num_variables, num_rewards, num_actions;
    std::vector<std::uint8_t> observations, final_observations, outcome, ram, final_ram;
    std::vector<double> rewards, reward_parts, episode_return;
    std::unique_ptr<bool[]> terminated, truncated, action_masks;
    std::vector<std::int64_t> variables, final_variables, episode_length, episode_frame_number, frame_number, actions_taken, start;

    explicit TestBatch(const oakemu::BatchConfig& config)
        : batch(config),
          n(static_cast<std::size_t>(config.num_envs)),
          pixels(batch.rules().observation_bytes()),
          num_variables(batch.rules().num_variables()),
          num_rewards(config.rewards.size()),
          num_actions(config.actions.size()),
          observations(n * pixels),
          final_observations(n * pixels),
          outcome(n),
          ram(n * oakemu::kRamSize48),
          final_ram(n * oakemu::kRamSize48),
          rewards(n),
          reward_parts(n * num_rewards),
          episode_return(n),
          terminated(std::make_unique<bool[]>(n)),
          truncated(std::make_unique<bool[]>(n)),
          action_masks(std::make_unique<bool[]>(n * num_actions)),
          variables(n * num_variables),
          final_variables(n * num_variables),
          episode_length(n),
          episode_frame_number(n),
          frame_number(n),
          actions_taken(n),
          start(n) {}

    oakemu::Outputs outputs() {
        return {.num_envs = static_cast<int>(n),
                .observations = observations.data(),
                .final_observations = final_observations.data(),
                .rewards = rewards.data(),
                .reward_parts = reward_parts.data(),
                .terminated = terminated.get(),
                .truncated = truncated.get(),
                .variables = variables.data(),
                .final_variables = final_variables.data(),
                .episode_return = episode_return.data(),
                .episode_length = episode_length.data(),
                .episode_frame_number = episode_frame_number.data(),
                .frame_number = frame_number.data(),
                .outcome = outcome.data(),
                .actions_taken = actions_taken.data(),
                .action_masks = action_masks.get(),
                .start = start.data(),
                .ram = ram.data(),
                .final_ram = final_ram.data()};
    }

    void reset() { batch.reset({}, outputs()); }
    void step(std::int64_t action = 0) { step(std::vector<std::int64_t>(n, action)); }
    void step(const std::vector<std::int64_t>& actions) { batch.step(actions, outputs()); }
    void seed(std::uint64_t first) {
        std::vector<std::uint64_t> seeds(n);
        for (std::size_t i = 0; i < n; ++i) seeds[i] = first + i;
        batch.seed(seeds);
    }

    /// FNV-1a over the rows of environments [from, to) of all arrays.
    std::uint64_t hash(std::size_t from, std::size_t to) const {
        std::uint64_t value = 0xCBF29CE484222325U;
        const auto add = [&](const auto* array, std::size_t width) {
            const auto* bytes = reinterpret_cast<const unsigned char*>(array + from * width);
            for (std::size_t i = 0; i < (to - from) * width * sizeof(*array); ++i) value = (value ^ bytes[i]) * 0x100000001B3U;
        };
        add(observations.data(), pixels);
        add(final_observations.data(), pixels);
        add(outcome.data(), 1);
        add(rewards.data(), 1);
        add(reward_parts.data(), num_rewards);
        add(episode_return.data(), 1);
        add(terminated.get(), 1);
        add(truncated.get(), 1);
        add(variables.data(), num_variables);
        add(final_variables.data(), num_variables);
        add(episode_length.data(), 1);
        add(episode_frame_number.data(), 1);
        add(frame_number.data(), 1);
        add(actions_taken.data(), 1);
        add(action_masks.get(), num_actions);
        add(start.data(), 1);
        add(ram.data(), oakemu::kRamSize48);
        add(final_ram.data(), oakemu::kRamSize48);
        return value;
    }
    std::uint64_t hash() const { return hash(0, n); }
};
