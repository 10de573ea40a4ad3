// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

#include "test_machine.hpp"

/// Random machines whose memory is full of instructions of every kind.
class RandomProgram {
public:
    explicit RandomProgram(std::uint32_t seed) : random_(seed) {}

    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

    /// Fills ROM, RAM and registers. Addresses are often contended, at the borders between pages, or where PC wraps.
    void fill(TestMachine& machine) {
        for (auto& image : machine.roms->images) {
            fill(image.data(), image.size());
        }
        fill(machine.machine.ram.data(), machine.machine.ram.size());
        oakemu::State& state = *machine.state;
        oakemu::CpuState& cpu = state.cpu;
        for (std::uint16_t* pair : {&cpu.af, &cpu.bc, &cpu.de, &cpu.af2, &cpu.bc2, &cpu.de2, &cpu.hl2, &cpu.memptr}) {
            *pair = static_cast<std::uint16_t>(random_());
        }
        for (std::uint16_t* pair : {&cpu.hl, &cpu.ix, &cpu.iy, &cpu.sp, &cpu.pc}) {
            *pair = address();
        }
        cpu.i = byte(), cpu.r = byte(), cpu.q = 0;
        cpu.im = static_cast<std::uint8_t>(below(3));
        cpu.iff1 = cpu.iff2 = static_cast<std::uint8_t>(below(2));
        state.t = moment(oakemu::timings_of(state.model).frame);
        state.kempston = byte() & 0x1F, state.kempston_fitted = static_cast<std::uint8_t>(below(2));
        for (std::uint8_t& row : state.keys) {
            row = byte() & byte() & 0x1F;
        }
        if (oakemu::has_paging(state.model)) {
            state.port_7ffd = byte() & (below(4) == 0 ? 0x3F : 0x1F);
            state.ay_selected = byte() & 15;
        }
    }

private:
    std::uint8_t byte() { return static_cast<std::uint8_t>(random_()); }

    std::uint16_t address() {
        constexpr std::array<std::uint16_t, 5> borders{0x3FFC, 0x7FF8, 0xBFF8, 0xFFF8, 0x4000};
        const std::uint32_t kind = below(4);
        return static_cast<std::uint16_t>(kind == 0   ? borders[below(borders.size())]
                                          : kind == 1 ? 0x4000 + below(0x4000)
                                          : kind == 2 ? 0xC000 + below(0x4000)
                                                      : below(0x10000));
    }

    /// Any T, but often near INT, the first or the last wait, or the end of the frame.
    std::uint32_t moment(std::uint32_t frame) {
        switch (below(5)) {
            case 0:
                return below(40);
            case 1:
                return 14300 + below(400);
            case 2:
                return 56800 + below(1400);
            case 3:
                return frame - 1 - below(300);
            default:
                return below(frame);
        }
    }

    /// Random bytes with more prefixes, port and paging instructions than chance gives, and fewer HALTs.
    void fill(std::uint8_t* memory, std::size_t size) {
        for (std::size_t k = 0; k < size; ++k) {
            memory[k] = byte();
            memory[k] = memory[k] == 0x76 ? std::uint8_t{0} : memory[k];
        }
        constexpr std::array<std::array<std::uint8_t, 6>, 9> snippets{{
            {0xCB},
            {0xED},
            {0xDD},
            {0xFD},
            {0x76},
            {0xFB},
            {0x01, 0xFD, 0x7F, 0xED, 0x59, 0x00},  // LD BC,0x7FFD; OUT (C),E
            {0x01, 0xFD, 0xBF, 0xED, 0x79, 0x00},  // LD BC,0xBFFD; OUT (C),A
            {0x3E, 0x40, 0xDB, 0xFF, 0xED, 0x78},  // LD A,0x40; IN A,(0xFF); IN A,(C)
        }};
        constexpr std::array<std::size_t, 9> strides{19, 23, 29, 31, 1009, 307, 401, 503, 211};
        for (std::size_t kind = 0; kind < snippets.size(); ++kind) {
            const std::size_t length = kind < 6 ? 1 : 6;
            for (std::size_t k = below(static_cast<std::uint32_t>(strides[kind])); k + length <= size; k += strides[kind]) {
                for (std::size_t offset = 0; offset < length; ++offset) {
                    memory[k + offset] = snippets[kind][offset];
                }
            }
        }
    }

    std::mt19937 random_;
};
