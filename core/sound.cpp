// SPDX-License-Identifier: GPL-3.0-or-later
#include "sound.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "machine.hpp"
#include "ports.hpp"
#include "timing.hpp"

namespace oakemu {
namespace {

// Amplitudes. All together they stay below 32767: the filter's output swings no further than its input.
constexpr std::int32_t kSpeaker = 9000;
constexpr std::int32_t kChannel = 7000;
constexpr std::int32_t kEar = 900;

/// By bits 4 and 3 of the ULA port, in proportion to the voltage at its pin on an issue 3 machine: 0.34, 0.66, 3.56 and 3.70 V.
constexpr std::array<std::int32_t, 4> kSpeakerLevels{0, kSpeaker * 32 / 336, kSpeaker * 322 / 336, kSpeaker};

/// The chip runs at half the CPU's clock.
constexpr std::uint32_t kTPerAyStep = 2 * AyChip::kClocksPerStep;

}  // namespace

std::int32_t SoundProbe::level() const {
    std::int32_t level = kSpeakerLevels[speaker_ >> 3U] + (ear_ ? kEar : 0);
    if (has_ay_) {
        level += static_cast<std::int32_t>(ay_.level() * static_cast<std::uint64_t>(kChannel) / AyChip::kLevels[15]);
    }
    return level;
}

void SoundProbe::play_until(std::uint32_t t) {
    while (now_ < t) {
        const std::uint32_t passed = has_ay_ ? std::min(t - now_, to_ay_step_) : t - now_;
        sampler_.hold(level(), passed);
        now_ += passed;
        if (has_ay_ && (to_ay_step_ -= passed) == 0) {
            ay_.step();
            to_ay_step_ = kTPerAyStep;
        }
    }
}

void SoundProbe::write(std::uint16_t port, std::uint8_t value, unsigned ay_selected) {
    if (ports::is_ula(port)) {
        speaker_ = value & 0x18U;
    }
    if (has_ay_ && ports::is_ay_data(port)) {
        ay_.write(ay_selected, value);
    }
}

void SoundProbe::start(const Machine& machine) {
    clock_ = timings_of(machine.state.model).clock;
    frame_ = timings_of(machine.state.model).frame;
    has_ay_ = has_paging(machine.state.model);
    ay_ = AyChip{};
    to_ay_step_ = kTPerAyStep;
    late_writes_.clear();
    agree_with(machine);
    sampler_.start(clock_, level());
}

/// Takes over what the machine holds. Without a restored state in between that is what was written.
void SoundProbe::agree_with(const Machine& machine) {
    const State& state = machine.state;
    speaker_ = state.port_fe & 0x18U;
    ear_ = ear_ && state.tape.playing != 0;
    if (!has_ay_) {
        return;
    }
    for (unsigned number = 0; number < state.ay.size(); ++number) {
        if (ay_.read(number) != state.ay[number]) {
            ay_.write(number, state.ay[number]);
        }
    }
}

void SoundProbe::run_begins(const Machine& machine, std::uint32_t /*t*/) {
    now_ = 0;
    if (clock_ != timings_of(machine.state.model).clock) {
        start(machine);
        return;
    }
    for (const LateWrite& late : std::exchange(late_writes_, {})) {
        play_until(late.t);
        write(late.port, late.value, late.ay_selected);
    }
    agree_with(machine);
}

void SoundProbe::port_written(const Machine& machine, std::uint32_t t, std::uint16_t port, std::uint8_t value) {
    if (t >= frame_) {
        late_writes_.push_back({std::min(t - frame_, frame_), port, value, machine.state.ay_selected});
        return;
    }
    play_until(t);
    write(port, value, machine.state.ay_selected);
}

std::uint8_t SoundProbe::port_read(const Machine& machine, std::uint32_t t, std::uint16_t port, std::uint8_t value) {
    if (machine.state.tape.playing != 0 && ports::is_ula(port) && t <= frame_) {
        play_until(t);
        ear_ = (value & 0x40U) != 0;
    }
    return value;
}

void SoundProbe::frame_ends(const Machine& /*machine*/, std::uint32_t /*t*/) { play_until(frame_); }

}  // namespace oakemu
