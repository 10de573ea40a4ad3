// SPDX-License-Identifier: GPL-3.0-or-later
#include "slot_store.hpp"

#include <algorithm>
#include <utility>

namespace oakemu {

std::size_t SlotStore::record_bytes() const {
    constexpr std::size_t allocation = 2 * sizeof(void*);  // the allocator's own words for the second array
    return Records<Record>::kExtraBytes + allocation + sizeof(Record) + layout_.fixed + all_runs() * sizeof(PageStore::RunId);
}

SlotStore::Id SlotStore::add(std::span<const std::byte> saved) {
    static_cast<void>(Slot::checked_payload(layout_, saved));
    Record record{.fixed = std::make_unique_for_overwrite<std::byte[]>(layout_.fixed),
                  .runs = std::make_unique_for_overwrite<PageStore::RunId[]>(all_runs())};
    std::ranges::copy(saved.first(layout_.fixed), record.fixed.get());
    add_memory(saved.subspan(layout_.fixed), record.runs.get());
    try {
        return records_.add(std::move(record));
    } catch (...) {
        memory_.release(list(record));
        throw;
    }
}

void SlotStore::add_memory(std::span<const std::byte> bytes, PageStore::RunId* runs) {
    const Record* const latest = records_.latest();
    const auto like = [&](std::size_t first, std::size_t count) {
        return latest == nullptr ? std::span<const PageStore::RunId>() : list(*latest).subspan(first, count);
    };
    std::size_t done = 0;
    try {
        memory_.add(bytes.first(layout_.ram), runs, like(0, ram_runs()));
        done = ram_runs();
        for (std::size_t frame = 0; frame < layout_.frames; ++frame, done += frame_runs()) {
            // A step later, each frame is where the one after it was.
            const std::size_t before = std::min(frame + 1, layout_.frames - 1);
            memory_.add(bytes.subspan(layout_.ram + frame * layout_.frame, layout_.frame), runs + done,
                        like(ram_runs() + before * frame_runs(), frame_runs()));
        }
    } catch (...) {
        memory_.release({runs, done});
        throw;
    }
}

void SlotStore::get(Id id, std::span<std::byte> out) const {
    const Record& record = records_.at(id);
    std::copy_n(record.fixed.get(), layout_.fixed, out.begin());
    out = out.subspan(layout_.fixed);
    const PageStore::RunId* runs = record.runs.get();
    memory_.copy(runs, out.first(layout_.ram));
    runs += ram_runs();
    for (out = out.subspan(layout_.ram); !out.empty(); out = out.subspan(layout_.frame), runs += frame_runs()) {
        memory_.copy(runs, out.first(layout_.frame));
    }
}

std::vector<std::byte> SlotStore::get(Id id) const {
    std::vector<std::byte> bytes(get_size());
    get(id, bytes);
    return bytes;
}

void SlotStore::discard(Id id) {
    memory_.release(list(records_.at(id)));
    records_.erase(id);
}

void SlotStore::clear() {
    memory_.clear();
    records_.clear();
}

}  // namespace oakemu
