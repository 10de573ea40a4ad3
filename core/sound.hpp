// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ay.hpp"
#include "probe.hpp"
#include "sampler.hpp"

namespace oakemu {

/// What a machine's loudspeaker plays, as samples: speaker and MIC bits, a tape that the program reads, and the sound chip of a 128K.
/// One channel, as these machines have.
///
/// Every run counts as one whole frame, however long it is, so that sound and pictures stay together.
class SoundProbe final : public Probe {
public:
    void run_begins(const Machine& machine, std::uint32_t t) override;
    void port_written(const Machine& machine, std::uint32_t t, std::uint16_t port, std::uint8_t value) override;
    std::uint8_t port_read(const Machine& machine, std::uint32_t t, std::uint16_t port, std::uint8_t value) override;
    void frame_ends(const Machine& machine, std::uint32_t t) override;

    /// The samples since the last call, Sampler::kRate a second.
    std::vector<std::int16_t> take() { return sampler_.take(); }

private:
    /// A port write of the last instruction of a frame, which happened in the next one.
    struct LateWrite {
        std::uint32_t t;
        std::uint16_t port;
        std::uint8_t value;
        unsigned ay_selected;
    };

    void start(const Machine& machine);
    void agree_with(const Machine& machine);
    void play_until(std::uint32_t t);
    void write(std::uint16_t port, std::uint8_t value, unsigned ay_selected);
    std::int32_t level() const;

    Sampler sampler_;
    AyChip ay_;
    std::vector<LateWrite> late_writes_;
    std::uint32_t clock_ = 0;       ///< T per second; 0 before the first run
    std::uint32_t frame_ = 0;       ///< T per frame
    std::uint32_t now_ = 0;         ///< T of this frame up to which all is sampled
    std::uint32_t to_ay_step_ = 0;  ///< T
    std::uint8_t speaker_ = 0;      ///< bits 3 and 4 of the ULA port
    bool has_ay_ = false;
    bool ear_ = false;
};

}  // namespace oakemu
