// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "intern_pool.hpp"
#include "machine.hpp"

namespace oakemu {

/// Very many saved machines, of any models. Equal pages of 256 bytes of RAM are kept once, and so are equal runs of 16 pages, of
/// which a machine's RAM is a list: states of one game differ in a few pages, and cost little more than those.
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
    std::vector<Id> ids() const;
    std::size_t size() const { return records_.size(); }
    /// Different pages of RAM.
    std::size_t pages() const { return pages_.size(); }
    /// Memory that the store holds. What discarded states held is kept for others; clear() gives it back.
    std::size_t nbytes() const;

private:
    static constexpr std::size_t kPage = 256;
    static constexpr std::size_t kRunPages = 16;
    using Run = std::array<InternPool::Id, kRunPages>;  ///< its pages

    struct Record {
        State state;
        std::unique_ptr<InternPool::Id[]> runs;

        std::size_t count() const { return ram_size(state.model) / (kPage * kRunPages); }
    };

    static std::size_t record_bytes(std::size_t runs);

    Id add(const State& state, const std::byte* ram);
    const Record& find(Id id) const;
    Run run(InternPool::Id id) const;
    void copy_ram(const Record& record, std::byte* out) const;
    InternPool::Id add_run(const std::byte* ram, const InternPool::Id* like);
    void release_run(InternPool::Id id);
    void release_pages(const Run& pages, std::size_t count);

    InternPool pages_{kPage};
    InternPool runs_{sizeof(Run)};
    std::map<Id, Record> records_;
    std::size_t record_bytes_ = 0;
    Id next_ = 0;
    Id latest_ = 0;  ///< the record that a new one is most likely to resemble, if it is still there
};

}  // namespace oakemu
