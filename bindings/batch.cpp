// SPDX-License-Identifier: GPL-3.0-or-later
#include "batch.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "arrays.hpp"
#include "batch_settings.hpp"
#include "bindings.hpp"
#include "bytes.hpp"
#include "outputs.hpp"
#include "snapshot.hpp"
#include "video.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace oakemu {
namespace {

nb::bytes to_bytes(const std::vector<std::byte>& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

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

std::vector<GivenMachine> given_machines(const std::vector<std::optional<nb::bytes>>& items) {
    std::vector<GivenMachine> given;
    for (const std::optional<nb::bytes>& item : items) given.push_back(item.has_value() ? GivenMachine(span_of(*item)) : std::nullopt);
    return given;
}

void reset(Batch& batch, const nb::object& mask, const OutputArrays& outputs, const nb::object& starts,
           const std::vector<std::optional<nb::bytes>>& machines) {
    const std::span<const bool> marked = to_mask(batch, mask);
    const Outputs& view = checked_outputs(outputs, batch);
    std::span<const std::int64_t> numbers;
    if (!starts.is_none()) numbers = {checked_array<const std::int64_t>("starts", starts, {count(batch)}), count(batch)};
    const std::vector<GivenMachine> saved = given_machines(machines);
    const nb::gil_scoped_release release;
    batch.reset(marked, view, numbers, saved);
}

void step(Batch& batch, const nb::object& actions, const OutputArrays& outputs) {
    const std::span chosen(checked_array<const std::int64_t>("actions", actions, {count(batch)}), count(batch));
    const Outputs& view = checked_outputs(outputs, batch);
    const nb::gil_scoped_release release;
    batch.step(chosen, view);
}

void step_held(Batch& batch, int env, std::int64_t action, const nb::object& held, const OutputArrays& outputs) {
    const std::vector<Action> keys = to_actions("held", held);
    const Outputs& view = checked_outputs(outputs, batch);
    const nb::gil_scoped_release release;
    batch.step_held(env, action, keys, view);
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
    batch.def("reset", &reset, "mask"_a.none(), "outputs"_a, "starts"_a = nb::none(),
              "machines"_a = std::vector<std::optional<nb::bytes>>(),
              nb::sig("def reset(self, mask: numpy.typing.NDArray[numpy.bool_] | None, outputs: Outputs, starts: "
                      "numpy.typing.NDArray[numpy.int64] | None = None, machines: collections.abc.Sequence[bytes | None] = []) -> None"),
              "Resets the environments marked in mask (N,) bool, or all, and writes their rows of outputs; starts (N,) int64 are the "
              "numbers of their start states, -1 to draw one. machines, none or N, are what Machine.save returned: where one is given, the "
              "episode begins in it as it is, without no-op frames and random bytes. Raises ValueError for a number or a machine that "
              "cannot be; then nothing has changed. The GIL is released.");
    batch.def(
        "check_machines",
        [](const Batch& self, const std::vector<std::optional<nb::bytes>>& machines) { self.check_machines(given_machines(machines)); },
        "machines"_a, nb::sig("def check_machines(self, machines: collections.abc.Sequence[bytes | None]) -> None"),
        "Raises ValueError as reset does for machines that cannot be.");
    batch.def("step", &step, "actions"_a, "outputs"_a,
              nb::sig("def step(self, actions: numpy.typing.NDArray[numpy.int64], outputs: Outputs) -> None"),
              "Plays one step in every environment; actions is (N,) int64. The GIL is released.\n\n"
              "Raises ValueError for an action that does not exist and RuntimeError for an environment that has to be reset first; then "
              "nothing has been played.");
    batch.def("step_held", &step_held, "env"_a, "action"_a, "held"_a, "outputs"_a,
              nb::sig("def step_held(self, env: int, action: int, held: numpy.typing.NDArray[numpy.uint8], outputs: Outputs) -> None"),
              "Plays one step in one environment, in which each frame holds keys of its own: held is (F, 9) uint8, rows as of `actions` in "
              "the constructor. action is what the step is taken for. Nothing is drawn, no limit cuts it short. The GIL is released.\n\n"
              "Raises as step().");
}

void bind_states(nb::class_<Batch>& batch) {
    batch.def(
        "get_state", [](const Batch& self, int env) { return to_bytes(self.get_state(env)); }, "env"_a,
        "The whole environment: machine, random stream, statistics and frames. Fits any batch of the same configuration.");
    batch.def(
        "set_state", [](Batch& self, int env, const nb::bytes& data) { self.set_state(env, span_of(data)); }, "env"_a, "data"_a,
        "Puts back what get_state returned. Raises ValueError that says what is wrong, and then nothing has changed.");
    batch.def("observe", &observe, "mask"_a.none(), "outputs"_a,
              nb::sig("def observe(self, mask: numpy.typing.NDArray[numpy.bool_] | None, outputs: Outputs) -> None"),
              "Writes the rows of outputs of the environments marked in mask (N,) bool, or of all, as they stand, for example after "
              "set_state: those of a reset, but with the figures of the episode so far.");
    batch.def(
        "machine_state",
        [](const Batch& self, int env) { return to_bytes(self.look_at(env, [](const Machine& machine) { return save(machine); })); },
        "env"_a, "The machine alone, in the form that Machine.restore reads.");
    batch.def(
        "ram",
        [](const Batch& self, int env) {
            return self.look_at(env, [](const Machine& machine) {
                return new_array({machine.ram.size()}, [&](std::uint8_t* out) { std::copy(machine.ram.begin(), machine.ram.end(), out); });
            });
        },
        "env"_a, nb::sig("def ram(self, env: int) -> numpy.typing.NDArray[numpy.uint8]"),
        "A copy of the RAM, (49152,) or (131072,) uint8, banks in the order of Machine.ram.");
    batch.def(
        "render",
        [](const Batch& self, int env) {
            return self.look_at(env, [](const Machine& machine) {
                return new_array({240, 320, 3}, [&](std::uint8_t* out) { draw_rgb_with_border(machine, out); });
            });
        },
        "env"_a, nb::sig("def render(self, env: int) -> numpy.typing.NDArray[numpy.uint8]"),
        "The picture with its border, a new array (240, 320, 3) uint8.");
}

void bind_facts(nb::class_<Batch>& batch) {
    batch.def_prop_ro("num_envs", &Batch::num_envs);
    batch.def_prop_ro("num_threads", &Batch::num_threads, "Threads in use: never more than environments.");
    batch.def_prop_ro("num_actions", [](const Batch& self) { return self.rules().config.actions.size(); });
    batch.def_prop_ro("num_variables", [](const Batch& self) { return self.rules().num_variables(); }, "Derived ones included.");
    batch.def_prop_ro("num_rewards", [](const Batch& self) { return self.rules().rewards.size(); }, "Parts of the reward.");
    batch.def_prop_ro("num_starts", [](const Batch& self) { return self.rules().starts.size(); });
    batch.def_prop_ro(
        "observation_shape", [](const Batch& self) { return nb::tuple(nb::cast(observation_shape(self))); },
        nb::sig("def observation_shape(self) -> tuple[int, int, int]"), "(stack * planes, height, width) of one environment.");
}

}  // namespace

void bind_batch(nb::module_& m) {
    bind_outputs(m);
    nb::class_<Batch> batch(m, "Batch",
                            "Many environments of one game, stepped together on a pool of threads.\n\n"
                            "What environment i does depends on the settings, its own seed and its own actions, never on the number of "
                            "threads or on the others.");
    bind_constructor(batch);
    bind_stepping(batch);
    bind_states(batch);
    bind_facts(batch);
}

}  // namespace oakemu
