// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "machine.hpp"
#include "rzx_recording.hpp"
#include "tape.hpp"

namespace oakemu {

/// A machine as Python has it: with its ROMs, and the tape in its recorder.
struct BoundMachine {
    BoundMachine(Model model, std::shared_ptr<const RomSet> its_roms, Timing its_timing)
        : machine(model), roms(std::move(its_roms)), timing(its_timing) {}

    /// A copy is a machine of its own, which nobody records.
    BoundMachine(const BoundMachine& other) : machine(other.machine), roms(other.roms), timing(other.timing), tape(other.tape) {}
    BoundMachine& operator=(const BoundMachine&) = delete;

    Setup setup() const { return {.roms = roms.get(), .timing = timing, .tape = tape.get()}; }

    /// Runs one frame, told to whoever records or watches.
    void run_frame(Probe* watcher = nullptr) {
        if (recording != nullptr) {
            recording->run_frame(machine, setup(), watcher);
        } else if (watcher != nullptr) {
            run_frame_probed(machine, setup(), *watcher);
        } else {
            oakemu::run_frame(machine, setup());
        }
    }

    Machine machine;
    std::shared_ptr<const RomSet> roms;
    Timing timing;
    std::shared_ptr<const Tape> tape;
    std::shared_ptr<RzxRecording> recording;  ///< none if null
};

using MachineClass = nanobind::class_<BoundMachine>;

void bind_states(nanobind::module_& m, MachineClass& machine);
void bind_tape(nanobind::module_& m, MachineClass& machine);

}  // namespace oakemu
