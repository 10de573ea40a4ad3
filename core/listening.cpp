// SPDX-License-Identifier: GPL-3.0-or-later
#include "listening.hpp"

#include <cstdint>

namespace oakemu {
namespace {

/// Longer than any wait between two looks at the tape that a loader makes in the middle of a block.
constexpr std::uint64_t kStep = 1000, kSteps = 24;

/// A copy that hears nothing but one level.
Machine hearing(const Machine& machine, std::uint8_t level) {
    Machine copy = machine;
    copy.state.tape.playing = 1;
    copy.state.tape.level = level;
    copy.state.tape.edge = std::int64_t{1} << 40;
    return copy;
}

/// Whether two machines are at the same moment and place. Other registers may hold the byte that was read itself, which says nothing:
/// a game looks at its keys among the bits.
bool same_course(const State& left, const State& right) {
    return left.t == right.t && left.tape.reads == right.tape.reads && left.cpu.pc == right.cpu.pc && left.cpu.sp == right.cpu.sp;
}

}  // namespace

bool listens_to_tape(const Machine& machine, const Setup& setup) {
    Machine low = hearing(machine, 0);
    Machine high = hearing(machine, 1);
    for (std::uint64_t k = 0; k < kSteps; ++k) {
        run_tstates(low, setup, kStep);
        run_tstates(high, setup, kStep);
        if (!same_course(low.state, high.state)) {
            return true;
        }
    }
    return false;
}

}  // namespace oakemu
