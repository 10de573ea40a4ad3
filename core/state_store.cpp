// SPDX-License-Identifier: GPL-3.0-or-later
#include "state_store.hpp"

#include <cstring>
#include <utility>

#include "snapshot.hpp"
#include "tape.hpp"

namespace oakemu {

StateStore::Id StateStore::add(const Machine& machine) {
    check_state(machine.state, nullptr);
    return add(machine.state, std::as_bytes(std::span(machine.ram)));
}

StateStore::Id StateStore::add(std::span<const std::byte> saved) {
    const SavedMachine machine = read_saved(saved);
    return add(machine.state, machine.ram);
}

StateStore::Id StateStore::add(const State& state, std::span<const std::byte> ram) {
    Record record{.state = state, .runs = std::make_unique_for_overwrite<PageStore::RunId[]>(PageStore::num_runs(ram.size()))};
    const Record* const latest = records_.latest();
    memory_.add(ram, record.runs.get(), latest == nullptr ? std::span<const PageStore::RunId>() : latest->list());
    const std::size_t nbytes = record.nbytes();
    try {
        const Id id = records_.add(std::move(record));
        record_bytes_ += nbytes;
        return id;
    } catch (...) {
        memory_.release(record.list());
        throw;
    }
}

std::size_t StateStore::get_size(Id id) const { return saved_size(records_.at(id).state.model); }

void StateStore::get(Id id, std::span<std::byte> out) const {
    const Record& record = records_.at(id);
    std::byte* const payload = out.data() + kSavedHeader;
    std::memcpy(payload, &record.state, sizeof record.state);
    memory_.copy(record.runs.get(), {payload + sizeof record.state, ram_size(record.state.model)});
    seal_machine(out, record.state.model);
}

std::vector<std::byte> StateStore::get(Id id) const {
    std::vector<std::byte> bytes(get_size(id));
    get(id, bytes);
    return bytes;
}

void StateStore::load(Id id, Machine& machine, const Tape* tape) const {
    const Record& record = records_.at(id);
    check_model(record.state.model, machine.state.model);
    check_state(record.state, tape);
    machine.state = record.state;
    memory_.copy(record.runs.get(), std::as_writable_bytes(std::span(machine.ram)));
}

void StateStore::discard(Id id) {
    const Record& record = records_.at(id);
    memory_.release(record.list());
    record_bytes_ -= record.nbytes();
    records_.erase(id);
}

void StateStore::clear() {
    memory_.clear();
    records_.clear();
    record_bytes_ = 0;
}

}  // namespace oakemu
