// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace oakemu {

inline std::span<const std::byte> span_of(const nanobind::bytes& bytes) {
    return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

/// A new bytes object whose contents `write` writes, without another copy of them.
template <typename Write>
nanobind::bytes new_bytes(std::size_t size, const Write& write) {
    const nanobind::object object = nanobind::steal(PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size)));
    if (!object.is_valid()) nanobind::raise_python_error();
    write(std::span(reinterpret_cast<std::byte*>(PyBytes_AsString(object.ptr())), size));
    return nanobind::borrow<nanobind::bytes>(object);
}

/// The id of a state in a store. Throws std::out_of_range, which becomes IndexError, for a negative one.
inline std::uint64_t checked_id(std::int64_t id) {
    if (id < 0) throw std::out_of_range("there is no state " + std::to_string(id) + " in the store");
    return static_cast<std::uint64_t>(id);
}

/// What every store has.
template <typename Store>
void bind_store(nanobind::class_<Store>& store) {
    using namespace nanobind::literals;
    store.def(
        "discard", [](Store& self, std::int64_t id) { self.discard(checked_id(id)); }, "id"_a,
        "Forgets a state. Raises IndexError if there is no such state.");
    store.def("clear", &Store::clear, "Forgets all states and gives their memory back.");
    store.def("ids", &Store::ids, "The ids of all states, oldest first.");
    store.def("__contains__", [](const Store& self, std::int64_t id) { return id >= 0 && self.contains(checked_id(id)); }, "id"_a);
    store.def("__len__", &Store::size);
    store.def_prop_ro("pages", &Store::pages, "Different pages of 256 bytes.");
    store.def_prop_ro("nbytes", &Store::nbytes, "Bytes of memory that the store holds.");
}

}  // namespace oakemu
