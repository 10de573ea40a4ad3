// SPDX-License-Identifier: GPL-3.0-or-later
#include "slot_store.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>

#include "batch.hpp"
#include "bindings.hpp"
#include "bytes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace oakemu {

void bind_slot_store(nb::module_& m) {
    nb::class_<SlotStore> store(m, "SlotStore",
                                "Very many saved environments of one configuration, which share equal pages of 256 bytes of their machines "
                                "and of their frames.");
    store.def(
        "__init__", [](SlotStore* self, const Batch& batch) { new (self) SlotStore(batch.rules()); }, "batch"_a,
        "For environments of this batch's configuration, in this batch or another.");
    store.def(
        "add", [](SlotStore& self, const Batch& batch, int env) { return self.add(batch.get_state(env)); }, "batch"_a, "env"_a,
        "Keeps an environment as it stands; returns the id. Raises ValueError for a batch of another configuration.");
    store.def(
        "add_bytes", [](SlotStore& self, const nb::bytes& data) { return self.add(span_of(data)); }, "data"_a,
        "Keeps what Batch.get_state returned; returns the id. Raises ValueError as Batch.set_state does.");
    store.def(
        "put", [](const SlotStore& self, Batch& batch, int env, std::int64_t id) { batch.set_state(env, self.get(checked_id(id))); },
        "batch"_a, "env"_a, "id"_a, "Puts a state into an environment. Raises IndexError or ValueError; then nothing has changed.");
    store.def(
        "get",
        [](const SlotStore& self, std::int64_t id) {
            return new_bytes(self.get_size(), [&](std::span<std::byte> out) { self.get(checked_id(id), out); });
        },
        "id"_a, "What was added, as Batch.get_state returns it. Raises IndexError if there is no such state.");
    bind_store(store);
}

}  // namespace oakemu
