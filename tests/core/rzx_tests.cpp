// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings of random programs, played: nobody has thought of what they do. Under sanitizers also frames that no recorder would write.
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "random.hpp"
#include "rzx_playback.hpp"
#include "rzx_recording.hpp"
#include "test_machine.hpp"

using oakemu::CpuState;
using oakemu::Model;
using oakemu::Random;
using oakemu::RecordedFrames;
using oakemu::RzxHabits;
using oakemu::RzxPlayback;
using oakemu::RzxRecording;

namespace {

constexpr std::array kModels{Model::spectrum48, Model::spectrum128, Model::plus2};
constexpr int kMachines = 8, kFrames = 25;

std::uint8_t byte(Random& random) { return static_cast<std::uint8_t>(random.next()); }

/// ROM and RAM of random bytes, among them more interrupts, ports, prefixes and HALTs than chance would have.
std::unique_ptr<TestMachine> random_machine(Model model, Random& random) {
    constexpr std::array<std::uint8_t, 8> kOften{0xFB, 0x76, 0xDB, 0xED, 0xDD, 0xFD, 0xC9, 0xD3};
    const auto some = [&] { return random.next() % 4 == 0 ? kOften[random.next() % kOften.size()] : byte(random); };
    auto test = std::make_unique<TestMachine>(model);
    std::generate(test->machine.ram.begin(), test->machine.ram.end(), some);
    for (oakemu::Rom& rom : test->roms->images) {
        std::generate(rom.begin(), rom.end(), some);
    }
    test->state->t = static_cast<std::uint32_t>(random.next() % 40);
    CpuState& cpu = test->cpu();
    cpu.pc = static_cast<std::uint16_t>(random.next());
    cpu.sp = static_cast<std::uint16_t>(random.next());
    cpu.im = static_cast<std::uint8_t>(random.next() % 3);
    cpu.iff1 = cpu.iff2 = static_cast<std::uint8_t>(random.next() % 2);
    return test;
}

/// What is the same although time passes differently.
CpuState without_moments(const oakemu::Machine& machine) {
    CpuState cpu = machine.state.cpu;
    cpu.no_int_at = cpu.ld_a_ir_at = 0;
    return cpu;
}

bool same_cpu(const oakemu::Machine& left, const oakemu::Machine& right) {
    const CpuState a = without_moments(left), b = without_moments(right);
    return std::equal(reinterpret_cast<const std::byte*>(&a), reinterpret_cast<const std::byte*>(&a + 1),
                      reinterpret_cast<const std::byte*>(&b));
}

std::vector<std::int64_t> starts_of(const std::vector<std::uint16_t>& counts) {
    std::vector<std::int64_t> starts(counts.size());
    std::exclusive_scan(counts.begin(), counts.end(), starts.begin(), std::int64_t{0});
    return starts;
}

/// Records a random machine, plays that on another one, and compares. Returns whether the machine could be recorded.
bool record_and_play(Check& check, Model model, Random& random) {
    const auto test = random_machine(model, random);
    RzxRecording recording;
    try {
        for (int frame = 0; frame < kFrames; ++frame) {
            std::generate(test->state->keys.begin(), test->state->keys.end(), [&] { return byte(random) & 0x1FU; });
            recording.run_frame(test->machine, test->setup());
        }
    } catch (const std::length_error&) {
        return false;
    }
    const std::vector<RzxRecording::Part> parts = recording.parts();
    check.equal(parts.size(), 1U, "number of parts");
    const RzxRecording::Part& part = parts.front();
    const std::vector<std::int64_t> starts = starts_of(part.counts);
    const RecordedFrames frames{.fetches = part.fetches, .starts = starts, .counts = part.counts, .data = part.data};
    oakemu::Machine played = part.start;
    RzxPlayback playback(RzxHabits::kLoadFlag);
    for (std::size_t frame = 0; frame < part.fetches.size(); ++frame) {
        check.that(playback.play(played, test->setup(), frames, frame, nullptr), "each frame has the port reads that were recorded");
    }
    check.that(played.ram == test->machine.ram, "RAM is the same");
    check.that(same_cpu(played, test->machine), "the CPU is the same");
    check.equal(played.state.port_7ffd, test->state->port_7ffd, "paging latch");
    check.that(played.state.ay == test->state->ay, "the sound chip is the same");
    return true;
}

int test_random_programs_play_as_they_were_recorded() {
    Check check("random programs play as they were recorded");
    Random random(20261);
    int recorded = 0;
    for (const Model model : kModels) {
        for (int i = 0; i < kMachines; ++i) {
            recorded += record_and_play(check, model, random) ? 1 : 0;
        }
    }
    check.that(recorded > kMachines, "most of them can be recorded");
    return check.failures();
}

/// A watcher, so that the bus with a probe plays as well.
class Silent final : public oakemu::Probe {};

int test_absurd_frames_do_no_harm() {
    Check check("absurd frames do no harm");
    Random random(4711);
    std::vector<std::uint8_t> data(1000);
    std::generate(data.begin(), data.end(), [&] { return byte(random); });
    const std::vector<std::uint16_t> fetches{65535, 0, 1, 2, 65535, 30000};
    const std::vector<std::uint16_t> counts{1000, 5, 0, 1000, 3, 0};
    const std::vector<std::int64_t> starts{0, 995, 1000, 0, 997, 0};
    const RecordedFrames frames{.fetches = fetches, .starts = starts, .counts = counts, .data = data};
    Silent watcher;
    for (const Model model : kModels) {
        const auto test = random_machine(model, random);
        for (const bool late : {false, true}) {
            test->state->late = late ? 1 : 0;
            RzxPlayback playback(late ? 3 : 0);
            for (std::size_t frame = 0; frame < fetches.size(); ++frame) {
                const std::uint64_t before = test->state->frame;
                playback.play(test->machine, test->setup(), frames, frame, late ? &watcher : nullptr);
                check.equal(test->state->frame, before + (fetches[frame] > 0 ? 1 : 0), "frames");
                check.equal(playback.desync().recorded, fetches[frame] > 0 ? counts[frame] : 0U, "recorded port reads");
                if (fetches[frame] > 0) {
                    check.equal(test->state->t, 0U, "T");
                }
            }
        }
    }
    return check.failures();
}

}  // namespace

int main() { return test_random_programs_play_as_they_were_recorded() + test_absurd_frames_do_no_harm() == 0 ? 0 : 1; }
