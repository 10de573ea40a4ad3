// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace oakemu {

/// The second of the pair in `table` whose first is `name`. Throws std::invalid_argument that lists the names of what is a `what`.
template <typename Table>
auto value_of_name(const Table& table, std::string_view name, const char* what) {
    std::string known;
    for (const auto& [other, value] : table) {
        if (other == name) return value;
        known += (known.empty() ? "" : ", ") + (other.empty() ? std::string("''") : std::string(other));
    }
    throw std::invalid_argument("'" + std::string(name) + "' is no " + what + "; known: " + known);
}

}  // namespace oakemu
