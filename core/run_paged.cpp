// SPDX-License-Identifier: GPL-3.0-or-later
#include "paged_bus.hpp"
#include "run_loop.hpp"

namespace oakemu::run_loop {

void run_paged(Machine& machine, const Setup& setup, std::uint32_t limit) { run_plain<PagedBus>(machine, setup, limit); }

bool run_paged_hooked(Machine& machine, const Setup& setup, std::uint32_t limit, const HookSet& watch) {
    return run_hooked<PagedBus>(machine, setup, limit, watch);
}

}  // namespace oakemu::run_loop
