// SPDX-License-Identifier: GPL-3.0-or-later
// How a batch plays: steps, ends, resets, limits, randomness. Right values: a game of a few bytes whose every frame is known.
#include "batch.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "check.hpp"
#include "test_batch.hpp"

namespace {

using oakemu::Autoreset;
using oakemu::BatchConfig;
using oakemu::Op;
using oakemu::Outcome;
using oakemu::Slot;

enum : std::size_t { kFramesVariable, kKeysVariable, kLivesVariable };

std::string refusal(const BatchConfig& config) {
    try {
        const oakemu::Batch made(config);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

void steps_play_frames_and_hold_keys(Check& check) {
    BatchConfig config = game::config();
    config.frameskip = {4, 4};
    TestBatch test(config);
    test.reset();
    check.equal(test.variables[kFramesVariable], 0, "frames after the reset");
    check.equal(test.actions_taken[0], Slot::kNoAction, "action of a reset");
    const std::int64_t actions[] = {1, 0, 2, 2};
    const std::int64_t keys[] = {4, 4, 12, 20};  // 4 frames of 1, of 0, of 2, of 2
    for (int i = 0; i < 4; ++i) {
        test.step(actions[i]);
        check.equal(test.variables[kFramesVariable], 4 * (i + 1), "frames");
        check.equal(test.variables[kKeysVariable], keys[i], "held keys, added up");
        check.equal(test.actions_taken[0], actions[i], "action taken");
        check.equal(test.rewards[0], 1.0, "reward");
        check.equal(test.episode_return[0], i + 1.0, "episode return");
        check.equal(test.episode_length[0], i + 1, "episode length");
        check.equal(test.episode_frame_number[0], 4 * (i + 1), "episode frames");
        check.equal(test.frame_number[0], 4 * (i + 1), "frames since construction");
        check.equal(test.outcome[0], 0, "outcome");
    }
    test.reset();
    check.equal(test.variables[kKeysVariable], 0, "held keys after a reset");
    check.equal(test.episode_length[0], 0, "length after a reset");
    check.equal(test.episode_return[0], 0.0, "return after a reset");
    check.equal(test.frame_number[0], 16, "frames since construction after a reset");
    check.equal(test.batch.machine(0).state.keys[1], 0, "keys after a reset");
}

/// B29: whatever the mode, episodes of three steps and a reward of 1 a step have r = 3 and l = 3.
void held_steps_hold_the_keys_of_each_frame(Check& check) {
    BatchConfig config = game::config(2);
    config.frameskip = {1, 8};  // nothing of it is drawn
    TestBatch test(config);
    test.reset();
    std::vector<oakemu::Action> held(5);
    held[0].keys[1] = 1;  // adds 1
    held[3].keys[1] = 2;  // adds 2
    held[4].keys[1] = 3;  // adds 3
    test.batch.step_held(0, 2, held, test.outputs());
    check.equal(test.variables[kFramesVariable], 5, "frames");
    check.equal(test.variables[kKeysVariable], 6, "held keys, added up");
    check.equal(test.actions_taken[0], 2, "what the step is taken for");
    check.equal(test.episode_length[0], 1, "episode length");
    check.equal(test.episode_frame_number[0], 5, "episode frames");
    const auto before = test.batch.machine(0).state.frame;
    check.equal(test.variables[game::kNumVariables + kFramesVariable], 0, "frames of the other environment");
    const auto refuses = [&](int env, std::int64_t action, std::span<const oakemu::Action> keys, const char* words) {
        try {
            test.batch.step_held(env, action, keys, test.outputs());
        } catch (const std::logic_error& error) {
            return std::string(error.what()).find(words) != std::string::npos;
        }
        return false;
    };
    check.that(refuses(0, 3, held, "action 3 for environment 0"), "refusal of an action");
    check.that(refuses(0, 0, {}, "at least one frame"), "refusal of no frame");
    check.that(refuses(2, 0, held, "environment 2"), "refusal of an environment");
    held[1].kempston = 32;
    check.that(refuses(0, 0, held, "frame 1 has a mask above 31"), "refusal of keys");
    check.equal(test.batch.machine(0).state.frame, before, "frames after refusals");
}

void episodes_of_three_steps(Check& check) {
    for (const Autoreset mode : {Autoreset::next_step, Autoreset::same_step, Autoreset::disabled}) {
        BatchConfig config = game::config(2);
        config.loss = game::at_least(kFramesVariable, 3);
        config.autoreset = mode;
        TestBatch test(config);
        test.reset();
        int ends = 0;
        for (int call = 1; call <= 24; ++call) {
            test.step();
            const bool ended = test.terminated[1];
            const int period = mode == Autoreset::next_step ? 4 : 3;
            check.equal(ended, call % period == 3 % period, "end after three steps");
            check.equal(test.outcome[1] == 2, ended, "lost at the end");
            check.that(!test.truncated[1], "not truncated");
            check.equal(test.rewards[1], mode == Autoreset::next_step && call % 4 == 0 ? 0.0 : 1.0, "reward");
            if (!ended) continue;
            ++ends;
            check.equal(test.episode_return[1], 3.0, "r");
            check.equal(test.episode_length[1], 3, "l");
            const auto& last = mode == Autoreset::same_step ? test.final_variables : test.variables;
            check.equal(last[game::kNumVariables + kFramesVariable], 3, "the last frame count");
            if (mode == Autoreset::same_step) check.equal(test.variables[game::kNumVariables + kFramesVariable], 0, "the new start");
            if (mode == Autoreset::disabled) test.reset();
        }
        check.equal(ends, mode == Autoreset::next_step ? 6 : 8, "ends");
    }
}

/// The frame count is shown in the bits of the first bitmap byte, so that pictures can be told apart.
void final_observations_are_the_last_ones(Check& check) {
    BatchConfig config = game::config();
    config.size = {64, 48};
    config.colour = oakemu::Colour::ink;
    config.loss = game::at_least(kFramesVariable, 5);
    config.autoreset = Autoreset::same_step;
    TestBatch test(config);
    const auto shown = [&](const std::vector<std::uint8_t>& observations, std::size_t frame) {
        int byte = 0;
        for (std::size_t x = 0; x < 8; ++x) byte = 2 * byte + (observations[frame * 64 * 48 + x] != 0 ? 1 : 0);
        return byte;
    };
    test.reset();
    for (int call = 1; call <= 5; ++call) {
        check.equal(shown(test.observations, 0), std::max(0, call - 2), "older frame");
        check.equal(shown(test.observations, 1), call - 1, "newer frame");
        test.step();
    }
    check.equal(shown(test.final_observations, 0), 4, "older final frame");
    check.equal(shown(test.final_observations, 1), 5, "newer final frame");
    check.equal(shown(test.observations, 0), 0, "first frame of the new episode, older");
    check.equal(shown(test.observations, 1), 0, "first frame of the new episode, newer");
}

void wrong_calls_play_nothing(Check& check) {
    BatchConfig config = game::config(3);
    config.autoreset = Autoreset::disabled;
    config.loss = game::at_least(kKeysVariable, 1);
    TestBatch test(config);
    const auto said = [&](const std::vector<std::int64_t>& actions) -> std::string {
        try {
            test.step(actions);
        } catch (const std::logic_error& error) {
            return error.what();
        }
        return "";
    };
    check.equal(said({0, 0, 0}), "environment 0 has never been reset; reset it before stepping", "a step before the first reset");
    test.reset();
    check.equal(said({0, 3, 0}), "action 3 for environment 1: allowed are 0 to 2", "an action that does not exist");
    check.equal(said({0, 0, -1}), "action -1 for environment 2: allowed are 0 to 2", "a negative action");
    check.equal(said({0, 0}), "actions: 2 given, the batch has 3 environments", "too few actions");
    check.equal(test.batch.machine(0).ram[game::kFrames - 0x4000], 0, "frames played");
    check.equal(said({0, 1, 0}), "", "a good step");
    check.that(test.terminated[1] && !test.terminated[0], "environment 1 has ended");
    check.equal(said({0, 0, 0}), "environment 1 has ended its episode; reset it before stepping", "stepping it");
    check.equal(test.batch.machine(0).ram[game::kFrames - 0x4000], 1, "frames of environment 0");

    const std::uint64_t others = test.hash(0, 1) ^ test.hash(2, 3);
    const bool mask[] = {false, true, false};
    test.batch.reset(mask, test.outputs());
    check.equal(test.hash(0, 1) ^ test.hash(2, 3), others, "rows that are not reset");
    check.that(!test.terminated[1] && test.episode_length[1] == 0, "the row that is reset");
    check.equal(said({0, 0, 0}), "", "a step after the reset");
    check.equal(test.variables[kFramesVariable], 2, "environment 0 went on");
    check.equal(test.variables[game::kNumVariables + kFramesVariable], 1, "environment 1 began anew");
}

void limits_truncate(Check& check) {
    BatchConfig config = game::config();
    config.frameskip = {4, 4};
    config.max_frames = 10;
    TestBatch frames(config);
    frames.reset();
    for (const int wanted : {4, 8, 10}) {
        frames.step();
        check.equal(frames.variables[kFramesVariable], wanted, "frames");
        check.equal(frames.truncated[0], wanted == 10, "truncated by frames");
        check.that(!frames.terminated[0], "not terminated");
        check.equal(frames.outcome[0], wanted == 10 ? 3 : 0, "outcome");
    }
    config.max_frames = 0;
    config.max_steps = 2;
    config.win = game::at_least(kFramesVariable, 8);
    config.loss = game::at_least(kKeysVariable, 8);
    TestBatch steps(config);
    steps.reset();
    steps.step(1);
    check.that(!steps.truncated[0] && !steps.terminated[0], "the first of two steps");
    steps.step(1);
    check.that(steps.terminated[0] && !steps.truncated[0], "an end beats the limit");
    check.equal(steps.outcome[0], 1, "a win beats a loss");
    config.win.clear();
    config.loss.clear();
    TestBatch limited(config);
    limited.reset();
    limited.step();
    limited.step();
    check.that(limited.truncated[0] && !limited.terminated[0], "the limit alone");
}

void lives_end_episodes(Check& check) {
    for (const Autoreset mode : {Autoreset::next_step, Autoreset::same_step, Autoreset::disabled}) {
        BatchConfig config = game::config(1, 1, 11);  // the countdown from 11 is 2 lives, one less every 4 frames, first after 4
        config.lives_variable = kLivesVariable;
        config.episodic_life = true;
        config.loss = {{Op::variable, kLivesVariable}, {Op::constant, 0}, {Op::less_equal, 0}};
        config.autoreset = mode;
        TestBatch test(config);
        test.reset();
        std::vector<int> outcomes;
        std::vector<std::int64_t> frames;
        while (outcomes.size() < 4) {
            test.step();
            if (!test.terminated[0]) continue;
            outcomes.push_back(test.outcome[0]);
            frames.push_back((mode == Autoreset::same_step ? test.final_variables : test.variables)[kFramesVariable]);
            check.equal(test.episode_length[0], 4, "steps of a life");
            if (mode == Autoreset::disabled) test.reset();
        }
        check.that(outcomes == std::vector<int>{4, 2, 4, 2}, "a life lost, then the game lost, twice");
        check.that(frames == std::vector<std::int64_t>{4, 8, 4, 8}, "the game goes on after a lost life, and starts anew after a loss");

        TestBatch seeded(config);
        seeded.reset();
        for (int i = 0; i < 4; ++i) seeded.step();
        seeded.seed(1);
        seeded.reset();
        check.equal(seeded.variables[kFramesVariable], mode == Autoreset::same_step ? 4 - 4 : 0, "a seed starts the game anew");
    }
}

void stickiness_repeats_the_last_action(Check& check) {
    BatchConfig config = game::config();
    config.repeat_action_probability = 0.25;
    TestBatch test(config);
    test.seed(3);
    test.reset();
    std::int64_t last = 0;
    int repeated = 0, other = 0;
    for (int i = 0; i < 4000; ++i) {
        const std::int64_t asked = (last + 1) % 3;  // never the last one, so that every repetition shows
        const std::int64_t keys = test.variables[kKeysVariable];
        test.step(asked);
        const std::int64_t taken = test.actions_taken[0];
        check.equal(test.variables[kKeysVariable], (keys + taken) % 256, "the taken action's keys were held");
        if (taken == last) ++repeated;
        if (taken != last && taken != asked) ++other;
        last = taken;
    }
    check.equal(other, 0, "actions that nobody asked for");
    check.that(repeated > 890 && repeated < 1110, "a quarter is repeated, within 4 sigma");

    config.repeat_action_probability = 1.0;
    TestBatch always(config);
    always.reset();
    always.step(2);
    check.equal(always.actions_taken[0], 0, "with probability 1 the no-op of the reset is repeated for ever");
}

void resets_are_random_as_configured(Check& check) {
    BatchConfig config = game::config();
    config.noops = {2, 5};
    config.random_pokes = {{game::kRandom, 2}};
    config.frameskip = {2, 4};
    config.start_states.push_back(oakemu::save(game::start(100)));
    config.variables.push_back({.address = game::kRandom, .type = oakemu::VariableType::u16le});
    config.variables.push_back({.address = game::kCountdown});
    TestBatch test(config);
    test.seed(11);
    std::set<std::int64_t> noops, numbers, starts, skips;
    for (int i = 0; i < 200; ++i) {
        test.reset();
        noops.insert(test.variables[kFramesVariable]);
        numbers.insert(test.variables[3]);
        starts.insert(test.variables[4] + test.variables[kFramesVariable]);
        check.equal(test.episode_frame_number[0], 0, "no-op frames are not the episode's");
        test.step();
        skips.insert(test.episode_frame_number[0]);
    }
    check.that(noops == std::set<std::int64_t>{2, 3, 4, 5}, "2 to 5 no-op frames");
    check.that(numbers.size() > 190 && *numbers.rbegin() > 255, "two random bytes");
    check.that(starts == std::set<std::int64_t>{100, 255}, "both start states");
    check.that(skips == std::set<std::int64_t>{2, 3, 4}, "2 to 4 frames a step");
}

void resets_hold_the_no_op_and_let_go(Check& check) {
    BatchConfig config = game::config();
    config.noop_action = 2;
    config.noops = {3, 3};
    TestBatch test(config);
    for (int i = 0; i < 2; ++i) {
        test.reset();
        check.equal(test.variables[kKeysVariable], 6, "three frames of the no-op's key");
        check.equal(test.batch.machine(0).state.keys[1], 0, "keys after the reset");
        test.step(1);
    }
}

void hooks_are_counted_per_step(Check& check) {
    BatchConfig config = game::config();
    config.frameskip = {3, 3};
    config.hooks = {0x7000, game::kRoutine, game::kRoutine};
    config.rewards = {
        {{Op::called, 0}, {Op::called, 1}, {Op::add, 0}, {Op::called, 2}, {Op::constant, 100}, {Op::multiply, 0}, {Op::add, 0}}};
    TestBatch test(config);
    test.reset();
    for (int i = 0; i < 3; ++i) {
        test.step();
        check.equal(test.rewards[0], 303.0, "three calls a step, under both names");
    }
}

void rewards_are_differences_of_a_whole_step(Check& check) {
    BatchConfig config = game::config();
    config.frameskip = {4, 4};
    // keys gained, minus 5
    config.rewards = {
        {{Op::variable, kKeysVariable}, {Op::before, kKeysVariable}, {Op::subtract, 0}, {Op::constant, 5}, {Op::subtract, 0}}};
    for (const bool clipped : {false, true}) {
        config.reward_clipping = clipped;
        TestBatch test(config);
        test.reset();
        test.step(1);
        check.equal(test.rewards[0], -1.0, "4 - 5");
        test.step(2);
        check.equal(test.rewards[0], clipped ? 1.0 : 3.0, "8 - 5");
        test.step(0);
        check.equal(test.rewards[0], clipped ? -1.0 : -5.0, "0 - 5");
        check.equal(test.episode_return[0], -3.0, "the return, which is never clipped");
    }
}

void maxpool_takes_the_brighter_pixel(Check& check) {
    for (const bool pool : {false, true}) {
        for (const int skip : {1, 2, 4}) {
            BatchConfig config = game::config();
            config.size = {64, 48};
            config.stack = 1;
            config.colour = oakemu::Colour::ink;
            config.frameskip = {skip, skip};
            config.maxpool = pool;
            TestBatch test(config);
            test.reset();
            for (int step = 1; step <= 5; ++step) {
                test.step();
                const int count = step * skip;
                const int shown = pool && skip > 1 ? count | (count - 1) : count;  // ink of the last two frames
                for (int bit = 0; bit < 8; ++bit) {
                    check.equal(test.observations[static_cast<std::size_t>(7 - bit)], (shown >> bit & 1) != 0 ? 255 : 0, "pixel");
                }
            }
        }
    }
}

void bad_configurations_are_refused(Check& check) {
    const auto expect = [&](const char* part, auto change) {
        BatchConfig config = game::config();
        change(config);
        const std::string said = refusal(config);
        check.that(said.find(part) != std::string::npos, std::string(part) + " in '" + said + "'");
    };
    expect("rom: 3 bytes given", [](auto& c) { c.rom.resize(3); });
    expect("start_states: there must be", [](auto& c) { c.start_states.clear(); });
    expect("start_states: item 0: ", [](auto& c) { c.start_states[0].resize(100); });
    expect("num_envs 0", [](auto& c) { c.num_envs = 0; });
    expect("num_threads -1", [](auto& c) { c.num_threads = -1; });
    expect("actions: there must be", [](auto& c) { c.actions.clear(); });
    expect("actions: row 2", [](auto& c) { c.actions[2].keys[7] = 32; });
    expect("Kempston", [](auto& c) { c.actions[1].kempston = 1; });
    expect("noop_action 3", [](auto& c) { c.noop_action = 3; });
    expect("frameskip (0, 4)", [](auto& c) { c.frameskip = {0, 4}; });
    expect("frameskip (5, 2)", [](auto& c) { c.frameskip = {5, 2}; });
    expect("noops (-1, 2)", [](auto& c) { c.noops = {-1, 2}; });
    expect("repeat_action_probability", [](auto& c) { c.repeat_action_probability = 1.5; });
    expect("random_pokes", [](auto& c) { c.random_pokes = {{0xFFFF, 2}}; });
    expect("random_pokes", [](auto& c) { c.random_pokes = {{0x3FFF, 1}}; });
    expect("max_steps -1", [](auto& c) { c.max_steps = -1; });
    expect("max_frames -1", [](auto& c) { c.max_frames = -1; });
    expect("area (x 200", [](auto& c) { c.area.x = 200; });
    expect("area", [](auto& c) { c.area.height = 0; });
    expect("size (0, 84)", [](auto& c) { c.size = {0, 84}; });
    expect("stack 0", [](auto& c) { c.stack = 0; });
    expect("variables: row 1", [](auto& c) { c.variables[1].address = 5; });
    expect("rewards: program 0: instruction 0", [](auto& c) { c.rewards = {{{Op::variable, 3}}}; });
    expect("win: the expression leaves", [](auto& c) { c.win = {{Op::constant, 3}, {Op::constant, 3}}; });
    expect("loss: instruction 0", [](auto& c) { c.loss = {{Op::called, 0}}; });
    expect("lives_variable 3", [](auto& c) { c.lives_variable = 3; });
    expect("episodic_life", [](auto& c) { c.episodic_life = true; });
    check.equal(refusal(game::config()), "", "refusal of a good one");
}

}  // namespace

int main() {
    return run_tests({{"steps play frames and hold keys", steps_play_frames_and_hold_keys},
                      {"held steps hold the keys of each frame", held_steps_hold_the_keys_of_each_frame},
                      {"episodes of three steps", episodes_of_three_steps},
                      {"final observations are the last ones", final_observations_are_the_last_ones},
                      {"wrong calls play nothing", wrong_calls_play_nothing},
                      {"limits truncate", limits_truncate},
                      {"lives end episodes", lives_end_episodes},
                      {"stickiness repeats the last action", stickiness_repeats_the_last_action},
                      {"resets are random as configured", resets_are_random_as_configured},
                      {"resets hold the no-op and let go", resets_hold_the_no_op_and_let_go},
                      {"hooks are counted per step", hooks_are_counted_per_step},
                      {"rewards are differences of a whole step", rewards_are_differences_of_a_whole_step},
                      {"maxpool takes the brighter pixel", maxpool_takes_the_brighter_pixel},
                      {"bad configurations are refused", bad_configurations_are_refused}});
}
