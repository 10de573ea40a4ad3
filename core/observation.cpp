// SPDX-License-Identifier: GPL-3.0-or-later
#include "observation.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>

#include "video.hpp"

namespace oakemu {
namespace {

/// Sums fit 16 bits on the vertical axis: 255 * 192 at most, since the weights of an output row add up to the source height.
static_assert(255 * kScreenHeight <= 0xFFFF);

/// 2 * sum + W stays below 2^kNumeratorBits.
constexpr int kNumeratorBits = 25;
static_assert((2 * 255 + 1) * kScreenWidth * kScreenHeight < (1 << kNumeratorBits));

std::array<std::uint8_t, 16> channel(int shift) {
    std::array<std::uint8_t, 16> levels{};
    for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<std::uint8_t>(kPalette[i] >> shift);
    return levels;
}

}  // namespace

Colour colour_from_name(std::string_view name) {
    if (name == "grey") return Colour::grey;
    if (name == "ink") return Colour::ink;
    if (name == "rgb") return Colour::rgb;
    throw std::invalid_argument("'" + std::string(name) + "' is no colour; known: grey, ink, rgb");
}

ObservationPlan::ObservationPlan(Area area, int width, int height, Colour colour)
    : area_(area), width_(width), height_(height), colour_(colour) {
    const bool inside = area.x >= 0 && area.y >= 0 && area.width >= 1 && area.height >= 1 && area.x <= kScreenWidth - area.width &&
                        area.y <= kScreenHeight - area.height;
    if (!inside) {
        throw std::invalid_argument("area (x " + std::to_string(area.x) + ", y " + std::to_string(area.y) + ", width " +
                                    std::to_string(area.width) + ", height " + std::to_string(area.height) +
                                    ") must lie on the display of 256 x 192 pixels and hold at least one");
    }
    if (width < 1 || height < 1 || width > kMaxSize || height > kMaxSize) {
        throw std::invalid_argument("size (" + std::to_string(width) + ", " + std::to_string(height) + "): width and height must be 1 to " +
                                    std::to_string(kMaxSize));
    }
    columns_ = make_cells(area.width, width);
    rows_ = make_cells(area.height, height);

    // Division by d = 2 * W as floor(n * m / 2^(N + L)), with L = ceil(log2 d) and m = floor(2^(N + L) / d) + 1. Exact for all
    // n < 2^N because 2^(N + L) < m * d <= 2^(N + L) + 2^L (Granlund and Montgomery 1994, theorem 4.2); n * m stays below 2^52.
    half_ = static_cast<std::uint32_t>((area.width / std::gcd(area.width, width)) * (area.height / std::gcd(area.height, height)));
    const std::uint64_t divisor = 2U * half_;
    shift_ = kNumeratorBits + static_cast<int>(std::bit_width(divisor - 1));
    reciprocal_ = (std::uint64_t{1} << shift_) / divisor + 1;
}

std::vector<ObservationPlan::Cell> ObservationPlan::make_cells(int source, int output) {
    // Weights are reduced by the common divisor of both sizes; the quotient that is rounded stays the same.
    const int common = std::gcd(source, output);
    const int s = source / common;
    const int o = output / common;
    std::vector<Cell> cells;
    cells.reserve(static_cast<std::size_t>(output));
    for (int i = 0; i < output; ++i) {
        const int from = i * s;
        const int to = from + s;
        const int first = from / o;
        const int last = (to - 1) / o;
        const int first_weight = std::min((first + 1) * o, to) - from;
        const int last_weight = last > first ? to - last * o : 0;
        cells.push_back({static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last), static_cast<std::uint16_t>(first_weight),
                         static_cast<std::uint16_t>(o), static_cast<std::uint16_t>(last_weight)});
    }
    return cells;
}

std::size_t ObservationPlan::frame_bytes() const {
    return static_cast<std::size_t>(planes()) * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
}

std::size_t ObservationPlan::area_bytes() const { return static_cast<std::size_t>(area_.width) * static_cast<std::size_t>(area_.height); }

ObservationScratch ObservationPlan::make_scratch() const {
    const std::size_t bytes = static_cast<std::size_t>(planes()) * area_bytes();
    return {std::vector<std::uint8_t>(bytes), std::vector<std::uint8_t>(bytes),
            std::vector<std::uint16_t>(static_cast<std::size_t>(area_.width))};
}

void ObservationPlan::draw(const State& state, std::span<std::uint8_t> pixels) const {
    const auto [x, y, width, height] = area_;
    switch (colour_) {
        case Colour::grey:
            draw_indexed(state, x, y, width, height, kGrey, pixels.data());
            break;
        case Colour::ink:
            draw_ink(state, x, y, width, height, pixels.data());
            for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(-pixel);  // 1 becomes 255
            break;
        case Colour::rgb:
            for (std::size_t plane = 0; plane < 3; ++plane) {
                draw_indexed(state, x, y, width, height, channel(16 - 8 * static_cast<int>(plane)), pixels.data() + plane * area_bytes());
            }
            break;
    }
}

void ObservationPlan::scale(std::span<const std::uint8_t> pixels, std::span<std::uint16_t> row, std::uint8_t* out) const {
    if (width_ == area_.width && height_ == area_.height) {
        std::memcpy(out, pixels.data(), pixels.size());
        return;
    }
    const std::size_t plane_bytes = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
    for (std::size_t plane = 0; plane < static_cast<std::size_t>(planes()); ++plane) {
        scale_plane(pixels.data() + plane * area_bytes(), row.data(), out + plane * plane_bytes);
    }
}

void ObservationPlan::scale_plane(const std::uint8_t* pixels, std::uint16_t* row, std::uint8_t* out) const {
    for (const Cell& cell : rows_) {
        sum_rows(pixels, cell, row);
        for (const Cell& column : columns_) {
            std::uint32_t inner = 0;
            for (int x = column.first + 1; x < column.last; ++x) inner += row[x];
            const std::uint32_t sum = column.first_weight * std::uint32_t{row[column.first]} + column.inner_weight * inner +
                                      column.last_weight * std::uint32_t{row[column.last]};
            *out++ = static_cast<std::uint8_t>((2 * sum + half_) * reciprocal_ >> shift_);
        }
    }
}

void ObservationPlan::sum_rows(const std::uint8_t* pixels, const Cell& cell, std::uint16_t* __restrict row) const {
    const auto width = static_cast<std::size_t>(area_.width);
    const std::uint8_t* source = pixels + cell.first * width;
    for (std::size_t x = 0; x < width; ++x) row[x] = static_cast<std::uint16_t>(source[x] * cell.first_weight);
    for (int y = cell.first + 1; y < cell.last; ++y) {
        source += width;
        for (std::size_t x = 0; x < width; ++x) row[x] = static_cast<std::uint16_t>(row[x] + source[x] * cell.inner_weight);
    }
    if (cell.last_weight == 0) return;
    source += width;
    for (std::size_t x = 0; x < width; ++x) row[x] = static_cast<std::uint16_t>(row[x] + source[x] * cell.last_weight);
}

void max_pool(std::span<const std::uint8_t> previous, std::span<std::uint8_t> current) {
    for (std::size_t i = 0; i < current.size(); ++i) current[i] = std::max(current[i], previous[i]);
}

}  // namespace oakemu
