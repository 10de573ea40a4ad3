// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace oakemu {

/// What stores keep, by ids that count up from 0 and are never given twice.
template <typename Record>
class Records {
public:
    using Id = std::uint64_t;

    /// What a record costs besides itself: three pointers, a colour and the id, and the allocator's own words for the node and for an
    /// array that the record owns.
    static constexpr std::size_t kExtraBytes = 4 * sizeof(void*) + sizeof(Id) + 2 * 2 * sizeof(void*);

    /// Strong guarantee: if there is no memory, `record` is as it was, too.
    Id add(Record&& record) {
        records_.emplace_hint(records_.end(), next_, std::move(record));
        latest_ = next_;
        return next_++;
    }

    /// Throws std::out_of_range for an id that is not there.
    const Record& at(Id id) const {
        const auto found = records_.find(id);
        if (found == records_.end()) {
            throw std::out_of_range("there is no state " + std::to_string(id) + " in the store" + (id < next_ ? ", it was discarded" : ""));
        }
        return found->second;
    }

    /// The one added last, which a new one is most likely to resemble; null if it is not there any more.
    const Record* latest() const {
        const auto found = records_.find(latest_);
        return found == records_.end() ? nullptr : &found->second;
    }

    void erase(Id id) { records_.erase(id); }
    void clear() { records_.clear(); }

    bool contains(Id id) const { return records_.contains(id); }
    std::size_t size() const { return records_.size(); }
    /// The ids, oldest first.
    std::vector<Id> ids() const {
        std::vector<Id> ids;
        ids.reserve(records_.size());
        for (const auto& [id, record] : records_) ids.push_back(id);
        return ids;
    }

private:
    std::map<Id, Record> records_;
    Id next_ = 0;
    Id latest_ = 0;
};

}  // namespace oakemu
