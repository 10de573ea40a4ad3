// SPDX-License-Identifier: GPL-3.0-or-later
// Samples and the sound chip, against closed forms, tables written by hand, and the noise's recurrence.
#include "sound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "ay.hpp"
#include "check.hpp"
#include "machine.hpp"
#include "sampler.hpp"
#include "timing.hpp"

using oakemu::AyChip;
using oakemu::Machine;
using oakemu::Model;
using oakemu::Sampler;
using oakemu::SoundProbe;

namespace {

constexpr std::uint32_t kFrame48 = 69888, kFrame128 = 70908;

/// A machine of which only the ports are heard; what is written to them is kept as the machine would.
struct Heard {
    Machine machine;
    SoundProbe probe;

    explicit Heard(Model model = Model::spectrum48) : machine(model) {}

    std::uint32_t frame() const { return oakemu::timings_of(machine.state.model).frame; }

    /// One frame with writes (T, port, value) in their order.
    void run(const std::vector<std::tuple<std::uint32_t, std::uint16_t, std::uint8_t>>& writes = {}) {
        probe.run_begins(machine, machine.state.t);
        for (const auto& [t, port, value] : writes) {
            probe.port_written(machine, t, port, value);
            if ((port & 1U) == 0) {
                machine.state.port_fe = value;
            } else if (port == 0xFFFD) {
                machine.state.ay_selected = value;
            } else if (port == 0xBFFD) {
                machine.state.ay[machine.state.ay_selected] = value;
            }
        }
        probe.frame_ends(machine, frame());
    }

    /// Writes a register of the sound chip at T 0 of a frame of its own.
    void set(std::uint8_t number, std::uint8_t value) { run({{0, 0xFFFD, number}, {0, 0xBFFD, value}}); }
};

int crossings(const std::vector<std::int16_t>& samples) {
    int count = 0;
    for (std::size_t i = 1; i < samples.size(); ++i) {
        count += (samples[i - 1] < 0) != (samples[i] < 0) ? 1 : 0;
    }
    return count;
}

bool is_silent(const std::vector<std::int16_t>& samples) {
    return std::all_of(samples.begin(), samples.end(), [](std::int16_t sample) { return sample == 0; });
}

void silence_is_silence(Check& check) {
    for (const int place : {0x00, 0x10, 0x18}) {  // of the speaker; nothing changes
        const auto latch = static_cast<std::uint8_t>(place);
        Heard heard;
        heard.machine.state.port_fe = latch;
        for (int frame = 0; frame < 5; ++frame) {
            heard.run({{100, 0xFE, latch}, {60000, 0xFE, static_cast<std::uint8_t>(latch | 7U)}});
        }
        const auto samples = heard.probe.take();
        check.equal(samples.size(), 4792U, "samples of 5 frames");  // 5 * 958.464
        check.that(is_silent(samples), "silence");
        check.equal(heard.probe.take().size(), 0U, "samples left");
    }
    Heard big(Model::spectrum128);
    big.run(), big.run();
    check.that(is_silent(big.probe.take()), "silence of the sound chip");
}

void nothing_drifts(Check& check) {
    // 48,000 * 69,888 / 3,500,000 = 958.464 and 48,000 * 70,908 / 3,546,900 = 959.594 samples a frame.
    std::size_t total = 0;
    Heard small;
    for (int frame = 0; frame < 1000; ++frame) {
        small.run();
        const std::size_t count = small.probe.take().size();
        check.that(count == 958 || count == 959, "958 or 959 samples a frame");
        total += count;
    }
    check.equal(total, 958464U, "samples of 1000 frames");
    Heard big(Model::plus2);
    for (int frame = 0; frame < 1000; ++frame) {
        big.run();
    }
    check.equal(big.probe.take().size(), 959594U, "samples of 1000 frames of a 128K machine");
}

void a_sample_is_the_mean_of_its_time(Check& check) {
    // 72.91667 T a sample. On for 36 T of the first: 9000 * 36 / 72.91667 = 4443.4; then the filter lets it fall by 2^-9 a sample.
    Heard heard;
    heard.run({{0, 0xFE, 0x18}, {36, 0xFE, 0x00}});
    const auto samples = heard.probe.take();
    check.equal(samples[0], 4443, "first sample");
    check.equal(samples[1], -9, "second sample: -4443.4 / 512 = -8.7");
    // On from T 100 on: the second sample, from 72.917 to 145.833, has it for 45.833 T: 9000 * 45.833 / 72.917 = 5657.1.
    Heard later;
    later.run({{100, 0xFE, 0x18}});
    const auto step = later.probe.take();
    check.equal(step[0], 0, "before the step");
    check.equal(step[1], 5657, "in the step");
    // After it: 5657.14 * 511/512 + 3342.86 = 8988.95.
    check.equal(step[2], 8989, "after the step");
}

void speaker_and_mic_have_their_weights(Check& check) {
    // 3.56 - 0.34 V and 0.66 - 0.34 V of 3.70 - 0.34 V: 9000 * 322 / 336 = 8625, 9000 * 32 / 336 = 857.1.
    constexpr std::array<std::pair<std::uint8_t, int>, 4> levels{{{0x00, 0}, {0x08, 857}, {0x10, 8625}, {0x18, 9000}}};
    for (const auto& [latch, level] : levels) {
        Heard heard;
        heard.run({{0, 0xFE, latch}});
        check.equal(heard.probe.take()[0], level, "level");
    }
}

void a_beep_has_its_frequency(Check& check) {
    // The speaker changes every 1000 T: in 100 frames 6988 times, after the first.
    Heard heard;
    std::uint32_t next = 0;
    std::uint8_t latch = 0;
    for (int frame = 0; frame < 100; ++frame) {
        std::vector<std::tuple<std::uint32_t, std::uint16_t, std::uint8_t>> writes;
        for (; next < kFrame48; next += 1000) {
            latch ^= 0x10U;
            writes.emplace_back(next, std::uint16_t{0xFE}, latch);
        }
        next -= kFrame48;
        heard.run(writes);
    }
    const int count = crossings(heard.probe.take());
    check.that(std::abs(count - 6988) <= 1, "zero crossings as there are changes");
}

void frames_leave_no_trace(Check& check) {
    // The same level in one piece, and with changes in frames: at their borders, and by an OUT that ends after the frame.
    constexpr std::array<std::uint32_t, 8> moments{
        10, kFrame48 - 1, kFrame48, kFrame48 + 5, 2 * kFrame48 + 7, 2 * kFrame48 + 500, 3 * kFrame48 - 40, 4 * kFrame48 - 1};
    Sampler whole;
    whole.start(3'500'000, 0);
    std::uint32_t now = 0;
    bool on = false;
    for (const std::uint32_t moment : moments) {
        whole.hold(on ? 9000 : 0, moment - now);
        now = moment, on = !on;
    }
    whole.hold(on ? 9000 : 0, 4 * kFrame48 - now);

    Heard heard;
    heard.run({{moments[0], 0xFE, 0x18}, {moments[1], 0xFE, 0}, {moments[2], 0xFE, 0x18}, {moments[3], 0xFE, 0}});
    heard.run({{moments[4] - kFrame48, 0xFE, 0x18}});
    heard.run({{moments[5] - 2 * kFrame48, 0xFE, 0}, {moments[6] - 2 * kFrame48, 0xFE, 0x18}});
    heard.run({{moments[7] - 3 * kFrame48, 0xFE, 0}});
    check.that(whole.take() == heard.probe.take(), "the same samples");
}

void a_tape_is_heard_where_it_is_read(Check& check) {
    Heard heard;
    heard.machine.state.tape.playing = 1;
    heard.probe.run_begins(heard.machine, 0);
    check.equal(heard.probe.port_read(heard.machine, 100, 0x7FFE, 0xFF), 0xFF, "what is read");
    heard.probe.port_read(heard.machine, 5000, 0x7FFE, 0xBF);
    heard.probe.frame_ends(heard.machine, kFrame48);
    const auto samples = heard.probe.take();
    check.that(samples[3] > 800 && samples[60] > 700 && samples[70] < 0, "an edge up and an edge down");
}

void a_tone_has_its_frequency(Check& check) {
    // Half of 3,546,900 Hz, over 16 N. In 100 frames of 70,908 T a tone of period N changes 100 * 70,908 / 16 / N times.
    for (const std::uint32_t period : {100U, 1000U, 4095U}) {
        Heard heard(Model::spectrum128);
        heard.set(2, static_cast<std::uint8_t>(period)), heard.set(3, static_cast<std::uint8_t>(period >> 8U));
        heard.set(7, 0x3D), heard.set(9, 15);  // channel B
        heard.run(), heard.probe.take();
        for (int frame = 0; frame < 100; ++frame) {
            heard.run();
        }
        const int wanted = static_cast<int>(100 * kFrame128 / 16 / period);
        const int count = crossings(heard.probe.take());
        check.that(std::abs(count - wanted) <= 1, "zero crossings of a tone");
    }
}

void a_machine_without_the_chip_does_not_play_it(Check& check) {
    Heard heard;
    heard.set(0, 100), heard.set(7, 0x3E), heard.set(8, 15);
    heard.run();
    check.that(is_silent(heard.probe.take()), "silence");
}

void the_envelope_has_16_shapes(Check& check) {
    // The volume of each of 48 steps, by hand: \ falls from 15 to 0, / rises from 0 to 15, _ stays at 0, ^ at 15.
    constexpr std::array<std::string_view, 16> shapes{"\\__",   "\\__", "\\__",  "\\__", "/__", "/__", "/__",  "/__",
                                                      "\\\\\\", "\\__", "\\/\\", "\\^^", "///", "/^^", "/\\/", "/__"};
    for (unsigned shape = 0; shape < 16; ++shape) {
        AyChip chip;
        chip.write(11, 3);  // a volume for 3 * 16 clocks: 6 steps of 8
        chip.write(13, static_cast<std::uint8_t>(shape));
        int wrong = 0;
        for (unsigned step = 0; step < 48; ++step) {
            const char form = shapes[shape][step / 16];
            const unsigned ramp = step % 16;
            const unsigned wanted = form == '/' ? ramp : form == '\\' ? 15 - ramp : form == '^' ? 15 : 0;
            for (int n = 0; n < 6; ++n, chip.step()) {
                wrong += chip.envelope() != wanted ? 1 : 0;
            }
        }
        check.equal(wrong, 0, "wrong volumes of shape " + std::to_string(shape));
        chip.write(13, static_cast<std::uint8_t>(shape));
        check.equal(chip.envelope(), (shape & 4U) != 0 ? 0U : 15U, "the same shape again begins anew");
    }
}

void the_noise_is_the_17_bit_sequence(Check& check) {
    // Bits that a shift register with taps 0 and 3 gives obey b[n + 17] = b[n] ^ b[n + 3]; it begins with 1. A shift every 2 * 5 steps.
    std::vector<unsigned> bits(17 + 131071 + 100);
    bits[0] = 1;
    for (std::size_t n = 0; n + 17 < bits.size(); ++n) {
        bits[n + 17] = bits[n] ^ bits[n + 3];
    }
    AyChip chip;
    chip.write(6, 0xE5);  // its upper three bits do not exist
    int wrong = 0;
    for (std::size_t n = 0; n < 131071 + 100; ++n) {
        // In every step: every second bit of such a sequence is the sequence itself.
        for (int step = 0; step < 10; ++step, chip.step()) {
            wrong += chip.noise() != bits[n] ? 1 : 0;
        }
    }
    check.equal(wrong, 0, "wrong bits");
    check.that(std::equal(bits.begin(), bits.begin() + 100, bits.begin() + 131071), "it repeats after 2^17 - 1");
}

void the_mixer_joins_tone_and_noise(Check& check) {
    // Where both are switched off the channel stays at its volume, so that the volume itself can play.
    AyChip chip;
    chip.write(7, 0x3F);
    for (unsigned volume = 0; volume < 16; ++volume) {
        chip.write(8, static_cast<std::uint8_t>(volume));
        check.equal(chip.level(), AyChip::kLevels[volume], "level");
        chip.step();
    }
    chip.write(9, 15), chip.write(10, 15);
    check.equal(chip.level(), 3U * 65535U, "three channels");
    // Tone A with period 2 and noise with period 1: the channel is on where both are.
    chip = AyChip{};
    chip.write(0, 2), chip.write(6, 1), chip.write(7, 0x36), chip.write(8, 15);
    int on = 0, wrong = 0;
    for (int step = 0; step < 1000; ++step) {
        const bool tone = step / 2 % 2 == 1;
        const bool wanted = tone && chip.noise() != 0;
        on += wanted ? 1 : 0;
        wrong += (chip.level() != 0) != wanted ? 1 : 0;
        chip.step();
    }
    check.equal(wrong, 0, "wrong levels");
    check.that(on > 100 && on < 400, "a quarter of the time");
}

void a_volume_may_follow_the_envelope(Check& check) {
    AyChip chip;
    chip.write(7, 0x3F), chip.write(8, 0x1F), chip.write(11, 1), chip.write(13, 13);
    for (unsigned volume = 0; volume < 20; ++volume) {
        check.equal(chip.level(), AyChip::kLevels[std::min(volume, 15U)], "level");
        chip.step(), chip.step();
    }
}

void registers_of_another_state_are_taken_over(Check& check) {
    Heard heard(Model::spectrum128);
    heard.run();
    heard.machine.state.ay[0] = 100;  // as after a restored state
    heard.machine.state.ay[7] = 0x3E;
    heard.machine.state.ay[8] = 15;
    heard.run();
    check.that(crossings(heard.probe.take()) > 40, "the tone that the state plays");
}

}  // namespace

int main() {
    return run_tests({
        {"silence is silence", silence_is_silence},
        {"nothing drifts", nothing_drifts},
        {"a sample is the mean of its time", a_sample_is_the_mean_of_its_time},
        {"speaker and MIC have their weights", speaker_and_mic_have_their_weights},
        {"a beep has its frequency", a_beep_has_its_frequency},
        {"frames leave no trace", frames_leave_no_trace},
        {"a tape is heard where it is read", a_tape_is_heard_where_it_is_read},
        {"a tone has its frequency", a_tone_has_its_frequency},
        {"a machine without the chip does not play it", a_machine_without_the_chip_does_not_play_it},
        {"the envelope has 16 shapes", the_envelope_has_16_shapes},
        {"the noise is the 17-bit sequence", the_noise_is_the_17_bit_sequence},
        {"the mixer joins tone and noise", the_mixer_joins_tone_and_noise},
        {"a volume may follow the envelope", a_volume_may_follow_the_envelope},
        {"registers of another state are taken over", registers_of_another_state_are_taken_over},
    });
}
