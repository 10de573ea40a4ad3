// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "batch_config.hpp"

namespace oakemu {

/// A number that tells configurations apart by everything that decides what a slot does next; num_envs, num_threads and autoreset do
/// not. It is no protection against malice.
std::uint64_t fingerprint_of(const BatchConfig& config);

}  // namespace oakemu
