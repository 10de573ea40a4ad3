// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch_config.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "snapshot.hpp"

namespace oakemu {
namespace {

constexpr int kMaxStack = 64;
constexpr int kMaxFrames = 1'000'000;  ///< of one step or of the no-op start: more is a mistake

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
    const auto num_variables = static_cast<int>(config.variables.size());
    if (config.lives_variable < -1 || config.lives_variable >= num_variables) {
        refuse("lives_variable " + std::to_string(config.lives_variable) + ": wanted -1 (none) or one of the " +
               std::to_string(num_variables) + " variables");
    }
    if (config.episodic_life && config.lives_variable < 0) refuse("episodic_life: needs a lives_variable");
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

Expression make_expression(const char* setting, const std::vector<Instruction>& code, const BatchConfig& config) {
    return named(setting,
                 [&] { return Expression(code, static_cast<int>(config.variables.size()), static_cast<int>(config.hooks.size())); });
}

/// FNV-1a over the values given to it, 64 bits. Tells configurations apart; it is no protection against malice.
class Fingerprint {
public:
    template <typename... Values>
    void add(Values... values) {
        (add_value(values), ...);
    }
    void add_bytes(std::span<const std::byte> bytes) {
        add(bytes.size());
        for (const std::byte byte : bytes) mix(std::to_integer<std::uint64_t>(byte));
    }
    std::uint64_t value() const { return value_; }

private:
    template <typename Value>
    void add_value(Value value) {
        static_assert(std::is_arithmetic_v<Value> || std::is_enum_v<Value>);
        std::array<std::byte, sizeof(Value)> bytes{};
        std::memcpy(bytes.data(), &value, sizeof value);
        for (const std::byte byte : bytes) mix(std::to_integer<std::uint64_t>(byte));
    }
    void mix(std::uint64_t byte) { value_ = (value_ ^ byte) * 0x100000001B3U; }

    std::uint64_t value_ = 0xCBF29CE484222325U;
};

std::uint64_t make_fingerprint(const BatchConfig& config) {
    Fingerprint print;
    print.add_bytes(config.rom);
    print.add(config.start_states.size());
    for (const auto& start : config.start_states) print.add_bytes(start);
    print.add(config.contention, config.actions.size());
    for (const Action& action : config.actions) {
        print.add_bytes(std::as_bytes(std::span(action.keys)));
        print.add(action.kempston);
    }
    print.add(config.noop_action, config.frameskip.first, config.frameskip.second, config.repeat_action_probability, config.noops.first,
              config.noops.second, config.random_pokes.size());
    for (const RandomPoke& poke : config.random_pokes) print.add(poke.address, poke.num_bytes);
    print.add(config.max_steps, config.max_frames, config.area.x, config.area.y, config.area.width, config.area.height, config.size.first,
              config.size.second, config.colour, config.stack, config.maxpool, config.variables.size());
    for (const Variable& variable : config.variables)
        print.add(variable.address, variable.type, variable.count, variable.low, variable.high);
    print.add(config.hooks.size());
    for (const std::uint16_t hook : config.hooks) print.add(hook);
    for (const auto* code : {&config.reward, &config.win, &config.loss}) {
        print.add(code->size());
        for (const Instruction& instruction : *code) print.add(instruction.op, instruction.operand);
    }
    print.add(config.lives_variable, config.episodic_life, config.reward_clipping);
    return print.value();
}

}  // namespace

Autoreset autoreset_from_name(std::string_view name) {
    if (name == "next_step") return Autoreset::next_step;
    if (name == "same_step") return Autoreset::same_step;
    if (name == "disabled") return Autoreset::disabled;
    refuse("'" + std::string(name) + "' is no autoreset mode; known: next_step, same_step, disabled");
}

Rules::Rules(const BatchConfig& given)
    : config(given),
      starts(make_starts(given)),
      roms(make_rom_set(starts.front().state.model, given.rom)),
      plan(given.area, given.size.first, given.size.second, given.colour),
      reward(make_expression("reward", given.reward, given)),
      win(make_expression("win", given.win, given)),
      loss(make_expression("loss", given.loss, given)),
      fingerprint(make_fingerprint(given)) {
    check_numbers(given);
    check_actions(given, starts);
    check_memory(given);
    for (const std::uint16_t hook : given.hooks) hooks.set(hook);
    config.rom.clear();
    config.start_states.clear();
}

}  // namespace oakemu
