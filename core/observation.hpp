// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "area_average.hpp"
#include "display_changes.hpp"
#include "machine.hpp"

namespace oakemu {

/// What the pixels of an observation mean: luminance, ink (255) or paper (0) whatever the colours, red, green and blue planes, or for
/// each character cell the luminance of its ink and, in a second plane, of its paper, as the display shows them now.
enum class Colour : std::uint8_t { grey, ink, rgb, attributes };

/// The colour called `name`. Throws std::invalid_argument that lists the colours.
Colour colour_from_name(std::string_view name);

/// Pixels of the 256x192 display.
struct Area {
    int x = 0, y = 0, width = 256, height = 192;
};

/// Buffers that a thread reuses from one observation to the next.
struct ObservationScratch {
    std::vector<std::uint8_t> current, previous;  ///< planes of unscaled pixels
    std::vector<std::int16_t> row;
};

/// How a machine's display becomes one frame of an observation: crop, colour, area average. Colour::attributes has a pixel for each
/// cell that the area touches, is never scaled, and is made by update() alone.
class ObservationPlan {
public:
    static constexpr int kMaxSize = 1024;

    /// Throws std::invalid_argument unless the area lies on the display and width and height are 1 to kMaxSize; Colour::attributes
    /// ignores these.
    ObservationPlan(Area area, int width, int height, Colour colour);

    int planes() const;
    int width() const { return width_; }
    int height() const { return height_; }
    /// Bytes of one frame: planes * height * width, in that order.
    std::size_t frame_bytes() const;

    ObservationScratch make_scratch() const;

    /// Writes the unscaled area, planes * area.height * area.width bytes.
    void draw(const Machine& machine, std::span<std::uint8_t> pixels) const;

    /// Scales what draw() wrote into frame_bytes() bytes.
    void scale(std::span<const std::uint8_t> pixels, std::span<std::int16_t> row, std::uint8_t* out) const;

    /// Makes the frame of a machine out of its last one, whose display `changes` remembers. `last` and `out` may be the same.
    void update(const Machine& machine, DisplayChanges& changes, ObservationScratch& scratch, const std::uint8_t* last,
                std::uint8_t* out) const;

private:
    std::size_t area_bytes() const;
    void draw_lines(const Machine& machine, int from, int to, std::span<std::uint8_t> pixels) const;
    void draw_bands(const Machine& machine, std::uint32_t bands, std::span<std::uint8_t> pixels) const;
    void scale_rows(std::span<const std::uint8_t> pixels, std::span<std::int16_t> row, std::size_t from, std::size_t to,
                    std::uint8_t* out) const;
    void copy_rows(const std::uint8_t* last, std::size_t from, std::size_t to, std::uint8_t* out) const;

    Area area_;
    Area cells_;  ///< that the area touches
    Colour colour_;
    int width_, height_;
    AreaAverage average_;
    std::vector<std::uint32_t> bands_;  ///< for each row of a frame, the bands of the display that it shows, as bits
};

/// Takes the brighter of two pixels everywhere, into `current`.
void max_pool(std::span<const std::uint8_t> previous, std::span<std::uint8_t> current);

}  // namespace oakemu
