// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace oakemu {

struct Machine;

/// Somebody who looks or listens while a machine runs. T are those of the current frame.
class Probe {
public:
    virtual ~Probe() = default;

    /// A probed run begins, at `t`.
    virtual void run_begins(const Machine& /*machine*/, std::uint32_t /*t*/) {}

    /// ram[place], in the display of a screen bank, is about to be written; the write cycle ends at `t`.
    virtual void display_write(const Machine& /*machine*/, std::uint32_t /*t*/, std::size_t /*place*/) {}

    /// A byte is about to reach the latches behind a port; `t` is when IORQ goes low, T2 of the cycle.
    virtual void port_written(const Machine& /*machine*/, std::uint32_t /*t*/, std::uint16_t /*port*/, std::uint8_t /*value*/) {}

    /// A port gives `value` in a cycle that ends at `t`. What is returned is what the CPU sees.
    virtual std::uint8_t port_read(const Machine& /*machine*/, std::uint32_t /*t*/, std::uint16_t /*port*/, std::uint8_t value) {
        return value;
    }

    /// The CPU has accepted an interrupt, and stands before its first instruction; `fetches` M1 cycles of this run came before.
    virtual void interrupt_accepted(const Machine& /*machine*/, std::uint32_t /*fetches*/) {}

    /// The frame is over; `t` is its T before the frame's length is taken off.
    virtual void frame_ends(const Machine& /*machine*/, std::uint32_t /*t*/) {}

protected:
    Probe() = default;
    Probe(const Probe&) = default;
    Probe& operator=(const Probe&) = default;
};

/// Several probes as one, asked in their order.
class Probes final : public Probe {
public:
    explicit Probes(std::span<Probe* const> probes) : probes_(probes) {}

    void run_begins(const Machine& machine, std::uint32_t t) override {
        for (Probe* probe : probes_) probe->run_begins(machine, t);
    }
    void display_write(const Machine& machine, std::uint32_t t, std::size_t place) override {
        for (Probe* probe : probes_) probe->display_write(machine, t, place);
    }
    void port_written(const Machine& machine, std::uint32_t t, std::uint16_t port, std::uint8_t value) override {
        for (Probe* probe : probes_) probe->port_written(machine, t, port, value);
    }
    std::uint8_t port_read(const Machine& machine, std::uint32_t t, std::uint16_t port, std::uint8_t value) override {
        for (Probe* probe : probes_) value = probe->port_read(machine, t, port, value);
        return value;
    }
    void interrupt_accepted(const Machine& machine, std::uint32_t fetches) override {
        for (Probe* probe : probes_) probe->interrupt_accepted(machine, fetches);
    }
    void frame_ends(const Machine& machine, std::uint32_t t) override {
        for (Probe* probe : probes_) probe->frame_ends(machine, t);
    }

private:
    std::span<Probe* const> probes_;
};

}  // namespace oakemu
