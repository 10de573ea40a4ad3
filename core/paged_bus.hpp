// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "machine.hpp"
#include "ports.hpp"
#include "timing.hpp"
#include "z80_opcodes.hpp"

namespace oakemu {

/// What the CPU of any machine sees: four pages of 16K, the ports, and the waits of its ULA, early or late, or none.
class PagedBus {
public:
    std::uint32_t t;

    PagedBus(Machine& machine, const Setup& setup)
        : t(machine.state.t),
          machine_(&machine),
          setup_(&setup),
          clock_(&ula_clock(machine.state.model, machine.state.late != 0)),
          waits_(clock_->waits) {
        map_memory();
    }

    const UlaClock& clock() const { return *clock_; }

    OAKEMU_INLINE bool waits_for(std::uint16_t address) const { return ((contended_ >> (address >> 14U)) & 1U) != 0; }

    OAKEMU_INLINE std::uint8_t fetch(std::uint16_t address, std::uint16_t /*refresh*/) { return timed_read(address, 4); }

    OAKEMU_INLINE std::uint8_t read(std::uint16_t address) { return timed_read(address, 3); }

    OAKEMU_INLINE void write(std::uint16_t address, std::uint8_t value) {
        wait(address);
        t += 3;
        if (address >= kBankSize) {
            writable_[address >> 14U][address & kInPage] = value;
        }
    }

    OAKEMU_INLINE void idle(std::uint16_t address, std::uint32_t n) {
        if (!waits_for(address)) {
            t += n;
            return;
        }
        for (std::uint32_t k = 0; k < n; ++k) {
            t += waits_[t] + 1U;
        }
    }

    /// No wait: neither MREQ nor a ULA port is involved.
    OAKEMU_INLINE void acknowledge(std::uint16_t /*pc*/, std::uint16_t /*refresh*/) { t += 7; }

    OAKEMU_INLINE std::uint8_t peek(std::uint16_t address) const { return pages_[address >> 14U][address & kInPage]; }

    std::uint8_t in(std::uint16_t port) {
        pass_port_cycle(port);
        return read_port(port);
    }

    void out(std::uint16_t port, std::uint8_t value) {
        pass_port_cycle(port);
        write_port(port, value);
    }

protected:
    static constexpr std::uint16_t kInPage = 0x3FFF;

    void pass_port_cycle(std::uint16_t port) {
        t = setup_->timing == Timing::exact ? ports::end_of_cycle(waits_, t, port, waits_for(port)) : t + 4;
    }

    /// T2 of a port cycle that begins now. IORQ and WR go low there; the wait for the ULA comes after that, as they are what it waits for.
    std::uint32_t second_t_of_port_cycle(std::uint16_t port) const { return t + (waits_for(port) ? waits_[t] : 0U) + 1; }

    std::uint8_t read_port(std::uint16_t port) {
        const std::uint8_t value = ports::read<true>(*machine_, setup_->tape, *clock_, port, t - 1);
        // The paging latch does not look at RD: a read lets it take whatever is on the bus.
        if (has_paging(machine_->state.model) && ports::is_paging(port) && ports::write_paging(machine_->state, value)) {
            map_memory();
        }
        return value;
    }

    void write_port(std::uint16_t port, std::uint8_t value) {
        if (ports::write<true>(machine_->state, port, value)) {
            map_memory();
        }
    }

    Machine& machine() { return *machine_; }

    /// Where in the machine's RAM an address lies that is not in ROM.
    std::size_t place_of(std::uint16_t address) const {
        return static_cast<std::size_t>(&writable_[address >> 14U][address & kInPage] - machine_->ram.data());
    }

private:
    void map_memory() {
        State& state = machine_->state;
        pages_[0] = setup_->roms->images[rom_paged(state)].data();
        contended_ = 0;
        for (std::size_t page = 1; page < 4; ++page) {
            pages_[page] = writable_[page] = machine_->ram.data() + page_place(state, page);
            if (setup_->timing == Timing::exact && is_page_contended(state, page)) {
                contended_ |= 1U << page;
            }
        }
    }

    OAKEMU_INLINE void wait(std::uint16_t address) {
        if (waits_for(address)) {
            t += waits_[t];
        }
    }

    OAKEMU_INLINE std::uint8_t timed_read(std::uint16_t address, std::uint32_t n) {
        wait(address);
        t += n;
        return peek(address);
    }

    Machine* machine_;
    const Setup* setup_;
    const UlaClock* clock_;
    const std::uint8_t* waits_;
    std::array<const std::uint8_t*, 4> pages_{};
    std::array<std::uint8_t*, 4> writable_{};  ///< of page 0 null
    std::uint32_t contended_ = 0;              ///< a bit per page
};

}  // namespace oakemu
