// SPDX-License-Identifier: GPL-3.0-or-later
#include "rzx_playback.hpp"

#include "probed_bus.hpp"
#include "run_loop.hpp"

namespace oakemu {
namespace {

/// A PagedBus, or one with a probe, whose ports give what was recorded, and which counts M1 cycles.
template <class Base>
class PlaybackBus : public Base {
public:
    std::uint32_t fetches = 0;
    std::uint32_t reads = 0;

    PlaybackBus(Base&& base, std::span<const std::uint8_t> values, KeyReads& key_reads)
        : Base(static_cast<Base&&>(base)), values_(values), key_reads_(&key_reads) {}

    OAKEMU_INLINE std::uint8_t fetch(std::uint16_t address, std::uint16_t refresh) {
        ++fetches;
        return Base::fetch(address, refresh);
    }

    std::uint8_t in(std::uint16_t port) {
        this->pass_port_cycle(port);
        if (reads++ >= values_.size()) {
            return 0xFF;
        }
        const std::uint8_t value = values_[reads - 1];
        key_reads_->read(port, value);
        // A read lets the paging latch take what is on the bus, as in PagedBus.
        if (has_paging(this->machine().state.model) && ports::is_paging(port)) {
            this->write_port(kPagingPort, value);
        }
        return value;
    }

private:
    static constexpr std::uint16_t kPagingPort = 0x7FFD;

    std::span<const std::uint8_t> values_;
    KeyReads* key_reads_;
};

struct FrameToPlay {
    std::uint32_t fetches;
    std::span<const std::uint8_t> values;
    bool is_interrupted;
};

/// Whether the interrupt at the beginning of a frame is accepted.
bool is_interrupted(const CpuState& cpu, std::uint32_t fetches, unsigned habits) {
    const bool is_blocked = cpu.no_int_at == 0 && fetches <= 2 && (habits & RzxHabits::kShortFrames) != 0;
    return cpu.iff1 != 0 && !is_blocked;
}

/// Whether a DD or FD stands before an opcode that it does not change.
template <class Cpu>
bool is_idle_prefix(const Cpu& cpu) {
    const std::uint8_t code = cpu.bus.peek(cpu.pc);
    const std::uint8_t next = cpu.bus.peek(z80::u16(cpu.pc + 1U));
    return (code == 0xDD || code == 0xFD) && next != 0xCB && !z80::uses_index(next);
}

/// Some emulators take it for an instruction of its own, and end a frame behind it.
template <class Cpu>
void pass_prefix(Cpu& cpu) {
    cpu.bus.fetch(cpu.pc, cpu.refresh_address());
    cpu.pc = z80::u16(cpu.pc + 1U);
    ++cpu.r;
}

template <class Cpu>
void run_fetches(Cpu& cpu, std::uint32_t fetches) {
    const std::uint32_t frame = cpu.bus.clock().timings.frame;
    while (cpu.bus.fetches < fetches) {
        if (cpu.halted != 0) {
            const std::uint32_t nops = fetches - cpu.bus.fetches;
            cpu.bus.fetches = fetches;
            cpu.bus.t += 4 * nops;
            cpu.r += nops;
        } else if (fetches - cpu.bus.fetches == 1 && is_idle_prefix(cpu)) [[unlikely]] {
            pass_prefix(cpu);
        } else {
            cpu.step();
        }
        if (cpu.bus.t > frame) [[unlikely]] {
            // A recorded frame may be longer than one of ours: time stands still rather than running past the tables.
            const auto excess = static_cast<std::int32_t>(cpu.bus.t - frame);
            cpu.bus.t = frame;
            cpu.no_int_at -= excess;
            cpu.ld_a_ir_at -= excess;
        }
    }
}

/// Returns how many port reads the frame had.
template <class Base>
std::uint32_t run_frame(State& state, Base&& bus, const FrameToPlay& frame, KeyReads& key_reads) {
    z80::Z80<PlaybackBus<Base>> cpu(PlaybackBus<Base>(static_cast<Base&&>(bus), frame.values, key_reads));
    cpu.load(state.cpu);
    if (frame.is_interrupted) {
        cpu.interrupt();
    }
    run_fetches(cpu, frame.fetches);
    cpu.store(state.cpu);
    state.t = cpu.bus.t;
    return cpu.bus.reads;
}

}  // namespace

bool RzxPlayback::play(Machine& machine, const Setup& setup, const RecordedFrames& frames, std::size_t number, Probe* watcher) {
    State& state = machine.state;
    const FrameToPlay frame{
        .fetches = frames.fetches[number],
        .values = frames.data.subspan(static_cast<std::size_t>(frames.starts[number]), frames.counts[number]),
        .is_interrupted = !first_ && is_interrupted(state.cpu, frames.fetches[number], habits_),
    };
    const Setup without_tape{.roms = setup.roms, .timing = setup.timing};
    reads_.clear();
    desync_ = {.frame = number, .reads = 0, .recorded = 0};
    if (watcher != nullptr) {
        watcher->run_begins(machine, state.t);
    }
    if (frame.fetches > 0) {  // those without are none, by custom
        first_ = false;
        state.cpu.hook_reported = 0;
        if ((habits_ & RzxHabits::kLoadFlag) == 0) {
            state.cpu.ld_a_ir_at = -1;
        }
        PagedWiring wiring(machine, without_tape);
        desync_.reads = watcher == nullptr ? run_frame(state, PagedBus(wiring, state.t), frame, reads_)
                                           : run_frame(state, ProbedBus(wiring, state.t, *watcher), frame, reads_);
        desync_.recorded = static_cast<std::uint32_t>(frame.values.size());
    }
    if (watcher != nullptr) {
        watcher->frame_ends(machine, state.t);
    }
    if (frame.fetches > 0) {
        run_loop::end_frame(machine, without_tape, state.t);
    }
    reads_.tell(keys_);
    return desync_.reads == desync_.recorded;
}

}  // namespace oakemu
