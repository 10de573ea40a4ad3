// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "machine.hpp"

namespace oakemu {

/// Finds out which bands of a display look different from when it was last asked. A band is a row of characters: eight lines.
///
/// Most games change little of their picture from one step to the next, and so an observation need not be made anew as a whole.
class DisplayChanges {
public:
    static constexpr int kBands = 24;

    /// Bit b is set if band b may look different from the last time; all are after forget() and at first.
    std::uint32_t take(const Machine& machine);

    void forget() { known_ = false; }

private:
    std::array<std::uint8_t, 6912> seen_{};
    bool swapped_ = false;  ///< the FLASH phase at that time
    bool known_ = false;
};

}  // namespace oakemu
