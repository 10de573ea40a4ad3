// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "machine.hpp"
#include "page_store.hpp"
#include "records.hpp"

namespace oakemu {

/// Very many saved machines, of any models. What their RAM has in common is kept once (PageStore): states of one game differ in a few
/// pages, and cost little more than those.
///
/// To be used by one thread at a time.
class StateStore {
public:
    using Id = std::uint64_t;

    StateStore() = default;
    StateStore(const StateStore&) = delete;
    StateStore& operator=(const StateStore&) = delete;

    /// Keeps a machine's present state. Ids count up from 0 and are never given twice. Throws like check_state(); what throws has
    /// changed nothing.
    Id add(const Machine& machine);
    /// Keeps what save() wrote. Throws like read_saved().
    Id add(std::span<const std::byte> saved);

    /// What save() of the machine wrote, or would have written. Throws std::out_of_range for an id that is not there, as all here do.
    std::vector<std::byte> get(Id id) const;
    std::size_t get_size(Id id) const;
    /// The same, into get_size() bytes.
    void get(Id id, std::span<std::byte> out) const;

    /// Puts a state into a machine of the same model. Throws std::invalid_argument, and then changes nothing, if the machine's model
    /// or the tape in its recorder does not fit.
    void load(Id id, Machine& machine, const Tape* tape = nullptr) const;

    void discard(Id id);
    void clear();

    bool contains(Id id) const { return records_.contains(id); }
    /// The ids, oldest first.
    std::vector<Id> ids() const { return records_.ids(); }
    std::size_t size() const { return records_.size(); }
    /// Different pages of RAM.
    std::size_t pages() const { return memory_.pages(); }
    /// Memory that the store holds. What discarded states held is kept for others; clear() gives it back.
    std::size_t nbytes() const { return sizeof *this + memory_.nbytes() + record_bytes_; }

private:
    struct Record {
        State state;
        std::unique_ptr<PageStore::RunId[]> runs;

        std::span<const PageStore::RunId> list() const { return {runs.get(), PageStore::num_runs(ram_size(state.model))}; }
        std::size_t nbytes() const { return Records<Record>::kExtraBytes + sizeof *this + list().size_bytes(); }
    };

    Id add(const State& state, std::span<const std::byte> ram);

    PageStore memory_;
    Records<Record> records_;
    std::size_t record_bytes_ = 0;
};

}  // namespace oakemu
