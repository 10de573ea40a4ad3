// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "machine.hpp"
#include "observation.hpp"
#include "program.hpp"
#include "start_choice.hpp"
#include "variable.hpp"

namespace oakemu {

/// When an environment whose episode has ended starts the next one, as in gymnasium.vector.AutoresetMode.
enum class Autoreset : std::uint8_t {
    next_step,  ///< the next step resets instead of playing; its action is ignored
    same_step,  ///< at once; the last observation goes to final_observations
    disabled    ///< never; the caller resets
};

/// The mode called `name`. Throws std::invalid_argument that lists the modes.
Autoreset autoreset_from_name(std::string_view name);

/// What an action holds down.
struct Action {
    std::array<std::uint8_t, 8> keys{};  ///< as State::keys
    std::uint8_t kempston = 0;           ///< as State::kempston
};

/// A program for the stack machine; an empty one stands for nothing.
using Code = std::vector<Instruction>;

/// Bytes of RAM that a reset fills at random.
struct RandomPoke {
    std::uint16_t address = 0;
    int num_bytes = 1;
};

/// Everything that makes a batch, as the caller gives it. Rules checks it.
struct BatchConfig {
    std::vector<std::byte> rom{};                        ///< 16,384 bytes, or 32,768 for the two ROMs of a 128K machine
    std::vector<std::vector<std::byte>> start_states{};  ///< saved machines; a reset chooses one
    std::vector<double> start_weights{};                 ///< how likely each is, in proportion; empty: all alike
    int num_envs = 1;
    int num_threads = 1;
    bool contention = true;

    std::vector<Action> actions{};
    int noop_action = 0;
    std::pair<int, int> frameskip{1, 1};  ///< frames a step, low and high, both included
    double repeat_action_probability = 0.0;

    std::pair<int, int> noops{0, 0};  ///< frames of noop_action at a reset, low and high, both included
    std::vector<RandomPoke> random_pokes{};
    std::int64_t max_steps = 0;   ///< steps after which an episode is truncated; 0: never
    std::int64_t max_frames = 0;  ///< frames after which an episode is truncated, no-op frames not counted; 0: never
    Code stall_value{};
    std::int64_t stall_steps = 0;  ///< an episode is truncated when stall_value has stayed the same for so many steps; 0: never

    Area area{};
    std::pair<int, int> size{256, 192};  ///< width, height; Colour::attributes has the size of its cells instead
    Colour colour = Colour::grey;
    int stack = 1;
    bool maxpool = false;

    std::vector<Variable> variables{};
    /// Further variables, computed in order and rounded to whole numbers (halves to even ones). Each may name those before it and, as
    /// they were before the step, all: itself, too. At a reset, what is not computed yet was 0 before.
    std::vector<Code> derived{};
    std::vector<std::uint16_t> hooks{};
    std::vector<Code> rewards{};  ///< the parts of the reward, which is their sum in this order
    Code win{}, loss{};           ///< empty: never
    /// Which actions are allowed in the next step: a program for each, of which an empty one always holds, or none at all. The no-op
    /// is always allowed, and played in place of an action that is not.
    std::vector<Code> masks{};
    int lives_variable = -1;  ///< its index, derived ones included, or -1
    bool episodic_life = false;
    bool reward_clipping = false;
    Autoreset autoreset = Autoreset::next_step;
};

/// A checked configuration in the form in which slots use it. Shared by all slots and never changed.
struct Rules {
    /// Throws std::invalid_argument that names the setting, what was given and what is allowed.
    explicit Rules(const BatchConfig& given);

    Setup setup() const { return {.roms = &roms, .timing = config.contention ? Timing::exact : Timing::uncontended}; }

    std::size_t observation_bytes() const { return static_cast<std::size_t>(config.stack) * plan.frame_bytes(); }
    std::size_t num_variables() const { return config.variables.size() + config.derived.size(); }
    std::size_t num_actions() const { return config.actions.size(); }

    BatchConfig config;           ///< rom and start_states are empty: they are below, and so are the programs as they are run
    std::vector<Machine> starts;  ///< all of one model
    StartChoice start_choice;
    RomSet roms;
    ObservationPlan plan;
    VariablesInOrder variables;
    Hooks hooks;
    std::vector<Expression> derived, rewards, masks;
    Expression win, loss, stall_value;
    std::uint64_t fingerprint = 0;  ///< see fingerprint_of()
};

}  // namespace oakemu
