// SPDX-License-Identifier: GPL-3.0-or-later
#include "fingerprint.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

namespace oakemu {
namespace {

/// FNV-1a over the values given to it, 64 bits.
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
    /// As many times as there are rows: `add_row(row)`.
    template <typename Rows, typename AddRow>
    void add_rows(const Rows& rows, AddRow add_row) {
        add(rows.size());
        for (const auto& row : rows) add_row(row);
    }
    void add_code(const std::vector<Instruction>& code) {
        add_rows(code, [this](const Instruction& instruction) { add(instruction.op, instruction.operand); });
    }
    void add_programs(const std::vector<std::vector<Instruction>>& programs) {
        add_rows(programs, [this](const auto& code) { add_code(code); });
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

void add_machine(Fingerprint& print, const BatchConfig& config) {
    print.add_bytes(config.rom);
    print.add_rows(config.start_states, [&](const auto& start) { print.add_bytes(start); });
    print.add_rows(config.start_weights, [&](double weight) { print.add(weight); });
    print.add(config.contention);
}

void add_playing(Fingerprint& print, const BatchConfig& config) {
    print.add_rows(config.actions, [&](const Action& action) {
        print.add_bytes(std::as_bytes(std::span(action.keys)));
        print.add(action.kempston);
    });
    print.add(config.noop_action, config.frameskip.first, config.frameskip.second, config.repeat_action_probability);
    print.add(config.noops.first, config.noops.second);
    print.add_rows(config.random_pokes, [&](const RandomPoke& poke) { print.add(poke.address, poke.num_bytes); });
    print.add(config.max_steps, config.max_frames, config.stall_steps);
}

void add_observation(Fingerprint& print, const BatchConfig& config) {
    print.add(config.area.x, config.area.y, config.area.width, config.area.height);
    print.add(config.size.first, config.size.second, config.colour, config.stack, config.maxpool);
}

void add_game(Fingerprint& print, const BatchConfig& config) {
    print.add_rows(config.variables, [&](const Variable& variable) {
        print.add(variable.address, variable.type, variable.num_bytes, variable.low, variable.high);
        print.add(variable.items, variable.stride, variable.reduction, variable.value);
    });
    print.add_rows(config.hooks, [&](std::uint16_t hook) { print.add(hook); });
    for (const auto* programs : {&config.derived, &config.rewards, &config.masks}) print.add_programs(*programs);
    for (const auto* code : {&config.win, &config.loss, &config.stall_value}) print.add_code(*code);
    print.add(config.lives_variable, config.episodic_life, config.reward_clipping);
}

}  // namespace

std::uint64_t fingerprint_of(const BatchConfig& config) {
    Fingerprint print;
    add_machine(print, config);
    add_playing(print, config);
    add_observation(print, config);
    add_game(print, config);
    return print.value();
}

}  // namespace oakemu
