// SPDX-License-Identifier: GPL-3.0-or-later
#include "intern_pool.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>

#include "hash.hpp"

namespace oakemu {

InternPool::Interned InternPool::intern(const std::byte* item) {
    if (4 * (size() + 1) > 3 * table_.size()) {
        grow_table();
    }
    const auto hash = static_cast<std::uint32_t>(hash64(std::span(item, item_bytes_), 0));
    std::size_t place = home(hash);
    for (; table_[place] != kNone; place = next(place)) {
        const Id id = table_[place];
        if (hashes_[id] == hash && std::memcmp(at(id), item, item_bytes_) == 0) {
            add_user(id);
            return {id, false};
        }
    }
    if (free_.empty()) {
        make_room();
    }
    const Id id = free_.back();
    free_.pop_back();
    std::memcpy(chunks_[id / kChunkItems].get() + id % kChunkItems * item_bytes_, item, item_bytes_);
    users_[id] = 1;
    hashes_[id] = hash;
    table_[place] = id;
    return {id, true};
}

bool InternPool::remove_user(Id id) {
    if (--users_[id] != 0) {
        return false;
    }
    std::size_t hole = home(hashes_[id]);
    while (table_[hole] != id) {
        hole = next(hole);
    }
    // Whatever could have stood in the hole moves up, so that no search ends there too early.
    const std::size_t mask = table_.size() - 1;
    for (std::size_t place = next(hole); table_[place] != kNone; place = next(place)) {
        const std::size_t distance = (place - home(hashes_[table_[place]])) & mask;
        if (distance >= ((place - hole) & mask)) {
            table_[hole] = table_[place];
            hole = place;
        }
    }
    table_[hole] = kNone;
    free_.push_back(id);
    return true;
}

std::size_t InternPool::nbytes() const {
    return chunks_.size() * kChunkItems * item_bytes_ + chunks_.capacity() * sizeof(chunks_[0]) +
           (users_.capacity() + hashes_.capacity() + free_.capacity() + table_.capacity()) * sizeof(std::uint32_t);
}

void InternPool::clear() { *this = InternPool(item_bytes_); }

void InternPool::grow_table() {
    std::vector<Id> table(std::max<std::size_t>(1024, 2 * table_.size()), kNone);
    table_.swap(table);
    for (const Id id : table) {
        if (id != kNone) {
            std::size_t place = home(hashes_[id]);
            while (table_[place] != kNone) {
                place = next(place);
            }
            table_[place] = id;
        }
    }
}

void InternPool::make_room() {
    const std::size_t first = users_.size(), last = first + kChunkItems;
    if (last > kNone) {
        throw std::length_error("the store of states is full");
    }
    auto chunk = std::make_unique_for_overwrite<std::byte[]>(kChunkItems * item_bytes_);
    const auto reserve = [last](auto& items) {
        if (items.capacity() < last) items.reserve(std::max(last, items.capacity() + items.capacity() / 2));
    };
    reserve(chunks_);
    reserve(users_);
    reserve(hashes_);
    reserve(free_);
    chunks_.push_back(std::move(chunk));
    users_.resize(last);
    hashes_.resize(last);
    for (std::size_t id = last; id-- > first;) {
        free_.push_back(static_cast<Id>(id));
    }
}

}  // namespace oakemu
