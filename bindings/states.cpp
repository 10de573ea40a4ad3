// SPDX-License-Identifier: GPL-3.0-or-later

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "bound_machine.hpp"
#include "bytes.hpp"
#include "snapshot.hpp"
#include "state_store.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace oakemu {
namespace {

nb::bytes save_bytes(const BoundMachine& self) {
    return new_bytes(saved_size(self.machine.state.model), [&](std::span<std::byte> out) { save(self.machine, out); });
}

void restore_bytes(BoundMachine& self, const nb::bytes& bytes) { restore(self.machine, span_of(bytes), self.tape.get()); }

nb::bytes get_bytes(const StateStore& self, std::int64_t id) {
    return new_bytes(self.get_size(checked_id(id)), [&](std::span<std::byte> out) { self.get(checked_id(id), out); });
}

}  // namespace

void bind_states(nb::module_& m, MachineClass& machine) {
    machine.def("save", &save_bytes,
                "The whole machine without its ROM and tape: a header (magic OAKS, version, size, model, checksum), then the state.");
    machine.def("restore", &restore_bytes, "data"_a,
                "Puts back what `save` returned. Raises ValueError that says what is wrong, and then nothing has changed.");

    nb::class_<StateStore> store(m, "StateStore", "Very many saved machines, which share equal pages of 256 bytes.");
    store.def(nb::init<>());
    store.def(
        "add", [](StateStore& self, const nb::bytes& data) { return self.add(span_of(data)); }, "data"_a,
        "Keeps what Machine.save returned; returns its id. Raises ValueError as Machine.restore does.");
    store.def(
        "add_machine", [](StateStore& self, const BoundMachine& source) { return self.add(source.machine); }, "machine"_a,
        "Keeps the machine's present state; returns its id.");
    store.def("get", &get_bytes, "id"_a, "What was added, as Machine.save returns it. Raises IndexError if there is no such state.");
    store.def(
        "load",
        [](const StateStore& self, std::int64_t id, BoundMachine& target) { self.load(checked_id(id), target.machine, target.tape.get()); },
        "id"_a, "machine"_a, "Puts a state into a machine of the same model. Raises IndexError or ValueError; then nothing has changed.");
    bind_store(store);
}

}  // namespace oakemu
