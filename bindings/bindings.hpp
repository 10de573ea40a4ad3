// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nanobind/nanobind.h>

namespace oakemu {

void bind_machine(nanobind::module_& m);
void bind_batch(nanobind::module_& m);
void bind_slot_store(nanobind::module_& m);
void bind_explorer(nanobind::module_& m);
void bind_rzx(nanobind::module_& m);
void bind_watching(nanobind::module_& m);

}  // namespace oakemu
