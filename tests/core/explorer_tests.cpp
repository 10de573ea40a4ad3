// SPDX-License-Identifier: GPL-3.0-or-later
// Explorations. Right values: a game of which all ways can be counted by hand, ways played again, and the same done on more threads.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "cell_archive.hpp"
#include "check.hpp"
#include "explorer.hpp"
#include "test_batch.hpp"

namespace {

using oakemu::BatchConfig;
using oakemu::CellArchive;
using oakemu::Explorer;
using oakemu::ExplorerConfig;
using oakemu::Merit;
using oakemu::Op;

/// The counting game of which a cell is how much the keys have added up to, and a step costs 1: the best way to a sum of n is to add 2
/// as often as that goes.
BatchConfig game_config() {
    BatchConfig config = game::config();
    config.autoreset = oakemu::Autoreset::disabled;
    config.rewards = {{{Op::constant, -1.0}}};
    config.random_pokes = {{game::kRandom, 2}};
    return config;
}

ExplorerConfig exploring(int num_threads = 1) {
    return {.cell = {1}, .seed = 3, .num_threads = num_threads, .trips = 16, .trip_steps = 12, .repeat = 0.5};
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

void the_better_way_is_kept(Check& check) {
    const Merit merit{3.0, 10};
    check.that(Merit({4.0, 99}).beats(merit), "more reward");
    check.that(Merit({3.0, 9}).beats(merit), "as much in fewer steps");
    check.that(!merit.beats(merit) && !Merit({3.0, 11}).beats(merit) && !Merit({2.0, 1}).beats(merit), "nothing else");
    TestBatch test(game_config());
    test.reset();
    CellArchive archive(test.batch.rules());
    const auto saved = test.batch.get_state(0);
    test.step();
    const auto later = test.batch.get_state(0);
    check.that(archive.wants({7}, merit), "a new cell is wanted");
    archive.put({7}, merit, {1, 2}, saved);
    check.that(!archive.wants({7}, merit) && archive.wants({7}, {5.0, 1}) && archive.wants({8}, merit), "and what is better");
    archive.put({8}, merit, {1, 3}, saved);
    archive.put({7}, {5.0, 1}, {4, 5}, later);
    check.equal(archive.cells().size(), 2U, "cells");
    check.equal(archive.cells()[0].stop.trip, 4U, "the better way is taken over");
    check.that(archive.state(0) == later && archive.state(1) == saved, "and the environment with it");
}

void seldom_seen_cells_are_drawn_more_often(Check& check) {
    TestBatch test(game_config());
    test.reset();
    CellArchive archive(test.batch.rules());
    const auto saved = test.batch.get_state(0);
    const std::vector<int> seen = {0, 3, 8};  // weights 1, 1/2, 1/3
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const oakemu::CellKey key{static_cast<std::int64_t>(i)};
        archive.put(key, {}, {}, saved);
        for (int k = 0; k < seen[i]; ++k) archive.count(key);
    }
    oakemu::Random random(1);
    constexpr std::size_t draws = 60000;
    std::vector<double> counts(3);
    for (const std::size_t cell : archive.draw(draws, random)) counts[cell] += 1.0;
    for (std::size_t i = 0; i < 3; ++i) {
        const double wanted = draws * 6.0 / 11.0 / std::sqrt(seen[i] + 1.0);
        check.that(std::abs(counts[i] - wanted) < 5.0 * std::sqrt(wanted), "a cell is drawn by its weight");
    }
}

void best_ways_are_found_and_lead_there(Check& check) {
    Explorer explorer(oakemu::Rules(game_config()), exploring());
    for (int round = 0; round < 60; ++round) explorer.explore();
    const std::vector<CellArchive::Cell> cells = explorer.cells();
    check.that(cells.size() > 60, "it gets further than one trip");
    TestBatch player(game_config());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::vector<std::int64_t> way = explorer.way_to(i);
        player.batch.reset({}, player.outputs(), {}, std::vector<oakemu::GivenMachine>{explorer.start()});
        for (const std::int64_t action : way) player.step(action);
        check.equal(player.variables[1], cells[i].key[0], "where a way leads");
        check.equal(player.episode_return[0], cells[i].merit.episode_return, "its return");
        check.equal(static_cast<std::int64_t>(way.size()), cells[i].merit.steps, "its steps");
        player.batch.set_state(0, explorer.state(i));
        player.batch.observe({}, player.outputs());
        check.equal(player.variables[1], cells[i].key[0], "where the environment stands");
        check.equal(player.episode_length[0], cells[i].merit.steps, "after so many steps");
        if (cells[i].key[0] <= 8) check.equal(cells[i].merit.steps, (cells[i].key[0] + 1) / 2, "the shortest way is found");
    }
    const Explorer::Figures figures = explorer.figures();
    check.equal(figures.trips, 60U * 16U, "trips");
    check.equal(figures.steps, 60 * 16 * 12, "steps");
    check.equal(figures.frames, 60 * 16 * 12, "frames");
    check.equal(figures.wins, 0, "wins");
    check.that(explorer.way_to_win().empty() && !explorer.best_win().has_value(), "the game cannot be won");
    std::uint64_t seen = 0;
    for (const CellArchive::Cell& cell : cells) seen += cell.seen;
    check.that(seen >= 60U * 16U && seen <= 60U * 16U * 13U, "cells that trips came by");
}

void ends_are_no_cells(Check& check) {
    BatchConfig config = game_config();
    config.win = game::at_least(1, 30);
    config.loss = game::at_least(0, 25);  // after 25 frames
    Explorer explorer(oakemu::Rules(config), exploring(2));
    for (int round = 0; round < 80; ++round) explorer.explore();
    for (const CellArchive::Cell& cell : explorer.cells()) {
        check.that(cell.key[0] < 30 && cell.merit.steps < 25, "a cell is a moment from which the game goes on");
    }
    check.that(explorer.figures().wins > 0, "the game was won");
    check.equal(explorer.best_win()->steps, 15, "steps of the best win, which adds 2 each time");
    check.equal(explorer.best_win()->episode_return, -15.0, "its return");
    TestBatch player(config);
    player.batch.reset({}, player.outputs(), {}, std::vector<oakemu::GivenMachine>{explorer.start()});
    for (const std::int64_t action : explorer.way_to_win()) player.step(action);
    check.equal(static_cast<int>(player.outcome[0]), static_cast<int>(oakemu::Outcome::win), "outcome of its actions");
}

void threads_do_not_matter(Check& check) {
    BatchConfig config = game_config();
    config.loss = game::at_least(0, 60);
    config.derived = {{{Op::variable, 1}, {Op::constant, 4}, {Op::floor_divide, 0}}};
    config.masks = {{}, game::at_least(0, 2), {}};
    ExplorerConfig given = exploring();
    given.cell = {3, 2};
    given.picture = true;
    Explorer one(oakemu::Rules(config), given);
    given.num_threads = 4;
    Explorer four(oakemu::Rules(config), given);
    given.seed = 4;
    Explorer other(oakemu::Rules(config), given);
    for (int round = 0; round < 12; ++round) {
        for (Explorer* explorer : {&one, &four, &other}) explorer->explore();
    }
    const auto ways = [](const Explorer& explorer) {
        std::vector<std::vector<std::int64_t>> all;
        for (std::size_t i = 0; i < explorer.figures().cells; ++i) all.push_back(explorer.way_to(i));
        return all;
    };
    check.that(ways(one) == ways(four), "the same ways are found");
    check.equal(one.figures().frames, four.figures().frames, "frames");
    check.that(ways(one) != ways(other), "another seed finds others");
    check.that(one.start() != other.start(), "and begins elsewhere where games do");
    check.equal(one.cells()[0].key.size(), 2U + 42U, "numbers of a cell: two variables, and 21 x 16 pixels in eights");
    for (std::size_t i = 0; i < one.figures().cells; ++i) {
        check.that(one.cells()[i].seen == four.cells()[i].seen && one.state(i) == four.state(i), "the same counts and environments");
    }
}

void wrong_configurations_are_refused(Check& check) {
    const auto refused = [](auto change) {
        BatchConfig config = game_config();
        ExplorerConfig given = exploring();
        change(config, given);
        return refusal([&] { Explorer(oakemu::Rules(config), given); });
    };
    check.equal(refused([](auto&, auto&) {}), "", "refusal of a good one");
    check.equal(refused([](auto&, auto& e) { e.cell = {3}; }), "cell: there is no variable 3; allowed are 0 to 2", "a variable");
    check.equal(refused([](auto&, auto& e) { e.cell = {}; }), "cell: nothing makes a cell; give variables, or take the picture", "nothing");
    check.equal(refused([](auto& c, auto&) { c.autoreset = oakemu::Autoreset::same_step; }), "autoreset: an exploration needs 'disabled'",
                "autoreset");
    check.equal(refused([](auto&, auto& e) { e.start = 1; }), "start is 1, allowed are 0 to 0", "a start state");
    check.that(refused([](auto&, auto& e) { e.trips = 0; }).starts_with("trips is 0"), "no trips");
    check.that(refused([](auto&, auto& e) { e.trip_steps = 0; }).starts_with("trip_steps is 0"), "no steps");
    check.that(refused([](auto&, auto& e) { e.repeat = 1.0; }).starts_with("repeat is 1"), "never another action");
    check.that(refused([](auto&, auto& e) { e.repeat = std::nan(""); }).starts_with("repeat is "), "no number");
    check.that(!refused([](auto&, auto& e) { e.num_threads = 0; }).empty(), "no threads");
    Explorer explorer(oakemu::Rules(game_config()), exploring());
    check.that(!refusal([&] { static_cast<void>(explorer.way_to(1)); }).empty(), "a cell that is not there");
}

}  // namespace

int main() {
    return run_tests({{"the better way is kept", the_better_way_is_kept},
                      {"seldom seen cells are drawn more often", seldom_seen_cells_are_drawn_more_often},
                      {"best ways are found and lead there", best_ways_are_found_and_lead_there},
                      {"ends are no cells", ends_are_no_cells},
                      {"threads do not matter", threads_do_not_matter},
                      {"wrong configurations are refused", wrong_configurations_are_refused}});
}
