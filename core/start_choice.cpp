// SPDX-License-Identifier: GPL-3.0-or-later
#include "start_choice.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace oakemu {

StartChoice::StartChoice(std::span<const double> weights, std::size_t count) {
    if (!weights.empty() && weights.size() != count) {
        throw std::invalid_argument("start_weights: " + std::to_string(weights.size()) + " given for " + std::to_string(count) +
                                    " start state(s); wanted none or one for each");
    }
    double total = 0.0;
    std::size_t positive = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double weight = weights.empty() ? 1.0 : weights[i];
        total += weight;
        // The sum is looked at, too: it could overflow.
        if (!(weight >= 0.0) || !std::isfinite(total)) {
            throw std::invalid_argument("start_weights: item " + std::to_string(i) + " is " + std::to_string(weight) +
                                        "; a weight is a finite number of at least 0");
        }
        ends_.push_back(total);
        if (weight > 0.0) last_ = i, ++positive;
    }
    if (positive == 0) throw std::invalid_argument("start_weights: all are 0; at least one start state needs a weight");
    is_certain_ = positive == 1;
}

std::size_t StartChoice::draw(Random& random) const {
    if (is_certain_) return last_;
    const double place = random.uniform() * ends_.back();
    const auto chosen = static_cast<std::size_t>(std::ranges::upper_bound(ends_, place) - ends_.begin());
    return std::min(chosen, last_);  // the product may have been rounded up to the sum of all
}

}  // namespace oakemu
