// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "model.hpp"
#include "tape_state.hpp"

namespace oakemu {

/// Everything the CPU remembers between two instructions.
///
/// Register pairs are 16-bit values with the first register in the high byte.
struct CpuState {
    std::uint16_t af = 0xFFFF, bc = 0, de = 0, hl = 0;
    std::uint16_t af2 = 0, bc2 = 0, de2 = 0, hl2 = 0;  ///< the shadow set, AF' BC' DE' HL'
    std::uint16_t ix = 0, iy = 0, sp = 0xFFFF, pc = 0;
    std::uint16_t memptr = 0;  ///< WZ, visible through flags 3 and 5 of BIT n,(HL)
    std::uint8_t i = 0, r = 0;
    std::uint8_t q = 0;  ///< F if the last instruction wrote flags, else 0 (SCF and CCF see it)
    std::uint8_t im = 0, iff1 = 0, iff2 = 0;
    std::uint8_t halted = 0;         ///< HALT was executed; PC is the byte after it
    std::uint8_t hook_reported = 0;  ///< a hooked run stopped before the instruction at PC, which is therefore not reported again
    std::uint16_t padding = 0;
    /// T (in this frame, negative for the last one) at which the last EI, lone DD or lone FD ended:
    /// an interrupt is not accepted at exactly this moment.
    std::int32_t no_int_at = -1;
    /// T at which the last LD A,I or LD A,R ended: an interrupt accepted now clears P/V (NMOS).
    std::int32_t ld_a_ir_at = -1;
};

/// Everything of a machine but its RAM. Saving is a memcpy, so it holds no pointer; ROM, tape, pixels and hooks live elsewhere.
struct State {
    static constexpr std::uint32_t kVersion = 2;

    std::uint64_t frame = 0;  ///< frames since power-on; its bit 4 is the FLASH phase
    TapeState tape{};
    std::uint32_t t = 0;  ///< T-states since INT went low in this frame
    CpuState cpu{};
    Model model = Model::spectrum48;
    std::uint8_t late = 0;    ///< the ULA's timing is "late": all that it does comes 1 T later
    std::uint8_t issue2 = 0;  ///< with no signal EAR reads back MIC as well as the speaker bit
    std::uint8_t border = 7;
    std::uint8_t port_fe = 0;            ///< last byte written to the ULA port (bit 3 MIC, bit 4 speaker)
    std::uint8_t kempston = 0;           ///< bits 0 right, 1 left, 2 down, 3 up, 4 fire; active high
    std::uint8_t kempston_fitted = 0;    ///< without it the port reads as an unattached one
    std::array<std::uint8_t, 8> keys{};  ///< held keys per half row (0 = FEFE .. 7 = 7FFE), bits 0-4, 1 = held
    std::uint8_t port_7ffd = 0;          ///< 128K: bits 0-2 bank at 0xC000, 3 screen bank 7, 4 ROM 1, 5 locked until power-on
    std::uint8_t ay_selected = 0;        ///< 128K: the register that the sound chip's ports address
    std::array<std::uint8_t, 16> ay{};   ///< 128K: the sound chip's registers
    std::array<std::uint8_t, 7> padding{};
};

static_assert(std::has_unique_object_representations_v<State>, "equal machines save to equal bytes, so padding is spelled out");
static_assert(std::is_trivially_copyable_v<State>, "saving and restoring a machine is a memcpy");

constexpr std::uint8_t kPagingScreen = 0x08, kPagingRom = 0x10, kPagingLock = 0x20;

/// Where in RAM the 16K begin that are seen at `page` (address / 0x4000), 1 to 3.
constexpr std::size_t page_place(const State& state, std::size_t page) {
    return page == 3 && has_paging(state.model) ? kBankPlace[state.port_7ffd & 7U] : (page - 1) * kBankSize;
}

/// Where in RAM the display begins that the ULA shows.
constexpr std::size_t screen_place(const State& state) {
    return has_paging(state.model) && (state.port_7ffd & kPagingScreen) != 0 ? kBankPlace[7] : kBankPlace[5];
}

constexpr std::size_t rom_paged(const State& state) { return has_paging(state.model) && (state.port_7ffd & kPagingRom) != 0 ? 1 : 0; }

/// Whether the ULA makes the CPU wait for the memory seen at `page`: bank 5 always, at 0xC000 any odd bank.
constexpr bool is_page_contended(const State& state, std::size_t page) {
    return page == 1 || (page == 3 && has_paging(state.model) && (state.port_7ffd & 1U) != 0);
}

}  // namespace oakemu
