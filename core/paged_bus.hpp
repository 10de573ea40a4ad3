// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "machine.hpp"
#include "ports.hpp"
#include "timing.hpp"
#include "z80_opcodes.hpp"

namespace oakemu {

/// What lasts of a PagedBus: the memory as it is paged, and what is behind the ports.
struct PagedWiring {
    Machine* machine;
    const Setup* setup;
    const UlaClock* clock;
    const std::uint8_t* waits;
    std::array<const std::uint8_t*, 4> pages{};
    std::array<std::uint8_t*, 4> writable{};  ///< of page 0 null
    std::uint32_t contended = 0;              ///< a bit per page

    PagedWiring(Machine& its_machine, const Setup& its_setup)
        : machine(&its_machine),
          setup(&its_setup),
          clock(&ula_clock(its_machine.state.model, its_machine.state.late != 0)),
          waits(clock->waits) {
        map_memory();
    }

    void map_memory() {
        const State& state = machine->state;
        pages[0] = setup->roms->images[rom_paged(state)].data();
        contended = 0;
        for (std::size_t page = 1; page < 4; ++page) {
            pages[page] = writable[page] = machine->ram.data() + page_place(state, page);
            if (setup->timing == Timing::exact && is_page_contended(state, page)) {
                contended |= 1U << page;
            }
        }
    }

    bool waits_for(std::uint16_t address) const { return ((contended >> (address >> 14U)) & 1U) != 0; }

    /// T at which a port cycle ends that begins at `t`.
    std::uint32_t end_of_port_cycle(std::uint16_t port, std::uint32_t t) const {
        return setup->timing == Timing::exact ? ports::end_of_cycle(waits, t, port, waits_for(port)) : t + 4;
    }

    std::uint8_t read_port(std::uint16_t port, std::uint32_t t) {
        const std::uint8_t value = ports::read<true>(*machine, setup->tape, *clock, port, t);
        // The paging latch does not look at RD: a read lets it take whatever is on the bus.
        if (has_paging(machine->state.model) && ports::is_paging(port) && ports::write_paging(machine->state, value)) {
            map_memory();
        }
        return value;
    }

    void write_port(std::uint16_t port, std::uint8_t value) {
        if (ports::write<true>(machine->state, port, value)) {
            map_memory();
        }
    }
};

/// What the CPU of any machine sees: four pages of 16K, the ports, and the waits of its ULA, early or late, or none.
class PagedBus {
public:
    using Wiring = PagedWiring;

    std::uint32_t t;

    OAKEMU_INLINE PagedBus(PagedWiring& wiring, std::uint32_t its_t) : t(its_t), wiring_(wiring) {}

    const UlaClock& clock() const { return *wiring_.clock; }

    OAKEMU_INLINE bool waits_for(std::uint16_t address) const { return wiring_.waits_for(address); }

    OAKEMU_INLINE bool is_quick(std::uint16_t address) const { return !waits_for(address); }

    OAKEMU_INLINE std::uint8_t fetch(std::uint16_t address, std::uint16_t /*refresh*/) { return timed_read(address, 4); }

    OAKEMU_INLINE std::uint8_t read(std::uint16_t address) { return timed_read(address, 3); }

    OAKEMU_INLINE void write(std::uint16_t address, std::uint8_t value) {
        wait(address);
        t += 3;
        if (address >= kBankSize) {
            wiring_.writable[address >> 14U][address & kInPage] = value;
        }
    }

    OAKEMU_INLINE void idle(std::uint16_t address, std::uint32_t n) {
        if (!waits_for(address)) {
            t += n;
            return;
        }
        for (std::uint32_t k = 0; k < n; ++k) {
            t += wiring_.waits[t] + 1U;
        }
    }

    /// No wait: neither MREQ nor a ULA port is involved.
    OAKEMU_INLINE void acknowledge(std::uint16_t /*pc*/, std::uint16_t /*refresh*/) { t += 7; }

    OAKEMU_INLINE std::uint8_t peek(std::uint16_t address) const { return wiring_.pages[address >> 14U][address & kInPage]; }

    OAKEMU_INLINE std::uint8_t in(std::uint16_t port) {
        pass_port_cycle(port);
        return read_port(port);
    }

    OAKEMU_INLINE void out(std::uint16_t port, std::uint8_t value) {
        pass_port_cycle(port);
        write_port(port, value);
    }

protected:
    static constexpr std::uint16_t kInPage = 0x3FFF;

    OAKEMU_INLINE void pass_port_cycle(std::uint16_t port) { t = wiring_.end_of_port_cycle(port, t); }

    /// T2 of a port cycle that begins now. IORQ and WR go low there; the wait for the ULA comes after that, as they are what it waits for.
    std::uint32_t second_t_of_port_cycle(std::uint16_t port) const { return t + (waits_for(port) ? wiring_.waits[t] : 0U) + 1; }

    OAKEMU_INLINE std::uint8_t read_port(std::uint16_t port) { return wiring_.read_port(port, t - 1); }

    OAKEMU_INLINE void write_port(std::uint16_t port, std::uint8_t value) { wiring_.write_port(port, value); }

    Machine& machine() { return *wiring_.machine; }

    /// Where in the machine's RAM an address lies that is not in ROM.
    std::size_t place_of(std::uint16_t address) const {
        return static_cast<std::size_t>(&wiring_.writable[address >> 14U][address & kInPage] - wiring_.machine->ram.data());
    }

private:
    OAKEMU_INLINE void wait(std::uint16_t address) {
        if (waits_for(address)) {
            t += wiring_.waits[t];
        }
    }

    OAKEMU_INLINE std::uint8_t timed_read(std::uint16_t address, std::uint32_t n) {
        wait(address);
        t += n;
        return peek(address);
    }

    PagedWiring& wiring_;
};

}  // namespace oakemu
