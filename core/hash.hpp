// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace oakemu {

/// A 64-bit hash: the checksum of saved states, and what equal pages are found by. Its values are part of the format of saved states;
/// docs/decisions/0008-states.md says how they come about. It is no protection against anybody who forges states on purpose.
std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed);

/// The same values without instructions that not every processor has; what hash64() does where they are missing.
std::uint64_t hash64_portable(std::span<const std::byte> bytes, std::uint64_t seed);

}  // namespace oakemu
