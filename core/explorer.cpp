// SPDX-License-Identifier: GPL-3.0-or-later
#include "explorer.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "snapshot.hpp"

namespace oakemu {
namespace {

constexpr int kLevelShift = 5;  // 8 levels of brightness

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument(what); }

}  // namespace

Explorer::Worker::Worker(const Rules& rules)
    : slot(rules, 0),
      scratch(rules.plan.make_scratch()),
      observation(rules.observation_bytes()),
      final_observation(observation),
      variables(rules.num_variables()),
      final_variables(variables) {}

OutputRow Explorer::Worker::row() {
    return {.observation = observation.data(),
            .final_observation = final_observation.data(),
            .reward = &reward,
            .reward_parts = nullptr,
            .terminated = &terminated,
            .truncated = &truncated,
            .variables = variables.data(),
            .final_variables = final_variables.data(),
            .episode_return = &episode_return,
            .episode_length = &length,
            .episode_frame_number = &frames,
            .frame_number = &all_frames,
            .outcome = &outcome,
            .action_taken = &action,
            .action_mask = nullptr,
            .start = &start,
            .ram = nullptr,
            .final_ram = nullptr};
}

Explorer::Explorer(const Rules& rules, const ExplorerConfig& config)
    : rules_(rules), config_(config), pool_(config.num_threads), random_(config.seed), archive_(rules) {
    check();
    for (int i = 0; i < pool_.num_threads(); ++i) workers_.emplace_back(rules_);
    Worker& worker = workers_.front();
    worker.slot.seed(config.seed);
    worker.slot.reset(rules_, config.start, worker.scratch, worker.row());
    start_ = save(worker.slot.machine());
    trips_.emplace_back();
    read_key(worker);
    archive_.put(worker.key, Merit{}, Stop{}, worker.slot.save(rules_));
}

void Explorer::check() const {
    const auto count = static_cast<int>(rules_.num_variables());
    for (const int variable : config_.cell) {
        if (variable < 0 || variable >= count) {
            refuse("cell: there is no variable " + std::to_string(variable) + "; allowed are 0 to " + std::to_string(count - 1));
        }
    }
    if (config_.cell.empty() && !config_.picture) refuse("cell: nothing makes a cell; give variables, or take the picture");
    if (rules_.config.autoreset != Autoreset::disabled) refuse("autoreset: an exploration needs 'disabled'");
    if (config_.start < 0 || config_.start >= static_cast<std::int64_t>(rules_.starts.size())) {
        refuse("start is " + std::to_string(config_.start) + ", allowed are 0 to " + std::to_string(rules_.starts.size() - 1));
    }
    if (config_.trips < 1) refuse("trips is " + std::to_string(config_.trips) + ", it must be at least 1");
    if (config_.trip_steps < 1) refuse("trip_steps is " + std::to_string(config_.trip_steps) + ", it must be at least 1");
    if (!(config_.repeat >= 0.0 && config_.repeat < 1.0))
        refuse("repeat is " + std::to_string(config_.repeat) + ", allowed are 0 to below 1");
    if (rules_.num_actions() > 65536) refuse("actions: " + std::to_string(rules_.num_actions()) + " are too many, allowed are 65536");
}

void Explorer::explore() {
    const std::scoped_lock lock(mutex_);
    const auto count = static_cast<std::size_t>(config_.trips);
    const std::vector<std::size_t> from = archive_.draw(count, random_);
    std::vector<std::uint64_t> seeds(count);
    for (std::uint64_t& seed : seeds) seed = random_.next();
    // Where the trips begin now: a better way to their cell may be taken over before they are.
    std::vector<CellArchive::Cell> begin;
    for (const std::size_t cell : from) begin.push_back(archive_.cells()[cell]);
    std::vector<Report> reports(count);
    pool_.run(config_.trips, [&](int index, int worker) {
        const auto trip = static_cast<std::size_t>(index);
        reports[trip] = travel(workers_[static_cast<std::size_t>(worker)], from[trip], seeds[trip]);
    });
    for (std::size_t i = 0; i < count; ++i) take_over(begin[i], reports[i]);
    num_trips_ += count;
}

/// Plays a trip. Runs beside others, so all that it shares with them is only read.
Explorer::Report Explorer::travel(Worker& worker, std::size_t cell, std::uint64_t seed) const {
    worker.slot.restore(rules_, archive_.state(cell));
    worker.slot.observe(rules_, worker.row());
    const std::int64_t frames_before = worker.frames;
    Random random(seed);
    Report report;
    const auto num_actions = static_cast<std::uint32_t>(rules_.num_actions());
    std::uint32_t action = random.below(num_actions);
    for (int step = 0; step < config_.trip_steps; ++step) {
        if (step > 0 && random.uniform() >= config_.repeat) action = random.below(num_actions);
        worker.slot.step(rules_, static_cast<int>(action), worker.scratch, worker.row());
        report.actions.push_back(static_cast<std::uint16_t>(worker.action));
        const auto outcome = static_cast<Outcome>(worker.outcome);
        if (outcome == Outcome::win) report.win = Merit{worker.episode_return, worker.length};
        if (outcome != Outcome::running) break;
        visit(worker, report);
    }
    report.frames = worker.frames - frames_before;
    return report;
}

void Explorer::read_key(Worker& worker) const {
    worker.key.clear();
    for (const int variable : config_.cell) worker.key.push_back(worker.variables[static_cast<std::size_t>(variable)]);
    if (!config_.picture) return;
    const std::size_t newest = worker.observation.size() - rules_.plan.frame_bytes();
    std::uint64_t packed = 0;
    for (std::size_t i = newest; i < worker.observation.size(); ++i) {
        packed = packed << 8U | worker.observation[i] >> kLevelShift;
        if ((i - newest) % 8 == 7 || i + 1 == worker.observation.size()) {
            worker.key.push_back(static_cast<std::int64_t>(packed));
            packed = 0;
        }
    }
}

/// Notes the cell in which a worker stands, and saves it there if that is worth keeping.
void Explorer::visit(Worker& worker, Report& report) const {
    read_key(worker);
    const Merit merit{worker.episode_return, worker.length};
    const auto known = std::ranges::find(report.visits, worker.key, &Visit::key);
    if (known != report.visits.end() && !merit.beats(known->merit)) return;
    Visit& visit = known != report.visits.end() ? *known : report.visits.emplace_back();
    visit.key = worker.key;
    visit.merit = merit;
    visit.steps = report.actions.size();
    if (archive_.wants(worker.key, merit)) visit.saved = worker.slot.save(rules_);
}

void Explorer::take_over(const CellArchive::Cell& from, Report& report) {
    steps_ += static_cast<std::int64_t>(report.actions.size());
    frames_ += report.frames;
    archive_.count(from.key);
    const std::size_t trip = trips_.size();
    std::size_t needed = 0;
    for (const Visit& visit : report.visits) {
        if (!visit.saved.empty() && archive_.wants(visit.key, visit.merit)) {
            archive_.put(visit.key, visit.merit, {trip, visit.steps}, visit.saved);
            needed = std::max(needed, visit.steps);
        }
        if (visit.key != from.key) archive_.count(visit.key);
    }
    if (report.win.has_value()) {
        ++wins_;
        if (!win_merit_.has_value() || report.win->beats(*win_merit_)) {
            win_merit_ = report.win;
            win_ = {trip, report.actions.size()};
            needed = report.actions.size();
        }
    }
    if (needed == 0) return;
    report.actions.resize(needed);
    report.actions.shrink_to_fit();
    trips_.push_back({from.stop, std::move(report.actions)});
}

std::vector<std::int64_t> Explorer::actions_to(const Stop& stop) const {
    std::vector<std::int64_t> backwards;
    Stop at = stop;
    for (;;) {
        const Trip& trip = trips_[at.trip];
        for (std::size_t i = at.steps; i-- > 0;) backwards.push_back(trip.actions[i]);
        if (!trip.from.has_value()) break;
        at = *trip.from;
    }
    std::ranges::reverse(backwards);
    return backwards;
}

Explorer::Figures Explorer::figures() const {
    const std::scoped_lock lock(mutex_);
    std::size_t nbytes = archive_.nbytes() + trips_.capacity() * sizeof(Trip);
    for (const Trip& trip : trips_) nbytes += trip.actions.capacity() * sizeof(std::uint16_t) + 2 * sizeof(void*);
    return {.cells = archive_.cells().size(), .trips = num_trips_, .nbytes = nbytes, .steps = steps_, .frames = frames_, .wins = wins_};
}

std::vector<CellArchive::Cell> Explorer::cells() const {
    const std::scoped_lock lock(mutex_);
    return archive_.cells();
}

std::optional<Merit> Explorer::best_win() const {
    const std::scoped_lock lock(mutex_);
    return win_merit_;
}

std::vector<std::int64_t> Explorer::way_to(std::size_t cell) const {
    const std::scoped_lock lock(mutex_);
    return actions_to(archive_.cells().at(cell).stop);
}

std::vector<std::int64_t> Explorer::way_to_win() const {
    const std::scoped_lock lock(mutex_);
    return win_merit_.has_value() ? actions_to(win_) : std::vector<std::int64_t>();
}

std::vector<std::byte> Explorer::state(std::size_t cell) const {
    const std::scoped_lock lock(mutex_);
    return archive_.state(cell);
}

}  // namespace oakemu
