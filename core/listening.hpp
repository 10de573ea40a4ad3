// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "machine.hpp"

namespace oakemu {

/// Whether what the machine does next depends on the EAR bit: two copies of it are run for a while, one hearing 0 and one hearing 1.
/// A program that waits for a key reads the same port, and does the same in both. Needs a tape in `setup`.
bool listens_to_tape(const Machine& machine, const Setup& setup);

}  // namespace oakemu
