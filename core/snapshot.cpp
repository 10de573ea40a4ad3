// SPDX-License-Identifier: GPL-3.0-or-later
#include "snapshot.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

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
    std::uint32_t crc = 0;   ///< CRC-32 (IEEE 802.3, as in zip) of the payload
};
static_assert(sizeof(Header) == 16);

using CrcTables = std::array<std::array<std::uint32_t, 256>, 8>;

/// Tables for eight bytes a turn ("slicing by 8"): table n advances a byte's contribution over n further bytes.
constexpr CrcTables make_crc_tables() {
    CrcTables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
        }
        tables[0][byte] = crc;
    }
    for (std::size_t n = 1; n < tables.size(); ++n) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t crc = tables[n - 1][byte];
            tables[n][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
        }
    }
    return tables;
}

constexpr CrcTables kCrcTables = make_crc_tables();

std::uint32_t crc32(std::span<const std::byte> bytes) {
    std::uint32_t crc = 0xFFFFFFFFU;
    while (bytes.size() >= 8) {
        std::uint64_t chunk = 0;
        std::memcpy(&chunk, bytes.data(), 8);
        chunk ^= crc;
        crc = 0;
        for (std::size_t i = 0; i < 8; ++i) {
            crc ^= kCrcTables[7 - i][(chunk >> (8 * i)) & 0xFF];
        }
        bytes = bytes.subspan(8);
    }
    for (const std::byte byte : bytes) {
        crc = (crc >> 8) ^ kCrcTables[0][(crc ^ std::to_integer<std::uint32_t>(byte)) & 0xFF];
    }
    return ~crc;
}

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("saved state: " + what); }

void check_range(const char* field, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value < low || value > high) {
        refuse(std::string("field '") + field + "' is " + std::to_string(value) + ", allowed are " + std::to_string(low) + " to " +
               std::to_string(high));
    }
}

/// A correct checksum shows that the bytes are as they were written, not that whoever wrote them kept the rules.
void check_fields(const State& state) {
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
    check_range("border", state.border, 0, 7);
    check_range("kempston", state.kempston, 0, 0x1F);
    check_range("kempston_fitted", state.kempston_fitted, 0, 1);
    for (const std::uint8_t row : state.keys) {
        check_range("keys", row, 0, 0x1F);
    }
    check_range("late", state.late, 0, 1);
    check_range("issue2", state.issue2, 0, 1);
    check_range("port_7ffd", state.port_7ffd, 0, has_paging(state.model) ? 0xFF : 0);
    check_range("ay_selected", state.ay_selected, 0, 15);
    if (!tape_state_is_sane(state.tape, nullptr)) {
        refuse("the position of the tape is impossible");
    }
    std::int64_t padding = state.cpu.padding;
    for (const std::uint8_t byte : state.padding) padding |= byte;
    check_range("padding", padding, 0, 0);
}

}  // namespace

std::vector<std::byte> pack(std::span<const std::byte> payload, const char (&kind)[5], std::uint32_t version) {
    Header header;
    std::memcpy(header.kind.data(), kind, 4);
    header.version = version;
    header.size = static_cast<std::uint32_t>(payload.size());
    header.crc = crc32(payload);
    std::vector<std::byte> bytes(sizeof header + payload.size());
    std::memcpy(bytes.data(), &header, sizeof header);
    if (!payload.empty()) {
        std::memcpy(bytes.data() + sizeof header, payload.data(), payload.size());
    }
    return bytes;
}

std::span<const std::byte> unpack(std::span<const std::byte> bytes, const char (&kind)[5], std::uint32_t version) {
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
    if (header.crc != crc32(payload)) {
        refuse("damaged, the checksum does not match");
    }
    return payload;
}

std::vector<std::byte> save(const Machine& machine) {
    std::vector<std::byte> payload(sizeof machine.state + machine.ram.size());
    std::memcpy(payload.data(), &machine.state, sizeof machine.state);
    std::memcpy(payload.data() + sizeof machine.state, machine.ram.data(), machine.ram.size());
    return pack(payload, kMachine, State::kVersion);
}

Machine restored(std::span<const std::byte> bytes) {
    const auto payload = unpack(bytes, kMachine, State::kVersion);
    State state;
    if (payload.size() < sizeof state) {
        refuse("a machine has at least " + std::to_string(sizeof state) + " bytes, " + std::to_string(payload.size()) + " given");
    }
    std::memcpy(&state, payload.data(), sizeof state);
    check_fields(state);
    Machine machine(state.model);
    if (payload.size() != sizeof state + machine.ram.size()) {
        refuse("a machine of this model has " + std::to_string(sizeof state + machine.ram.size()) + " bytes, " +
               std::to_string(payload.size()) + " given");
    }
    machine.state = state;
    std::memcpy(machine.ram.data(), payload.data() + sizeof state, machine.ram.size());
    return machine;
}

void restore(Machine& machine, std::span<const std::byte> bytes) {
    const Machine candidate = restored(bytes);
    if (candidate.state.model != machine.state.model) {
        refuse("it is of another model of machine");
    }
    machine = candidate;  // into the same memory, so that views of it stay valid
}

}  // namespace oakemu
