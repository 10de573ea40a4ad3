// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "machine.hpp"

namespace oakemu {

/// Bytes of a saved machine: a header (magic "OAKS", format version, payload size, CRC-32 of the payload), then the payload.
/// `kind` is the four-character magic, so that a batch slot is never taken for a machine.
std::vector<std::byte> pack(std::span<const std::byte> payload, const char (&kind)[5], std::uint32_t version);

/// The payload of saved bytes. Throws std::invalid_argument that says what is wrong: too short, foreign, another version, truncated,
/// damaged.
std::span<const std::byte> unpack(std::span<const std::byte> bytes, const char (&kind)[5], std::uint32_t version);

std::vector<std::byte> save(const Machine& machine);

/// The machine that save() wrote. Throws std::invalid_argument like unpack().
Machine restored(std::span<const std::byte> bytes);

/// Puts a saved machine of the same model into `machine`, whose RAM stays where it is.
/// Strong guarantee: `machine` is changed only if the bytes are good.
void restore(Machine& machine, std::span<const std::byte> bytes);

}  // namespace oakemu
