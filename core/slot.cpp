// SPDX-License-Identifier: GPL-3.0-or-later
#include "slot.hpp"

#include <algorithm>
#include <cstring>

namespace oakemu {
namespace {

struct CallCounter {
    const std::vector<std::uint16_t>& hooks;
    std::vector<std::uint32_t>& calls;
};

bool count_call(void* context, std::uint16_t pc) {
    const auto& counter = *static_cast<CallCounter*>(context);
    // A game has a handful of routines, and two names may share an address.
    for (std::size_t i = 0; i < counter.hooks.size(); ++i) {
        if (counter.hooks[i] == pc) ++counter.calls[i];
    }
    return false;
}

}  // namespace

Slot::Slot(const Rules& rules, std::uint64_t seed)
    : machine_(rules.starts.front()),
      random_(seed),
      frames_(rules.observation_bytes()),
      readings_(rules),
      allowed_(rules.masks.size(), std::uint8_t{1}) {}

void Slot::seed(std::uint64_t seed) {
    random_ = Random(seed);
    progress_.frames = 0;
    if (progress_.phase == Phase::life_lost) progress_.phase = Phase::ended;
}

bool Slot::can_step(const Rules& rules) const {
    if (progress_.phase == Phase::running) return true;
    return progress_.phase != Phase::fresh && rules.config.autoreset == Autoreset::next_step;
}

void Slot::reset(const Rules& rules, std::int64_t start, ObservationScratch& scratch, const OutputRow& out) {
    put_into_start(rules, start);
    begin_episode(rules, scratch);
    observe(rules, out);
}

void Slot::reset_in(const Rules& rules, const SavedMachine& machine, ObservationScratch& scratch, const OutputRow& out) {
    machine.put_into(machine_);
    progress_.start = kNoStart;
    begin_episode(rules, scratch);
    observe(rules, out);
}

void Slot::observe(const Rules& rules, const OutputRow& out) const {
    show(rules, out);
    write_figures(out);
    *out.reward = 0.0;
    if (out.reward_parts != nullptr) std::fill_n(out.reward_parts, rules.rewards.size(), 0.0);
    *out.terminated = false;
    *out.truncated = false;
    *out.outcome = static_cast<std::uint8_t>(Outcome::running);
    *out.action_taken = kNoAction;
    *out.frame_number = progress_.frames;
}

void Slot::step(const Rules& rules, int action, ObservationScratch& scratch, const OutputRow& out) {
    const BatchConfig& config = rules.config;
    if (progress_.phase != Phase::running) {
        reset(rules, kDrawStart, scratch, out);
        return;
    }
    action = choose(rules, action);
    int count = random_.between(config.frameskip.first, config.frameskip.second);
    // No episode is longer than max_frames: the last step is cut short.
    if (config.max_frames > 0) count = static_cast<int>(std::min<std::int64_t>(count, config.max_frames - progress_.episode_frames));

    hold(config.actions[static_cast<std::size_t>(action)]);
    play_frames(rules, count, {}, scratch);
    finish_step(rules, action, count, out, scratch);
}

void Slot::step_held(const Rules& rules, int action, std::span<const Action> held, ObservationScratch& scratch, const OutputRow& out) {
    const auto count = static_cast<int>(held.size());
    progress_.last_action = action;
    play_frames(rules, count, held, scratch);
    finish_step(rules, action, count, out, scratch);
}

/// What comes of the frames that have been played.
void Slot::finish_step(const Rules& rules, int action, int frames, const OutputRow& out, ObservationScratch& scratch) {
    const BatchConfig& config = rules.config;
    readings_.advance(rules, machine_);
    ++progress_.episode_length;
    progress_.episode_frames += frames;
    const double earned = reward(rules, out.reward_parts);
    progress_.episode_return = saturated(progress_.episode_return + earned);
    find_allowed(rules);
    note_stall(rules);
    const Outcome outcome = judge(rules);
    if (outcome != Outcome::running) progress_.phase = outcome == Outcome::life_lost ? Phase::life_lost : Phase::ended;

    *out.reward = config.reward_clipping ? static_cast<double>((earned > 0.0) - (earned < 0.0)) : earned;
    *out.truncated = outcome == Outcome::truncated;
    *out.terminated = outcome != Outcome::running && outcome != Outcome::truncated;
    *out.outcome = static_cast<std::uint8_t>(outcome);
    *out.action_taken = action;
    write_figures(out);
    if (outcome != Outcome::running && config.autoreset == Autoreset::same_step) {
        show_final(out);
        put_into_start(rules, kDrawStart);
        begin_episode(rules, scratch);
    }
    show(rules, out);
    *out.frame_number = progress_.frames;
}

void Slot::begin_episode(const Rules& rules, ObservationScratch& scratch) {
    const BatchConfig& config = rules.config;
    hold(Action{});
    progress_ = {.frames = progress_.frames, .last_action = config.noop_action, .phase = Phase::running, .start = progress_.start};
    for (int i = 0; i < config.stack; ++i) push_frame(rules, scratch);
    readings_.begin(rules, machine_);
    find_allowed(rules);
    if (config.stall_steps > 0) progress_.stall_value = readings_.evaluate(rules.stall_value);
}

void Slot::put_into_start(const Rules& rules, std::int64_t start) {
    if (progress_.phase == Phase::life_lost && start == kDrawStart) return;  // the game goes on
    const BatchConfig& config = rules.config;
    const std::size_t number = start == kDrawStart ? rules.start_choice.draw(random_) : static_cast<std::size_t>(start);
    progress_.start = static_cast<std::int64_t>(number);
    machine_ = rules.starts[number];
    for (const RandomPoke& poke : config.random_pokes) {
        for (int i = 0; i < poke.num_bytes; ++i) machine_.at(static_cast<std::uint16_t>(poke.address + i)) = random_.byte();
    }
    hold(config.actions[static_cast<std::size_t>(config.noop_action)]);
    for (int count = random_.between(config.noops.first, config.noops.second); count > 0; --count) {
        run_frame(machine_, rules.setup());
        ++progress_.frames;
    }
}

/// The action that is played where `action` was asked for.
int Slot::choose(const Rules& rules, int action) {
    const BatchConfig& config = rules.config;
    if (config.repeat_action_probability > 0.0 && random_.uniform() < config.repeat_action_probability) action = progress_.last_action;
    if (!allowed_.empty() && allowed_[static_cast<std::size_t>(action)] == 0) action = config.noop_action;
    progress_.last_action = action;
    return action;
}

/// Plays `count` frames: with the keys that are held, or else with those of each frame.
void Slot::play_frames(const Rules& rules, int count, std::span<const Action> held, ObservationScratch& scratch) {
    std::vector<std::uint32_t>& calls = readings_.calls();
    std::fill(calls.begin(), calls.end(), 0U);
    const auto play = [&](int frame) {
        if (!held.empty()) hold(held[static_cast<std::size_t>(frame)]);
        play_frame(rules);
    };
    for (int i = 0; i < count - 1; ++i) play(i);
    if (rules.config.maxpool && count > 1) {
        rules.plan.draw(machine_, scratch.previous);
        play(count - 1);
        rules.plan.draw(machine_, scratch.current);
        max_pool(scratch.previous, scratch.current);
        changes_.forget();  // what was pooled is not what the display shows
        rules.plan.scale(scratch.current, scratch.row, next_frame(rules));
    } else {
        play(count - 1);
        push_frame(rules, scratch);
    }
}

void Slot::play_frame(const Rules& rules) {
    if (rules.config.hooks.empty()) {
        run_frame(machine_, rules.setup());
    } else {
        CallCounter counter{rules.config.hooks, readings_.calls()};
        run_frame_hooked(machine_, rules.setup(), rules.hooks, count_call, &counter);
    }
    ++progress_.frames;
}

void Slot::hold(const Action& action) {
    machine_.state.keys = action.keys;
    machine_.state.kempston = action.kempston;
}

double Slot::reward(const Rules& rules, double* parts) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < rules.rewards.size(); ++i) {
        const double part = readings_.evaluate(rules.rewards[i]);
        if (parts != nullptr) parts[i] = part;
        sum = saturated(sum + part);
    }
    return sum;
}

void Slot::find_allowed(const Rules& rules) {
    const auto noop = static_cast<std::size_t>(rules.config.noop_action);
    for (std::size_t i = 0; i < allowed_.size(); ++i) {
        const Expression& condition = rules.masks[i];
        allowed_[i] = i == noop || condition.empty() || readings_.holds(condition) ? 1 : 0;
    }
}

void Slot::note_stall(const Rules& rules) {
    if (rules.config.stall_steps == 0) return;
    const double value = readings_.evaluate(rules.stall_value);
    progress_.steps_unchanged = value == progress_.stall_value ? progress_.steps_unchanged + 1 : 0;
    progress_.stall_value = value;
}

Outcome Slot::judge(const Rules& rules) const {
    const BatchConfig& config = rules.config;
    if (readings_.holds(rules.win)) return Outcome::win;
    if (readings_.holds(rules.loss)) return Outcome::loss;
    if (config.episodic_life) {
        const auto lives = static_cast<std::size_t>(config.lives_variable);
        if (readings_.variables()[lives] < readings_.variables_before()[lives]) return Outcome::life_lost;
    }
    const bool out_of_steps = config.max_steps > 0 && progress_.episode_length >= config.max_steps;
    const bool out_of_frames = config.max_frames > 0 && progress_.episode_frames >= config.max_frames;
    const bool stalled = config.stall_steps > 0 && progress_.steps_unchanged >= config.stall_steps;
    return out_of_steps || out_of_frames || stalled ? Outcome::truncated : Outcome::running;
}

/// Writes what shows where the environment stands.
void Slot::show(const Rules& rules, const OutputRow& out) const {
    copy_frames(out.observation);
    std::ranges::copy(readings_.variables(), out.variables);
    if (out.action_mask != nullptr) {
        for (std::size_t i = 0; i < rules.num_actions(); ++i) out.action_mask[i] = allowed_.empty() || allowed_[i] != 0;
    }
    if (out.start != nullptr) *out.start = progress_.start;
    if (out.ram != nullptr) copy_visible_ram(machine_, out.ram);
}

/// The same of an episode that is about to be followed by the next.
void Slot::show_final(const OutputRow& out) const {
    copy_frames(out.final_observation);
    std::ranges::copy(readings_.variables(), out.final_variables);
    if (out.final_ram != nullptr) copy_visible_ram(machine_, out.final_ram);
}

void Slot::write_figures(const OutputRow& out) const {
    *out.episode_return = progress_.episode_return;
    *out.episode_length = progress_.episode_length;
    *out.episode_frame_number = progress_.episode_frames;
}

std::uint8_t* Slot::next_frame(const Rules& rules) {
    std::uint8_t* const frame = frames_.data() + oldest_;
    oldest_ = (oldest_ + rules.plan.frame_bytes()) % frames_.size();
    return frame;
}

void Slot::push_frame(const Rules& rules, ObservationScratch& scratch) {
    const std::size_t newest = (oldest_ == 0 ? frames_.size() : oldest_) - rules.plan.frame_bytes();
    rules.plan.update(machine_, changes_, scratch, frames_.data() + newest, next_frame(rules));
}

void Slot::copy_frames(std::uint8_t* out) const {
    const std::size_t tail = frames_.size() - oldest_;
    std::memcpy(out, frames_.data() + oldest_, tail);
    std::memcpy(out + tail, frames_.data(), oldest_);
}

}  // namespace oakemu
