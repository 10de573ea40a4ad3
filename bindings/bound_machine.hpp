// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "machine.hpp"
#include "tape.hpp"

namespace oakemu {

/// A machine as Python has it: with its ROMs, and the tape in its recorder.
struct BoundMachine {
    BoundMachine(Model model, std::shared_ptr<const RomSet> its_roms, Timing its_timing)
        : machine(model), roms(std::move(its_roms)), timing(its_timing) {}

    Setup setup() const { return {.roms = roms.get(), .timing = timing, .tape = tape.get()}; }

    Machine machine;
    std::shared_ptr<const RomSet> roms;
    Timing timing;
    std::shared_ptr<const Tape> tape;
};

using MachineClass = nanobind::class_<BoundMachine>;

}  // namespace oakemu
