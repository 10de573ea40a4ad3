// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "batch_config.hpp"
#include "slot.hpp"
#include "thread_pool.hpp"

namespace oakemu {

/// The caller's arrays, one row an environment. Nothing here is owned.
struct Outputs {
    int num_envs = 0;
    std::uint8_t* observations = nullptr;        ///< (N, stack * planes, height, width), oldest frame first
    std::uint8_t* final_observations = nullptr;  ///< like observations; may be null unless autoreset is same_step
    double* rewards = nullptr;
    double* reward_parts = nullptr;  ///< (N, P), before clipping; may be null
    bool* terminated = nullptr;
    bool* truncated = nullptr;
    std::int64_t* variables = nullptr;        ///< (N, V), derived ones included
    std::int64_t* final_variables = nullptr;  ///< like variables; may be null unless autoreset is same_step
    double* episode_return = nullptr;         ///< sum of rewards, before clipping
    std::int64_t* episode_length = nullptr;   ///< steps
    std::int64_t* episode_frame_number = nullptr;
    std::int64_t* frame_number = nullptr;   ///< since construction or seeding, no-op frames included
    std::uint8_t* outcome = nullptr;        ///< an Outcome
    std::int64_t* actions_taken = nullptr;  ///< after stickiness and masks; Slot::kNoAction where the step was a reset
    bool* action_masks = nullptr;           ///< (N, A), what the next step may play; may be null
    std::int64_t* start = nullptr;          ///< number of the running episode's start state, or Slot::kNoStart; may be null
    std::uint8_t* ram = nullptr;            ///< (N, 49152), 0x4000 to 0xFFFF as paged; may be null
    std::uint8_t* final_ram = nullptr;      ///< like ram; may be null unless ram is not and autoreset is same_step
};

/// What save() wrote of a machine, or nothing.
using GivenMachine = std::optional<std::span<const std::byte>>;

/// Many environments of one configuration, stepped together on a thread pool.
///
/// What environment i does depends on the configuration, its own seed and its own actions: not on the number of threads, nor on the
/// other environments. One call at a time: a second one from another thread throws std::runtime_error.
class Batch {
public:
    /// Throws std::invalid_argument for a configuration that cannot be.
    explicit Batch(const BatchConfig& config);

    int num_envs() const { return static_cast<int>(slots_.size()); }
    int num_threads() const { return pool_.num_threads(); }
    const Rules& rules() const { return rules_; }

    /// Starts the random streams of the environments marked in `mask`, of all if it is empty. Until then environment i has the seed i.
    void seed(std::span<const std::uint64_t> seeds, std::span<const bool> mask = {});

    /// Resets the environments marked in `mask`, all if it is empty, and writes their rows; other rows are left as they are. `starts`
    /// are the numbers of start states, Slot::kDrawStart to draw one; all are drawn if it is empty. Where `machines`, if it is
    /// not empty, has a saved machine, an episode begins in it as it is, and not in a start state. Throws std::invalid_argument for a
    /// number or a machine that cannot be; then nothing has been reset.
    void reset(std::span<const bool> mask, const Outputs& outputs, std::span<const std::int64_t> starts = {},
               std::span<const GivenMachine> machines = {});

    /// Throws as reset() does for machines that cannot be.
    void check_machines(std::span<const GivenMachine> machines) const { static_cast<void>(checked_machines(machines)); }

    /// Plays one step in every environment. Throws std::invalid_argument for an action that does not exist and std::logic_error for an
    /// environment that has to be reset first; then nothing has been played.
    void step(std::span<const std::int64_t> actions, const Outputs& outputs);

    /// Plays one step in one environment, in which each frame holds keys of its own: what somebody did who does not act in steps.
    /// `action` is what it is taken for. Nothing is drawn, no limit cuts it short. Throws as step(), and where no frame is given.
    void step_held(int env, std::int64_t action, std::span<const Action> held, const Outputs& outputs);

    std::vector<std::byte> get_state(int env) const;
    void set_state(int env, std::span<const std::byte> bytes);

    /// Writes the rows of the environments marked in `mask`, of all if it is empty, as they stand, for example after set_state: those of
    /// a reset, but with the figures of the episode so far.
    void observe(std::span<const bool> mask, const Outputs& outputs) const;

    /// What `look` makes of the machine of one environment. It must not call the batch.
    template <typename Look>
    auto look_at(int env, Look&& look) const {
        const InUse in_use(busy_);
        check_env(env);
        return look(slots_[static_cast<std::size_t>(env)].machine());
    }
    Machine machine(int env) const {
        return look_at(env, [](const Machine& machine) { return machine; });
    }

private:
    /// Marks a batch as in use for as long as it lives. Refusing is better than waiting: after a fork nobody would ever come to release
    /// it.
    class InUse {
    public:
        explicit InUse(std::atomic<bool>& flag);
        ~InUse() { flag_.store(false, std::memory_order_release); }
        InUse(const InUse&) = delete;
        InUse& operator=(const InUse&) = delete;

    private:
        std::atomic<bool>& flag_;
    };

    void check_starts(std::span<const std::int64_t> starts) const;
    std::vector<std::optional<SavedMachine>> checked_machines(std::span<const GivenMachine> machines) const;
    void check_final(const Outputs& outputs) const;
    void check_env(int env) const;
    void check_action(std::size_t env, std::int64_t action) const;
    OutputRow row(const Outputs& outputs, std::size_t env) const;

    Rules rules_;
    std::vector<Slot> slots_;
    std::vector<ObservationScratch> scratch_;  ///< one a thread
    ThreadPool pool_;
    mutable std::atomic<bool> busy_{false};
};

}  // namespace oakemu
