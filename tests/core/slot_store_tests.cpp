// SPDX-License-Identifier: GPL-3.0-or-later
// Episodes that begin in any machine, and very many saved environments. Right values: start states, and the bytes that went in.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch.hpp"
#include "check.hpp"
#include "slot_store.hpp"
#include "test_batch.hpp"

namespace {

using oakemu::BatchConfig;
using oakemu::SlotStore;
using Bytes = std::vector<std::byte>;
using Machines = std::vector<oakemu::GivenMachine>;

/// What a reset does besides restoring is on, and what is told of a start.
BatchConfig busy_config(int num_envs, int num_threads = 1) {
    BatchConfig config = game::config(num_envs, num_threads);
    config.noops = {2, 5};
    config.random_pokes = {{game::kRandom, 2}};
    config.frameskip = {1, 3};
    config.stack = 3;
    config.derived = {{{oakemu::Op::before, 3}, {oakemu::Op::constant, 1}, {oakemu::Op::add, 0}}};
    config.masks = {{}, game::at_least(0, 6), {}};
    return config;
}

template <typename Call>
std::string refusal(const Call& call) {
    try {
        call();
        return "";
    } catch (const std::exception& error) {
        return error.what();
    }
}

/// The game as it is after so many frames with key A held.
oakemu::Machine later(int frames) {
    TestBatch test(game::config());
    test.reset();
    for (int i = 0; i < frames; ++i) test.step(1);
    return test.batch.machine(0);
}

void an_episode_begins_in_a_machine(Check& check) {
    const Bytes machine = oakemu::save(later(10));
    TestBatch test(busy_config(3, 2));
    test.seed(4);
    test.reset();
    for (int i = 0; i < 7; ++i) test.step();
    const Bytes other = test.batch.get_state(0);
    const auto length = test.episode_length[0];
    test.batch.reset({}, test.outputs(), {}, Machines{std::nullopt, machine, std::nullopt});
    check.equal(test.variables[4], 10, "frames of the game");
    check.equal(test.variables[5], 10, "keys of the game");
    check.equal(test.variables[7], 1, "a derived variable begins anew");
    check.equal(test.episode_length[1] + test.episode_frame_number[1], 0, "statistics");
    check.equal(test.episode_return[1], 0.0, "return");
    check.equal(test.start[1], -1, "it began in no start state");
    check.equal(test.start[2], 0, "the others did");
    check.equal(test.actions_taken[1], -1, "it is a reset");
    check.that(test.action_masks[3 + 1] && test.action_masks[3], "masks are those of that moment");
    const std::size_t frame = test.pixels / 3;
    const std::span row(test.observations.data() + test.pixels, test.pixels);
    check.that(std::ranges::equal(row.first(frame), row.subspan(frame, frame)) && std::ranges::equal(row.first(frame), row.last(frame)),
               "the stack holds its first frame");
    oakemu::Machine wanted = later(10);
    wanted.state.keys = {};
    check.that(test.batch.machine(1) == wanted, "no frame has passed, no byte was changed, no key is held");
    check.that(length == 7 && test.variables[0] >= 2, "the others reset as ever");
    test.step();
    check.equal(test.episode_length[1], 1, "it goes on");
    check.that(test.batch.get_state(0) != other, "so do they");
}

void nothing_is_drawn_for_it(Check& check) {
    const Bytes machine = oakemu::save(later(3));
    TestBatch test(busy_config(1));
    std::set<std::uint64_t> hashes;
    for (int round = 0; round < 2; ++round) {
        test.seed(5);
        if (round == 1) test.batch.reset({}, test.outputs(), {}, Machines{machine});
        test.reset();
        test.frame_number[0] = 0;  // frames are counted from the seed on, whatever is played
        hashes.insert(test.hash());
    }
    check.equal(hashes.size(), 1U, "different resets after the seed");
}

void a_state_of_it_carries_on(Check& check) {
    const Bytes machine = oakemu::save(later(3));
    TestBatch test(busy_config(1)), twin(busy_config(1));
    test.batch.reset({}, test.outputs(), {}, Machines{machine});
    twin.reset();
    twin.batch.set_state(0, test.batch.get_state(0));
    for (int i = 0; i < 20; ++i) {
        test.step(i % 3);
        twin.step(i % 3);
        check.equal(twin.hash(), test.hash(), "hash");
    }
    check.equal(twin.start[0], -1, "start");
}

void a_lost_life_does_not_go_on_elsewhere(Check& check) {
    BatchConfig config = game::config(1, 1, 252);
    config.episodic_life = true;
    config.lives_variable = 2;  // counts down once in four frames: at once, since the countdown is at a multiple of 4
    config.autoreset = oakemu::Autoreset::disabled;
    TestBatch test(config);
    test.reset();
    test.step();
    check.that(test.terminated[0], "a life was lost");
    const Bytes machine = oakemu::save(later(31));
    test.batch.reset({}, test.outputs(), {}, Machines{machine});
    check.equal(test.variables[0], 31, "frames of the game");
    test.step();
    check.that(test.terminated[0], "another life was lost");
    test.reset();
    check.equal(test.variables[0], 32, "the game in the machine goes on after a lost life");
    check.equal(test.start[0], -1, "it is still the one that began in a machine");
}

void wrong_machines_are_refused(Check& check) {
    TestBatch test(busy_config(2));
    test.reset();
    test.step();
    const Bytes before = test.batch.get_state(0);
    const Bytes good = oakemu::save(later(1)), plus2 = oakemu::save(oakemu::Machine(oakemu::Model::plus2));
    Bytes damaged = good;
    damaged.back() ^= std::byte{1};
    const auto refused = [&](const Machines& machines) { return refusal([&] { test.batch.reset({}, test.outputs(), {}, machines); }); };
    check.equal(refused({good, plus2}), "machines: item 1: saved state: it is of a plus2 machine, this one is a 48k", "another model");
    check.that(refused({damaged, std::nullopt}).starts_with("machines: item 0: "), "damaged");
    check.that(refused({good, before}).starts_with("machines: item 1: "), "an environment is no machine");
    check.equal(refused({good}), "machines: 1 given, the batch has 2 environments", "too few");
    check.that(refused({std::span<const std::byte>(), good}).starts_with("machines: item 0: "), "nothing at all");
    check.that(test.batch.get_state(0) == before, "nothing has changed");
    check.equal(refused({good, good}), "", "refusal of good ones");
}

std::size_t distinct_pages(const std::map<SlotStore::Id, Bytes>& states, const oakemu::SlotLayout& layout) {
    std::set<std::string> pages;
    const auto add = [&](std::string_view bytes) {
        const std::size_t whole = oakemu::PageStore::num_runs(bytes.size()) * 4096;
        std::string filled(bytes);
        filled.resize(whole);
        for (std::size_t at = 0; at < whole; at += 256) pages.insert(filled.substr(at, 256));
    };
    for (const auto& [id, saved] : states) {
        const std::string_view all(reinterpret_cast<const char*>(saved.data()), saved.size());
        add(all.substr(layout.fixed, layout.ram));
        for (std::size_t i = 0; i < layout.frames; ++i) add(all.substr(layout.fixed + layout.ram + i * layout.frame, layout.frame));
    }
    return pages.size();
}

void environments_come_back(Check& check) {
    std::mt19937 random(1);
    for (const auto& size : {std::pair{21, 16}, std::pair{64, 64}, std::pair{100, 90}}) {  // part of a run, one run, two and a part
        BatchConfig config = busy_config(3, 2);
        config.size = size;
        TestBatch test(config), taker(config);
        const oakemu::SlotLayout layout = oakemu::Slot::layout(test.batch.rules());
        SlotStore store(test.batch.rules());
        std::map<SlotStore::Id, Bytes> kept;
        test.seed(7);
        test.reset();
        taker.reset();
        for (int i = 0; i < 150; ++i) {
            test.step({static_cast<std::int64_t>(random() % 3), 0, static_cast<std::int64_t>(random() % 3)});
            const Bytes saved = test.batch.get_state(static_cast<int>(random() % 3));
            check.equal(saved.size(), store.get_size(), "size of a saved environment");
            check.equal(store.add(saved), static_cast<std::uint64_t>(i), "id");
            kept[static_cast<std::uint64_t>(i)] = saved;
            if (random() % 3 == 0) {
                const auto victim = std::next(kept.begin(), static_cast<std::ptrdiff_t>(random() % kept.size()));
                store.discard(victim->first);
                kept.erase(victim);
            }
        }
        check.equal(store.pages(), distinct_pages(kept, layout), "different pages");
        check.equal(store.size(), kept.size(), "number of states");
        for (const auto& [id, saved] : kept) check.that(store.get(id) == saved, "a state is there as it was");
        taker.batch.set_state(1, store.get(kept.begin()->first));
        check.that(taker.batch.get_state(1) == kept.begin()->second, "an environment takes it over");
        for (const SlotStore::Id id : store.ids()) store.discard(id);
        check.equal(store.pages() + store.size(), 0U, "pages and states of an empty store");
        store.clear();
        check.that(store.nbytes() < 1000, "clearing gives everything back");
    }
}

void memory_is_for_what_differs(Check& check) {
    BatchConfig config = busy_config(1);
    config.size = {84, 84};
    config.area = {0, 0, 256, 192};
    config.stack = 4;
    TestBatch test(config);
    test.reset();
    SlotStore store(test.batch.rules());
    store.add(test.batch.get_state(0));
    const std::size_t one = store.nbytes();
    for (int i = 0; i < 2000; ++i) {
        test.step();
        store.add(test.batch.get_state(0));
    }
    // A step changes two pages of RAM (the display and the variables), one of the newest frame, and the runs that these are in.
    check.that((store.nbytes() - one) / 2000 < 600 + 3 * (256 + 64 + 30), "a step costs the pages that it changes");
}

void what_is_not_there_is_refused(Check& check) {
    TestBatch test(busy_config(1));
    test.reset();
    SlotStore store(test.batch.rules());
    const Bytes good = test.batch.get_state(0);
    check.equal(refusal([&] { static_cast<void>(store.get(0)); }), "there is no state 0 in the store", "refusal");
    store.discard(store.add(good));
    check.equal(refusal([&] { store.discard(0); }), "there is no state 0 in the store, it was discarded", "refusal to discard");
    BatchConfig changed = busy_config(1);
    changed.frameskip = {1, 4};
    TestBatch other(changed);
    other.reset();
    check.that(refusal([&] { store.add(other.batch.get_state(0)); }).find("another configuration") != std::string::npos, "another game");
    Bytes damaged = good;
    damaged.back() ^= std::byte{1};
    check.that(!refusal([&] { store.add(damaged); }).empty(), "damaged bytes");
    check.that(!refusal([&] { store.add(std::span(good).first(good.size() - 1)); }).empty(), "truncated bytes");
    check.that(!refusal([&] { store.add(oakemu::save(test.batch.machine(0))); }).empty(), "a machine is no environment");
    check.equal(store.size() + store.pages(), 0U, "what was added");
}

}  // namespace

int main() {
    return run_tests({{"an episode begins in a machine", an_episode_begins_in_a_machine},
                      {"nothing is drawn for it", nothing_is_drawn_for_it},
                      {"a state of it carries on", a_state_of_it_carries_on},
                      {"a lost life does not go on elsewhere", a_lost_life_does_not_go_on_elsewhere},
                      {"wrong machines are refused", wrong_machines_are_refused},
                      {"environments come back", environments_come_back},
                      {"memory is for what differs", memory_is_for_what_differs},
                      {"what is not there is refused", what_is_not_there_is_refused}});
}
