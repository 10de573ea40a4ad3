// SPDX-License-Identifier: GPL-3.0-or-later
#include "rzx_playback.hpp"

#include "paged_bus.hpp"
#include "run_loop.hpp"

namespace oakemu {
namespace {

/// A PagedBus whose ports give what was recorded, and which counts M1 cycles.
class PlaybackBus : public PagedBus {
public:
    std::uint32_t fetches = 0;
    std::uint32_t reads = 0;

    PlaybackBus(PagedWiring& wiring, std::uint32_t its_t, std::span<const std::uint8_t> values, KeyReads& key_reads)
        : PagedBus(wiring, its_t), values_(values), key_reads_(&key_reads) {}

    OAKEMU_INLINE std::uint8_t fetch(std::uint16_t address, std::uint16_t refresh) {
        ++fetches;
        return PagedBus::fetch(address, refresh);
    }

    std::uint8_t in(std::uint16_t port) {
        pass_port_cycle(port);
        if (reads++ >= values_.size()) {
            return 0xFF;
        }
        const std::uint8_t value = values_[reads - 1];
        key_reads_->read(port, value);
        // A read lets the paging latch take what is on the bus, as in PagedBus.
        if (has_paging(machine().state.model) && ports::is_paging(port)) {
            write_port(kPagingPort, value);
        }
        return value;
    }

private:
    static constexpr std::uint16_t kPagingPort = 0x7FFD;

    std::span<const std::uint8_t> values_;
    KeyReads* key_reads_;
};

using PlaybackCpu = z80::Z80<PlaybackBus>;

/// Whether the interrupt at the beginning of a frame is accepted.
bool is_interrupted(const CpuState& cpu, std::uint32_t fetches, unsigned habits) {
    const bool is_blocked = cpu.no_int_at == 0 && fetches <= 2 && (habits & RzxHabits::kShortFrames) != 0;
    return cpu.iff1 != 0 && !is_blocked;
}

/// Whether a DD or FD stands before an opcode that it does not change.
bool is_idle_prefix(const PlaybackCpu& cpu) {
    const std::uint8_t code = cpu.bus.peek(cpu.pc);
    const std::uint8_t next = cpu.bus.peek(z80::u16(cpu.pc + 1U));
    return (code == 0xDD || code == 0xFD) && next != 0xCB && !z80::uses_index(next);
}

/// Some emulators take it for an instruction of its own, and end a frame behind it.
void pass_prefix(PlaybackCpu& cpu) {
    cpu.bus.fetch(cpu.pc, cpu.refresh_address());
    cpu.pc = z80::u16(cpu.pc + 1U);
    ++cpu.r;
}

void run_fetches(PlaybackCpu& cpu, std::uint32_t fetches) {
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

}  // namespace

bool RzxPlayback::play(Machine& machine, const Setup& setup, const RecordedFrames& frames, std::size_t frame) {
    const std::uint32_t fetches = frames.fetches[frame];
    const std::size_t count = frames.counts[frame];
    reads_.clear();
    if (fetches == 0) {
        reads_.tell(keys_);
        return true;  // by custom these are no frames
    }
    State& state = machine.state;
    state.cpu.hook_reported = 0;
    const Setup without_tape{.roms = setup.roms, .timing = setup.timing};
    PagedWiring wiring(machine, without_tape);
    PlaybackCpu cpu(PlaybackBus(wiring, state.t, frames.data.subspan(static_cast<std::size_t>(frames.starts[frame]), count), reads_));
    if ((habits_ & RzxHabits::kLoadFlag) == 0) {
        state.cpu.ld_a_ir_at = -1;
    }
    cpu.load(state.cpu);
    if (!first_ && is_interrupted(state.cpu, fetches, habits_)) {
        cpu.interrupt();
    }
    first_ = false;
    run_fetches(cpu, fetches);
    cpu.store(state.cpu);
    state.t = cpu.bus.t;
    run_loop::end_frame(machine, without_tape, state.t);
    reads_.tell(keys_);
    desync_ = {.frame = frame, .reads = cpu.bus.reads, .recorded = static_cast<std::uint32_t>(count)};
    return cpu.bus.reads == count;
}

}  // namespace oakemu
