// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>

namespace oakemu {

/// ValueError with what was given and what is allowed.
inline std::int64_t check_range(const char* name, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value < low || value > high) {
        throw nanobind::value_error(
            (std::string(name) + " is " + std::to_string(value) + ", allowed are " + std::to_string(low) + " to " + std::to_string(high))
                .c_str());
    }
    return value;
}

}  // namespace oakemu
