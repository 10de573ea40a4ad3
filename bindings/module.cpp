// SPDX-License-Identifier: GPL-3.0-or-later
#include <nanobind/nanobind.h>

#include "bindings.hpp"

NB_MODULE(_core, m) {
    m.doc() = "The native core of OakEmu-RL: one ZX Spectrum (Machine), and many of them on a thread pool (Batch).";
    oakemu::bind_machine(m);
    oakemu::bind_batch(m);
    oakemu::bind_slot_store(m);
    oakemu::bind_explorer(m);
    oakemu::bind_rzx(m);
    oakemu::bind_watching(m);
}
