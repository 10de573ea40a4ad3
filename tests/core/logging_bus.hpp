// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

/// One T-state as a logic analyser at the pins would see it.
struct Cycle {
    std::uint16_t address;
    std::optional<std::uint8_t> data;  ///< empty where nothing drives the data bus
    const char* pins;                  ///< RD, WR, MREQ, IORQ: "rwmi" or dashes
};

/// A flat 64K of memory without contention that writes down every T-state, and answers port reads from a list.
class LoggingBus {
public:
    std::uint32_t t = 0;
    std::array<std::uint8_t, 65536> memory{};
    std::deque<std::uint8_t> port_bytes;
    std::vector<Cycle> cycles;

    std::uint8_t fetch(std::uint16_t address, std::uint16_t refresh) {
        const std::uint8_t value = memory[address];
        log(address, std::nullopt, "----");
        log(address, std::nullopt, "r-m-");
        log(refresh, value, "----");
        log(refresh, std::nullopt, "----");
        return value;
    }
    std::uint8_t read(std::uint16_t address) {
        log(address, std::nullopt, "----");
        log(address, std::nullopt, "r-m-");
        log(address, memory[address], "----");
        return memory[address];
    }
    void write(std::uint16_t address, std::uint8_t value) {
        memory[address] = value;
        log(address, std::nullopt, "----");
        log(address, value, "-wm-");
        log(address, std::nullopt, "----");
    }
    void idle(std::uint16_t address, std::uint32_t n) {
        for (; n > 0; --n) {
            log(address, std::nullopt, "----");
        }
    }
    std::uint8_t in(std::uint16_t port) {
        std::uint8_t value = 0xFF;
        if (!port_bytes.empty()) {
            value = port_bytes.front();
            port_bytes.pop_front();
        }
        log(port, std::nullopt, "----");
        log(port, std::nullopt, "----");
        log(port, std::nullopt, "r--i");
        log(port, value, "----");
        return value;
    }
    void out(std::uint16_t port, std::uint8_t value) {
        log(port, std::nullopt, "----");
        log(port, std::nullopt, "----");
        log(port, value, "-w-i");
        log(port, std::nullopt, "----");
    }
    void acknowledge(std::uint16_t pc, std::uint16_t /*refresh*/) { idle(pc, 7); }
    std::uint8_t peek(std::uint16_t address) const { return memory[address]; }

private:
    void log(std::uint16_t address, std::optional<std::uint8_t> data, const char* pins) {
        cycles.push_back({address, data, pins});
        ++t;
    }
};
