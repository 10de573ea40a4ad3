// SPDX-License-Identifier: GPL-3.0-or-later
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "beam.hpp"
#include "bindings.hpp"
#include "bound_machine.hpp"
#include "sound.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace oakemu {
namespace {

using Picture = nb::ndarray<nb::numpy, std::uint8_t, nb::shape<240, 320, 3>, nb::c_contig>;
using Samples = nb::ndarray<nb::numpy, std::int16_t, nb::ndim<1>, nb::c_contig>;

/// Somebody who looks at a machine, or listens to it, or both.
struct Watcher {
    std::unique_ptr<BeamPicture> picture;
    std::unique_ptr<SoundProbe> sound;

    void run_frame(BoundMachine& machine) const {
        std::array<Probe*, 2> probes{};
        std::size_t count = 0;
        if (picture != nullptr) {
            probes[count++] = picture.get();
        }
        if (sound != nullptr) {
            probes[count++] = sound.get();
        }
        Probes all(std::span<Probe* const>(probes.data(), count));
        machine.run_frame(&all);
    }
};

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

std::pair<std::optional<Picture>, std::optional<Samples>> watch_frame(Watcher& self, BoundMachine& machine) {
    {
        const nb::gil_scoped_release release;
        self.run_frame(machine);
    }
    std::pair<std::optional<Picture>, std::optional<Samples>> seen;
    if (self.picture != nullptr) {
        seen.first = picture_of(*self.picture);
    }
    if (self.sound != nullptr) {
        seen.second = samples_of(*self.sound);
    }
    return seen;
}

}  // namespace

void bind_watching(nb::module_& m) {
    nb::class_<Watcher> watcher(m, "Watcher",
                                "Somebody who looks at a machine, or listens to it, frame by frame. For one thread at a time.");
    watcher.def(
        "__init__",
        [](Watcher* place, bool picture, bool sound) {
            new (place) Watcher{picture ? std::make_unique<BeamPicture>() : nullptr, sound ? std::make_unique<SoundProbe>() : nullptr};
        },
        nb::kw_only(), "picture"_a, "sound"_a);
    watcher.def(
        "run_frame", &watch_frame, "machine"_a,
        "Runs to the end of the machine's frame; returns the picture as the beam drew it (240, 320, 3) and the samples of one channel "
        "at 48 kHz (n,), each a new array or None. The GIL is released.");
}

}  // namespace oakemu
