// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

namespace oakemu {

/// The sound generators of an AY-3-8912: three tones, noise, an envelope, and the mixer. It advances in steps of 8 of its clocks.
class AyChip {
public:
    /// Clocks of the chip in a step.
    static constexpr std::uint32_t kClocksPerStep = 8;
    /// Levels of the 16 volumes, as measured on a chip by Matthew Westcott (comp.sys.sinclair, December 2001).
    static constexpr std::array<std::uint16_t, 16> kLevels{0,     901,   1341,  1904,  2775,  4053,  5552,  8972,
                                                           11084, 17345, 23115, 29487, 37380, 45041, 55585, 65535};

    /// A byte reaches a register, 0 to 15. Writing register 13 starts the envelope anew, whatever it held.
    void write(unsigned number, std::uint8_t value);

    std::uint8_t read(unsigned number) const { return registers_[number]; }

    void step();

    /// The sum of the three channels now, 0 to 3 * 65535.
    std::uint32_t level() const;

    /// The volume that the envelope gives now, 0 to 15.
    unsigned envelope() const { return envelope_rises_ ? envelope_step_ : 15 - envelope_step_; }

    /// The bit that the noise generator gives now.
    unsigned noise() const { return noise_ & 1U; }

private:
    static constexpr unsigned kContinue = 8, kAttack = 4, kAlternate = 2, kHold = 1;

    std::uint32_t tone_period(unsigned channel) const;
    std::uint32_t noise_period() const;
    std::uint32_t envelope_period() const;
    void step_envelope();

    std::array<std::uint8_t, 16> registers_{};
    std::array<std::uint32_t, 3> tone_count_{};
    std::array<bool, 3> tone_{};
    std::uint32_t noise_count_ = 0;
    std::uint32_t noise_ = 1;  ///< a shift register of 17 bits, never 0
    std::uint32_t envelope_count_ = 0;
    unsigned envelope_step_ = 0;  ///< 0 to 15
    bool envelope_rises_ = false;
    bool envelope_holds_ = false;
};

}  // namespace oakemu
