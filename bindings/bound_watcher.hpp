// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "beam.hpp"
#include "probe.hpp"
#include "sound.hpp"

namespace oakemu {

/// Somebody, as Python has it, who looks at a machine, or listens to it, or both.
class BoundWatcher {
public:
    BoundWatcher(bool looks, bool listens)
        : picture(looks ? std::make_unique<BeamPicture>() : nullptr), sound(listens ? std::make_unique<SoundProbe>() : nullptr) {}

    std::unique_ptr<BeamPicture> picture;  ///< none if null
    std::unique_ptr<SoundProbe> sound;     ///< none if null

    /// Calls `run(Probe&)`, which runs a frame that is watched.
    template <typename Run>
    void watch(const Run& run) const {
        std::array<Probe*, 2> both{picture.get(), sound.get()};
        std::size_t count = 0;
        for (Probe* probe : both) {
            if (probe != nullptr) {
                both[count++] = probe;
            }
        }
        Probes probes(std::span<Probe* const>(both.data(), count));
        run(probes);
    }
};

}  // namespace oakemu
