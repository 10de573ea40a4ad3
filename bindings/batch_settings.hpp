// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "batch.hpp"

namespace oakemu {

/// What lies in an array (rows, 9) of bytes: the eight half rows and the joystick. Throws ValueError that calls it `name`.
std::vector<Action> to_actions(const char* name, const nanobind::object& given);

/// Batch's constructor, which takes every setting by keyword.
void bind_constructor(nanobind::class_<Batch>& batch);

}  // namespace oakemu
