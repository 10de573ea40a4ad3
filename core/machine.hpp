// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "state.hpp"

namespace oakemu {

/// The 16 KiB ROM, shared read-only by every machine that uses it.
using Rom = std::array<std::uint8_t, 16384>;

/// A set of addresses at which somebody wants to know that an instruction starts there.
/// A byte an address, because it is looked up before every instruction of a hooked run and a bit takes longer to find.
class Hooks {
public:
    void set(std::uint16_t address) { marked_[address] = 1; }
    bool test(std::uint16_t address) const { return marked_[address] != 0; }

private:
    std::array<std::uint8_t, 65536> marked_{};
};

/// Emulation runs with exact contention, or without any (faster; a differential partner in tests).
enum class Timing : std::uint8_t { exact, uncontended };

/// Runs until the frame (or `until`, T-states in the current frame) is over. Overshoot of the last instruction is kept in
/// `state.t`, so that nothing is lost: when a frame ends, t -= frame length and ++frame.
/// The three runners are the only ways in which machine time passes.
void run_frame(State& state, const Rom& rom, Timing timing);

/// Runs at least `tstates` T-states, crossing frame ends as needed.
void run_tstates(State& state, const Rom& rom, Timing timing, std::uint64_t tstates);

/// Runs one frame like run_frame, calling `on_hit(void* context, uint16_t pc)` before each instruction whose address is in `hooks`.
/// If it returns true the run stops at once, before that instruction is executed; returns whether it stopped.
/// (After a stop, calling it again starts with that instruction and does not report it a second time.)
using HookFunction = bool (*)(void* context, std::uint16_t pc);
bool run_frame_hooked(State& state, const Rom& rom, Timing timing, const Hooks& hooks, HookFunction on_hit, void* context);

/// Puts a machine into its power-on state: PC 0, RAM zero, no key held. Keeps `kempston_fitted`.
void power_on(State& state);

}  // namespace oakemu
