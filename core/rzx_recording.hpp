// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "machine.hpp"
#include "probe.hpp"

namespace oakemu {

/// Records a machine while it runs: for each frame its M1 cycles and what its port reads gave, so that the same can happen again.
///
/// Who plays a recording has an interrupt accepted at the beginning of every frame but the first, if it is enabled, and at no other
/// time. So a recorded frame ends where the machine accepts an interrupt, which is a little after the end of its frame if that falls on
/// an EI, and may happen twice; and otherwise with the machine's frame, if interrupts are disabled there.
class RzxRecording {
public:
    /// Frames that follow from each other, and the machine before them.
    struct Part {
        Machine start;
        std::vector<std::uint16_t> fetches;
        std::vector<std::uint16_t> counts;
        std::vector<std::uint8_t> data;  ///< what all port reads gave, one frame after the other
    };

    /// Runs one frame like run_frame_probed. If the machine is not as the last call left it, but for held keys, a new part begins.
    /// Throws std::length_error if a frame does not fit into a recording: a program that keeps interrupts from being accepted for long.
    void run_frame(Machine& machine, const Setup& setup, Probe* watcher = nullptr);

    /// The parts so far, with the frame that has begun as it stands.
    std::vector<Part> parts() const;

    std::size_t frames() const { return frames_; }

private:
    class Listener;

    void begin_part(const Machine& machine);
    void end_frame(std::uint32_t fetches);

    std::vector<Part> parts_;
    std::optional<Machine> last_;  ///< as the last call left it
    std::uint32_t fetches_ = 0;    ///< of the frame that has begun
    std::size_t reads_ended_ = 0;  ///< port reads of this part whose frame has ended
    std::size_t frames_ = 0;       ///< of all parts
    bool too_long_ = false;
};

}  // namespace oakemu
