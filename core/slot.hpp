// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "batch_config.hpp"
#include "display_changes.hpp"
#include "machine.hpp"
#include "random.hpp"
#include "readings.hpp"
#include "snapshot.hpp"

namespace oakemu {

/// How the last step left an episode. The numbers are part of the interface.
enum class Outcome : std::uint8_t { running = 0, win = 1, loss = 2, truncated = 3, life_lost = 4 };

/// Where a slot writes what it has to say: its row of every output array. Which may be null, Outputs says.
struct OutputRow {
    std::uint8_t* observation;
    std::uint8_t* final_observation;
    double* reward;
    double* reward_parts;
    bool* terminated;
    bool* truncated;
    std::int64_t* variables;
    std::int64_t* final_variables;
    double* episode_return;
    std::int64_t* episode_length;
    std::int64_t* episode_frame_number;
    std::int64_t* frame_number;
    std::uint8_t* outcome;
    std::int64_t* action_taken;
    bool* action_mask;
    std::int64_t* start;
    std::uint8_t* ram;
    std::uint8_t* final_ram;
};

/// How a saved slot of a configuration is laid out.
struct SlotLayout {
    std::uint64_t fingerprint;
    std::size_t fixed;   ///< bytes before the RAM, headers included
    std::size_t ram;     ///< bytes of RAM
    std::size_t frame;   ///< bytes of each of the frames that follow
    std::size_t frames;  ///< how many

    std::size_t size() const { return fixed + ram + frames * frame; }
};

/// One environment: a machine, its random stream, the statistics of its episode and the frames of its observation.
///
/// What it does depends on the rules, its seed and its actions alone. Its stream is drawn from in this order, and only where there is
/// a choice. Reset: which start state; one number for each random byte, in order; how many no-op frames. Step: whether the last
/// action is repeated; how many frames.
class Slot {
public:
    static constexpr std::int64_t kNoAction = -1;   ///< action_taken of a reset
    static constexpr std::int64_t kDrawStart = -1;  ///< instead of the number of a start state: draw one
    static constexpr std::int64_t kNoStart = -1;    ///< OutputRow::start of an episode that began in no start state

    Slot(const Rules& rules, std::uint64_t seed);

    /// Starts the random stream, and the count of frames with it, so that all that follows is decided by the seed and the actions. The
    /// next reset restores a start state even if the last episode ended with a lost life.
    void seed(std::uint64_t seed);

    /// Begins an episode in the start state of this number. Where the last one ended with a lost life (episodic_life) and no number is
    /// given, the game goes on from where it is.
    void reset(const Rules& rules, std::int64_t start, ObservationScratch& scratch, const OutputRow& out);

    /// Begins an episode in this machine, of the rules' model, as it is: no random byte, no no-op frame, and nothing is drawn.
    void reset_in(const Rules& rules, const SavedMachine& machine, ObservationScratch& scratch, const OutputRow& out);

    /// Plays a step, or resets, as the autoreset mode says. The caller has checked the action and can_step().
    void step(const Rules& rules, int action, ObservationScratch& scratch, const OutputRow& out);

    /// Plays a step in which each frame holds keys of its own, in place of those of `action`, which is what it is taken for. Nothing is
    /// drawn, and no limit cuts it short. The episode is running.
    void step_held(const Rules& rules, int action, std::span<const Action> held, ObservationScratch& scratch, const OutputRow& out);

    /// Writes the row of the episode as it stands, as if the last step had been a reset.
    void observe(const Rules& rules, const OutputRow& out) const;

    /// Whether there is an episode that a step would continue (or whose end a step would follow by a reset).
    bool can_step(const Rules& rules) const;
    bool was_reset() const { return progress_.phase != Phase::fresh; }
    bool is_running() const { return progress_.phase == Phase::running; }

    const Machine& machine() const { return machine_; }

    std::vector<std::byte> save(const Rules& rules) const;

    /// Throws std::invalid_argument, and then changes nothing, unless the bytes are a slot saved under the same rules.
    void restore(const Rules& rules, std::span<const std::byte> bytes);

    /// How save() lays out its bytes.
    static SlotLayout layout(const Rules& rules);

    /// The payload of bytes that save() wrote under rules of this layout. Throws std::invalid_argument unless they are, by checksum,
    /// length and fingerprint.
    static std::span<const std::byte> checked_payload(const SlotLayout& layout, std::span<const std::byte> bytes);

private:
    enum class Phase : std::uint32_t { fresh, running, ended, life_lost };

    /// All that is remembered besides machine, stream, derived variables, mask and frames. Saved as it is, so it has no padding.
    struct Progress {
        double episode_return = 0.0;
        std::int64_t episode_length = 0;
        std::int64_t episode_frames = 0;
        std::int64_t frames = 0;
        std::int32_t last_action = 0;
        Phase phase = Phase::fresh;
        double stall_value = 0.0;
        std::int64_t steps_unchanged = 0;  ///< for how many steps the stall value has stayed the same
        std::int64_t start = 0;            ///< the number of the start state, or kNoStart
    };

    /// The fixed part of a saved slot; the derived variables, the mask, a saved machine and the frames, oldest first, follow.
    struct SavedHead {
        std::uint64_t fingerprint;
        Random::Words stream;
        Progress progress;
    };

    void put_into_start(const Rules& rules, std::int64_t start);
    void begin_episode(const Rules& rules, ObservationScratch& scratch);
    void play_frames(const Rules& rules, int count, std::span<const Action> held, ObservationScratch& scratch);
    void finish_step(const Rules& rules, int action, int frames, const OutputRow& out, ObservationScratch& scratch);
    void play_frame(const Rules& rules);
    void hold(const Action& action);
    int choose(const Rules& rules, int action);
    double reward(const Rules& rules, double* parts) const;
    void find_allowed(const Rules& rules);
    void note_stall(const Rules& rules);
    Outcome judge(const Rules& rules) const;
    bool is_sane(const Rules& rules, const SavedHead& head, std::span<const std::uint8_t> allowed) const;

    void show(const Rules& rules, const OutputRow& out) const;
    void show_final(const OutputRow& out) const;
    void write_figures(const OutputRow& out) const;
    std::uint8_t* next_frame(const Rules& rules);
    void push_frame(const Rules& rules, ObservationScratch& scratch);
    void copy_frames(std::uint8_t* out) const;

    Machine machine_;
    Random random_;
    Progress progress_{};
    std::vector<std::uint8_t> frames_;  ///< a ring of `stack` frames
    std::size_t oldest_ = 0;            ///< where the ring begins, in bytes
    DisplayChanges changes_{};          ///< since the newest frame
    Readings readings_;
    std::vector<std::uint8_t> allowed_;  ///< 1 for each action that the next step may play; empty: all may be
};

}  // namespace oakemu
