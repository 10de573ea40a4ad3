// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_config.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>

#include "fingerprint.hpp"
#include "snapshot.hpp"

namespace oakemu {
namespace {

constexpr int kMaxStack = 64;
constexpr std::size_t kMaxCount = 10'000;  ///< of variables and of hooks: more is a mistake, and programs number them in 16 bits
constexpr int kMaxFrames = 1'000'000;      ///< of one step or of the no-op start: more is a mistake

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

/// Runs `make` and puts the name of the setting before what it has to complain about.
template <typename Make>
auto named(const std::string& setting, Make make) {
    try {
        return make();
    } catch (const std::invalid_argument& error) {
        refuse(setting + ": " + error.what());
    }
}

std::string text(std::pair<int, int> range) { return "(" + std::to_string(range.first) + ", " + std::to_string(range.second) + ")"; }

void check_range(const char* setting, std::pair<int, int> range, int low) {
    if (range.first >= low && range.first <= range.second && range.second <= kMaxFrames) return;
    refuse(std::string(setting) + " " + text(range) + ": wanted " + std::to_string(low) +
           " <= low <= high <= " + std::to_string(kMaxFrames));
}

void check_count(const char* setting, std::size_t count) {
    if (count <= kMaxCount) return;
    refuse(std::string(setting) + ": " + std::to_string(count) + " given, allowed are up to " + std::to_string(kMaxCount));
}

void check_numbers(const BatchConfig& config) {
    constexpr int max_envs = std::numeric_limits<int>::max() / 2;  // so that counting them never overflows
    if (config.num_envs < 1 || config.num_envs > max_envs)
        refuse("num_envs " + std::to_string(config.num_envs) + ": there must be at least 1");
    if (config.num_threads < 1) refuse("num_threads " + std::to_string(config.num_threads) + ": there must be at least 1");
    check_range("frameskip", config.frameskip, 1);
    check_range("noops", config.noops, 0);
    if (!(config.repeat_action_probability >= 0.0 && config.repeat_action_probability <= 1.0)) {
        refuse("repeat_action_probability " + std::to_string(config.repeat_action_probability) + ": a probability is 0 to 1");
    }
    if (config.max_steps < 0) refuse("max_steps " + std::to_string(config.max_steps) + ": wanted 0 (no limit) or more");
    if (config.max_frames < 0) refuse("max_frames " + std::to_string(config.max_frames) + ": wanted 0 (no limit) or more");
    if (config.stack < 1 || config.stack > kMaxStack) {
        refuse("stack " + std::to_string(config.stack) + ": wanted 1 to " + std::to_string(kMaxStack));
    }
}

void check_actions(const BatchConfig& config, std::span<const Machine> starts) {
    if (config.actions.empty()) refuse("actions: there must be at least one");
    bool uses_kempston = false;
    for (std::size_t i = 0; i < config.actions.size(); ++i) {
        const Action& action = config.actions[i];
        const bool five_bits =
            action.kempston <= 31 && std::all_of(action.keys.begin(), action.keys.end(), [](auto row) { return row <= 31; });
        if (!five_bits) refuse("actions: row " + std::to_string(i) + " has a mask above 31, the five keys of a half row");
        uses_kempston = uses_kempston || action.kempston != 0;
    }
    const bool fitted = std::all_of(starts.begin(), starts.end(), [](const Machine& start) { return start.state.kempston_fitted != 0; });
    if (uses_kempston && !fitted) refuse("actions: one uses the Kempston joystick, which is not fitted in every start state");
    if (config.noop_action < 0 || static_cast<std::size_t>(config.noop_action) >= config.actions.size()) {
        refuse("noop_action " + std::to_string(config.noop_action) + ": there are " + std::to_string(config.actions.size()) + " actions");
    }
}

void check_memory(const BatchConfig& config) {
    for (const RandomPoke& poke : config.random_pokes) {
        if (poke.address < 0x4000 || poke.num_bytes < 1 || poke.num_bytes > 0x10000 - poke.address) {
            refuse("random_pokes: " + std::to_string(poke.num_bytes) + " byte(s) at " + std::to_string(poke.address) +
                   " must be at least one and lie in RAM, 16384 to 65535");
        }
    }
    for (std::size_t i = 0; i < config.variables.size(); ++i) {
        named("variables: row " + std::to_string(i), [&] { check_variable(config.variables[i]); });
    }
    const auto num_variables = static_cast<int>(config.variables.size() + config.derived.size());
    if (config.lives_variable < -1 || config.lives_variable >= num_variables) {
        refuse("lives_variable " + std::to_string(config.lives_variable) + ": wanted -1 (none) or one of the " +
               std::to_string(num_variables) + " variables");
    }
    if (config.episodic_life && config.lives_variable < 0) refuse("episodic_life: needs a lives_variable");
}

void check_programs(const BatchConfig& config) {
    for (std::size_t i = 0; i < config.rewards.size(); ++i) {
        if (config.rewards[i].empty()) refuse("rewards: program " + std::to_string(i) + " is empty");
    }
    if (!config.masks.empty() && config.masks.size() != config.actions.size()) {
        refuse("masks: " + std::to_string(config.masks.size()) + " program(s) given for " + std::to_string(config.actions.size()) +
               " actions; wanted none or one for each");
    }
    if (config.stall_steps < 0) refuse("stall_steps " + std::to_string(config.stall_steps) + ": wanted 0 (never) or more");
    if (config.stall_steps > 0 && config.stall_value.empty()) {
        refuse("stall_steps " + std::to_string(config.stall_steps) + ": needs a stall_value");
    }
    if (config.maxpool && config.colour == Colour::attributes) refuse("maxpool: colour 'attributes' has no pixels to pool");
}

std::vector<Machine> make_starts(const BatchConfig& config) {
    if (config.start_states.empty()) refuse("start_states: there must be at least one");
    std::vector<Machine> starts;
    for (std::size_t i = 0; i < config.start_states.size(); ++i) {
        const std::string item = "start_states: item " + std::to_string(i);
        starts.push_back(named(item, [&] { return restored(config.start_states[i]); }));
        if (starts[i].state.model != starts[0].state.model) refuse(item + " is of another model than item 0");
    }
    return starts;
}

/// Compiles all programs of a configuration.
class Compiler {
public:
    explicit Compiler(const BatchConfig& config)
        : plain_(static_cast<int>(config.variables.size())),
          scope_{plain_ + static_cast<int>(config.derived.size()), plain_ + static_cast<int>(config.derived.size()),
                 static_cast<int>(config.hooks.size())} {}

    Expression one(const std::string& setting, const Code& code) const { return compile(setting, code, scope_); }

    std::vector<Expression> list(const char* setting, const std::vector<Code>& programs) const {
        std::vector<Expression> made;
        for (const Code& code : programs) made.push_back(compile(program_name(setting, made.size()), code, scope_));
        return made;
    }

    std::vector<Expression> derived(const std::vector<Code>& programs) const {
        std::vector<Expression> made;
        for (const Code& code : programs) {
            const std::string name = program_name("derived", made.size());
            if (code.empty()) refuse(name + " is empty");
            Scope scope = scope_;
            scope.variables = plain_ + static_cast<int>(made.size());
            made.push_back(compile(name, code, scope));
        }
        return made;
    }

private:
    static std::string program_name(const char* setting, std::size_t index) {
        return std::string(setting) + ": program " + std::to_string(index);
    }
    static Expression compile(const std::string& name, const Code& code, const Scope& scope) {
        return named(name, [&] { return Expression(code, scope); });
    }

    int plain_;
    Scope scope_;
};

/// Where two settings mean the same, one of them. What programs refer to by number is counted first.
BatchConfig normalised(BatchConfig config) {
    check_count("variables", config.variables.size());
    check_count("derived", config.derived.size());
    check_count("hooks", config.hooks.size());
    if (config.start_weights.empty()) config.start_weights.assign(config.start_states.size(), 1.0);
    if (config.colour == Colour::attributes) config.size = {256, 192};
    return config;
}

}  // namespace

Autoreset autoreset_from_name(std::string_view name) {
    if (name == "next_step") return Autoreset::next_step;
    if (name == "same_step") return Autoreset::same_step;
    if (name == "disabled") return Autoreset::disabled;
    refuse("'" + std::string(name) + "' is no autoreset mode; known: next_step, same_step, disabled");
}

Rules::Rules(const BatchConfig& given)
    : config(normalised(given)),
      starts(make_starts(given)),
      start_choice(given.start_weights, starts.size()),
      roms(make_rom_set(starts.front().state.model, given.rom)),
      plan(config.area, config.size.first, config.size.second, config.colour),
      variables(in_reading_order(given.variables)),
      derived(Compiler(given).derived(given.derived)),
      rewards(Compiler(given).list("rewards", given.rewards)),
      masks(Compiler(given).list("masks", given.masks)),
      win(Compiler(given).one("win", given.win)),
      loss(Compiler(given).one("loss", given.loss)),
      stall_value(Compiler(given).one("stall_value", given.stall_value)),
      fingerprint(fingerprint_of(config)) {
    check_numbers(given);
    check_actions(given, starts);
    check_memory(given);
    check_programs(given);
    for (const std::uint16_t hook : given.hooks) hooks.set(hook);
    config.rom.clear();
    config.start_states.clear();
}

}  // namespace oakemu
