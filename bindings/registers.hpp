// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "checks.hpp"
#include "state.hpp"

namespace oakemu {

struct PairRegister {
    const char* name;
    std::uint16_t CpuState::* field;
};

struct ByteRegister {
    const char* name;
    std::uint8_t CpuState::* field;
    std::uint8_t highest;
};

/// One half of a pair.
struct HalfRegister {
    const char* name;
    std::uint16_t CpuState::* field;
    int shift;
};

inline constexpr PairRegister kPairs[] = {
    {"af", &CpuState::af},   {"bc", &CpuState::bc},   {"de", &CpuState::de},         {"hl", &CpuState::hl}, {"af_", &CpuState::af2},
    {"bc_", &CpuState::bc2}, {"de_", &CpuState::de2}, {"hl_", &CpuState::hl2},       {"ix", &CpuState::ix}, {"iy", &CpuState::iy},
    {"sp", &CpuState::sp},   {"pc", &CpuState::pc},   {"memptr", &CpuState::memptr},
};

inline constexpr ByteRegister kBytes[] = {
    {"i", &CpuState::i, 255},     {"r", &CpuState::r, 255},     {"q", &CpuState::q, 255},         {"im", &CpuState::im, 2},
    {"iff1", &CpuState::iff1, 1}, {"iff2", &CpuState::iff2, 1}, {"halted", &CpuState::halted, 1},
};

inline constexpr HalfRegister kHalves[] = {
    {"a", &CpuState::af, 8}, {"f", &CpuState::af, 0}, {"b", &CpuState::bc, 8}, {"c", &CpuState::bc, 0},
    {"d", &CpuState::de, 8}, {"e", &CpuState::de, 0}, {"h", &CpuState::hl, 8}, {"l", &CpuState::hl, 0},
};

template <typename Register, std::size_t Size>
const Register* find_register(const Register (&registers)[Size], std::string_view name) {
    for (const Register& candidate : registers) {
        if (name == candidate.name) {
            return &candidate;
        }
    }
    return nullptr;
}

[[noreturn]] inline void unknown_register(const std::string& name) {
    std::string message = "unknown register '" + name + "', allowed are";
    const char* separator = " ";
    const auto list = [&](const auto& registers) {
        for (const auto& candidate : registers) {
            message.append(separator).append(candidate.name);
            separator = ", ";
        }
    };
    list(kPairs);
    list(kHalves);
    list(kBytes);
    throw nanobind::value_error(message.c_str());
}

/// A register by its name; an unknown one is a ValueError that lists them all.
inline int get_register(const CpuState& cpu, const std::string& name) {
    if (const auto* pair = find_register(kPairs, name)) {
        return cpu.*(pair->field);
    }
    if (const auto* half = find_register(kHalves, name)) {
        return (cpu.*(half->field) >> half->shift) & 0xFF;
    }
    if (const auto* byte = find_register(kBytes, name)) {
        return cpu.*(byte->field);
    }
    unknown_register(name);
}

/// The same, and a value that does not fit is a ValueError.
inline void set_register(CpuState& cpu, const std::string& name, std::int64_t value) {
    if (const auto* pair = find_register(kPairs, name)) {
        cpu.*(pair->field) = static_cast<std::uint16_t>(check_range(pair->name, value, 0, 0xFFFF));
        if (pair->field == &CpuState::pc) {
            cpu.hook_reported = 0;  // whoever jumps somewhere has not been told that it is hooked
        }
    } else if (const auto* half = find_register(kHalves, name)) {
        const auto byte = static_cast<unsigned>(check_range(half->name, value, 0, 0xFF));
        const unsigned kept = cpu.*(half->field) & (0xFF00U >> half->shift);
        cpu.*(half->field) = static_cast<std::uint16_t>(kept | byte << half->shift);
    } else if (const auto* small = find_register(kBytes, name)) {
        cpu.*(small->field) = static_cast<std::uint8_t>(check_range(small->name, value, 0, small->highest));
    } else {
        unknown_register(name);
    }
}

}  // namespace oakemu
