// SPDX-License-Identifier: GPL-3.0-or-later
#include "halted.hpp"

#include <algorithm>

namespace oakemu {
namespace {

/// A line may be left by up to 9 T: a NOP that begins in its last T, and the longest wait.
constexpr std::uint32_t kLineOvershoot = 9;

void pass_free(HaltedTime& time, std::uint32_t limit) {
    const std::uint32_t n = time.t < limit ? (limit - time.t + 3) / 4 : 0;
    time.t += 4 * n, time.nops += n;
}

void pass_contended(HaltedTime& time, std::uint32_t limit, const UlaClock& clock) {
    pass_free(time, std::min(limit, clock.first_wait));
    while (time.t < clock.end_of_waits && time.t + clock.timings.line + kLineOvershoot <= limit) {
        const HaltedLine line = clock.halted[(time.t - clock.first_wait) % clock.timings.line];
        time.t += line.t, time.nops += line.nops;
    }
    for (; time.t < std::min(limit, clock.end_of_waits); ++time.nops) {
        time.t += clock.waits[time.t] + 4U;
    }
    pass_free(time, limit);
}

}  // namespace

HaltedTime halted_until(std::uint32_t limit, std::uint32_t t, const UlaClock* clock) {
    HaltedTime time{t, 0};
    if (clock != nullptr) {
        pass_contended(time, limit, *clock);
    } else {
        pass_free(time, limit);
    }
    return time;
}

}  // namespace oakemu
