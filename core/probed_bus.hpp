// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "paged_bus.hpp"
#include "probe.hpp"

namespace oakemu {

/// A PagedBus that tells a Probe what happens, and counts M1 cycles.
class ProbedBus : public PagedBus {
public:
    std::uint32_t fetches = 0;

    ProbedBus(PagedWiring& wiring, std::uint32_t its_t, Probe& probe) : PagedBus(wiring, its_t), probe_(&probe) {}

    OAKEMU_INLINE std::uint8_t fetch(std::uint16_t address, std::uint16_t refresh) {
        ++fetches;
        return PagedBus::fetch(address, refresh);
    }

    OAKEMU_INLINE void write(std::uint16_t address, std::uint8_t value) {
        const std::uint8_t before = peek(address);
        PagedBus::write(address, value);
        if (address >= kBankSize && value != before) {
            tell_write(address, before, value);
        }
    }

    std::uint8_t in(std::uint16_t port) {
        pass_port_cycle(port);
        return probe_->port_read(machine(), t, port, read_port(port));
    }

    void out(std::uint16_t port, std::uint8_t value) {
        const std::uint32_t second = second_t_of_port_cycle(port);
        pass_port_cycle(port);
        probe_->port_written(machine(), second, port, value);
        write_port(port, value);
    }

    /// To be called when the machine's state is up to date.
    void tell_interrupt() { probe_->interrupt_accepted(machine(), fetches); }

private:
    static constexpr std::size_t kDisplaySize = 6912;

    /// The probe sees the display as it was before the write.
    void tell_write(std::uint16_t address, std::uint8_t before, std::uint8_t after) {
        const std::size_t place = place_of(address);
        const std::size_t bank = place - place % kBankSize;
        const bool is_screen = bank == kBankPlace[5] || (bank == kBankPlace[7] && has_paging(machine().state.model));
        if (is_screen && place % kBankSize < kDisplaySize) {
            std::uint8_t& byte = machine().ram[place];
            byte = before;
            probe_->display_write(machine(), t, place);
            byte = after;
        }
    }

    Probe* probe_;
};

}  // namespace oakemu
