// SPDX-License-Identifier: GPL-3.0-or-later
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bindings.hpp"
#include "bound_machine.hpp"
#include "bound_watcher.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace oakemu {
namespace {

using Picture = nb::ndarray<nb::numpy, std::uint8_t, nb::shape<240, 320, 3>, nb::c_contig>;
using Samples = nb::ndarray<nb::numpy, std::int16_t, nb::ndim<1>, nb::c_contig>;
using Seen = std::pair<std::optional<Picture>, std::optional<Samples>>;

Picture picture_of(const BeamPicture& beam) {
    auto pixels = std::make_unique<std::uint8_t[]>(3 * BeamPicture::kWidth * BeamPicture::kHeight);
    beam.draw_rgb(pixels.get());
    const nb::capsule owner(pixels.get(), [](void* data) noexcept { delete[] static_cast<std::uint8_t*>(data); });
    return Picture(pixels.release(), {BeamPicture::kHeight, BeamPicture::kWidth, 3}, owner);
}

Samples samples_of(SoundProbe& sound) {
    auto samples = std::make_unique<std::vector<std::int16_t>>(sound.take());
    const nb::capsule owner(samples.get(), [](void* data) noexcept { delete static_cast<std::vector<std::int16_t>*>(data); });
    const std::size_t size = samples->size();
    return Samples(samples.release()->data(), {size}, owner);
}

Seen take(BoundWatcher& self) {
    Seen seen;
    if (self.picture != nullptr) {
        seen.first = picture_of(*self.picture);
    }
    if (self.sound != nullptr) {
        seen.second = samples_of(*self.sound);
    }
    return seen;
}

Seen watch_frame(BoundWatcher& self, BoundMachine& machine) {
    {
        const nb::gil_scoped_release release;
        self.watch([&](Probe& probe) { machine.run_frame(&probe); });
    }
    return take(self);
}

}  // namespace

void bind_watching(nb::module_& m) {
    nb::class_<BoundWatcher> watcher(m, "Watcher",
                                     "Somebody who looks at a machine, or listens to it, frame by frame. For one thread at a time.");
    watcher.def(nb::init<bool, bool>(), nb::kw_only(), "picture"_a, "sound"_a);
    watcher.def("run_frame", &watch_frame, "machine"_a,
                "Runs to the end of the machine's frame; returns what `take` does. The GIL is released.");
    watcher.def("take", &take,
                "The picture of the last watched frame as the beam drew it (240, 320, 3), and the samples since the last call, of one "
                "channel at 48 kHz (n,), each a new array, or None if that is not watched.");
}

}  // namespace oakemu
