// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "random.hpp"

namespace oakemu {

/// Draws start states by weight.
class StartChoice {
public:
    /// Throws std::invalid_argument unless there is a weight for each of `count` start states, or none at all (then all weigh the
    /// same), none is negative and at least one positive.
    StartChoice(std::span<const double> weights, std::size_t count);

    std::size_t count() const { return ends_.size(); }

    /// The number of a start state. Draws one number, and nothing where only one start state has a weight.
    std::size_t draw(Random& random) const;

private:
    std::vector<double> ends_;  ///< sums of the weights up to and with each
    std::size_t last_ = 0;      ///< the last one that has a weight
    bool is_certain_ = true;
};

}  // namespace oakemu
