// SPDX-License-Identifier: GPL-3.0-or-later
// A thousand machines of all models on two threads, a million frames in all: each must end as its twin that ran alone, and nothing
// may be left behind. Under sanitizers fewer frames.
#include <array>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "machine.hpp"
#include "thread_pool.hpp"

namespace {

using oakemu::Machine;
using oakemu::Model;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr int kRounds = kSanitized ? 5 : 20, kFramesPerRound = kSanitized ? 4 : 50;
constexpr int kMachines = 1000, kThreads = 2;

/// A game loop that sleeps until the next interrupt, as most do: it draws, reads ports, and flips banks and sound registers.
constexpr std::array<std::uint8_t, 46> kProgram{
    0xFB, 0x76,                          // EI; HALT
    0x34, 0x23, 0xCB, 0xF4, 0xCB, 0xBC,  // INC (HL); INC HL; SET 6,H; RES 7,H: through the screen and what is behind it
    0xDB, 0xFE, 0x82, 0x57,              // IN A,(0xFE); ADD A,D; LD D,A
    0x01, 0xFF, 0x00,                    // LD BC,0x00FF
    0xED, 0x78, 0xAA, 0x57,              // IN A,(C): the floating bus; XOR D; LD D,A
    0x01, 0xFD, 0x7F,                    // LD BC,0x7FFD
    0x7A, 0xE6, 0x0F,                    // LD A,D; AND 15: never the lock
    0xED, 0x79,                          // OUT (C),A
    0x32, 0x00, 0xC1,                    // LD (0xC100),A: in any bank
    0x01, 0xFD, 0xFF,                    // LD BC,0xFFFD
    0xED, 0x79,                          // OUT (C),A
    0x06, 0xBF, 0xED, 0x51,              // LD B,0xBF; OUT (C),D
    0x7A, 0xD3, 0xFE,                    // LD A,D; OUT (0xFE),A
    0x1C, 0x18, 0xD3, 0x00,              // INC E; JR to the start
};

class Fleet {
public:
    Fleet() {
        for (auto& image : roms_->images) {
            image[0x38] = 0x1C, image[0x39] = 0xC9;  // INC E; RET
        }
    }

    std::unique_ptr<Machine> launch(int number) const {
        constexpr std::array<Model, 4> models{Model::spectrum48, Model::spectrum48, Model::spectrum128, Model::plus2};
        auto machine = std::make_unique<Machine>(models[static_cast<std::size_t>(number % 4)]);
        machine->state.late = number % 4 == 1 || number % 16 == 2 ? 1 : 0;
        for (std::size_t k = 0; k < kProgram.size(); ++k) {
            machine->at(static_cast<std::uint16_t>(0x8000 + k)) = kProgram[k];
        }
        oakemu::CpuState& cpu = machine->state.cpu;
        cpu.pc = 0x8000, cpu.sp = 0xBF00, cpu.im = 1, cpu.hl = static_cast<std::uint16_t>((number * 41 & 0x3FFF) | 0x4000);
        cpu.de = static_cast<std::uint16_t>(number);
        return machine;
    }

    /// Runs one frame with keys that depend on the machine and the frame; now and then a fork takes over.
    void run_frame(std::unique_ptr<Machine>& machine, int number) const {
        const auto frame = static_cast<std::uint32_t>(machine->state.frame);
        machine->state.keys[frame % 8] = static_cast<std::uint8_t>((frame * 7 + static_cast<std::uint32_t>(number)) & 0x1F);
        oakemu::run_frame(*machine, {.roms = roms_.get()});
        if ((frame + static_cast<std::uint32_t>(number)) % 97 == 0) {
            machine = std::make_unique<Machine>(*machine);
        }
    }

private:
    std::unique_ptr<oakemu::RomSet> roms_ = std::make_unique<oakemu::RomSet>();
};

/// Memory of this process, in pages.
long resident_pages() {
    long size = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return resident;
}

void threads_change_nothing_and_leave_nothing(Check& check) {
    const Fleet fleet;
    std::vector<std::unique_ptr<Machine>> machines;
    for (int number = 0; number < kMachines; ++number) {
        machines.push_back(fleet.launch(number));
    }
    oakemu::ThreadPool pool(kThreads);
    long pages = 0;
    for (int round = 0; round < kRounds; ++round) {
        pool.run(kMachines, [&](int number, int) {
            for (int frame = 0; frame < kFramesPerRound; ++frame) {
                fleet.run_frame(machines[static_cast<std::size_t>(number)], number);
            }
        });
        if (round == kRounds / 4) {
            pages = resident_pages();
        }
    }
    // The allocator may keep some; ten thousand forks that leak would be 900 MB. Sanitizers keep what was freed, and find leaks themselves.
    check.that(kSanitized || resident_pages() - pages < 8192, "memory grows by " + std::to_string(resident_pages() - pages) + " pages");
    int different = 0, stuck = 0;
    for (int number = 0; number < kMachines; ++number) {
        std::unique_ptr<Machine> twin = fleet.launch(number);
        for (int frame = 0; frame < kRounds * kFramesPerRound; ++frame) {
            fleet.run_frame(twin, number);
        }
        const Machine& machine = *machines[static_cast<std::size_t>(number)];
        different += machine == *twin ? 0 : 1;
        // E counts the interrupts and the rounds of the loop, one of each a frame.
        stuck += (machine.state.cpu.de & 0xFF) == ((number + 2 * kRounds * kFramesPerRound) & 0xFF) ? 0 : 1;
    }
    check.equal(different, 0, "machines that differ from their twins");
    check.equal(stuck, 0, "machines that did not play");
}

}  // namespace

int main() { return run_tests({{"threads_change_nothing_and_leave_nothing", threads_change_nothing_and_leave_nothing}}); }
