// SPDX-License-Identifier: GPL-3.0-or-later
#include "sampler.hpp"

#include <algorithm>
#include <limits>

namespace oakemu {
namespace {

constexpr int kFraction = 16;    // bits
constexpr int kFilterShift = 9;  // y' = y (1 - 2^-9) + x' - x: 3 dB at 48000 / (2 pi 512) = 15 Hz

}  // namespace

void Sampler::start(std::uint32_t clock, std::int32_t level) {
    clock_ = clock;
    filled_ = sum_ = output_ = 0;
    last_mean_ = static_cast<std::int64_t>(level) << kFraction;
}

void Sampler::hold(std::int32_t level, std::uint32_t tstates) {
    std::int64_t left = static_cast<std::int64_t>(tstates) * kRate;
    while (left >= clock_ - filled_) {
        const std::int64_t part = clock_ - filled_;
        put(((sum_ + level * part) << kFraction) / clock_);
        left -= part;
        filled_ = sum_ = 0;
    }
    sum_ += level * left;
    filled_ += left;
}

void Sampler::put(std::int64_t mean) {
    output_ += mean - last_mean_ - (output_ >> kFilterShift);
    last_mean_ = mean;
    const std::int64_t rounded = (output_ + (1 << (kFraction - 1))) >> kFraction;
    using Limits = std::numeric_limits<std::int16_t>;
    samples_.push_back(static_cast<std::int16_t>(std::clamp<std::int64_t>(rounded, Limits::min(), Limits::max())));
}

}  // namespace oakemu
