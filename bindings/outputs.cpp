// SPDX-License-Identifier: GPL-3.0-or-later
#include "outputs.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <string>

#include "arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace oakemu {
namespace {

constexpr const char* kSignature =
    "def __init__(self, *, observations: numpy.typing.NDArray[numpy.uint8], rewards: numpy.typing.NDArray[numpy.float64], "
    "terminated: numpy.typing.NDArray[numpy.bool_], truncated: numpy.typing.NDArray[numpy.bool_], "
    "variables: numpy.typing.NDArray[numpy.int64], episode_return: numpy.typing.NDArray[numpy.float64], "
    "episode_length: numpy.typing.NDArray[numpy.int64], episode_frame_number: numpy.typing.NDArray[numpy.int64], "
    "frame_number: numpy.typing.NDArray[numpy.int64], outcome: numpy.typing.NDArray[numpy.uint8], "
    "actions_taken: numpy.typing.NDArray[numpy.int64], reward_parts: numpy.typing.NDArray[numpy.float64] | None = None, "
    "action_masks: numpy.typing.NDArray[numpy.bool_] | None = None, start: numpy.typing.NDArray[numpy.int64] | None = None, "
    "ram: numpy.typing.NDArray[numpy.uint8] | None = None, final_observations: numpy.typing.NDArray[numpy.uint8] | None = None, "
    "final_variables: numpy.typing.NDArray[numpy.int64] | None = None, final_ram: numpy.typing.NDArray[numpy.uint8] | None = None) "
    "-> None";

constexpr const char* kDoc =
    "The arrays into which a Batch writes, one row an environment; N environments, V variables, derived ones included, P parts of the\n"
    "reward, A actions. They are kept alive, never copied; those that are None are not written.\n\n"
    "observations (N, channels, height, width) uint8, oldest frame first; rewards (N,) float64; terminated, truncated (N,) bool;\n"
    "variables (N, V) int64; episode_return (N,) float64, before clipping; episode_length (steps), episode_frame_number and\n"
    "frame_number (since construction or seeding, no-op frames included) (N,) int64; outcome (N,) uint8: 0 running, 1 win, 2 loss,\n"
    "3 truncated, 4 life lost; actions_taken (N,) int64, after stickiness and masks, -1 where the step was a reset; reward_parts (N, P)\n"
    "float64, before clipping; action_masks (N, A) bool, what the next step may play; start (N,) int64, the number of the running\n"
    "episode's start state; ram (N, 49152) uint8, 0x4000 to 0xFFFF as paged; final_observations, final_variables and final_ram like\n"
    "their namesakes, needed and written only by autoreset 'same_step', and only in rows whose episode has just ended (their start and\n"
    "action_masks are the new episode's).";

std::vector<std::size_t> leading(std::size_t first, const std::vector<std::size_t>& rest) {
    std::vector<std::size_t> shape{first};
    shape.insert(shape.end(), rest.begin(), rest.end());
    return shape;
}

/// The shape of an array that decides what the others must be.
std::vector<std::size_t> measured(const char* name, nb::handle object, std::size_t dimensions) {
    AnyArray<nb::ro> array;
    if (!nb::try_cast(object, array, false)) throw nb::type_error((std::string(name) + ": wanted an array in CPU memory").c_str());
    if (array.ndim() != dimensions || array.shape(0) < 1) {
        throw nb::value_error((std::string(name) + ": shape " + shape_text(shape_of(array)) + " given, wanted " +
                               std::to_string(dimensions) + " dimensions, the first of at least 1")
                                  .c_str());
    }
    return shape_of(array);
}

using Optional = std::optional<nb::object>;

void construct(OutputArrays* place, nb::object observations, nb::object rewards, nb::object terminated, nb::object truncated,
               nb::object variables, nb::object episode_return, nb::object episode_length, nb::object episode_frame_number,
               nb::object frame_number, nb::object outcome, nb::object actions_taken, Optional reward_parts, Optional action_masks,
               Optional start, Optional ram, Optional final_observations, Optional final_variables, Optional final_ram) {
    const std::vector<std::size_t> pictures = measured("observations", observations, 4);
    const std::size_t num_envs = pictures[0];
    const std::size_t num_variables = measured("variables", variables, 2)[1];
    OutputArrays made;
    const auto take = [&]<typename Element>(Element*& field, const char* name, nb::object& array, const std::vector<std::size_t>& shape) {
        field = checked_array<Element>(name, array, shape);
        made.owners.push_back(std::move(array));
    };
    Outputs& view = made.view;
    view.num_envs = static_cast<int>(num_envs);
    take(view.observations, "observations", observations, pictures);
    take(view.rewards, "rewards", rewards, {num_envs});
    take(view.terminated, "terminated", terminated, {num_envs});
    take(view.truncated, "truncated", truncated, {num_envs});
    take(view.variables, "variables", variables, {num_envs, num_variables});
    take(view.episode_return, "episode_return", episode_return, {num_envs});
    take(view.episode_length, "episode_length", episode_length, {num_envs});
    take(view.episode_frame_number, "episode_frame_number", episode_frame_number, {num_envs});
    take(view.frame_number, "frame_number", frame_number, {num_envs});
    take(view.outcome, "outcome", outcome, {num_envs});
    take(view.actions_taken, "actions_taken", actions_taken, {num_envs});
    if (reward_parts) {
        made.num_rewards = measured("reward_parts", *reward_parts, 2)[1];
        take(view.reward_parts, "reward_parts", *reward_parts, {num_envs, *made.num_rewards});
    }
    if (action_masks) {
        made.num_actions = measured("action_masks", *action_masks, 2)[1];
        take(view.action_masks, "action_masks", *action_masks, {num_envs, *made.num_actions});
    }
    if (start) take(view.start, "start", *start, {num_envs});
    if (ram) take(view.ram, "ram", *ram, {num_envs, kRamSize48});
    if (final_ram) take(view.final_ram, "final_ram", *final_ram, {num_envs, kRamSize48});
    if (final_observations) take(view.final_observations, "final_observations", *final_observations, pictures);
    if (final_variables) take(view.final_variables, "final_variables", *final_variables, {num_envs, num_variables});
    made.observation_shape.assign(pictures.begin() + 1, pictures.end());
    made.num_variables = num_variables;
    new (place) OutputArrays(std::move(made));
}

}  // namespace

std::vector<std::size_t> observation_shape(const Batch& batch) {
    const ObservationPlan& plan = batch.rules().plan;
    return {static_cast<std::size_t>(batch.rules().config.stack) * static_cast<std::size_t>(plan.planes()),
            static_cast<std::size_t>(plan.height()), static_cast<std::size_t>(plan.width())};
}

const Outputs& checked_outputs(const OutputArrays& outputs, const Batch& batch) {
    const auto num_envs = static_cast<std::size_t>(batch.num_envs());
    const auto check = [](const char* name, const std::vector<std::size_t>& given, const std::vector<std::size_t>& wanted) {
        if (given == wanted) return;
        throw nb::value_error(
            ("outputs: " + std::string(name) + " of shape " + shape_text(given) + " given, the batch has " + shape_text(wanted)).c_str());
    };
    const auto given = static_cast<std::size_t>(outputs.view.num_envs);
    check("observations", leading(given, outputs.observation_shape), leading(num_envs, observation_shape(batch)));
    const Rules& rules = batch.rules();
    check("variables", {given, outputs.num_variables}, {num_envs, rules.num_variables()});
    if (outputs.num_rewards) check("reward_parts", {given, *outputs.num_rewards}, {num_envs, rules.rewards.size()});
    if (outputs.num_actions) check("action_masks", {given, *outputs.num_actions}, {num_envs, rules.num_actions()});
    return outputs.view;
}

void bind_outputs(nb::module_& m) {
    nb::class_<OutputArrays>(m, "Outputs", kDoc)
        .def("__init__", &construct, nb::kw_only(), "observations"_a, "rewards"_a, "terminated"_a, "truncated"_a, "variables"_a,
             "episode_return"_a, "episode_length"_a, "episode_frame_number"_a, "frame_number"_a, "outcome"_a, "actions_taken"_a,
             "reward_parts"_a = nb::none(), "action_masks"_a = nb::none(), "start"_a = nb::none(), "ram"_a = nb::none(),
             "final_observations"_a = nb::none(), "final_variables"_a = nb::none(), "final_ram"_a = nb::none(), nb::sig(kSignature),
             "Raises ValueError that names the array whose dtype, shape or layout is wrong, TypeError for what is no writable array.");
}

}  // namespace oakemu
