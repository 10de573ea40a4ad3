// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace oakemu {
namespace {

/// Marks a batch as in use for as long as it lives. Refusing is better than waiting: after a fork nobody would ever come to release it.
class InUse {
public:
    explicit InUse(std::atomic<bool>& flag) : flag_(flag) {
        if (flag_.exchange(true, std::memory_order_acquire)) throw std::runtime_error("this batch is in use by another thread");
    }
    ~InUse() { flag_.store(false, std::memory_order_release); }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

private:
    std::atomic<bool>& flag_;
};

void check_length(const char* what, std::size_t given, int num_envs) {
    if (given == static_cast<std::size_t>(num_envs)) return;
    throw std::invalid_argument(std::string(what) + ": " + std::to_string(given) + " given, the batch has " + std::to_string(num_envs) +
                                " environments");
}

}  // namespace

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

void Batch::reset(std::span<const bool> mask, const Outputs& outputs) {
    const InUse in_use(busy_);
    if (!mask.empty()) check_length("mask", mask.size(), num_envs());
    check_length("outputs", static_cast<std::size_t>(outputs.num_envs), num_envs());
    pool_.run(num_envs(), [&](int index, int worker) {
        const auto env = static_cast<std::size_t>(index);
        if (mask.empty() || mask[env]) slots_[env].reset(rules_, scratch_[static_cast<std::size_t>(worker)], row(outputs, env));
    });
}

void Batch::step(std::span<const std::int64_t> actions, const Outputs& outputs) {
    const InUse in_use(busy_);
    check_length("actions", actions.size(), num_envs());
    check_length("outputs", static_cast<std::size_t>(outputs.num_envs), num_envs());
    const bool keeps_final = outputs.final_observations != nullptr && outputs.final_variables != nullptr;
    if (rules_.config.autoreset == Autoreset::same_step && !keeps_final) {
        throw std::invalid_argument("outputs: autoreset 'same_step' needs final_observations and final_variables");
    }
    const auto num_actions = static_cast<std::int64_t>(rules_.config.actions.size());
    for (std::size_t i = 0; i < slots_.size(); ++i) {
        if (actions[i] < 0 || actions[i] >= num_actions) {
            throw std::invalid_argument("action " + std::to_string(actions[i]) + " for environment " + std::to_string(i) +
                                        ": allowed are 0 to " + std::to_string(num_actions - 1));
        }
        if (!slots_[i].can_step(rules_)) {
            throw std::logic_error("environment " + std::to_string(i) +
                                   (slots_[i].was_reset() ? " has ended its episode" : " has never been reset") +
                                   "; reset it before stepping");
        }
    }
    pool_.run(num_envs(), [&](int index, int worker) {
        const auto env = static_cast<std::size_t>(index);
        slots_[env].step(rules_, static_cast<int>(actions[env]), scratch_[static_cast<std::size_t>(worker)], row(outputs, env));
    });
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
        if (mask.empty() || mask[i]) slots_[i].observe(row(outputs, i));
    }
}

Machine Batch::machine(int env) const {
    const InUse in_use(busy_);
    check_env(env);
    return slots_[static_cast<std::size_t>(env)].machine();
}

void Batch::check_env(int env) const {
    if (env >= 0 && env < num_envs()) return;
    throw std::out_of_range("environment " + std::to_string(env) + ": the batch has " + std::to_string(num_envs()));
}

OutputRow Batch::row(const Outputs& outputs, std::size_t env) const {
    const std::size_t pixels = env * rules_.observation_bytes();
    const std::size_t variable = env * rules_.config.variables.size();
    const auto at = [](auto* array, std::size_t offset) { return array == nullptr ? nullptr : array + offset; };
    return {
        .observation = at(outputs.observations, pixels),
        .final_observation = at(outputs.final_observations, pixels),
        .reward = at(outputs.rewards, env),
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
    };
}

}  // namespace oakemu
