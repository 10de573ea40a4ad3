// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nanobind/nanobind.h>

#include "batch.hpp"

namespace oakemu {

/// Batch's constructor, which takes every setting by keyword.
void bind_constructor(nanobind::class_<Batch>& batch);

}  // namespace oakemu
