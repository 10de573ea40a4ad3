// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace oakemu {

/// Makes samples of a level that changes at known T. Each is the exact mean of the level over its time; then a filter takes away what does
/// not change (below some 15 Hz), as loudspeakers do. All arithmetic is in whole numbers, so that the same sound gives the same samples
/// everywhere, and nothing drifts: n T give n * kRate / clock samples, the rest counts in the next call.
class Sampler {
public:
    static constexpr std::uint32_t kRate = 48000;  ///< samples a second

    /// Begins with a level that has always been there.
    void start(std::uint32_t clock, std::int32_t level);

    /// The level stays for so many T. A level is at most 16 bits wide.
    void hold(std::int32_t level, std::uint32_t tstates);

    /// The samples since the last call.
    std::vector<std::int16_t> take() { return std::exchange(samples_, {}); }

private:
    void put(std::int64_t mean);

    std::int64_t clock_ = 1;                   ///< a T is kRate long, and a sample is as long as `clock_`
    std::int64_t filled_ = 0;                  ///< of the sample that has begun
    std::int64_t sum_ = 0;                     ///< level times length in it
    std::int64_t last_mean_ = 0, output_ = 0;  ///< of the filter, in 1/65536
    std::vector<std::int16_t> samples_;
};

}  // namespace oakemu
