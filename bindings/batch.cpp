// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "checks.hpp"
#include "outputs.hpp"
#include "snapshot.hpp"
#include "video.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace oakemu {
namespace {

using Code = std::vector<std::pair<std::string, double>>;
using Ints = std::vector<std::int64_t>;
using Pokes = std::vector<std::pair<std::int64_t, std::int64_t>>;
using Variables = std::vector<std::tuple<std::int64_t, std::string, std::int64_t, std::int64_t, std::int64_t>>;

std::vector<std::byte> copy_bytes(const nb::bytes& bytes) {
    const auto* data = static_cast<const std::byte*>(bytes.data());
    return {data, data + bytes.size()};
}

nb::bytes to_bytes(const std::vector<std::byte>& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

/// Puts the name of the setting and the number of the row before what is wrong with it.
template <typename Row>
auto in_row(const char* setting, std::size_t row, Row convert) {
    try {
        return convert();
    } catch (const std::exception& error) {
        throw nb::value_error((std::string(setting) + ": row " + std::to_string(row) + ": " + error.what()).c_str());
    }
}

template <typename Given, typename Convert>
auto convert_rows(const char* setting, const std::vector<Given>& rows, Convert convert) {
    std::vector<decltype(convert(rows.front()))> converted;
    for (std::size_t i = 0; i < rows.size(); ++i) converted.push_back(in_row(setting, i, [&] { return convert(rows[i]); }));
    return converted;
}

std::uint16_t to_address(std::int64_t address) { return static_cast<std::uint16_t>(check_range("address", address, 0, 0xFFFF)); }
int to_int(const char* name, std::int64_t value) { return static_cast<int>(check_range(name, value, INT32_MIN, INT32_MAX)); }
std::uint8_t to_byte(const char* name, std::int64_t value) { return static_cast<std::uint8_t>(check_range(name, value, 0, 255)); }

std::vector<Instruction> to_code(const char* setting, const Code& code) {
    return convert_rows(setting, code, [](const auto& row) { return Instruction{op_from_name(row.first), row.second}; });
}

std::vector<Action> to_actions(const nb::object& given) {
    AnyArray<nb::ro> array;
    const bool counts = nb::try_cast(given, array, false) && array.ndim() == 2;
    const std::size_t rows = counts ? array.shape(0) : 1;
    const auto* masks = checked_array<const std::uint8_t>("actions", given, {rows, 9});
    std::vector<Action> actions(rows);
    for (Action& action : actions) {
        std::copy_n(masks, 8, action.keys.begin());
        action.kempston = masks[8];
        masks += 9;
    }
    return actions;
}

std::vector<Variable> to_variables(const Variables& rows) {
    return convert_rows("variables", rows, [](const auto& row) {
        const auto& [address, type, count, low, high] = row;
        return Variable{to_address(address), variable_type_from_name(type), to_byte("count", count), to_byte("low", low),
                        to_byte("high", high)};
    });
}

void construct(Batch* place, const nb::bytes& rom, const std::vector<nb::bytes>& start_states, std::int64_t num_envs,
               std::int64_t num_threads, bool contention, const nb::object& actions, std::int64_t noop_action,
               std::pair<int, int> frameskip, double repeat_action_probability, std::pair<int, int> noops, const Pokes& random_pokes,
               std::int64_t max_steps, std::int64_t max_frames, std::tuple<int, int, int, int> area, std::pair<int, int> size,
               const std::string& colour, int stack, bool maxpool, const Variables& variables, const Ints& hooks, const Code& reward,
               const Code& win, const Code& loss, std::int64_t lives_variable, bool episodic_life, bool reward_clipping,
               const std::string& autoreset) {
    BatchConfig config;
    config.rom = copy_bytes(rom);
    for (const nb::bytes& state : start_states) config.start_states.push_back(copy_bytes(state));
    config.num_envs = to_int("num_envs", num_envs);
    config.num_threads = to_int("num_threads", num_threads);
    config.contention = contention;
    config.actions = to_actions(actions);
    config.noop_action = to_int("noop_action", noop_action);
    config.frameskip = frameskip;
    config.repeat_action_probability = repeat_action_probability;
    config.noops = noops;
    config.random_pokes = convert_rows("random_pokes", random_pokes,
                                       [](const auto& row) { return RandomPoke{to_address(row.first), to_int("num_bytes", row.second)}; });
    config.max_steps = max_steps;
    config.max_frames = max_frames;
    std::tie(config.area.x, config.area.y, config.area.width, config.area.height) = area;
    config.size = size;
    config.colour = colour_from_name(colour);
    config.stack = stack;
    config.maxpool = maxpool;
    config.variables = to_variables(variables);
    config.hooks = convert_rows("hooks", hooks, to_address);
    config.reward = to_code("reward", reward);
    config.win = to_code("win", win);
    config.loss = to_code("loss", loss);
    config.lives_variable = to_int("lives_variable", lives_variable);
    config.episodic_life = episodic_life;
    config.reward_clipping = reward_clipping;
    config.autoreset = autoreset_from_name(autoreset);
    new (place) Batch(config);
}

std::size_t count(const Batch& batch) { return static_cast<std::size_t>(batch.num_envs()); }

std::span<const bool> to_mask(const Batch& batch, const nb::object& mask) {
    if (mask.is_none()) return {};
    return {checked_array<const bool>("mask", mask, {count(batch)}), count(batch)};
}

void seed(Batch& batch, const nb::object& seeds, const nb::object& mask) {
    batch.seed({checked_array<const std::uint64_t>("seeds", seeds, {count(batch)}), count(batch)}, to_mask(batch, mask));
}

void observe(const Batch& batch, const nb::object& mask, const OutputArrays& outputs) {
    const std::span<const bool> marked = to_mask(batch, mask);
    const Outputs& view = checked_outputs(outputs, batch);
    const nb::gil_scoped_release release;
    batch.observe(marked, view);
}

void reset(Batch& batch, const nb::object& mask, const OutputArrays& outputs) {
    const std::span<const bool> marked = to_mask(batch, mask);
    const Outputs& view = checked_outputs(outputs, batch);
    const nb::gil_scoped_release release;
    batch.reset(marked, view);
}

void step(Batch& batch, const nb::object& actions, const OutputArrays& outputs) {
    const std::span chosen(checked_array<const std::int64_t>("actions", actions, {count(batch)}), count(batch));
    const Outputs& view = checked_outputs(outputs, batch);
    const nb::gil_scoped_release release;
    batch.step(chosen, view);
}

/// A new numpy array of bytes that `fill` writes.
template <typename Fill>
nb::ndarray<nb::numpy, std::uint8_t> new_array(std::initializer_list<std::size_t> shape, Fill fill) {
    std::size_t size = 1;
    for (const std::size_t length : shape) size *= length;
    auto bytes = std::make_unique<std::uint8_t[]>(size);
    fill(bytes.get());
    const nb::capsule owner(bytes.get(), [](void* data) noexcept { delete[] static_cast<std::uint8_t*>(data); });
    return {bytes.release(), shape, owner};
}

void bind_stepping(nb::class_<Batch>& batch) {
    batch.def(
        "seed", &seed, "seeds"_a, "mask"_a = nb::none(),
        nb::sig("def seed(self, seeds: numpy.typing.NDArray[numpy.uint64], mask: numpy.typing.NDArray[numpy.bool_] | None = None) -> None"),
        "Starts the own random stream of each environment marked in mask (N,) bool, or of all; seeds is (N,) uint64. Until then "
        "environment i has the seed i.");
    batch.def("reset", &reset, "mask"_a.none(), "outputs"_a,
              nb::sig("def reset(self, mask: numpy.typing.NDArray[numpy.bool_] | None, outputs: Outputs) -> None"),
              "Resets the environments marked in mask (N,) bool, or all, and writes their rows of outputs. The GIL is released.");
    batch.def("step", &step, "actions"_a, "outputs"_a,
              nb::sig("def step(self, actions: numpy.typing.NDArray[numpy.int64], outputs: Outputs) -> None"),
              "Plays one step in every environment; actions is (N,) int64. The GIL is released.\n\n"
              "Raises ValueError for an action that does not exist and RuntimeError for an environment that has to be reset first; then "
              "nothing has been played.");
}

void bind_states(nb::class_<Batch>& batch) {
    batch.def(
        "get_state", [](const Batch& self, int env) { return to_bytes(self.get_state(env)); }, "env"_a,
        "The whole environment: machine, random stream, statistics and frames. Fits any batch of the same configuration.");
    batch.def(
        "set_state", [](Batch& self, int env, const nb::bytes& data) { self.set_state(env, copy_bytes(data)); }, "env"_a, "data"_a,
        "Puts back what get_state returned. Raises ValueError that says what is wrong, and then nothing has changed.");
    batch.def("observe", &observe, "mask"_a.none(), "outputs"_a,
              nb::sig("def observe(self, mask: numpy.typing.NDArray[numpy.bool_] | None, outputs: Outputs) -> None"),
              "Writes the rows of outputs of the environments marked in mask (N,) bool, or of all, as they stand, for example after "
              "set_state: those of a reset, but with the figures of the episode so far.");
    batch.def(
        "machine_state", [](const Batch& self, int env) { return to_bytes(save(self.machine(env))); }, "env"_a,
        "The machine alone, in the form that Machine.restore reads.");
    batch.def(
        "ram",
        [](const Batch& self, int env) {
            const Machine machine = self.machine(env);
            return new_array({machine.ram.size()}, [&](std::uint8_t* out) { std::copy(machine.ram.begin(), machine.ram.end(), out); });
        },
        "env"_a, nb::sig("def ram(self, env: int) -> numpy.typing.NDArray[numpy.uint8]"),
        "A copy of the RAM, (49152,) or (131072,) uint8, banks in the order of Machine.ram.");
    batch.def(
        "render",
        [](const Batch& self, int env) {
            const Machine machine = self.machine(env);
            return new_array({240, 320, 3}, [&](std::uint8_t* out) { draw_rgb_with_border(machine, out); });
        },
        "env"_a, nb::sig("def render(self, env: int) -> numpy.typing.NDArray[numpy.uint8]"),
        "The picture with its border, a new array (240, 320, 3) uint8.");
}

void bind_facts(nb::class_<Batch>& batch) {
    batch.def_prop_ro("num_envs", &Batch::num_envs);
    batch.def_prop_ro("num_threads", &Batch::num_threads, "Threads in use: never more than environments.");
    batch.def_prop_ro("num_actions", [](const Batch& self) { return self.rules().config.actions.size(); });
    batch.def_prop_ro("num_variables", [](const Batch& self) { return self.rules().config.variables.size(); });
    batch.def_prop_ro(
        "observation_shape", [](const Batch& self) { return nb::tuple(nb::cast(observation_shape(self))); },
        nb::sig("def observation_shape(self) -> tuple[int, int, int]"), "(stack * planes, height, width) of one environment.");
}

constexpr const char* kConstructorSignature =
    "def __init__(self, *, rom: bytes, start_states: collections.abc.Sequence[bytes], num_envs: int, num_threads: int, contention: bool, "
    "actions: numpy.typing.NDArray[numpy.uint8], noop_action: int, frameskip: tuple[int, int], repeat_action_probability: float, "
    "noops: tuple[int, int], random_pokes: collections.abc.Sequence[tuple[int, int]], max_steps: int, max_frames: int, "
    "area: tuple[int, int, int, int], size: tuple[int, int], colour: str, stack: int, maxpool: bool, "
    "variables: collections.abc.Sequence[tuple[int, str, int, int, int]], hooks: collections.abc.Sequence[int], "
    "reward: collections.abc.Sequence[tuple[str, float]], win: collections.abc.Sequence[tuple[str, float]], "
    "loss: collections.abc.Sequence[tuple[str, float]], lives_variable: int, episodic_life: bool, reward_clipping: bool, "
    "autoreset: str) -> None";

constexpr const char* kConstructorDoc =
    "All settings are checked here; ValueError names the one that is wrong, what was given and what is allowed.\n\n"
    "actions is (A, 9) uint8: held keys of the 8 half rows (FEFE first, bits 0 to 4), then the Kempston joystick. frameskip and noops\n"
    "are frames, (low, high) both included. random_pokes are (address, bytes) that a reset fills at random. max_steps and max_frames\n"
    "truncate an episode, 0 never. area is x, y, width, height on the 256x192 display, size is (width, height) of the observation,\n"
    "colour is 'grey', 'ink' or 'rgb', maxpool takes the brighter pixel of a step's last two frames. variables are (address, type,\n"
    "count, low, high); reward, win and loss are (operation, operand) programs, empty for none. With episodic_life a smaller variable\n"
    "number lives_variable ends the episode, and the next reset lets the game go on. autoreset is 'next_step', 'same_step' or 'disabled'.";

}  // namespace

void bind_batch(nb::module_& m) {
    bind_outputs(m);
    nb::class_<Batch> batch(m, "Batch",
                            "Many environments of one game, stepped together on a pool of threads.\n\n"
                            "What environment i does depends on the settings, its own seed and its own actions, never on the number of "
                            "threads or on the others.");
    batch.def("__init__", &construct, nb::kw_only(), "rom"_a, "start_states"_a, "num_envs"_a, "num_threads"_a, "contention"_a, "actions"_a,
              "noop_action"_a, "frameskip"_a, "repeat_action_probability"_a, "noops"_a, "random_pokes"_a, "max_steps"_a, "max_frames"_a,
              "area"_a, "size"_a, "colour"_a, "stack"_a, "maxpool"_a, "variables"_a, "hooks"_a, "reward"_a, "win"_a, "loss"_a,
              "lives_variable"_a, "episodic_life"_a, "reward_clipping"_a, "autoreset"_a, nb::sig(kConstructorSignature), kConstructorDoc);
    bind_stepping(batch);
    bind_states(batch);
    bind_facts(batch);
}

}  // namespace oakemu
