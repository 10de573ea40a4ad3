// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace oakemu {
namespace {

void check_length(const char* what, std::size_t given, int num_envs) {
    if (given == static_cast<std::size_t>(num_envs)) return;
    throw std::invalid_argument(std::string(what) + ": " + std::to_string(given) + " given, the batch has " + std::to_string(num_envs) +
                                " environments");
}

void check_held(std::span<const Action> held) {
    if (held.empty()) throw std::invalid_argument("held: a step has at least one frame");
    for (std::size_t i = 0; i < held.size(); ++i) {
        const bool five_bits = std::ranges::all_of(held[i].keys, [](auto row) { return row <= 31; });
        if (five_bits && held[i].kempston <= 31) continue;
        throw std::invalid_argument("held: frame " + std::to_string(i) + " has a mask above 31, the five keys of a half row");
    }
}

[[noreturn]] void refuse_to_step(const Slot& slot, std::size_t env) {
    throw std::logic_error("environment " + std::to_string(env) + (slot.was_reset() ? " has ended its episode" : " has never been reset") +
                           "; reset it before stepping");
}

}  // namespace

Batch::InUse::InUse(std::atomic<bool>& flag) : flag_(flag) {
    if (flag_.exchange(true, std::memory_order_acquire)) throw std::runtime_error("this batch is in use by another thread");
}

Batch::Batch(const BatchConfig& config) : rules_(config), pool_(std::min(config.num_threads, config.num_envs)) {
    slots_.reserve(static_cast<std::size_t>(config.num_envs));
    for (int i = 0; i < config.num_envs; ++i) slots_.emplace_back(rules_, static_cast<std::uint64_t>(i));
    for (int i = 0; i < pool_.num_threads(); ++i) scratch_.push_back(rules_.plan.make_scratch());
}

void Batch::seed(std::span<const std::uint64_t> seeds, std::span<const bool> mask) {
    const InUse in_use(busy_);
    check_length("seeds", seeds.size(), num_envs());
    if (!mask.empty()) check_length("mask", mask.size(), num_envs());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (mask.empty() || mask[i]) slots_[i].seed(seeds[i]);
    }
}

void Batch::reset(std::span<const bool> mask, const Outputs& outputs, std::span<const std::int64_t> starts,
                  std::span<const GivenMachine> machines) {
    const InUse in_use(busy_);
    if (!mask.empty()) check_length("mask", mask.size(), num_envs());
    check_length("outputs", static_cast<std::size_t>(outputs.num_envs), num_envs());
    check_starts(starts);
    const std::vector<std::optional<SavedMachine>> given = checked_machines(machines);
    pool_.run(num_envs(), [&](int index, int worker) {
        const auto env = static_cast<std::size_t>(index);
        if (!mask.empty() && !mask[env]) return;
        ObservationScratch& scratch = scratch_[static_cast<std::size_t>(worker)];
        if (!given.empty() && given[env].has_value()) {
            slots_[env].reset_in(rules_, *given[env], scratch, row(outputs, env));
        } else {
            slots_[env].reset(rules_, starts.empty() ? Slot::kDrawStart : starts[env], scratch, row(outputs, env));
        }
    });
}

void Batch::step(std::span<const std::int64_t> actions, const Outputs& outputs) {
    const InUse in_use(busy_);
    check_length("actions", actions.size(), num_envs());
    check_length("outputs", static_cast<std::size_t>(outputs.num_envs), num_envs());
    check_final(outputs);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        check_action(i, actions[i]);
        if (!slots_[i].can_step(rules_)) refuse_to_step(slots_[i], i);
    }
    pool_.run(num_envs(), [&](int index, int worker) {
        const auto env = static_cast<std::size_t>(index);
        slots_[env].step(rules_, static_cast<int>(actions[env]), scratch_[static_cast<std::size_t>(worker)], row(outputs, env));
    });
}

void Batch::step_held(int env, std::int64_t action, std::span<const Action> held, const Outputs& outputs) {
    const InUse in_use(busy_);
    check_env(env);
    check_length("outputs", static_cast<std::size_t>(outputs.num_envs), num_envs());
    check_final(outputs);
    const auto number = static_cast<std::size_t>(env);
    check_action(number, action);
    check_held(held);
    if (!slots_[number].is_running()) refuse_to_step(slots_[number], number);
    slots_[number].step_held(rules_, static_cast<int>(action), held, scratch_.front(), row(outputs, number));
}

void Batch::check_action(std::size_t env, std::int64_t action) const {
    const auto count = static_cast<std::int64_t>(rules_.config.actions.size());
    if (action >= 0 && action < count) return;
    throw std::invalid_argument("action " + std::to_string(action) + " for environment " + std::to_string(env) + ": allowed are 0 to " +
                                std::to_string(count - 1));
}

std::vector<std::byte> Batch::get_state(int env) const {
    const InUse in_use(busy_);
    check_env(env);
    return slots_[static_cast<std::size_t>(env)].save(rules_);
}

void Batch::set_state(int env, std::span<const std::byte> bytes) {
    const InUse in_use(busy_);
    check_env(env);
    slots_[static_cast<std::size_t>(env)].restore(rules_, bytes);
}

void Batch::observe(std::span<const bool> mask, const Outputs& outputs) const {
    const InUse in_use(busy_);
    if (!mask.empty()) check_length("mask", mask.size(), num_envs());
    check_length("outputs", static_cast<std::size_t>(outputs.num_envs), num_envs());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (mask.empty() || mask[i]) slots_[i].observe(rules_, row(outputs, i));
    }
}

void Batch::check_starts(std::span<const std::int64_t> starts) const {
    if (starts.empty()) return;
    check_length("starts", starts.size(), num_envs());
    const auto count = static_cast<std::int64_t>(rules_.starts.size());
    for (std::size_t i = 0; i < starts.size(); ++i) {
        if (starts[i] >= Slot::kDrawStart && starts[i] < count) continue;
        throw std::invalid_argument("starts: " + std::to_string(starts[i]) + " for environment " + std::to_string(i) +
                                    "; allowed are -1 (draw) and 0 to " + std::to_string(count - 1));
    }
}

std::vector<std::optional<SavedMachine>> Batch::checked_machines(std::span<const GivenMachine> machines) const {
    std::vector<std::optional<SavedMachine>> checked;
    if (machines.empty()) return checked;
    check_length("machines", machines.size(), num_envs());
    for (std::size_t i = 0; i < machines.size(); ++i) {
        checked.emplace_back();
        if (!machines[i].has_value()) continue;
        try {
            checked.back() = read_saved(*machines[i], rules_.starts.front().state.model);
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument("machines: item " + std::to_string(i) + ": " + error.what());
        }
    }
    return checked;
}

void Batch::check_final(const Outputs& outputs) const {
    if (rules_.config.autoreset != Autoreset::same_step) return;
    if (outputs.final_observations == nullptr || outputs.final_variables == nullptr) {
        throw std::invalid_argument("outputs: autoreset 'same_step' needs final_observations and final_variables");
    }
    if (outputs.ram != nullptr && outputs.final_ram == nullptr) {
        throw std::invalid_argument("outputs: autoreset 'same_step' needs final_ram beside ram");
    }
}

void Batch::check_env(int env) const {
    if (env >= 0 && env < num_envs()) return;
    throw std::out_of_range("environment " + std::to_string(env) + ": the batch has " + std::to_string(num_envs()));
}

OutputRow Batch::row(const Outputs& outputs, std::size_t env) const {
    const std::size_t pixels = env * rules_.observation_bytes();
    const std::size_t variable = env * rules_.num_variables();
    const std::size_t ram = env * kRamSize48;  // what is visible is as much on every model
    const auto at = [](auto* array, std::size_t offset) { return array == nullptr ? nullptr : array + offset; };
    return {
        .observation = at(outputs.observations, pixels),
        .final_observation = at(outputs.final_observations, pixels),
        .reward = at(outputs.rewards, env),
        .reward_parts = at(outputs.reward_parts, env * rules_.rewards.size()),
        .terminated = at(outputs.terminated, env),
        .truncated = at(outputs.truncated, env),
        .variables = at(outputs.variables, variable),
        .final_variables = at(outputs.final_variables, variable),
        .episode_return = at(outputs.episode_return, env),
        .episode_length = at(outputs.episode_length, env),
        .episode_frame_number = at(outputs.episode_frame_number, env),
        .frame_number = at(outputs.frame_number, env),
        .outcome = at(outputs.outcome, env),
        .action_taken = at(outputs.actions_taken, env),
        .action_mask = at(outputs.action_masks, env * rules_.num_actions()),
        .start = at(outputs.start, env),
        .ram = at(outputs.ram, ram),
        .final_ram = at(outputs.final_ram, ram),
    };
}

}  // namespace oakemu
