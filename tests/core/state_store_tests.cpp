// SPDX-License-Identifier: GPL-3.0-or-later
// Very many states at once. Right values: the bytes that went in, and sets of pages and counts made the simple way.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <new>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check.hpp"
#include "intern_pool.hpp"
#include "snapshot.hpp"
#include "state_store.hpp"
#include "tape.hpp"

namespace {

/// How many allocations will still succeed; negative for all.
long allocations_left = -1;

void* allocate(std::size_t size) {
    if (allocations_left == 0) throw std::bad_alloc();
    if (allocations_left > 0) --allocations_left;
    void* const memory = std::malloc(size == 0 ? 1 : size);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
}

}  // namespace

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace {

using oakemu::InternPool;
using oakemu::Machine;
using oakemu::Model;
using oakemu::StateStore;
using Bytes = std::vector<std::byte>;

constexpr std::array kModels{Model::spectrum48, Model::spectrum128, Model::plus2};

template <typename Call>
std::string refusal(const Call& call) {
    try {
        call();
        return "";
    } catch (const std::exception& error) {
        return error.what();
    }
}

/// Changes a few places, as a game does from one moment to the next.
void change(Machine& machine, std::mt19937& random) {
    for (std::size_t i = random() % 4; i-- > 0;) machine.ram[random() % machine.ram.size()] = static_cast<std::uint8_t>(random());
    machine.state.t = static_cast<std::uint32_t>(random() % 60000);
    ++machine.state.frame;
}

std::size_t distinct_pages(const std::map<StateStore::Id, Bytes>& states) {
    std::set<std::string_view> pages;
    for (const auto& [id, saved] : states) {
        for (std::size_t at = oakemu::kSavedHeader + sizeof(oakemu::State); at < saved.size(); at += 256) {
            pages.emplace(reinterpret_cast<const char*>(saved.data() + at), 256);
        }
    }
    return pages.size();
}

void items_are_kept_once(Check& check) {
    // Items of one byte fill the smallest table in every order; those of two grow it.
    for (const std::size_t size : {1U, 2U}) {
        std::mt19937 random(1);
        InternPool pool(size);
        std::map<std::uint32_t, std::pair<InternPool::Id, int>> users;
        for (int i = 0; i < 60000; ++i) {
            const auto value = static_cast<std::uint32_t>(random() & (size == 1 ? 0xFFU : 0xFFFFU));
            std::array<std::byte, 4> item{};
            std::memcpy(item.data(), &value, 4);
            const auto known = users.find(value);
            if (random() % 5 < 3) {
                const auto [id, added] = pool.intern(item.data());
                check.equal(added, known == users.end(), "whether it is new");
                check.that(std::memcmp(pool.at(id), item.data(), size) == 0, "it is the same item");
                if (known == users.end()) {
                    users[value] = {id, 1};
                } else {
                    check.equal(id, known->second.first, "id of a known item");
                    ++known->second.second;
                }
            } else if (known != users.end()) {
                check.equal(pool.remove_user(known->second.first), known->second.second == 1, "whether it was the last user");
                if (--known->second.second == 0) users.erase(known);
            }
            check.equal(pool.size(), users.size(), "different items");
        }
    }
}

void equal_hashes_are_not_equal_items(Check& check) {
    // Of so many items some have the same 32 bits of hash.
    InternPool pool(4);
    constexpr std::uint32_t count = 300'000;
    for (std::uint32_t value = 0; value < count; ++value) {
        const auto [id, added] = pool.intern(reinterpret_cast<const std::byte*>(&value));
        check.that(added, "every value is new");
        check.that(std::memcmp(pool.at(id), &value, 4) == 0, "and stored as it is");
    }
    check.equal(pool.size(), count, "different items");
    pool.clear();
    check.equal(pool.size(), 0U, "items of a cleared pool");
}

void states_come_back(Check& check) {
    std::mt19937 random(2);
    StateStore store;
    std::map<StateStore::Id, Bytes> kept;
    std::vector<Machine> machines;
    for (const Model model : kModels) machines.emplace_back(model);
    StateStore::Id expected = 0;
    for (int i = 0; i < 900; ++i) {
        Machine& machine = machines[random() % machines.size()];
        change(machine, random);
        const Bytes saved = oakemu::save(machine);
        const StateStore::Id id = random() % 2 == 0 ? store.add(machine) : store.add(std::span(saved));
        check.equal(id, expected++, "id");
        kept[id] = saved;
        if (random() % 3 == 0) {
            const auto victim = std::next(kept.begin(), static_cast<std::ptrdiff_t>(random() % kept.size()));
            store.discard(victim->first);
            kept.erase(victim);
        }
        if (i % 100 == 0) {
            check.equal(store.pages(), distinct_pages(kept), "different pages");
            for (const auto& [each, bytes] : kept) check.that(store.get(each) == bytes, "every state is there as it was");
        }
        if (!kept.empty()) {
            const auto& [some, bytes] = *std::next(kept.begin(), static_cast<std::ptrdiff_t>(random() % kept.size()));
            const Machine wanted = oakemu::restored(bytes);
            Machine taker(wanted.state.model);
            const std::uint8_t* const ram = taker.ram.data();
            store.load(some, taker);
            check.that(taker == wanted && taker.ram.data() == ram, "a machine takes it over");
        }
    }
    std::vector<StateStore::Id> ids;
    for (const auto& [id, bytes] : kept) ids.push_back(id);
    check.that(store.ids() == ids, "the ids, oldest first");
    check.equal(store.size(), kept.size(), "number of states");
    for (const StateStore::Id id : ids) store.discard(id);
    check.equal(store.pages(), 0U, "pages without states");
    check.equal(store.size(), 0U, "states");
    check.equal(store.add(machines[0]), expected, "an id is never given twice");
    store.clear();
    check.equal(store.size() + store.pages(), 0U, "what is left after clearing");
    check.equal(store.add(machines[0]), expected + 1, "not after clearing either");
}

void memory_is_for_what_differs(Check& check) {
    std::mt19937 random(3);
    Machine machine;
    for (std::uint8_t& byte : machine.ram) byte = static_cast<std::uint8_t>(random());
    StateStore store;
    store.add(machine);
    check.equal(store.pages(), 192U, "pages of a machine without two equal ones");
    const std::size_t one = store.nbytes();
    check.that(one > 49152 && one < 200'000, "bytes of one state");
    for (int i = 0; i < 5000; ++i) store.add(machine);
    check.equal(store.pages(), 192U, "pages of equal machines");
    check.that((store.nbytes() - one) / 5000 < 330, "an equal state costs its registers and a short list");
    const std::size_t before = store.nbytes();
    for (std::uint32_t i = 0; i < 5000; ++i) {
        std::memcpy(machine.ram.data() + 256 * (i % 192), &i, 4);
        store.add(machine);
    }
    check.equal(store.pages(), 192U + 5000U, "pages of machines that differ in one");
    check.that((store.nbytes() - before) / 5000 < 330 + 64 + 256 + 100, "a page more costs little more than a page");
    const std::size_t full = store.nbytes();
    for (const StateStore::Id id : store.ids()) store.discard(id);
    check.that(store.nbytes() < full, "records of discarded states are given back");
    store.clear();
    check.that(store.nbytes() < 1000, "clearing gives everything back");
}

void what_is_not_there_is_refused(Check& check) {
    StateStore store;
    Machine machine;
    check.equal(refusal([&] { static_cast<void>(store.get(0)); }), "there is no state 0 in the store", "refusal");
    const StateStore::Id id = store.add(machine);
    store.discard(id);
    const std::string gone = "there is no state 0 in the store, it was discarded";
    check.equal(refusal([&] { static_cast<void>(store.get(id)); }), gone, "refusal to get");
    check.equal(refusal([&] { store.load(id, machine); }), gone, "refusal to load");
    check.equal(refusal([&] { store.discard(id); }), gone, "refusal to discard");

    const StateStore::Id other = store.add(Machine(Model::plus2));
    machine.ram[5] = 5;
    const Machine before = machine;
    check.equal(refusal([&] { store.load(other, machine); }), "saved state: it is of a plus2 machine, this one is a 48k", "refusal");
    const oakemu::Tape tape({{.op = oakemu::TapeOp::hold, .count = 1000}}, {}, {}, {});
    machine.state.tape.segment = 2;
    const StateStore::Id wound = store.add(machine);
    machine = before;
    check.that(!refusal([&] { store.load(wound, machine, &tape); }).empty(), "the tape must have the position");
    check.that(machine == before, "what is refused changes nothing");

    Bytes bytes = oakemu::save(before);
    bytes.back() ^= std::byte{1};
    check.that(!refusal([&] { store.add(std::span(std::as_const(bytes))); }).empty(), "damaged bytes are refused");
    machine.state.border = 9;
    check.that(!refusal([&] { store.add(machine); }).empty(), "a machine that cannot be is refused");
    check.equal(store.size(), 2U, "nothing was added");
}

void no_memory_changes_nothing(Check& check) {
    std::mt19937 random(4);
    StateStore store;
    std::map<StateStore::Id, Bytes> kept;
    int refused = 0;
    for (int i = 0; i < 30; ++i) {
        Machine machine(kModels[static_cast<std::size_t>(i) % 3]);
        for (std::uint8_t& byte : machine.ram) byte = static_cast<std::uint8_t>(random() % 2 + static_cast<unsigned>(i));
        const Bytes saved = oakemu::save(machine);
        for (long fail_at = 0;; ++fail_at) {
            allocations_left = fail_at;
            try {
                const StateStore::Id id = store.add(machine);
                allocations_left = -1;
                kept[id] = saved;
                break;
            } catch (const std::bad_alloc&) {
                allocations_left = -1;
                ++refused;
                check.equal(store.size(), kept.size(), "states after a failure");
                if (i < 6) check.equal(store.pages(), distinct_pages(kept), "pages after a failure");
            }
        }
    }
    check.that(refused > 30, "memory ran out in many places");
    check.equal(store.pages(), distinct_pages(kept), "different pages");
    for (const auto& [id, saved] : kept) check.that(store.get(id) == saved, "all states are there");
    for (const StateStore::Id id : store.ids()) store.discard(id);
    check.equal(store.pages(), 0U, "no page is left");
}

}  // namespace

int main() {
    return run_tests({{"items are kept once", items_are_kept_once},
                      {"equal hashes are not equal items", equal_hashes_are_not_equal_items},
                      {"states come back", states_come_back},
                      {"memory is for what differs", memory_is_for_what_differs},
                      {"what is not there is refused", what_is_not_there_is_refused},
                      {"no memory changes nothing", no_memory_changes_nothing}});
}
