// SPDX-License-Identifier: GPL-3.0-or-later
#include "rzx_recording.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>

namespace oakemu {
namespace {

constexpr std::uint32_t kMost = std::numeric_limits<std::uint16_t>::max();

/// What a machine is without what is pressed, and without its tape, which is recorded as what its reads give.
State without_input(const Machine& machine) {
    State state = machine.state;
    state.keys = {};
    state.kempston = 0;
    state.tape = {};
    state.cpu.hook_reported = 0;
    return state;
}

bool equals_but_for_input(const Machine& left, const Machine& right) {
    const State a = without_input(left), b = without_input(right);
    return std::memcmp(&a, &b, sizeof a) == 0 && left.ram == right.ram;
}

}  // namespace

class RzxRecording::Listener final : public Probe {
public:
    explicit Listener(RzxRecording& recording) : recording_(&recording) {}

    std::uint8_t port_read(const Machine& /*machine*/, std::uint32_t /*t*/, std::uint16_t /*port*/, std::uint8_t value) override {
        recording_->parts_.back().data.push_back(value);
        return value;
    }

    void interrupt_accepted(const Machine& machine, std::uint32_t fetches) override {
        Part& part = recording_->parts_.back();
        if (part.fetches.empty() && recording_->fetches_ + fetches == 0) {
            part.start = machine;  // nothing has happened yet, and the first frame begins without an interrupt
        } else {
            recording_->end_frame(fetches - ended_);
        }
        ended_ = fetches;
    }

    /// M1 cycles of this run that belong to frames that have ended.
    std::uint32_t ended() const { return ended_; }

private:
    RzxRecording* recording_;
    std::uint32_t ended_ = 0;
};

void RzxRecording::begin_part(const Machine& machine) {
    if (fetches_ > 0) {
        end_frame(0);
    }
    parts_.push_back({.start = machine, .fetches = {}, .counts = {}, .data = {}});
    fetches_ = 0;
    reads_ended_ = 0;
}

void RzxRecording::end_frame(std::uint32_t fetches) {
    Part& part = parts_.back();
    fetches += fetches_;
    const std::size_t reads = part.data.size() - reads_ended_;
    too_long_ = too_long_ || fetches > kMost || reads >= kMost;
    part.fetches.push_back(static_cast<std::uint16_t>(fetches));
    part.counts.push_back(static_cast<std::uint16_t>(reads));
    reads_ended_ = part.data.size();
    fetches_ = 0;
    ++frames_;
}

void RzxRecording::run_frame(Machine& machine, const Setup& setup, Probe* watcher) {
    if (!last_ || !equals_but_for_input(*last_, machine)) {
        begin_part(machine);
    }
    Listener listener(*this);
    const std::array<Probe*, 2> probes{&listener, watcher};
    Probes all(std::span<Probe* const>(probes.data(), watcher == nullptr ? 1U : 2U));
    const std::uint32_t fetches = run_frame_probed(machine, setup, all);
    const CpuState& cpu = machine.state.cpu;
    const bool goes_on = cpu.iff1 != 0 || cpu.no_int_at == static_cast<std::int32_t>(machine.state.t);
    if (goes_on) {
        fetches_ += fetches - listener.ended();
    } else {
        end_frame(fetches - listener.ended());
    }
    last_ = machine;
    if (too_long_ || fetches_ > kMost) {
        throw std::length_error("frame " + std::to_string(frames_) + " of the recording is too long for it: it has no interrupt");
    }
}

std::vector<RzxRecording::Part> RzxRecording::parts() const {
    RzxRecording copy = *this;
    if (copy.fetches_ > 0) {
        copy.end_frame(0);
    }
    return std::move(copy.parts_);
}

}  // namespace oakemu
