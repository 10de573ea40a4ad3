// SPDX-License-Identifier: GPL-3.0-or-later
// The settings of a batch on their way from Python to the core.
#include "batch_settings.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "checks.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace oakemu {
namespace {

std::vector<std::byte> copy_bytes(const nb::bytes& bytes) {
    const auto* data = static_cast<const std::byte*>(bytes.data());
    return {data, data + bytes.size()};
}

/// What the rows of a setting are called, and their form.
struct RowKind {
    const char* name;
    const char* form;
};

[[noreturn]] void refuse_type(const std::string& place, const char* wanted, nb::handle given) {
    constexpr std::size_t enough = 100;
    std::string text = nb::repr(given).c_str();
    if (text.size() > enough) text = text.substr(0, enough) + "...";
    throw nb::type_error((place + ": wanted " + wanted + ", got " + text).c_str());
}

nb::sequence to_list(const std::string& setting, nb::handle given, const char* form) {
    const bool is_list = nb::isinstance<nb::sequence>(given) && !nb::isinstance<nb::str>(given) && !nb::isinstance<nb::bytes>(given);
    if (!is_list) refuse_type(setting, (std::string("a list of ") + form).c_str(), given);
    return nb::borrow<nb::sequence>(given);
}

/// Converts each row of a list. The name of the setting and the number of the row stand before what is wrong with it: TypeError for
/// one of another form, ValueError for whatever `convert` throws.
template <typename Given, typename Convert>
auto convert_rows(const std::string& setting, nb::handle rows, const RowKind& kind, Convert convert) {
    std::vector<decltype(convert(std::declval<Given&>()))> converted;
    for (const nb::handle row : to_list(setting, rows, kind.form)) {
        const std::string place = setting + ": " + kind.name + " " + std::to_string(converted.size());
        Given given;
        if (!nb::try_cast(row, given)) refuse_type(place, kind.form, row);
        try {
            converted.push_back(convert(given));
        } catch (const std::exception& error) {
            throw nb::value_error((place + ": " + error.what()).c_str());
        }
    }
    return converted;
}

std::uint16_t to_address(std::int64_t address) { return static_cast<std::uint16_t>(check_range("address", address, 0, 0xFFFF)); }
std::uint16_t to_word(const char* name, std::int64_t value) { return static_cast<std::uint16_t>(check_range(name, value, 0, 0xFFFF)); }
int to_int(const char* name, std::int64_t value) { return static_cast<int>(check_range(name, value, INT32_MIN, INT32_MAX)); }
std::uint8_t to_byte(const char* name, std::int64_t value) { return static_cast<std::uint8_t>(check_range(name, value, 0, 255)); }

Code to_code(const std::string& setting, nb::handle code) {
    constexpr RowKind kind{"instruction", "(operation, operand)"};
    return convert_rows<std::pair<std::string, double>>(setting, code, kind,
                                                        [](const auto& row) { return Instruction{op_from_name(row.first), row.second}; });
}

std::vector<Code> to_programs(const std::string& setting, nb::handle programs) {
    std::vector<Code> made;
    for (const nb::handle code : to_list(setting, programs, "programs")) {
        made.push_back(to_code(setting + ": program " + std::to_string(made.size()), code));
    }
    return made;
}

std::vector<double> to_weights(nb::handle weights) {
    return convert_rows<double>("start_weights", weights, {"item", "number(s)"}, [](double weight) { return weight; });
}

std::vector<std::uint16_t> to_hooks(nb::handle hooks) {
    return convert_rows<std::int64_t>("hooks", hooks, {"row", "address(es)"}, to_address);
}

std::vector<RandomPoke> to_pokes(nb::handle pokes) {
    constexpr RowKind kind{"row", "(address, num_bytes)"};
    return convert_rows<std::pair<std::int64_t, std::int64_t>>(
        "random_pokes", pokes, kind, [](const auto& row) { return RandomPoke{to_address(row.first), to_int("num_bytes", row.second)}; });
}

}  // namespace

std::vector<Action> to_actions(const char* name, const nb::object& given) {
    AnyArray<nb::ro> array;
    const bool counts = nb::try_cast(given, array, false) && array.ndim() == 2;
    const std::size_t rows = counts ? array.shape(0) : 1;
    const auto* masks = checked_array<const std::uint8_t>(name, given, {rows, 9});
    std::vector<Action> actions(rows);
    for (Action& action : actions) {
        std::copy_n(masks, 8, action.keys.begin());
        action.kempston = masks[8];
        masks += 9;
    }
    return actions;
}

namespace {

std::vector<Variable> to_variables(nb::handle rows) {
    using Given = std::tuple<std::int64_t, std::string, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::string,
                             std::int64_t>;
    constexpr RowKind kind{"row", "(address, type, num_bytes, low, high, items, stride, reduction, value)"};
    return convert_rows<Given>("variables", rows, kind, [](const auto& row) {
        const auto& [address, type, num_bytes, low, high, items, stride, reduction, value] = row;
        return Variable{.address = to_address(address),
                        .type = variable_type_from_name(type),
                        .num_bytes = to_byte("num_bytes", num_bytes),
                        .low = to_byte("low", low),
                        .high = to_byte("high", high),
                        .items = to_word("items", items),
                        .stride = to_word("stride", stride),
                        .reduction = reduction_from_name(reduction),
                        .value = value};
    });
}

void construct(Batch* place, const nb::bytes& rom, const std::vector<nb::bytes>& start_states, const nb::object& start_weights,
               std::int64_t num_envs, std::int64_t num_threads, bool contention, const nb::object& actions, std::int64_t noop_action,
               std::pair<int, int> frameskip, double repeat_action_probability, std::pair<int, int> noops, const nb::object& random_pokes,
               std::int64_t max_steps, std::int64_t max_frames, const nb::object& stall_value, std::int64_t stall_steps,
               std::tuple<int, int, int, int> area, std::pair<int, int> size, const std::string& colour, int stack, bool maxpool,
               const nb::object& variables, const nb::object& derived, const nb::object& hooks, const nb::object& rewards,
               const nb::object& win, const nb::object& loss, const nb::object& masks, std::int64_t lives_variable, bool episodic_life,
               bool reward_clipping, const std::string& autoreset) {
    BatchConfig config;
    config.rom = copy_bytes(rom);
    for (const nb::bytes& state : start_states) config.start_states.push_back(copy_bytes(state));
    config.start_weights = to_weights(start_weights);
    config.num_envs = to_int("num_envs", num_envs);
    config.num_threads = to_int("num_threads", num_threads);
    config.contention = contention;
    config.actions = to_actions("actions", actions);
    config.noop_action = to_int("noop_action", noop_action);
    config.frameskip = frameskip;
    config.repeat_action_probability = repeat_action_probability;
    config.noops = noops;
    config.random_pokes = to_pokes(random_pokes);
    config.max_steps = max_steps;
    config.max_frames = max_frames;
    config.stall_value = to_code("stall_value", stall_value);
    config.stall_steps = stall_steps;
    std::tie(config.area.x, config.area.y, config.area.width, config.area.height) = area;
    config.size = size;
    config.colour = colour_from_name(colour);
    config.stack = stack;
    config.maxpool = maxpool;
    config.variables = to_variables(variables);
    config.derived = to_programs("derived", derived);
    config.hooks = to_hooks(hooks);
    config.rewards = to_programs("rewards", rewards);
    config.win = to_code("win", win);
    config.loss = to_code("loss", loss);
    config.masks = to_programs("masks", masks);
    config.lives_variable = to_int("lives_variable", lives_variable);
    config.episodic_life = episodic_life;
    config.reward_clipping = reward_clipping;
    config.autoreset = autoreset_from_name(autoreset);
    new (place) Batch(config);
}

constexpr const char* kConstructorSignature =
    "def __init__(self, *, rom: bytes, start_states: collections.abc.Sequence[bytes], "
    "start_weights: collections.abc.Sequence[float] = (), num_envs: int, num_threads: int, contention: bool, "
    "actions: numpy.typing.NDArray[numpy.uint8], noop_action: int, frameskip: tuple[int, int], repeat_action_probability: float, "
    "noops: tuple[int, int], random_pokes: collections.abc.Sequence[tuple[int, int]], max_steps: int, max_frames: int, "
    "stall_value: collections.abc.Sequence[tuple[str, float]] = (), stall_steps: int = 0, "
    "area: tuple[int, int, int, int], size: tuple[int, int], colour: str, stack: int, maxpool: bool, "
    "variables: collections.abc.Sequence[tuple[int, str, int, int, int, int, int, str, int]], "
    "derived: collections.abc.Sequence[collections.abc.Sequence[tuple[str, float]]] = (), hooks: collections.abc.Sequence[int], "
    "rewards: collections.abc.Sequence[collections.abc.Sequence[tuple[str, float]]], win: collections.abc.Sequence[tuple[str, float]], "
    "loss: collections.abc.Sequence[tuple[str, float]], "
    "masks: collections.abc.Sequence[collections.abc.Sequence[tuple[str, float]]] = (), lives_variable: int, episodic_life: bool, "
    "reward_clipping: bool, "
    "autoreset: str) -> None";

constexpr const char* kConstructorDoc =
    "All settings are checked here; ValueError names the one that is wrong, what was given and what is allowed.\n\n"
    "start_weights is how likely each start state is, in proportion; empty: all alike. actions is (A, 9) uint8: held keys of the 8 half\n"
    "rows (FEFE first, bits 0 to 4), then the Kempston joystick. frameskip and noops are frames, (low, high) both included. random_pokes\n"
    "are (address, bytes) that a reset fills at random. max_steps and max_frames truncate an episode, 0 never; so does stall_value\n"
    "staying the same for stall_steps steps, 0 never. area is x, y, width, height on the 256x192 display, size is (width, height) of the\n"
    "observation, colour is 'grey', 'ink', 'rgb' or 'attributes' (the grey levels of ink and paper of each character cell that the area\n"
    "touches; size is ignored), maxpool takes the brighter pixel of a step's last two frames.\n\n"
    "variables are (address, type, num_bytes, low, high, items, stride, reduction, value): reduction is '' for one value (items 1,\n"
    "stride 0), else 'sum', 'min', 'max' or 'count' (how many are equal to value) of a table of items that begin stride bytes apart.\n"
    "Programs are lists of (operation, operand), empty for none. derived are further variables, numbered after the others, computed in\n"
    "order and rounded; each may name those before it and, by 'before', all. rewards are the parts of the reward, which is their sum.\n"
    "masks is empty or has a program for each action, which says whether the next step may play it (an empty one: always); the no-op is\n"
    "played in its place. With episodic_life a smaller variable number lives_variable ends the episode, and the next reset lets the game\n"
    "go on. autoreset is 'next_step', 'same_step' or 'disabled'.";

}  // namespace

void bind_constructor(nb::class_<Batch>& batch) {
    batch.def("__init__", &construct, nb::kw_only(), "rom"_a, "start_states"_a, "start_weights"_a = nb::tuple(), "num_envs"_a,
              "num_threads"_a, "contention"_a, "actions"_a, "noop_action"_a, "frameskip"_a, "repeat_action_probability"_a, "noops"_a,
              "random_pokes"_a, "max_steps"_a, "max_frames"_a, "stall_value"_a = nb::tuple(), "stall_steps"_a = 0, "area"_a, "size"_a,
              "colour"_a, "stack"_a, "maxpool"_a, "variables"_a, "derived"_a = nb::tuple(), "hooks"_a, "rewards"_a, "win"_a, "loss"_a,
              "masks"_a = nb::tuple(), "lives_variable"_a, "episodic_life"_a, "reward_clipping"_a, "autoreset"_a,
              nb::sig(kConstructorSignature), kConstructorDoc);
}

}  // namespace oakemu
