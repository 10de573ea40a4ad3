// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "probe.hpp"
#include "state.hpp"

namespace oakemu {

class Tape;

/// A ZX Spectrum as a value: a copy is a machine of its own that goes on from the same moment.
struct Machine {
    explicit Machine(Model model = Model::spectrum48) : ram(ram_size(model)) { state.model = model; }

    State state{};
    std::vector<std::uint8_t> ram;  ///< ram_size(state.model) bytes, banks in the order of kBankPlace

    /// The byte at an address of RAM, 0x4000 to 0xFFFF, as paged.
    std::uint8_t& at(std::uint16_t address) { return ram[page_place(state, address >> 14U) + (address & 0x3FFFU)]; }
    std::uint8_t at(std::uint16_t address) const { return ram[page_place(state, address >> 14U) + (address & 0x3FFFU)]; }

    /// The 6,912 bytes that the ULA shows: bitmap, then attributes.
    const std::uint8_t* display() const { return ram.data() + screen_place(state); }

    bool operator==(const Machine& other) const;
};

/// The 49,152 bytes at 0x4000 to 0xFFFF, as paged.
void copy_visible_ram(const Machine& machine, std::uint8_t* out);

/// One 16 KiB ROM.
using Rom = std::array<std::uint8_t, kBankSize>;

/// The ROMs of a machine, shared read-only by every machine that uses them. A 48K machine has the first one only.
struct RomSet {
    std::array<Rom, 2> images{};
};

/// One or two images of 16,384 bytes one after the other. Throws std::invalid_argument unless the size fits the model.
RomSet make_rom_set(Model model, std::span<const std::byte> bytes);

/// A set of addresses at which somebody wants to know that an instruction starts there.
/// A byte an address, because it is looked up often in a hooked run and a bit takes longer to find.
class Hooks {
public:
    void set(std::uint16_t address) {
        if (!test(address)) {
            addresses_.push_back(address);
        }
        marked_[address] = 1;
    }
    bool test(std::uint16_t address) const { return marked_[address] != 0; }
    const std::vector<std::uint16_t>& addresses() const { return addresses_; }

private:
    std::vector<std::uint16_t> addresses_;
    std::array<std::uint8_t, 65536> marked_{};
};

/// Emulation runs with exact contention, or without any (faster; a differential partner in tests).
enum class Timing : std::uint8_t { exact, uncontended };

/// What a machine runs with and does not own. The ROMs and the tape outlive every run.
struct Setup {
    const RomSet* roms = nullptr;
    Timing timing = Timing::exact;
    const Tape* tape = nullptr;  ///< none in the recorder if null
};

/// Runs until the frame (or `until`, T-states in the current frame) is over. Overshoot of the last instruction is kept in
/// `state.t`, so that nothing is lost: when a frame ends, t -= frame length and ++frame.
/// The runners here are the only ways in which machine time passes.
void run_frame(Machine& machine, const Setup& setup);

/// Runs at least `tstates` T-states, crossing frame ends as needed.
void run_tstates(Machine& machine, const Setup& setup, std::uint64_t tstates);

/// Runs one frame like run_frame, calling `on_hit(void* context, uint16_t pc)` before each instruction whose address is in `hooks`.
/// If it returns true the run stops at once, before that instruction is executed; returns whether it stopped.
/// (After a stop, calling it again starts with that instruction and does not report it a second time.)
using HookFunction = bool (*)(void* context, std::uint16_t pc);
bool run_frame_hooked(Machine& machine, const Setup& setup, const Hooks& hooks, HookFunction on_hit, void* context);

/// Runs one frame like run_frame and tells `probe` what happens. Slower. Returns the number of M1 cycles; the acknowledge cycle of an
/// interrupt is none.
std::uint32_t run_frame_probed(Machine& machine, const Setup& setup, Probe& probe);

/// Puts a machine into its power-on state: PC 0, RAM zero, no key held. Keeps what is a matter of hardware (model, timing, issue,
/// joystick).
void power_on(Machine& machine);

}  // namespace oakemu
