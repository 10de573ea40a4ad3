// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "cell_archive.hpp"
#include "random.hpp"
#include "slot.hpp"
#include "thread_pool.hpp"

namespace oakemu {

/// How an exploration goes about it. Explorer checks it.
struct ExplorerConfig {
    std::vector<int> cell{};  ///< numbers of the variables, derived ones included, whose values make a cell
    bool picture = false;     ///< whether the newest frame of the observation, in 8 levels of brightness, belongs to a cell
    std::int64_t start = 0;   ///< number of the start state
    std::uint64_t seed = 0;
    int num_threads = 1;
    int trips = 64;        ///< trips a round
    int trip_steps = 100;  ///< steps a trip, at most
    double repeat = 0.9;   ///< how likely a step plays the last action once more; otherwise all are equally likely
};

/// Finds ways to as many different moments of a game as it can (Ecoffet et al. 2021, "First return, then explore", phase 1).
///
/// Moments that are alike in what makes a cell are one cell. Round by round it draws cells that were seldom seen, puts environments
/// back to where they stood there and plays on at random: a trip. Of every cell that a trip comes by, the best way is kept.
///
/// What it finds depends on the rules, the configuration and the number of rounds: not on the number of threads, since the trips of a
/// round know nothing of each other and are taken over in their order.
class Explorer {
public:
    /// Throws std::invalid_argument for a configuration that cannot be.
    Explorer(const Rules& rules, const ExplorerConfig& config);

    /// Plays one round of trips. Where it throws (no memory), the exploration is over.
    void explore();

    /// What is known now. Calls wait for one another, whoever makes them.
    struct Figures {
        std::size_t cells = 0, trips = 0, nbytes = 0;
        std::int64_t steps = 0, frames = 0, wins = 0;
    };
    Figures figures() const;
    std::vector<CellArchive::Cell> cells() const;
    std::optional<Merit> best_win() const;

    /// The actions from the start to a cell. Throws std::out_of_range for one that is not there.
    std::vector<std::int64_t> way_to(std::size_t cell) const;
    /// The actions up to the best win; empty if there was none.
    std::vector<std::int64_t> way_to_win() const;
    /// The environment in a cell, as Slot::save wrote it.
    std::vector<std::byte> state(std::size_t cell) const;
    /// The machine at the start of all ways, as save() writes it.
    const std::vector<std::byte>& start() const { return start_; }

private:
    /// What a trip was like, and from where its way goes back to the start.
    struct Trip {
        std::optional<Stop> from;
        std::vector<std::uint16_t> actions;
    };
    struct Visit {
        CellKey key;
        Merit merit;
        std::size_t steps = 0;
        std::vector<std::byte> saved;  ///< empty where the archive knew a better way before the round
    };
    struct Report {
        std::vector<std::uint16_t> actions;
        std::vector<Visit> visits;  ///< one a cell
        std::optional<Merit> win;
        std::int64_t frames = 0;
    };
    /// An environment and where it writes.
    struct Worker {
        explicit Worker(const Rules& rules);
        OutputRow row();

        Slot slot;
        ObservationScratch scratch;
        std::vector<std::uint8_t> observation, final_observation;
        std::vector<std::int64_t> variables, final_variables;
        double reward = 0.0, episode_return = 0.0;
        bool terminated = false, truncated = false;
        std::int64_t length = 0, frames = 0, all_frames = 0, action = 0, start = 0;
        std::uint8_t outcome = 0;
        CellKey key;
    };

    void check() const;
    Report travel(Worker& worker, std::size_t cell, std::uint64_t seed) const;
    void read_key(Worker& worker) const;
    void visit(Worker& worker, Report& report) const;
    void take_over(const CellArchive::Cell& from, Report& report);
    std::vector<std::int64_t> actions_to(const Stop& stop) const;

    Rules rules_;
    ExplorerConfig config_;
    ThreadPool pool_;
    std::vector<Worker> workers_;
    Random random_;
    CellArchive archive_;
    std::vector<Trip> trips_;  ///< those that led somewhere; the first one is no trip at all, but the start
    std::vector<std::byte> start_;
    std::optional<Merit> win_merit_;
    Stop win_;
    std::size_t num_trips_ = 0;
    std::int64_t steps_ = 0, frames_ = 0, wins_ = 0;
    mutable std::mutex mutex_;
};

}  // namespace oakemu
