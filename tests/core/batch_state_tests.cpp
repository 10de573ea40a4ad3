// SPDX-License-Identifier: GPL-3.0-or-later
// What a batch remembers, and that threads and neighbours do not matter. Right values: the same run done another way.
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "batch.hpp"
#include "check.hpp"
#include "test_batch.hpp"

namespace {

using oakemu::Autoreset;
using oakemu::BatchConfig;
using oakemu::Op;

/// Everything random is on, and episodes are short.
BatchConfig busy_config(int num_envs, int num_threads, Autoreset mode = Autoreset::next_step) {
    BatchConfig config = game::config(num_envs, num_threads, 40);
    config.frameskip = {1, 3};
    config.repeat_action_probability = 0.25;
    config.noops = {0, 3};
    config.random_pokes = {{game::kRandom, 2}, {0x4800, 64}};
    config.start_states.push_back(oakemu::save(game::start(25)));
    config.hooks = {game::kRoutine};
    config.maxpool = true;
    config.stack = 3;
    config.max_steps = 17;
    config.loss = game::at_least(1, 25);
    config.lives_variable = 2;
    config.episodic_life = true;
    config.rewards = {{{Op::variable, 1}, {Op::before, 1}, {Op::subtract, 0}}, {{Op::called, 0}}, {{Op::variable, 5}}};
    config.start_weights = {1.0, 0.5};
    config.variables.push_back({.address = game::kFrames, .items = 4, .stride = 1, .reduction = oakemu::Reduction::maximum});
    // The most frames so far, and how many steps there were.
    config.derived = {{{Op::before, 4}, {Op::variable, 0}, {Op::maximum, 0}}, {{Op::before, 5}, {Op::constant, 1}, {Op::add, 0}}};
    config.masks = {{}, game::at_least(0, 6), {{Op::called, 0}, {Op::constant, 2}, {Op::not_equal, 0}}};
    config.stall_value = {{Op::variable, 1}};
    config.stall_steps = 6;
    config.autoreset = mode;
    return config;
}

std::vector<std::int64_t> actions_for(std::size_t n, int step) {
    std::vector<std::int64_t> actions(n);
    for (std::size_t i = 0; i < n; ++i) actions[i] = static_cast<std::int64_t>((i * 7 + static_cast<std::size_t>(step) * step / 3) % 3);
    return actions;
}

void threads_do_not_matter(Check& check) {
    for (const Autoreset mode : {Autoreset::next_step, Autoreset::same_step}) {
        TestBatch one(busy_config(7, 1, mode));
        TestBatch four(busy_config(7, 4, mode));
        for (TestBatch* test : {&one, &four}) {
            test->seed(77);
            test->reset();
        }
        check.equal(four.hash(), one.hash(), "hash of all outputs after the reset");
        int ends = 0;
        for (int step = 0; step < 120; ++step) {
            one.step(actions_for(7, step));
            four.step(actions_for(7, step));
            check.equal(four.hash(), one.hash(), "hash of all outputs");
            ends += one.terminated[5] || one.truncated[5] ? 1 : 0;
        }
        check.that(ends > 5, "there were ends in between");
        for (int i = 0; i < 7; ++i) check.that(one.batch.get_state(i) == four.batch.get_state(i), "equal bytes");
    }
}

void attributes_are_carried_too(Check& check) {
    BatchConfig config = busy_config(3, 2);
    config.colour = oakemu::Colour::attributes;
    config.maxpool = false;
    config.random_pokes = {{0x5800, 768}};
    TestBatch one(config);
    config.num_threads = 1;
    TestBatch other(config);
    for (TestBatch* test : {&one, &other}) {
        test->seed(5);
        test->reset();
    }
    for (int step = 0; step < 60; ++step) {
        if (step % 7 == 3) {
            for (int i = 0; i < 3; ++i) other.batch.set_state(i, one.batch.get_state(i));
        }
        one.step(actions_for(3, step));
        other.step(actions_for(3, step));
        check.equal(other.hash(), one.hash(), "hash of all outputs");
    }
}

void neighbours_do_not_matter(Check& check) {
    TestBatch many(busy_config(5, 2));
    TestBatch alone(busy_config(1, 1));
    many.seed(200);
    alone.seed(203);
    many.reset();
    alone.reset();
    for (int step = 0; step < 100; ++step) {
        const std::vector<std::int64_t> actions = actions_for(5, step);
        many.step(actions);
        alone.step(std::vector<std::int64_t>{actions[3]});
        check.equal(alone.hash(), many.hash(3, 4), "hash of environment 3");
        check.that(many.hash(2, 3) != many.hash(3, 4), "another environment is another");
    }
}

void seeds_repeat(Check& check) {
    TestBatch test(busy_config(3, 1));
    std::vector<std::uint64_t> first;
    for (int round = 0; round < 2; ++round) {
        test.seed(9);
        test.reset();
        for (std::size_t step = 0; step < 60; ++step) {
            test.step(actions_for(3, static_cast<int>(step)));
            if (round == 0) first.push_back(test.hash());
            check.equal(test.hash(), first[step], "hash of the same seed");
        }
    }
}

void states_carry_on_elsewhere(Check& check) {
    for (const Autoreset mode : {Autoreset::next_step, Autoreset::disabled}) {
        TestBatch source(busy_config(1, 1, mode));
        source.seed(31);
        source.reset();
        for (int at = 0; at < 25; ++at) {
            const std::vector<std::byte> saved = source.batch.get_state(0);
            TestBatch target(busy_config(3, 2, mode));
            target.reset();
            target.batch.set_state(2, saved);
            check.that(target.batch.get_state(2) == saved, "the bytes come back");
            target.batch.set_state(0, saved);
            if (mode == Autoreset::disabled && (source.terminated[0] || source.truncated[0])) {
                source.reset();
                target.reset();
            } else {
                const std::int64_t action = actions_for(1, at)[0];
                source.step(action);
                target.step(std::vector<std::int64_t>{action, 0, action});
            }
            check.equal(target.hash(2, 3), source.hash(), "hash of a copy");
            check.equal(target.hash(0, 1), source.hash(), "hash of another copy");
        }
    }
}

void a_state_is_played_again(Check& check) {
    TestBatch test(busy_config(1, 1));
    test.seed(8);
    test.reset();
    for (int step = 0; step < 25; ++step) test.step(actions_for(1, step));
    const std::vector<std::byte> saved = test.batch.get_state(0);
    std::vector<std::uint64_t> first;
    for (int round = 0; round < 2; ++round) {
        test.batch.set_state(0, saved);
        for (std::size_t step = 0; step < 150; ++step) {
            test.step(actions_for(1, static_cast<int>(step)));
            if (round == 0) first.push_back(test.hash());
            check.equal(test.hash(), first[step], "hash");
        }
    }
}

std::string refusal(TestBatch& test, const std::vector<std::byte>& bytes) {
    try {
        test.batch.set_state(0, bytes);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

void bad_states_are_refused(Check& check) {
    TestBatch test(busy_config(1, 1));
    test.reset();
    for (int step = 0; step < 5; ++step) test.step();
    const std::vector<std::byte> good = test.batch.get_state(0);
    std::mt19937 random(1);  // any bytes will do
    for (int i = 0; i < 120; ++i) {
        std::vector<std::byte> bytes = good;
        switch (i % 3) {
            case 0:
                bytes.resize(random() % bytes.size());
                break;
            case 1:
                bytes[random() % bytes.size()] ^= std::byte{static_cast<unsigned char>(1U << (random() % 8))};
                break;
            default:
                for (std::byte& byte : bytes) byte = std::byte{static_cast<unsigned char>(random())};
        }
        check.that(!refusal(test, bytes).empty(), "damaged bytes are refused");
        check.that(test.batch.get_state(0) == good, "nothing has changed");
    }
    check.that(!refusal(test, oakemu::save(test.batch.machine(0))).empty(), "a machine is no environment");
    check.that(!refusal(test, {}).empty(), "nothing is no environment");
    check.equal(refusal(test, good), "", "refusal of good bytes");

    // Right checksums around wrong contents.
    const auto sealed = [](std::vector<std::byte> bytes) {
        oakemu::seal(bytes, "OAKB", 3, oakemu::Model::spectrum48);
        return bytes;
    };
    const auto changed = [&](std::size_t offset, auto value) {
        std::vector<std::byte> bytes = good;
        std::memcpy(bytes.data() + oakemu::kSavedHeader + offset, &value, sizeof value);
        return sealed(bytes);
    };
    check.that(sealed(good) == good, "the header is written anew as it was");
    const std::size_t progress = 8 + 32;  // after fingerprint and stream
    check.that(!refusal(test, changed(progress + 32, std::int32_t{3})).empty(), "an action that does not exist");
    check.that(!refusal(test, changed(progress + 36, std::uint32_t{9})).empty(), "a phase that does not exist");
    check.that(!refusal(test, changed(progress + 8, std::int64_t{-1})).empty(), "a negative length");
    check.that(!refusal(test, changed(progress + 40, std::numeric_limits<double>::quiet_NaN())).empty(), "a stall value that is none");
    check.that(!refusal(test, changed(progress + 48, std::int64_t{-1})).empty(), "a negative stall");
    check.that(!refusal(test, changed(progress + 56, std::int64_t{2})).empty(), "a start state that does not exist");
    const std::size_t mask = progress + 64 + 2 * 8;  // after the derived variables
    check.that(!refusal(test, changed(mask, std::uint8_t{0})).empty(), "a no-op that is not allowed");
    check.that(!refusal(test, changed(mask + 1, std::uint8_t{2})).empty(), "a mask that is none");
    check.that(!refusal(test, changed(8, std::array<std::uint64_t, 4>{})).empty(), "a stream that is stuck at 0");
    check.that(!refusal(test, changed(mask + 3, std::uint8_t{0})).empty(), "a machine that is none");
    check.that(!refusal(test, sealed(std::vector<std::byte>(oakemu::kSavedHeader))).empty(), "an empty payload");
    check.that(test.batch.get_state(0) == good, "nothing has changed");

    const auto expect_other = [&](auto change) {
        BatchConfig config = busy_config(1, 1);
        change(config);
        TestBatch other(config);
        check.that(refusal(other, good).find("another configuration") != std::string::npos, "another configuration is refused");
    };
    expect_other([](auto& c) { c.frameskip = {1, 4}; });
    expect_other([](auto& c) { c.stack = 4; });
    expect_other([](auto& c) { c.stack = 1; });
    expect_other([](auto& c) { c.size = {16, 21}; });
    expect_other([](auto& c) { c.rewards[0].back().op = Op::add; });
    expect_other([](auto& c) { c.actions[1].keys[1] = 4; });
    expect_other([](auto& c) { c.start_states.pop_back(), c.start_weights.clear(); });
    expect_other([](auto& c) { c.start_weights = {}; });
    expect_other([](auto& c) { c.derived[0].back().op = Op::minimum; });
    expect_other([](auto& c) { c.masks[1].clear(); });
    expect_other([](auto& c) { c.stall_steps = 7; });
    expect_other([](auto& c) { c.stall_value = {{Op::variable, 0}}; });
    expect_other([](auto& c) { c.variables[3].stride = 2; });
    expect_other([](auto& c) { c.variables[3].reduction = oakemu::Reduction::minimum; });
    expect_other([](auto& c) { c.rewards.pop_back(); });
    expect_other([](auto& c) { c.rom[0x1234] = std::byte{1}; });
}

void other_threads_are_turned_away(Check& check) {
    TestBatch test(busy_config(4, 2));
    TestBatch arrays(busy_config(4, 2));
    test.reset();
    std::atomic<bool> stop{false};
    std::atomic<int> turned_away{0}, calls{0};
    std::thread other([&] {
        while (!stop) {
            ++calls;
            try {
                static_cast<void>(test.batch.get_state(0));
            } catch (const std::runtime_error&) {
                ++turned_away;
            }
        }
    });
    for (int step = 0; step < 200 || calls == 0; ++step) {
        try {
            test.batch.step(actions_for(4, step), arrays.outputs());
        } catch (const std::runtime_error&) {
            ++turned_away;  // the other one was faster
        }
    }
    stop = true;
    other.join();
    check.that(turned_away > 0, "one of two threads is turned away now and then");
}

}  // namespace

int main() {
    return run_tests({{"threads do not matter", threads_do_not_matter},
                      {"attributes are carried, too", attributes_are_carried_too},
                      {"neighbours do not matter", neighbours_do_not_matter},
                      {"seeds repeat", seeds_repeat},
                      {"states carry on elsewhere", states_carry_on_elsewhere},
                      {"a state is played again", a_state_is_played_again},
                      {"bad states are refused", bad_states_are_refused},
                      {"other threads are turned away", other_threads_are_turned_away}});
}
