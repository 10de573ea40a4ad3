// SPDX-License-Identifier: GPL-3.0-or-later
#include "edge_loops.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "ports.hpp"
#include "tape.hpp"
#include "timing.hpp"

namespace oakemu {
namespace {

constexpr std::uint8_t kCounterUp = 0x04, kCounterDown = 0x05;  // INC B, DEC B
constexpr std::array<std::uint8_t, 4> kDelay{0x3D, 0x20, 0xFD, 0xA7};
constexpr std::uint8_t kZeroFlags = 0x54;  // of AND with the result 0: Z, H, P/V
constexpr std::uint32_t kToPort = 23;      // T of INC B, RET Z, LD A,n and the first two cycles of IN A,(n)
constexpr std::size_t kMaxLoops = 32;
constexpr std::uint32_t kLongest = 18;  // bytes of delay and loop

/// Memory as the CPU sees it.
struct Memory {
    const Machine& machine;
    const Rom& rom;

    Memory(const Machine& its_machine, const Setup& setup) : machine(its_machine), rom(setup.roms->images[rom_paged(its_machine.state)]) {}

    std::uint8_t operator[](std::uint16_t address) const { return address < kBankSize ? rom[address] : machine.at(address); }
};

constexpr std::uint16_t plus(std::uint16_t address, std::uint32_t offset) { return static_cast<std::uint16_t>(address + offset); }

struct SampleLoop {
    std::uint8_t port_high;
    std::int8_t step;          ///< of the counter
    bool returns_on_key;       ///< RET NC
    std::uint32_t after_port;  ///< T from the end of the port cycle to the end of the turn
    std::uint32_t fetches;     ///< of a turn
    std::uint32_t size;
};

/// The loop that begins at an address, if one does.
std::optional<SampleLoop> sample_loop(const Memory& memory, std::uint16_t at) {
    const std::uint8_t counter = memory[at];
    if ((counter != kCounterUp && counter != kCounterDown) || memory[plus(at, 1)] != 0xC8 || memory[plus(at, 2)] != 0x3E ||
        memory[plus(at, 4)] != 0xDB || memory[plus(at, 5)] != 0xFE || memory[plus(at, 6)] != 0x1F) {
        return std::nullopt;
    }
    // RRA 4, XOR C 4, AND n 7, JR taken 12; RET NC not taken 5, NOP 4
    SampleLoop loop{memory[plus(at, 3)], static_cast<std::int8_t>(counter == kCounterUp ? 1 : -1), false, 27, 8, 12};
    std::uint32_t next = 7;
    const std::uint8_t maybe = memory[plus(at, next)];
    if (maybe == 0xD0 || maybe == 0x00) {
        loop.returns_on_key = maybe == 0xD0;
        loop.after_port += maybe == 0xD0 ? 5 : 4;
        ++loop.fetches, ++loop.size, ++next;
    }
    const auto back = static_cast<std::uint8_t>(0x100U - loop.size);
    const std::array<std::uint8_t, 5> rest{0xA9, 0xE6, 0x20, 0x28, back};
    for (const std::uint8_t byte : rest) {
        if (memory[plus(at, next++)] != byte) {
            return std::nullopt;
        }
    }
    return loop;
}

bool is_delay(const Memory& memory, std::uint16_t at) {
    for (std::uint32_t k = 0; k < kDelay.size(); ++k) {
        if (memory[plus(at, k)] != kDelay[k]) {
            return false;
        }
    }
    return true;
}

/// Takes turns of a loop at whose beginning the CPU is.
class Turns {
public:
    Turns(Machine& machine, const Setup& setup)
        : machine_(machine),
          state_(machine.state),
          cpu_(machine.state.cpu),
          setup_(setup),
          memory_(machine, setup),
          clock_(ula_clock(state_.model, state_.late != 0)) {}

    void take() {
        if (cpu_.iff1 != 0 && state_.t < clock_.timings.interrupt + kOvershoot) {
            return;  // an interrupt may come in the middle
        }
        if (!is_free(cpu_.pc) || !is_free(plus(cpu_.pc, kLongest - 1)) || !is_free(static_cast<std::uint16_t>(cpu_.i << 8U))) {
            return;
        }
        if (is_delay(memory_, cpu_.pc) && !pass_delay()) {
            return;
        }
        if (const auto loop = sample_loop(memory_, cpu_.pc)) {
            pass_samples(*loop);
        }
    }

private:
    /// Whether nobody makes the CPU wait for an address.
    bool is_free(std::uint16_t address) const {
        const std::size_t page = address >> 14U;
        return setup_.timing != Timing::exact || page == 0 || !is_page_contended(state_, page);
    }

    std::uint32_t end_of_port_cycle(std::uint16_t port, std::uint32_t t) const {
        return setup_.timing == Timing::exact ? ports::end_of_cycle(clock_.waits, t, port, !is_free(port)) : t + 4;
    }

    void add_fetches(std::uint32_t n) { cpu_.r = static_cast<std::uint8_t>((cpu_.r & 0x80U) | ((cpu_.r + n) & 0x7FU)); }

    void leave_zero_in_a(std::uint8_t q) {
        cpu_.af = kZeroFlags;
        cpu_.q = q;
    }

    /// DEC A; JR NZ until A is 0, and AND A. Returns whether the frame is long enough.
    bool pass_delay() {
        const std::uint32_t a = cpu_.af >> 8U;
        const std::uint32_t turns = a == 0 ? 256 : a;
        const std::uint32_t t = state_.t + 16 * turns - 5 + 4;
        if (t >= clock_.timings.frame) {
            return false;
        }
        state_.t = t;
        add_fetches(2 * turns + 1);
        if (turns > 1) {
            cpu_.memptr = cpu_.pc;
        }
        cpu_.pc = plus(cpu_.pc, kDelay.size());
        leave_zero_in_a(kZeroFlags);
        return true;
    }

    void pass_samples(const SampleLoop& loop) {
        const std::uint16_t port = static_cast<std::uint16_t>((loop.port_high << 8U) | 0xFEU);
        const bool playing = setup_.tape != nullptr && state_.tape.playing != 0;
        if (!playing || ((state_.tape.level ^ (cpu_.bc >> 5U)) & 1U) != 0 || (loop.returns_on_key && first_key_is_held(port))) {
            return;
        }
        const auto edge = static_cast<std::uint32_t>(std::clamp<std::int64_t>(state_.tape.edge, 0, clock_.timings.frame));
        std::uint8_t counter = static_cast<std::uint8_t>(cpu_.bc >> 8U);
        std::uint32_t t = state_.t;
        std::uint32_t turns = 0;
        for (;;) {
            const std::uint32_t read = end_of_port_cycle(port, t + kToPort);
            const std::uint32_t end = read + loop.after_port;
            const auto next = static_cast<std::uint8_t>(counter + loop.step);
            // The byte is taken at the last T of the port cycle.
            if (next == 0 || read - 1 >= edge || end >= clock_.timings.frame) {
                break;
            }
            t = end;
            counter = next;
            ++turns;
        }
        if (turns == 0) {
            return;
        }
        state_.t = t;
        state_.tape.reads += turns;
        cpu_.bc = static_cast<std::uint16_t>((counter << 8U) | (cpu_.bc & 0xFFU));
        cpu_.memptr = cpu_.pc;
        add_fetches(turns * loop.fetches);
        leave_zero_in_a(0);
    }

    /// Whether bit 0 of the port is low.
    bool first_key_is_held(std::uint16_t port) const {
        std::uint32_t held = 0;
        for (std::uint32_t row = 0; row < 8; ++row) {
            held |= (port & (0x0100U << row)) == 0 ? state_.keys[row] : 0U;
        }
        return (held & 1U) != 0;
    }

    Machine& machine_;
    State& state_;
    CpuState& cpu_;
    const Setup& setup_;
    Memory memory_;
    const UlaClock& clock_;
};

bool stop(void* context, std::uint16_t pc) {
    *static_cast<std::uint16_t*>(context) = pc;
    return true;
}

}  // namespace

EdgeLoops::EdgeLoops() = default;

void EdgeLoops::find(const Machine& machine, const Setup& setup) {
    const Memory memory(machine, setup);
    addresses_.clear();
    for (std::uint32_t address = 0; address < 0x10000 && addresses_.size() < kMaxLoops; ++address) {
        const auto at = static_cast<std::uint16_t>(address);
        const std::uint8_t first = memory[at];
        if ((first == kCounterUp || first == kCounterDown) && sample_loop(memory, at)) {
            addresses_.push_back(at);
            const std::uint16_t before = plus(at, 0x10000U - kDelay.size());
            if (is_delay(memory, before)) {
                addresses_.push_back(before);
            }
        }
    }
    hooks_ = Hooks{};
    stops_.clear();
}

std::optional<std::uint16_t> EdgeLoops::run_frame(Machine& machine, const Setup& setup, const std::vector<std::uint16_t>& stops) {
    if (stops != stops_ || stops_.empty()) {
        hooks_ = Hooks{};
        std::ranges::for_each(addresses_, [&](std::uint16_t address) { hooks_.set(address); });
        std::ranges::for_each(stops, [&](std::uint16_t address) { hooks_.set(address); });
        stops_ = stops;
    }
    std::uint16_t reached = 0;
    while (run_frame_hooked(machine, setup, hooks_, stop, &reached)) {
        if (std::ranges::find(stops, reached) != stops.end()) {
            return reached;
        }
        const auto in_the_loop = [&](std::uint16_t address) { return plus(address, 0x10000U - reached) < kLongest; };
        if (std::ranges::none_of(stops, in_the_loop)) {
            Turns(machine, setup).take();
        }
    }
    return std::nullopt;
}

}  // namespace oakemu
