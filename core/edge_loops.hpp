// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "machine.hpp"

namespace oakemu {

/// The loops in which the ROM, and most loaders of games, wait for the next edge of a tape:
///
///     delay:  DEC A; JR NZ,delay; AND A                                (where it is there)
///     sample: INC B; RET Z; LD A,n; IN A,(FE); RRA; [RET NC | NOP]; XOR C; AND 20; JR Z,sample     (or DEC B)
///
/// What they do until the edge comes, the counter runs out or the frame ends is known beforehand, T by T, so that all turns are taken at
/// once. A machine that runs with them is at every moment that somebody can see exactly where one without would be.
class EdgeLoops {
public:
    EdgeLoops();

    /// Looks for loops in all that the CPU sees now. Those that it found before are forgotten.
    void find(const Machine& machine, const Setup& setup);

    /// The addresses of all parts that were found.
    const std::vector<std::uint16_t>& addresses() const { return addresses_; }

    /// Runs one frame like run_frame_hooked; gives the address of `stops` at which it stopped before the frame was over.
    std::optional<std::uint16_t> run_frame(Machine& machine, const Setup& setup, const std::vector<std::uint16_t>& stops);

private:
    std::vector<std::uint16_t> addresses_;
    Hooks hooks_;
    std::vector<std::uint16_t> stops_;  ///< those that are in `hooks_`
};

}  // namespace oakemu
