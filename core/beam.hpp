// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "probe.hpp"
#include "timing.hpp"

namespace oakemu {

/// The picture as the beam draws it: what the program changes in the middle of a frame shows from there on.
///
/// The ULA fetches bitmap and attribute of two cells in 4 T of 8, the first at `UlaClock::timings.floating` (the T of the floating bus),
/// and shows them afterwards: a write must come before its own byte is fetched. The border is latched once in 8 pixels.
class BeamPicture final : public Probe {
public:
    static constexpr std::size_t kWidth = 320, kHeight = 240;
    static constexpr std::size_t kLeft = 32, kTop = 24;  ///< pixels of border on each side

    void run_begins(const Machine& machine, std::uint32_t t) override;
    void display_write(const Machine& machine, std::uint32_t t, std::size_t place) override;
    void port_written(const Machine& machine, std::uint32_t t, std::uint16_t port, std::uint8_t value) override;
    std::uint8_t port_read(const Machine& machine, std::uint32_t t, std::uint16_t port, std::uint8_t value) override;
    void frame_ends(const Machine& machine, std::uint32_t t) override;

    /// Colours 0 to 15, row after row; whole when a frame has ended.
    const std::array<std::uint8_t, kWidth * kHeight>& colours() const { return colours_; }

    /// kWidth * kHeight * 3 bytes.
    void draw_rgb(std::uint8_t* out) const;

private:
    static constexpr std::uint32_t kFetchesPerLine = 64;
    static constexpr std::uint32_t kFetches = kFetchesPerLine * Timings::kPictureLines;
    static constexpr std::uint32_t kChunksPerRow = kWidth / 8;
    static constexpr std::uint32_t kChunks = kChunksPerRow * kHeight;

    std::uint32_t fetch_time(std::uint32_t fetch) const;
    std::uint32_t latch_time(std::uint32_t chunk) const;
    void fetch_until(const Machine& machine, std::uint32_t t);
    void latch_until(std::uint32_t t);
    void draw_cell(std::uint32_t line, std::uint32_t column, std::uint8_t attribute);

    std::array<std::uint8_t, kWidth * kHeight> colours_{};
    const UlaClock* clock_ = nullptr;
    std::size_t screen_ = 0;        ///< where in RAM the display begins that is shown
    std::uint32_t next_fetch_ = 0;  ///< the first byte that is not fetched yet; four for two cells
    std::uint32_t next_chunk_ = 0;  ///< the first 8 pixels whose border is not latched yet
    std::uint8_t bitmap_ = 0;       ///< fetched, its attribute not yet
    std::uint8_t border_ = 0;
    bool swapped_ = false;  ///< FLASH
};

}  // namespace oakemu
