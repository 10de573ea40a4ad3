// SPDX-License-Identifier: GPL-3.0-or-later
#include "slot.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "snapshot.hpp"

namespace oakemu {
namespace {

constexpr char kSlotKind[5] = "OAKB";
constexpr std::uint32_t kSlotVersion = 2;

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
      variables_(rules.config.variables.size()),
      before_(rules.config.variables.size()),
      calls_(rules.config.hooks.size()) {}

void Slot::seed(std::uint64_t seed) {
    random_ = Random(seed);
    progress_.frames = 0;
    if (progress_.phase == Phase::life_lost) progress_.phase = Phase::ended;
}

bool Slot::can_step(const Rules& rules) const {
    if (progress_.phase == Phase::running) return true;
    return progress_.phase != Phase::fresh && rules.config.autoreset == Autoreset::next_step;
}

void Slot::reset(const Rules& rules, ObservationScratch& scratch, const OutputRow& out) {
    begin_episode(rules, scratch);
    observe(out);
}

void Slot::observe(const OutputRow& out) const {
    copy_frames(out.observation);
    std::copy(variables_.begin(), variables_.end(), out.variables);
    *out.reward = 0.0;
    *out.terminated = false;
    *out.truncated = false;
    *out.outcome = static_cast<std::uint8_t>(Outcome::running);
    *out.action_taken = kNoAction;
    *out.episode_return = progress_.episode_return;
    *out.episode_length = progress_.episode_length;
    *out.episode_frame_number = progress_.episode_frames;
    *out.frame_number = progress_.frames;
}

void Slot::step(const Rules& rules, int action, ObservationScratch& scratch, const OutputRow& out) {
    const BatchConfig& config = rules.config;
    if (progress_.phase != Phase::running) {
        reset(rules, scratch, out);
        return;
    }
    if (config.repeat_action_probability > 0.0 && random_.uniform() < config.repeat_action_probability) action = progress_.last_action;
    progress_.last_action = action;
    int count = random_.between(config.frameskip.first, config.frameskip.second);
    // No episode is longer than max_frames: the last step is cut short.
    if (config.max_frames > 0) count = static_cast<int>(std::min<std::int64_t>(count, config.max_frames - progress_.episode_frames));

    hold(config.actions[static_cast<std::size_t>(action)]);
    play_frames(rules, count, scratch);
    std::swap(before_, variables_);
    read_variables(rules);
    ++progress_.episode_length;
    progress_.episode_frames += count;

    const double reward = rules.reward.empty() ? 0.0 : rules.reward.evaluate(variables_, before_, calls_);
    const Outcome outcome = judge(rules);
    progress_.episode_return += reward;
    if (outcome != Outcome::running) progress_.phase = outcome == Outcome::life_lost ? Phase::life_lost : Phase::ended;

    copy_frames(out.observation);
    std::copy(variables_.begin(), variables_.end(), out.variables);
    *out.reward = config.reward_clipping ? static_cast<double>((reward > 0.0) - (reward < 0.0)) : reward;
    *out.truncated = outcome == Outcome::truncated;
    *out.terminated = outcome != Outcome::running && outcome != Outcome::truncated;
    *out.outcome = static_cast<std::uint8_t>(outcome);
    *out.action_taken = action;
    *out.episode_return = progress_.episode_return;
    *out.episode_length = progress_.episode_length;
    *out.episode_frame_number = progress_.episode_frames;
    if (outcome != Outcome::running && config.autoreset == Autoreset::same_step) {
        std::memcpy(out.final_observation, out.observation, rules.observation_bytes());
        std::copy(variables_.begin(), variables_.end(), out.final_variables);
        begin_episode(rules, scratch);
        copy_frames(out.observation);
        std::copy(variables_.begin(), variables_.end(), out.variables);
    }
    *out.frame_number = progress_.frames;
}

void Slot::begin_episode(const Rules& rules, ObservationScratch& scratch) {
    const BatchConfig& config = rules.config;
    const bool goes_on = progress_.phase == Phase::life_lost;
    if (!goes_on) {
        machine_ = rules.starts[static_cast<std::size_t>(random_.between(0, static_cast<int>(rules.starts.size()) - 1))];
        for (const RandomPoke& poke : config.random_pokes) {
            for (int i = 0; i < poke.num_bytes; ++i) machine_.at(static_cast<std::uint16_t>(poke.address + i)) = random_.byte();
        }
        hold(config.actions[static_cast<std::size_t>(config.noop_action)]);
        for (int count = random_.between(config.noops.first, config.noops.second); count > 0; --count) {
            run_frame(machine_, rules.setup());
            ++progress_.frames;
        }
    }
    hold(Action{});
    progress_ = {.frames = progress_.frames, .last_action = config.noop_action, .phase = Phase::running};
    for (int i = 0; i < config.stack; ++i) push_frame(rules, scratch);
    read_variables(rules);
}

void Slot::play_frames(const Rules& rules, int count, ObservationScratch& scratch) {
    std::fill(calls_.begin(), calls_.end(), 0U);
    for (int i = 0; i < count - 1; ++i) play_frame(rules);
    if (rules.config.maxpool && count > 1) {
        rules.plan.draw(machine_, scratch.previous);
        play_frame(rules);
        rules.plan.draw(machine_, scratch.current);
        max_pool(scratch.previous, scratch.current);
        changes_.forget();  // what was pooled is not what the display shows
        rules.plan.scale(scratch.current, scratch.row, next_frame(rules));
    } else {
        play_frame(rules);
        push_frame(rules, scratch);
    }
}

void Slot::play_frame(const Rules& rules) {
    if (calls_.empty()) {
        run_frame(machine_, rules.setup());
    } else {
        CallCounter counter{rules.config.hooks, calls_};
        run_frame_hooked(machine_, rules.setup(), rules.hooks, count_call, &counter);
    }
    ++progress_.frames;
}

void Slot::hold(const Action& action) {
    machine_.state.keys = action.keys;
    machine_.state.kempston = action.kempston;
}

void Slot::read_variables(const Rules& rules) {
    for (std::size_t i = 0; i < variables_.size(); ++i) variables_[i] = read_variable(machine_, rules.config.variables[i]);
}

Outcome Slot::judge(const Rules& rules) const {
    const BatchConfig& config = rules.config;
    const auto holds = [this](const Expression& condition) {
        return !condition.empty() && condition.evaluate(variables_, before_, calls_) != 0.0;
    };
    if (holds(rules.win)) return Outcome::win;
    if (holds(rules.loss)) return Outcome::loss;
    if (config.episodic_life) {
        const auto lives = static_cast<std::size_t>(config.lives_variable);
        if (variables_[lives] < before_[lives]) return Outcome::life_lost;
    }
    const bool out_of_steps = config.max_steps > 0 && progress_.episode_length >= config.max_steps;
    const bool out_of_frames = config.max_frames > 0 && progress_.episode_frames >= config.max_frames;
    return out_of_steps || out_of_frames ? Outcome::truncated : Outcome::running;
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

std::vector<std::byte> Slot::save(const Rules& rules) const {
    static_assert(std::has_unique_object_representations_v<Random::Words> && sizeof(Progress) == 40 && sizeof(SavedHead) == 80);
    const SavedHead head{rules.fingerprint, random_.words(), progress_};
    const Model model = machine_.state.model;
    std::vector<std::byte> bytes(kSavedHeader + sizeof head + saved_size(model) + frames_.size());
    const auto payload = std::span(bytes).subspan(kSavedHeader);
    std::memcpy(payload.data(), &head, sizeof head);
    oakemu::save(machine_, payload.subspan(sizeof head, saved_size(model)));
    copy_frames(reinterpret_cast<std::uint8_t*>(payload.data() + sizeof head + saved_size(model)));
    seal(bytes, kSlotKind, kSlotVersion, model);
    return bytes;
}

void Slot::restore(const Rules& rules, std::span<const std::byte> bytes) {
    const std::span<const std::byte> payload = unseal(bytes, kSlotKind, kSlotVersion);
    SavedHead head{};
    if (payload.size() < sizeof head + frames_.size()) throw std::invalid_argument("saved environment: of another configuration");
    std::memcpy(&head, payload.data(), sizeof head);
    if (head.fingerprint != rules.fingerprint) {
        throw std::invalid_argument("saved environment: of another configuration (game, actions, observation or limits differ)");
    }
    const bool sane = head.progress.phase <= Phase::life_lost && head.progress.last_action >= 0 &&
                      static_cast<std::size_t>(head.progress.last_action) < rules.config.actions.size() &&
                      head.progress.episode_length >= 0 && head.progress.episode_frames >= 0 && head.progress.frames >= 0 &&
                      (rules.config.max_frames == 0 || head.progress.episode_frames <= rules.config.max_frames) &&
                      head.stream != Random::Words{};
    if (!sane) throw std::invalid_argument("saved environment: damaged");
    const SavedMachine saved =
        read_saved(payload.subspan(sizeof head, payload.size() - sizeof head - frames_.size()), machine_.state.model);

    // Nothing below can fail.
    saved.put_into(machine_);
    random_ = Random(head.stream);
    progress_ = head.progress;
    std::memcpy(frames_.data(), payload.data() + (payload.size() - frames_.size()), frames_.size());
    oldest_ = 0;
    changes_.forget();
    read_variables(rules);
}

}  // namespace oakemu
