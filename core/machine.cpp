// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include "run_loop.hpp"
#include "tape.hpp"
#include "timing.hpp"

namespace oakemu {
namespace {

/// T of the old frame as T of the new one; what is long past stays past.
std::int32_t moment_in_next_frame(std::int32_t t, std::uint32_t frame) { return std::max(t - static_cast<std::int32_t>(frame), -1); }

bool is_early48(const State& state) { return !has_paging(state.model) && state.late == 0; }

std::uint32_t frame_length(const State& state) { return timings_of(state.model).frame; }

void end_frame_if_over(Machine& machine, const Setup& setup) {
    const std::uint32_t frame = frame_length(machine.state);
    if (machine.state.t >= frame) {
        run_loop::end_frame(machine, setup, frame);
    }
}

void run_to(Machine& machine, const Setup& setup, std::uint32_t limit) {
    if (!is_early48(machine.state)) {
        run_loop::run_paged(machine, setup, limit);
    } else if (setup.timing == Timing::exact) {
        run_loop::run_exact48(machine, setup, limit);
    } else {
        run_loop::run_uncontended48(machine, setup, limit);
    }
    end_frame_if_over(machine, setup);
}

}  // namespace

namespace run_loop {

void end_frame(Machine& machine, const Setup& setup, std::uint32_t frame) {
    State& state = machine.state;
    if (setup.tape != nullptr) {
        tape_end_frame(state.tape, *setup.tape, state.t, frame, !has_paging(state.model));
    }
    state.t -= frame;
    ++state.frame;
    state.cpu.no_int_at = moment_in_next_frame(state.cpu.no_int_at, frame);
    state.cpu.ld_a_ir_at = moment_in_next_frame(state.cpu.ld_a_ir_at, frame);
}

}  // namespace run_loop

bool Machine::operator==(const Machine& other) const { return std::memcmp(&state, &other.state, sizeof state) == 0 && ram == other.ram; }

void copy_visible_ram(const Machine& machine, std::uint8_t* out) {
    for (std::size_t page = 1; page < 4; ++page, out += kBankSize) {
        std::memcpy(out, machine.ram.data() + page_place(machine.state, page), kBankSize);
    }
}

RomSet make_rom_set(Model model, std::span<const std::byte> bytes) {
    const std::size_t wanted = rom_count(model) * kBankSize;
    if (bytes.size() != wanted) {
        throw std::invalid_argument("rom: " + std::to_string(bytes.size()) + " bytes given, a " + (has_paging(model) ? "128K" : "48K") +
                                    " ROM has " + std::to_string(wanted));
    }
    RomSet roms;
    for (std::size_t i = 0; i < rom_count(model); ++i) {
        std::memcpy(roms.images[i].data(), bytes.data() + i * kBankSize, kBankSize);
    }
    return roms;
}

void run_frame(Machine& machine, const Setup& setup) {
    machine.state.cpu.hook_reported = 0;
    run_to(machine, setup, frame_length(machine.state));
}

void run_tstates(Machine& machine, const Setup& setup, std::uint64_t tstates) {
    State& state = machine.state;
    state.cpu.hook_reported = 0;
    const std::uint32_t length = frame_length(state);
    while (tstates > 0) {
        const std::uint32_t start = state.t;
        const std::uint64_t frame = state.frame;
        run_to(machine, setup, static_cast<std::uint32_t>(std::min<std::uint64_t>(start + tstates, length)));
        const std::uint64_t passed = (state.frame - frame) * length + state.t - start;
        tstates -= std::min(tstates, passed);
    }
}

bool run_frame_hooked(Machine& machine, const Setup& setup, const Hooks& hooks, HookFunction on_hit, void* context) {
    State& state = machine.state;
    if (!hooks.test(state.cpu.pc)) {
        state.cpu.hook_reported = 0;  // these are not the hooks that stopped it
    }
    const run_loop::HookSet watch{hooks, on_hit, context};
    const std::uint32_t limit = frame_length(state);
    bool stopped = false;
    if (!is_early48(state)) {
        stopped = run_loop::run_paged_hooked(machine, setup, limit, watch);
    } else if (setup.timing == Timing::exact) {
        stopped = run_loop::run_exact48_hooked(machine, setup, limit, watch);
    } else {
        stopped = run_loop::run_uncontended48_hooked(machine, setup, limit, watch);
    }
    end_frame_if_over(machine, setup);
    return stopped;
}

void power_on(Machine& machine) {
    const State before = machine.state;
    machine.state = State{};
    machine.state.model = before.model;
    machine.state.late = before.late;
    machine.state.issue2 = before.issue2;
    machine.state.kempston_fitted = before.kempston_fitted;
    std::fill(machine.ram.begin(), machine.ram.end(), std::uint8_t{0});
}

}  // namespace oakemu
