// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "batch.hpp"

namespace oakemu {

/// The caller's arrays together with the references that keep them alive.
struct OutputArrays {
    Outputs view{};
    std::vector<std::size_t> observation_shape{};
    std::size_t num_variables = 0;
    std::optional<std::size_t> num_rewards{}, num_actions{};  ///< where there are arrays with so many columns
    std::vector<nanobind::object> owners{};
};

/// (stack * planes, height, width)
std::vector<std::size_t> observation_shape(const Batch& batch);

/// The arrays as the core wants them; ValueError unless they are of this batch's shapes.
const Outputs& checked_outputs(const OutputArrays& outputs, const Batch& batch);

void bind_outputs(nanobind::module_& m);

}  // namespace oakemu
