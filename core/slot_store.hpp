// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "page_store.hpp"
#include "records.hpp"
#include "slot.hpp"

namespace oakemu {

/// Very many saved slots of one configuration. What their machines and their frames have in common is kept once (PageStore).
///
/// To be used by one thread at a time.
class SlotStore {
public:
    using Id = std::uint64_t;

    explicit SlotStore(const Rules& rules) : layout_(Slot::layout(rules)) {}
    SlotStore(const SlotStore&) = delete;
    SlotStore& operator=(const SlotStore&) = delete;

    /// Keeps what Slot::save wrote. Ids count up from 0 and are never given twice. Throws std::invalid_argument for bytes that are
    /// damaged or of another configuration; what throws has changed nothing.
    Id add(std::span<const std::byte> saved);

    /// What was added, to the byte. Throws std::out_of_range for an id that is not there, as all here do.
    std::vector<std::byte> get(Id id) const;
    std::size_t get_size() const { return layout_.size(); }
    /// The same, into get_size() bytes.
    void get(Id id, std::span<std::byte> out) const;

    void discard(Id id);
    void clear();

    bool contains(Id id) const { return records_.contains(id); }
    /// The ids, oldest first.
    std::vector<Id> ids() const { return records_.ids(); }
    std::size_t size() const { return records_.size(); }
    /// Different pages of 256 bytes.
    std::size_t pages() const { return memory_.pages(); }
    /// Memory that the store holds. What discarded states held is kept for others; clear() gives it back.
    std::size_t nbytes() const { return sizeof *this + memory_.nbytes() + records_.size() * record_bytes(); }

private:
    struct Record {
        std::unique_ptr<std::byte[]> fixed;
        std::unique_ptr<PageStore::RunId[]> runs;  ///< of the RAM, then of each frame
    };

    std::size_t ram_runs() const { return PageStore::num_runs(layout_.ram); }
    std::size_t frame_runs() const { return PageStore::num_runs(layout_.frame); }
    std::size_t all_runs() const { return ram_runs() + layout_.frames * frame_runs(); }
    std::size_t record_bytes() const;
    std::span<const PageStore::RunId> list(const Record& record) const { return {record.runs.get(), all_runs()}; }
    void add_memory(std::span<const std::byte> bytes, PageStore::RunId* runs);

    SlotLayout layout_;
    PageStore memory_;
    Records<Record> records_;
};

}  // namespace oakemu
