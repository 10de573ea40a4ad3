// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace oakemu {

/// Scales a plane of bytes to another size by exact area averages.
///
/// With s source and o output pixels on an axis, source pixel j covers [j*o, (j+1)*o), output pixel i covers [i*s, (i+1)*s), and
/// weights are the overlaps. The result is rounded half up: (2*sum + W) / (2*W) with W the product of both s.
class AreaAverage {
public:
    /// The source is at most 256 x 192 pixels.
    AreaAverage(int source_width, int source_height, int width, int height);

    /// Elements of the buffer that scale() works in.
    std::size_t row_size() const { return source_width_ + kTaps; }

    void scale(const std::uint8_t* pixels, std::span<std::int16_t> row, std::uint8_t* out) const;

private:
    /// One output pixel of an axis: the source pixels it overlaps, and by how much. Inner pixels all weigh the same.
    struct Cell {
        std::uint16_t first, last;
        std::uint16_t first_weight, inner_weight, last_weight;  ///< last_weight is 0 when there is one source pixel only
    };
    static constexpr std::size_t kTaps = 8;  ///< source pixels that the fast way takes for an output pixel
    using Taps = std::array<std::int16_t, kTaps>;

    static std::vector<Cell> make_cells(int source, int output);
    void make_taps();
    void sum_rows(const std::uint8_t* pixels, const Cell& cell, std::int16_t* row) const;
    void sum_columns(const std::int16_t* row, std::uint8_t* out) const;
    void sum_columns_fast(const std::int16_t* row, std::uint8_t* out) const;

    std::size_t source_width_, width_;
    std::vector<Cell> columns_, rows_;
    std::vector<Taps> taps_;  ///< weights of the columns for the fast way, padded to a multiple of 4; empty where it cannot go
    double offset_ = 0.0, inverse_ = 0.0;
};

}  // namespace oakemu
