// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "machine.hpp"
#include "ports.hpp"
#include "z80_chain.hpp"

namespace oakemu {

template <class Plain>
class HookedBus;

/// Who wants to know which instructions, and what lasts of the machine's own Bus.
template <class Plain>
struct HookedWiring : Plain::Wiring {
    using Chain = z80::Chain<HookedBus<Plain>>;

    const Hooks* hooks;
    HookFunction on_hit;
    void* context;
    std::array<z80::Link<HookedBus<Plain>>, 256> links = Chain::template kLinks<z80::Table::main>;
    bool stopped = false;

    HookedWiring(Machine& its_machine, const Setup& its_setup, const Hooks& its_hooks, HookFunction its_on_hit, void* its_context)
        : Plain::Wiring(its_machine, its_setup), hooks(&its_hooks), on_hit(its_on_hit), context(its_context) {
        const Plain bus(*this, 0);
        for (const std::uint16_t address : hooks->addresses()) {
            links[bus.peek(address)] = &Chain::look_at_hooks;
        }
    }

    /// A hooked address may now hold any opcode.
    void distrust() { links.fill(&Chain::look_at_hooks); }

    /// Whether the run stops before the instruction at a hooked address.
    bool stops(const z80::Processor<HookedBus<Plain>>& cpu) {
        State& state = this->machine->state;
        if (state.cpu.hook_reported != 0) {
            state.cpu.hook_reported = 0;
            return false;
        }
        cpu.store(state.cpu);
        state.t = cpu.bus.t;
        stopped = on_hit(context, cpu.pc);
        state.cpu.hook_reported = stopped ? 1 : 0;
        return stopped;
    }
};

/// A Bus under which instructions at hooked addresses are noticed.
///
/// Looking at every instruction's address would cost 5 to 10%. But only opcodes that are found at a hooked address can be executed
/// there, so only their functions are replaced by one that looks at the address; and all of them as soon as a hooked address is
/// written to or the paging changes.
template <class Plain>
class HookedBus : public Plain {
public:
    using Wiring = HookedWiring<Plain>;

    OAKEMU_INLINE HookedBus(Wiring& wiring, std::uint32_t its_t) : Plain(wiring, its_t), wiring_(wiring) {}

    OAKEMU_INLINE bool is_hooked(std::uint16_t address) const { return wiring_.hooks->test(address); }

    OAKEMU_INLINE void write(std::uint16_t address, std::uint8_t value) {
        Plain::write(address, value);
        if (is_hooked(address)) [[unlikely]] {
            wiring_.distrust();
        }
    }

    OAKEMU_INLINE void push16(std::uint16_t address, std::uint16_t value)
        requires requires(Plain& plain) { plain.push16(address, value); }
    {
        Plain::push16(address, value);
        if (is_hooked(address) || is_hooked(static_cast<std::uint16_t>(address + 1))) [[unlikely]] {
            wiring_.distrust();
        }
    }

    OAKEMU_INLINE std::uint8_t in(std::uint16_t port) {
        const std::uint8_t value = Plain::in(port);
        look_at_paging(port);
        return value;
    }

    OAKEMU_INLINE void out(std::uint16_t port, std::uint8_t value) {
        Plain::out(port, value);
        look_at_paging(port);
    }

private:
    OAKEMU_INLINE void look_at_paging(std::uint16_t port) {
        if constexpr (requires { wiring_.map_memory(); }) {
            if (ports::is_paging(port)) {
                wiring_.distrust();
            }
        }
    }

    Wiring& wiring_;
};

}  // namespace oakemu
