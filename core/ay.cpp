// SPDX-License-Identifier: GPL-3.0-or-later
#include "ay.hpp"

#include <algorithm>

#include "ports.hpp"

namespace oakemu {
namespace {

enum Register : unsigned { kNoisePeriod = 6, kMixer = 7, kVolume = 8, kEnvelopePeriod = 11, kEnvelopeShape = 13 };

constexpr std::uint32_t kByEnvelope = 0x10;

/// A period of 0 counts as 1.
std::uint32_t at_least_one(std::uint32_t period) { return std::max(period, 1U); }

}  // namespace

void AyChip::write(unsigned number, std::uint8_t value) {
    registers_[number] = value & ports::kAyMask[number];
    if (number == kEnvelopeShape) {
        envelope_count_ = 0;
        envelope_step_ = 0;
        envelope_rises_ = (value & kAttack) != 0;
        envelope_holds_ = false;
    }
}

std::uint32_t AyChip::tone_period(unsigned channel) const {
    return at_least_one(registers_[2 * channel] | static_cast<std::uint32_t>(registers_[2 * channel + 1]) << 8U);
}

/// Steps from one shift to the next: 16 clocks for each unit of the period.
std::uint32_t AyChip::noise_period() const { return 2 * at_least_one(registers_[kNoisePeriod]); }

/// Steps from one volume to the next: 16 clocks for each unit of the period, 256 for the whole ramp.
std::uint32_t AyChip::envelope_period() const {
    return 2 * at_least_one(registers_[kEnvelopePeriod] | static_cast<std::uint32_t>(registers_[kEnvelopePeriod + 1]) << 8U);
}

void AyChip::step() {
    for (unsigned channel = 0; channel < 3; ++channel) {
        if (++tone_count_[channel] >= tone_period(channel)) {
            tone_count_[channel] = 0;
            tone_[channel] = !tone_[channel];
        }
    }
    if (++noise_count_ >= noise_period()) {
        noise_count_ = 0;
        noise_ = noise_ >> 1U | ((noise_ ^ noise_ >> 3U) & 1U) << 16U;
    }
    if (++envelope_count_ >= envelope_period()) {
        envelope_count_ = 0;
        step_envelope();
    }
}

void AyChip::step_envelope() {
    if (envelope_holds_) {
        return;
    }
    if (envelope_step_ < 15) {
        ++envelope_step_;
        return;
    }
    const unsigned shape = registers_[kEnvelopeShape];
    envelope_holds_ = (shape & kContinue) == 0 || (shape & kHold) != 0;
    if ((shape & kContinue) == 0) {
        envelope_rises_ = true;
        envelope_step_ = 0;
        return;
    }
    // Alternating turns the ramp; one that holds thereby keeps the other end's volume.
    envelope_rises_ = envelope_rises_ != ((shape & kAlternate) != 0);
    if (!envelope_holds_) {
        envelope_step_ = 0;
    }
}

std::uint32_t AyChip::level() const {
    const std::uint32_t mixer = registers_[kMixer];
    std::uint32_t sum = 0;
    for (unsigned channel = 0; channel < 3; ++channel) {
        const bool tone = tone_[channel] || (mixer >> channel & 1U) != 0;
        const bool noise_bit = noise() != 0 || (mixer >> (channel + 3) & 1U) != 0;
        if (tone && noise_bit) {
            const std::uint32_t volume = registers_[kVolume + channel];
            sum += kLevels[(volume & kByEnvelope) != 0 ? envelope() : volume & 15U];
        }
    }
    return sum;
}

}  // namespace oakemu
