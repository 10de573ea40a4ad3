// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace oakemu {

/// Items of one size, each of which is kept once and counted by its users. Equal means equal byte for byte; the hash only finds the
/// candidates.
class InternPool {
public:
    using Id = std::uint32_t;

    explicit InternPool(std::size_t item_bytes) : item_bytes_(item_bytes) {}

    struct Interned {
        Id id;
        bool added;  ///< there was no equal item
    };

    /// Finds the item, or adds it, and counts one more user. Strong guarantee: what throws (no memory) has changed nothing.
    Interned intern(const std::byte* item);

    /// Counts one more user of an item that has some.
    void add_user(Id id) { ++users_[id]; }

    /// Counts one less. Returns whether it was the last one; the item's bytes stay readable until the next intern() or clear().
    bool remove_user(Id id);

    const std::byte* at(Id id) const { return chunks_[id / kChunkItems].get() + id % kChunkItems * item_bytes_; }

    /// Different items.
    std::size_t size() const { return users_.size() - free_.size(); }

    /// Memory that it holds, in use or not.
    std::size_t nbytes() const;

    void clear();

private:
    static constexpr std::size_t kChunkItems = 256;
    static constexpr Id kNone = UINT32_MAX;

    void grow_table();
    void make_room();
    std::size_t home(std::uint32_t hash) const { return hash & (table_.size() - 1); }
    std::size_t next(std::size_t place) const { return (place + 1) & (table_.size() - 1); }

    std::size_t item_bytes_;
    std::vector<std::unique_ptr<std::byte[]>> chunks_;
    std::vector<std::uint32_t> users_;   ///< by id
    std::vector<std::uint32_t> hashes_;  ///< by id, so that the table grows without a look at the items
    std::vector<Id> free_;               ///< ids without an item; as long as users_ in capacity, so that freeing needs no memory
    std::vector<Id> table_;              ///< ids by hash, open addressing with linear probing; its size is a power of two
};

}  // namespace oakemu
