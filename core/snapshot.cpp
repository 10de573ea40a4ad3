// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot.hpp"

#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <stdexcept>
#include <string>

#include "hash.hpp"
#include "ports.hpp"
#include "tape.hpp"
#include "timing.hpp"

namespace oakemu {
namespace {

// Payloads are copies of structs in memory, so the bytes of a machine of the other byte order would be misread in silence.
static_assert(std::endian::native == std::endian::little, "saved states are little endian");

constexpr char kMachine[5] = "OAKS";

struct Header {
    std::array<char, 4> kind{};
    std::uint32_t version = 0;
    std::uint32_t size = 0;  ///< of the payload, in bytes
    Model model{};
    std::array<std::uint8_t, 3> padding{};
    std::uint64_t checksum = 0;  ///< of what is before it, and of the payload
};
static_assert(sizeof(Header) == kSavedHeader && offsetof(Header, checksum) == 16);

// The wire layout. Whoever changes a field changes the meaning of saved bytes: raise State::kVersion, then these, then docs/states.md.
static_assert(State::kVersion == 2 && sizeof(State) == 136 && sizeof(CpuState) == 44 && sizeof(TapeState) == 40);
static_assert(offsetof(State, frame) == 0 && offsetof(State, tape) == 8 && offsetof(State, t) == 48 && offsetof(State, cpu) == 52 &&
              offsetof(State, model) == 96 && offsetof(State, late) == 97 && offsetof(State, issue2) == 98 &&
              offsetof(State, border) == 99 && offsetof(State, port_fe) == 100 && offsetof(State, kempston) == 101 &&
              offsetof(State, kempston_fitted) == 102 && offsetof(State, keys) == 103 && offsetof(State, port_7ffd) == 111 &&
              offsetof(State, ay_selected) == 112 && offsetof(State, ay) == 113 && offsetof(State, padding) == 129);
static_assert(offsetof(CpuState, af) == 0 && offsetof(CpuState, hl) == 6 && offsetof(CpuState, af2) == 8 && offsetof(CpuState, hl2) == 14 &&
              offsetof(CpuState, ix) == 16 && offsetof(CpuState, pc) == 22 && offsetof(CpuState, memptr) == 24 &&
              offsetof(CpuState, i) == 26 && offsetof(CpuState, q) == 28 && offsetof(CpuState, im) == 29 &&
              offsetof(CpuState, iff1) == 30 && offsetof(CpuState, iff2) == 31 && offsetof(CpuState, halted) == 32 &&
              offsetof(CpuState, hook_reported) == 33 && offsetof(CpuState, no_int_at) == 36 && offsetof(CpuState, ld_a_ir_at) == 40);
static_assert(offsetof(TapeState, edge) == 0 && offsetof(TapeState, played) == 8 && offsetof(TapeState, segment) == 16 &&
              offsetof(TapeState, item) == 20 && offsetof(TapeState, pulse) == 24 && offsetof(TapeState, loops) == 28 &&
              offsetof(TapeState, reads) == 32 && offsetof(TapeState, playing) == 36 && offsetof(TapeState, level) == 37 &&
              offsetof(TapeState, flips) == 38);

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("saved state: " + what); }

const char* name_of(Model model) {
    constexpr std::array<const char*, 3> names{"48k", "128k", "plus2"};
    return names[static_cast<std::size_t>(model)];
}

void check_range(const char* field, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value < low || value > high) [[unlikely]] {
        refuse(std::string("field '") + field + "' is " + std::to_string(value) + ", allowed are " + std::to_string(low) + " to " +
               std::to_string(high));
    }
}

void check_sound_chip(const State& state) {
    const bool fitted = has_paging(state.model);
    check_range("port_7ffd", state.port_7ffd, 0, fitted ? 0xFF : 0);
    check_range("ay_selected", state.ay_selected, 0, fitted ? 15 : 0);
    for (std::size_t i = 0; i < state.ay.size(); ++i) {
        const std::uint8_t mask = fitted ? ports::kAyMask[i] : std::uint8_t{0};
        if ((state.ay[i] & ~mask) != 0) {
            check_range(("ay[" + std::to_string(i) + "]").c_str(), state.ay[i], 0, mask);
        }
    }
}

/// What the checksum covers before the payload, as the seed of the payload's.
std::uint64_t checksum_of(const Header& header, std::span<const std::byte> payload) {
    return hash64(payload, hash64(std::as_bytes(std::span(&header, 1)).first(offsetof(Header, checksum)), 0));
}

}  // namespace

void check_state(const State& state, const Tape* tape) {
    check_range("model", static_cast<std::int64_t>(state.model), 0, static_cast<std::int64_t>(Model::plus2));
    const std::int64_t last_t = timings_of(state.model).frame - 1;
    // What an instruction left behind: -1 is "long ago", and one that began in this frame may have ended after it.
    const std::int64_t last_end = last_t + 1 + kOvershoot;
    check_range("t", state.t, 0, last_t);
    check_range("no_int_at", state.cpu.no_int_at, -1, last_end);
    check_range("ld_a_ir_at", state.cpu.ld_a_ir_at, -1, last_end);
    check_range("im", state.cpu.im, 0, 2);
    check_range("iff1", state.cpu.iff1, 0, 1);
    check_range("iff2", state.cpu.iff2, 0, 1);
    check_range("halted", state.cpu.halted, 0, 1);
    check_range("hook_reported", state.cpu.hook_reported, 0, 1);
    check_range("late", state.late, 0, 1);
    check_range("issue2", state.issue2, 0, 1);
    check_range("border", state.border, 0, 7);
    check_range("kempston", state.kempston, 0, 0x1F);
    check_range("kempston_fitted", state.kempston_fitted, 0, 1);
    for (const std::uint8_t row : state.keys) {
        check_range("keys", row, 0, 0x1F);
    }
    check_sound_chip(state);
    if (!tape_state_is_sane(state.tape, nullptr)) {
        refuse("the position of the tape is impossible");
    }
    if (!tape_state_is_sane(state.tape, tape)) {
        refuse("the position of the tape is not on the one in the recorder");
    }
    std::int64_t padding = state.cpu.padding;
    for (const std::uint8_t byte : state.padding) {
        padding |= byte;
    }
    check_range("padding", padding, 0, 0);
}

void seal(std::span<std::byte> bytes, const char (&kind)[5], std::uint32_t version, Model model) {
    const auto payload = bytes.subspan(kSavedHeader);
    Header header;
    std::memcpy(header.kind.data(), kind, 4);
    header.version = version;
    header.size = static_cast<std::uint32_t>(payload.size());
    header.model = model;
    header.checksum = checksum_of(header, payload);
    std::memcpy(bytes.data(), &header, sizeof header);
}

std::span<const std::byte> unseal(std::span<const std::byte> bytes, const char (&kind)[5], std::uint32_t version) {
    Header header;
    if (bytes.size() < sizeof header) {
        refuse("too short, " + std::to_string(bytes.size()) + " bytes given, the header alone has " + std::to_string(sizeof header));
    }
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.kind.data(), kind, 4) != 0) {
        refuse("not of this kind, it does not begin with '" + std::string(kind) + "'");
    }
    if (header.version != version) {
        refuse("format version " + std::to_string(header.version) + " given, this program reads version " + std::to_string(version));
    }
    const auto payload = bytes.subspan(sizeof header);
    if (header.size != payload.size()) {
        refuse((payload.size() < header.size ? "truncated, " : "longer than it says, ") + std::to_string(payload.size()) +
               " bytes after the header, which announces " + std::to_string(header.size));
    }
    if (header.checksum != checksum_of(header, payload)) {
        refuse("damaged, the checksum does not match");
    }
    return payload;
}

void seal_machine(std::span<std::byte> bytes, Model model) { seal(bytes, kMachine, State::kVersion, model); }

void save(const Machine& machine, std::span<std::byte> out) {
    assert(out.size() == saved_size(machine.state.model) && machine.ram.size() == ram_size(machine.state.model));
    check_state(machine.state, nullptr);
    std::byte* const payload = out.data() + kSavedHeader;
    std::memcpy(payload, &machine.state, sizeof machine.state);
    std::memcpy(payload + sizeof machine.state, machine.ram.data(), machine.ram.size());
    seal_machine(out, machine.state.model);
}

std::vector<std::byte> save(const Machine& machine) {
    std::vector<std::byte> bytes(saved_size(machine.state.model));
    save(machine, bytes);
    return bytes;
}

void SavedMachine::put_into(Machine& machine) const {
    assert(state.model == machine.state.model && ram.size() == machine.ram.size());
    machine.state = state;
    std::memcpy(machine.ram.data(), ram.data(), ram.size());
}

SavedMachine read_saved(std::span<const std::byte> bytes, const Tape* tape) {
    const auto payload = unseal(bytes, kMachine, State::kVersion);
    SavedMachine saved{};
    if (payload.size() < sizeof saved.state) {
        refuse("a machine has at least " + std::to_string(sizeof saved.state) + " bytes, " + std::to_string(payload.size()) + " given");
    }
    std::memcpy(&saved.state, payload.data(), sizeof saved.state);
    saved.ram = payload.subspan(sizeof saved.state);
    check_state(saved.state, tape);
    const Model model = saved.state.model;
    if (static_cast<std::uint8_t>(bytes[offsetof(Header, model)]) != static_cast<std::uint8_t>(model)) {
        refuse(std::string("the header names another model than the state, which is of a ") + name_of(model));
    }
    if (saved.ram.size() != ram_size(model)) {
        refuse("a machine of this model has " + std::to_string(sizeof saved.state + ram_size(model)) + " bytes, " +
               std::to_string(payload.size()) + " given");
    }
    return saved;
}

void check_model(Model saved, Model machine) {
    if (saved != machine) {
        refuse(std::string("it is of a ") + name_of(saved) + " machine, this one is a " + name_of(machine));
    }
}

SavedMachine read_saved(std::span<const std::byte> bytes, Model model, const Tape* tape) {
    const SavedMachine saved = read_saved(bytes, tape);
    check_model(saved.state.model, model);
    return saved;
}

Machine restored(std::span<const std::byte> bytes) {
    const SavedMachine saved = read_saved(bytes);
    Machine machine(saved.state.model);
    saved.put_into(machine);
    return machine;
}

void restore(Machine& machine, std::span<const std::byte> bytes, const Tape* tape) {
    read_saved(bytes, machine.state.model, tape).put_into(machine);
}

}  // namespace oakemu
