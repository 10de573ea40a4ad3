// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace oakemu {

/// SplitMix64 (Steele, Lea and Flood 2014): turns one 64-bit seed into well mixed words.
class SplitMix64 {
public:
    constexpr explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

    constexpr std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

/// One stream of random numbers: xoshiro256** (Blackman and Vigna 2018), seeded through SplitMix64.
///
/// Trivially copyable, so that a stream is saved by copying its four words.
class Random {
public:
    using Words = std::array<std::uint64_t, 4>;

    explicit Random(std::uint64_t seed) {
        SplitMix64 mix(seed);
        for (std::uint64_t& word : words_) word = mix.next();
    }
    explicit Random(const Words& words) : words_(words) {}

    const Words& words() const { return words_; }

    std::uint64_t next() {
        const std::uint64_t result = std::rotl(words_[1] * 5, 7) * 9;
        const std::uint64_t shifted = words_[1] << 17;
        words_[2] ^= words_[0];
        words_[3] ^= words_[1];
        words_[1] ^= words_[2];
        words_[0] ^= words_[3];
        words_[2] ^= shifted;
        words_[3] = std::rotl(words_[3], 45);
        return result;
    }

    /// Uniform in [0, bound) without bias (Lemire 2019: multiply, and draw again in the rare uneven part). `bound` is at least 1.
    std::uint32_t below(std::uint32_t bound) {
        const std::uint32_t uneven = (0U - bound) % bound;
        for (;;) {
            const std::uint64_t product = (next() >> 32) * bound;
            if (static_cast<std::uint32_t>(product) >= uneven) return static_cast<std::uint32_t>(product >> 32);
        }
    }

    /// Uniform in [low, high], both included. Draws nothing when there is no choice.
    int between(int low, int high) {
        return low < high ? low + static_cast<int>(below(static_cast<std::uint32_t>(high) - static_cast<std::uint32_t>(low) + 1U)) : low;
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    std::uint8_t byte() { return static_cast<std::uint8_t>(next() >> 56); }

private:
    Words words_{};
};

}  // namespace oakemu
