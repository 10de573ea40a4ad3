// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine.hpp"

#include <algorithm>
#include <utility>

#include "bus48.hpp"
#include "timing.hpp"
#include "z80.hpp"

namespace oakemu {
namespace {

using timing48::kFrame;
using timing48::kInterrupt;

/// Nobody watches: the whole check disappears.
struct NoHooks {
    template <class Cpu>
    OAKEMU_INLINE bool stops(const Cpu& /*cpu*/) {
        return false;
    }
};

struct WatchedHooks {
    const Hooks& hooks;
    HookFunction on_hit;
    void* context;
    State& state;

    template <class Cpu>
    OAKEMU_INLINE bool stops(const Cpu& cpu) {
        if (!hooks.test(cpu.pc)) [[likely]] {
            return false;
        }
        return report(cpu);
    }

private:
    template <class Cpu>
    [[gnu::noinline]] bool report(Cpu cpu) {
        if (state.cpu.hook_reported != 0) {
            state.cpu.hook_reported = 0;
            return false;
        }
        cpu.store(state.cpu);
        state.t = cpu.bus.t;
        const bool stop = on_hit(context, cpu.pc);
        state.cpu.hook_reported = stop ? 1 : 0;
        return stop;
    }
};

/// Counts the NOPs of a halted CPU without executing them one by one.
struct HaltedTime {
    std::uint32_t t, nops;

    void pass_free(std::uint32_t limit) {
        const std::uint32_t n = t < limit ? (limit - t + 3) / 4 : 0;
        t += 4 * n, nops += n;
    }

    void pass_contended(std::uint32_t limit) {
        pass_free(std::min(limit, timing48::kContended));
        // A line may be left by up to 9 T.
        while (t < timing48::kContendedEnd && t + timing48::kLine + 9 <= limit) {
            const timing48::HaltedLine line = timing48::kHaltedLine[(t - timing48::kContended) % timing48::kLine];
            t += line.t, nops += line.nops;
        }
        for (; t < std::min(limit, timing48::kContendedEnd); ++nops) {
            t += timing48::kContention[t] + 4U;
        }
        pass_free(limit);
    }
};

/// Where a CPU halted at `t` is at the first moment from `limit` on. Not inlined, to leave the run loop its registers.
[[gnu::noinline]] HaltedTime halted_until(std::uint32_t limit, std::uint32_t t, bool contended) {
    HaltedTime time{t, 0};
    if (contended) {
        time.pass_contended(limit);
    } else {
        time.pass_free(limit);
    }
    return time;
}

/// The NOPs of a halted CPU up to `limit`, where nothing can wake it.
template <class Bus>
OAKEMU_INLINE void pass_halt(z80::Z80<Bus>& cpu, std::uint32_t limit) {
    const HaltedTime time = halted_until(limit, cpu.bus.t, Bus::kContended && timing48::is_contended(cpu.pc));
    cpu.bus.t = time.t;
    cpu.r = z80::u8(cpu.r + time.nops);
    cpu.q = 0;
}

/// Runs instructions until T `limit` of this frame (at most its end). Returns true if a hook stopped it.
template <class Bus, class Watch>
bool run_until(State& state, const Rom& rom, std::uint32_t limit, Watch watch) {
    z80::Z80<Bus> cpu(Bus(state, rom));
    cpu.load(state.cpu);
    bool stopped = false;
    while (!stopped && cpu.bus.t < limit) {
        const bool int_is_low = cpu.bus.t < kInterrupt;
        if (int_is_low && cpu.accepts_interrupt()) {
            cpu.interrupt();
            state.cpu.hook_reported = 0;
            continue;
        }
        if (cpu.halted != 0) {
            pass_halt(cpu, int_is_low ? cpu.bus.t + 1 : limit);
            continue;
        }
        // While INT is low every instruction comes back here; afterwards nothing can happen before `limit` but a HALT.
        cpu.stop = int_is_low ? 0 : limit;
        do {
            if (watch.stops(cpu)) {
                stopped = true;
                break;
            }
            cpu.step();
        } while (cpu.bus.t < cpu.stop);
    }
    cpu.store(state.cpu);
    state.t = cpu.bus.t;
    return stopped;
}

/// T of the old frame as T of the new one; what is long past stays past.
std::int32_t moment_in_next_frame(std::int32_t t) { return std::max(t - static_cast<std::int32_t>(kFrame), -1); }

void end_frame(State& state) {
    state.t -= kFrame;
    ++state.frame;
    state.cpu.no_int_at = moment_in_next_frame(state.cpu.no_int_at);
    state.cpu.ld_a_ir_at = moment_in_next_frame(state.cpu.ld_a_ir_at);
}

template <class Watch>
bool run_until(State& state, const Rom& rom, Timing timing, std::uint32_t limit, Watch watch) {
    const bool stopped =
        timing == Timing::exact ? run_until<Bus48<true>>(state, rom, limit, watch) : run_until<Bus48<false>>(state, rom, limit, watch);
    if (state.t >= kFrame) {
        end_frame(state);
    }
    return stopped;
}

}  // namespace

void run_frame(State& state, const Rom& rom, Timing timing) {
    state.cpu.hook_reported = 0;
    run_until(state, rom, timing, kFrame, NoHooks{});
}

void run_tstates(State& state, const Rom& rom, Timing timing, std::uint64_t tstates) {
    state.cpu.hook_reported = 0;
    while (tstates > 0) {
        const std::uint32_t start = state.t;
        const std::uint64_t frame = state.frame;
        const auto limit = static_cast<std::uint32_t>(std::min<std::uint64_t>(start + tstates, kFrame));
        run_until(state, rom, timing, limit, NoHooks{});
        const std::uint64_t passed = (state.frame - frame) * kFrame + state.t - start;
        tstates -= std::min(tstates, passed);
    }
}

bool run_frame_hooked(State& state, const Rom& rom, Timing timing, const Hooks& hooks, HookFunction on_hit, void* context) {
    if (!hooks.test(state.cpu.pc)) {
        state.cpu.hook_reported = 0;  // these are not the hooks that stopped it
    }
    return run_until(state, rom, timing, kFrame, WatchedHooks{hooks, on_hit, context, state});
}

void power_on(State& state) {
    const std::uint8_t kempston_fitted = state.kempston_fitted;
    state = State{};
    state.kempston_fitted = kempston_fitted;
}

}  // namespace oakemu
