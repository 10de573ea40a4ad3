// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace oakemu {

/// The machines that are emulated. The grey +2 is a 128K with another pair of ROMs. The numbers are part of saved states.
enum class Model : std::uint8_t { spectrum48 = 0, spectrum128 = 1, plus2 = 2 };

inline constexpr std::size_t kBankSize = 16384;
inline constexpr std::size_t kRamSize48 = 3 * kBankSize;
inline constexpr std::size_t kRamSize128 = 8 * kBankSize;

constexpr bool has_paging(Model model) { return model != Model::spectrum48; }
constexpr std::size_t ram_size(Model model) { return has_paging(model) ? kRamSize128 : kRamSize48; }
constexpr std::size_t rom_count(Model model) { return has_paging(model) ? 2 : 1; }

/// Where each bank begins in a machine's RAM. Banks 5, 2 and 0 come first, so that the RAM of a 48K machine is 0x4000 to 0xFFFF.
inline constexpr std::array<std::size_t, 8> kBankPlace{2 * kBankSize, 3 * kBankSize, 1 * kBankSize, 4 * kBankSize,
                                                       5 * kBankSize, 0 * kBankSize, 6 * kBankSize, 7 * kBankSize};

}  // namespace oakemu
