// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace oakemu {

/// Scales a plane of bytes to another size by exact area averages.
///
/// With s source and o output pixels on an axis, source pixel j covers [j*o, (j+1)*o), output pixel i covers [i*s, (i+1)*s), and
/// weights are the overlaps. The result is rounded half up: (2*sum + W) / (2*W) with W the product of both s.
class AreaAverage {
public:
    /// Portable code, or the vector instructions of x86: those that every x86-64 has, or AVX2 where the processor has it.
    enum class Way : std::uint8_t { plain, sse2, avx2 };

    /// The fastest way that this processor can go.
    static Way best_way();

    /// The source is at most 256 x 192 pixels. All ways give the same bytes.
    AreaAverage(int source_width, int source_height, int width, int height, Way way = best_way());

    /// Elements of the buffer that scale() works in.
    std::size_t row_size() const { return source_width_ + kTaps; }

    /// Writes output rows [from, to) of `out`, the whole output plane; reads only the source rows under them.
    void scale(const std::uint8_t* pixels, std::span<std::int16_t> row, std::size_t from, std::size_t to, std::uint8_t* out) const;

    /// The source rows that output row i reads, first and last.
    std::pair<int, int> source_rows(std::size_t i) const { return {rows_[i].first, rows_[i].last}; }

private:
    /// One output pixel of an axis: the source pixels it overlaps, and by how much. Inner pixels all weigh the same.
    struct Cell {
        std::uint16_t first, last;
        std::uint16_t first_weight, inner_weight, last_weight;  ///< last_weight is 0 when there is one source pixel only
    };
    static constexpr std::size_t kTaps = 8;   ///< source pixels that the fast ways take for an output pixel
    static constexpr std::size_t kGroup = 8;  ///< output pixels that they make in one turn
    using Taps = std::array<std::int16_t, kTaps>;

    static std::vector<Cell> make_cells(int source, int output);
    void make_taps(Way way);
    void scale_plain(const std::uint8_t* pixels, std::span<const Cell> rows, std::int16_t* row, std::uint8_t* out) const;
    void scale_sse2(const std::uint8_t* pixels, std::span<const Cell> rows, std::int16_t* row, std::uint8_t* out) const;
    void scale_avx2(const std::uint8_t* pixels, std::span<const Cell> rows, std::int16_t* row, std::uint8_t* out) const;

    std::size_t source_width_, width_;
    std::vector<Cell> columns_, rows_;
    std::vector<Taps> taps_;  ///< weights of the columns for the fast ways, padded to whole groups
    bool same_size_ = false;
    double offset_ = 0.0, inverse_ = 0.0;
    Way way_ = Way::plain;
};

}  // namespace oakemu
