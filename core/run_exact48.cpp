// SPDX-License-Identifier: GPL-3.0-or-later
#include "bus48.hpp"
#include "run_loop.hpp"

namespace oakemu::run_loop {

void run_exact48(Machine& machine, const Setup& setup, std::uint32_t limit) { run_plain<Bus48<true>>(machine, setup, limit); }

bool run_exact48_hooked(Machine& machine, const Setup& setup, std::uint32_t limit, const HookSet& watch) {
    return run_hooked<Bus48<true>>(machine, setup, limit, watch);
}

}  // namespace oakemu::run_loop
