// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "state.hpp"

namespace oakemu {

/// What the pixels of an observation mean: luminance, ink (255) or paper (0) whatever the colours, or red, green and blue planes.
enum class Colour : std::uint8_t { grey, ink, rgb };

/// The colour called `name`. Throws std::invalid_argument that lists the colours.
Colour colour_from_name(std::string_view name);

/// Pixels of the 256x192 display.
struct Area {
    int x = 0, y = 0, width = 256, height = 192;
};

/// Buffers that a thread reuses from one observation to the next.
struct ObservationScratch {
    std::vector<std::uint8_t> current, previous;  ///< planes of unscaled pixels
    std::vector<std::uint16_t> row;
};

/// How a machine's display becomes one frame of an observation: crop, colour, area average.
///
/// The average is exact: with s source and o output pixels on an axis, source pixel j covers [j*o, (j+1)*o), output pixel i covers
/// [i*s, (i+1)*s), weights are the overlaps, and the result is rounded half up: (2*sum + W) / (2*W) with W the product of both s.
class ObservationPlan {
public:
    static constexpr int kMaxSize = 1024;

    /// Throws std::invalid_argument unless the area lies on the display and width and height are 1 to kMaxSize.
    ObservationPlan(Area area, int width, int height, Colour colour);

    int planes() const { return colour_ == Colour::rgb ? 3 : 1; }
    int width() const { return width_; }
    int height() const { return height_; }
    /// Bytes of one frame: planes * height * width, in that order.
    std::size_t frame_bytes() const;

    ObservationScratch make_scratch() const;

    /// Writes the unscaled area, planes * area.height * area.width bytes.
    void draw(const State& state, std::span<std::uint8_t> pixels) const;

    /// Scales what draw() wrote into frame_bytes() bytes.
    void scale(std::span<const std::uint8_t> pixels, std::span<std::uint16_t> row, std::uint8_t* out) const;

private:
    /// One output pixel of an axis: the source pixels it overlaps, and by how much. Inner pixels all weigh the same.
    struct Cell {
        std::uint16_t first, last;
        std::uint16_t first_weight, inner_weight, last_weight;  ///< last_weight is 0 when there is one source pixel only
    };

    static std::vector<Cell> make_cells(int source, int output);
    std::size_t area_bytes() const;
    void scale_plane(const std::uint8_t* pixels, std::uint16_t* row, std::uint8_t* out) const;
    void sum_rows(const std::uint8_t* pixels, const Cell& cell, std::uint16_t* row) const;

    Area area_;
    int width_, height_;
    Colour colour_;
    std::vector<Cell> columns_, rows_;
    // (2 * sum + W) / (2 * W) as a multiplication and a shift; see the constructor.
    std::uint32_t half_ = 0;
    std::uint64_t reciprocal_ = 0;
    int shift_ = 0;
};

/// Takes the brighter of two pixels everywhere, into `current`.
void max_pool(std::span<const std::uint8_t> previous, std::span<std::uint8_t> current);

}  // namespace oakemu
