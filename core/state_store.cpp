// SPDX-License-Identifier: GPL-3.0-or-later
#include "state_store.hpp"

#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "snapshot.hpp"
#include "tape.hpp"

namespace oakemu {
namespace {

/// What a map adds to each of its elements: three pointers, a colour, and the allocator's own words for the node and for its array.
constexpr std::size_t kNodeBytes = 4 * sizeof(void*) + 2 * 2 * sizeof(void*);

}  // namespace

std::size_t StateStore::record_bytes(std::size_t runs) { return kNodeBytes + sizeof(Id) + sizeof(Record) + runs * sizeof(InternPool::Id); }

StateStore::Id StateStore::add(const Machine& machine) {
    check_state(machine.state, nullptr);
    return add(machine.state, reinterpret_cast<const std::byte*>(machine.ram.data()));
}

StateStore::Id StateStore::add(std::span<const std::byte> saved) {
    const SavedMachine machine = read_saved(saved);
    return add(machine.state, machine.ram.data());
}

StateStore::Id StateStore::add(const State& state, const std::byte* ram) {
    Record record{.state = state, .runs = nullptr};
    const std::size_t count = record.count();
    record.runs = std::make_unique_for_overwrite<InternPool::Id[]>(count);
    const auto latest = records_.find(latest_);
    const std::size_t alike = latest == records_.end() ? 0 : latest->second.count();
    std::size_t done = 0;
    try {
        for (; done < count; ++done) {
            record.runs[done] = add_run(ram + done * kPage * kRunPages, done < alike ? &latest->second.runs[done] : nullptr);
        }
        records_.emplace_hint(records_.end(), next_, std::move(record));
    } catch (...) {
        while (done-- > 0) {
            release_run(record.runs[done]);
        }
        throw;
    }
    record_bytes_ += record_bytes(count);
    latest_ = next_;
    return next_++;
}

/// `like`, if there is one, is a run that is probably much the same: comparing is faster than looking up.
InternPool::Id StateStore::add_run(const std::byte* ram, const InternPool::Id* like) {
    std::array<bool, kRunPages> same{};
    Run pages{};
    if (like != nullptr) {
        pages = run(*like);
        bool all = true;
        for (std::size_t i = 0; i < kRunPages; ++i) {
            same[i] = std::memcmp(pages_.at(pages[i]), ram + i * kPage, kPage) == 0;
            all = all && same[i];
        }
        if (all) {
            runs_.add_user(*like);
            return *like;
        }
    }
    std::size_t done = 0;
    try {
        for (; done < kRunPages; ++done) {
            if (same[done]) {
                pages_.add_user(pages[done]);
            } else {
                pages[done] = pages_.intern(ram + done * kPage).id;
            }
        }
        const auto [id, added] = runs_.intern(std::as_bytes(std::span(pages)).data());
        if (!added) {
            release_pages(pages, kRunPages);  // the run that was there uses them already
        }
        return id;
    } catch (...) {
        release_pages(pages, done);
        throw;
    }
}

void StateStore::release_pages(const Run& pages, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        pages_.remove_user(pages[i]);
    }
}

void StateStore::release_run(InternPool::Id id) {
    if (runs_.remove_user(id)) {
        release_pages(run(id), kRunPages);
    }
}

StateStore::Run StateStore::run(InternPool::Id id) const {
    Run pages;
    std::memcpy(pages.data(), runs_.at(id), sizeof pages);
    return pages;
}

const StateStore::Record& StateStore::find(Id id) const {
    const auto found = records_.find(id);
    if (found == records_.end()) {
        throw std::out_of_range("there is no state " + std::to_string(id) + " in the store" + (id < next_ ? ", it was discarded" : ""));
    }
    return found->second;
}

void StateStore::copy_ram(const Record& record, std::byte* out) const {
    for (std::size_t i = 0; i < record.count(); ++i) {
        for (const InternPool::Id page : run(record.runs[i])) {
            std::memcpy(out, pages_.at(page), kPage);
            out += kPage;
        }
    }
}

std::size_t StateStore::get_size(Id id) const { return saved_size(find(id).state.model); }

void StateStore::get(Id id, std::span<std::byte> out) const {
    const Record& record = find(id);
    std::byte* const payload = out.data() + kSavedHeader;
    std::memcpy(payload, &record.state, sizeof record.state);
    copy_ram(record, payload + sizeof record.state);
    seal_machine(out, record.state.model);
}

std::vector<std::byte> StateStore::get(Id id) const {
    std::vector<std::byte> bytes(get_size(id));
    get(id, bytes);
    return bytes;
}

void StateStore::load(Id id, Machine& machine, const Tape* tape) const {
    const Record& record = find(id);
    check_model(record.state.model, machine.state.model);
    check_state(record.state, tape);
    machine.state = record.state;
    copy_ram(record, reinterpret_cast<std::byte*>(machine.ram.data()));
}

void StateStore::discard(Id id) {
    const Record& record = find(id);
    for (std::size_t i = 0; i < record.count(); ++i) {
        release_run(record.runs[i]);
    }
    record_bytes_ -= record_bytes(record.count());
    records_.erase(id);
}

void StateStore::clear() {
    pages_.clear();
    runs_.clear();
    records_.clear();
    record_bytes_ = 0;
}

std::vector<StateStore::Id> StateStore::ids() const {
    std::vector<Id> ids;
    ids.reserve(records_.size());
    for (const auto& [id, record] : records_) {
        ids.push_back(id);
    }
    return ids;
}

std::size_t StateStore::nbytes() const { return sizeof *this + pages_.nbytes() + runs_.nbytes() + record_bytes_; }

}  // namespace oakemu
