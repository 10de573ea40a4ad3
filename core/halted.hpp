// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "timing.hpp"

namespace oakemu {

/// Where the NOPs of a halted CPU have led.
struct HaltedTime {
    std::uint32_t t, nops;
};

/// Where a CPU halted at `t` is at the first moment from `limit` on, and how many NOPs that took. `clock` is that of the ULA if the
/// CPU's address is contended, else null.
HaltedTime halted_until(std::uint32_t limit, std::uint32_t t, const UlaClock* clock);

}  // namespace oakemu
