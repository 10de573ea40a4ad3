// SPDX-License-Identifier: GPL-3.0-or-later
#include "observation.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "names.hpp"
#include "video.hpp"

namespace oakemu {
namespace {

constexpr std::array<std::pair<std::string_view, Colour>, 4> kColourNames = {
    {{"grey", Colour::grey}, {"ink", Colour::ink}, {"rgb", Colour::rgb}, {"attributes", Colour::attributes}}};

std::array<std::uint8_t, 16> channel(int shift) {
    std::array<std::uint8_t, 16> levels{};
    for (std::size_t i = 0; i < levels.size(); ++i) levels[i] = static_cast<std::uint8_t>(kPalette[i] >> shift);
    return levels;
}

Area checked(Area area) {
    const bool inside = area.x >= 0 && area.y >= 0 && area.width >= 1 && area.height >= 1 && area.x <= kScreenWidth - area.width &&
                        area.y <= kScreenHeight - area.height;
    if (!inside) {
        throw std::invalid_argument("area (x " + std::to_string(area.x) + ", y " + std::to_string(area.y) + ", width " +
                                    std::to_string(area.width) + ", height " + std::to_string(area.height) +
                                    ") must lie on the display of 256 x 192 pixels and hold at least one");
    }
    return area;
}

Area cells_of(Area area) {
    const int column = area.x / kCellSize, row = area.y / kCellSize;
    const int end_column = (area.x + area.width - 1) / kCellSize + 1, end_row = (area.y + area.height - 1) / kCellSize + 1;
    return {column, row, end_column - column, end_row - row};
}

std::pair<int, int> checked_size(int width, int height) {
    if (width < 1 || height < 1 || width > ObservationPlan::kMaxSize || height > ObservationPlan::kMaxSize) {
        throw std::invalid_argument("size (" + std::to_string(width) + ", " + std::to_string(height) + "): width and height must be 1 to " +
                                    std::to_string(ObservationPlan::kMaxSize));
    }
    return {width, height};
}

}  // namespace

Colour colour_from_name(std::string_view name) { return value_of_name(kColourNames, name, "colour"); }

ObservationPlan::ObservationPlan(Area area, int width, int height, Colour colour)
    : area_(checked(area)),
      cells_(cells_of(area)),
      colour_(colour),
      width_(colour == Colour::attributes ? cells_.width : checked_size(width, height).first),
      height_(colour == Colour::attributes ? cells_.height : height),
      average_(area.width, area.height, width_, height_) {
    for (std::size_t row = 0; row < static_cast<std::size_t>(height_); ++row) {
        const auto [first, last] = average_.source_rows(row);
        std::uint32_t bands = 0;
        for (int band = (area.y + first) / 8; band <= (area.y + last) / 8; ++band) bands |= 1U << band;
        bands_.push_back(bands);
    }
}

int ObservationPlan::planes() const {
    if (colour_ == Colour::rgb) return 3;
    return colour_ == Colour::attributes ? 2 : 1;
}

std::size_t ObservationPlan::frame_bytes() const {
    return static_cast<std::size_t>(planes()) * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
}

std::size_t ObservationPlan::area_bytes() const { return static_cast<std::size_t>(area_.width) * static_cast<std::size_t>(area_.height); }

ObservationScratch ObservationPlan::make_scratch() const {
    const std::size_t bytes = static_cast<std::size_t>(planes()) * area_bytes();
    return {std::vector<std::uint8_t>(bytes), std::vector<std::uint8_t>(bytes), std::vector<std::int16_t>(average_.row_size())};
}

void ObservationPlan::draw(const Machine& machine, std::span<std::uint8_t> pixels) const { draw_lines(machine, 0, area_.height, pixels); }

void ObservationPlan::scale(std::span<const std::uint8_t> pixels, std::span<std::int16_t> row, std::uint8_t* out) const {
    scale_rows(pixels, row, 0, static_cast<std::size_t>(height_), out);
}

void ObservationPlan::update(const Machine& machine, DisplayChanges& changes, ObservationScratch& scratch, const std::uint8_t* last,
                             std::uint8_t* out) const {
    if (colour_ == Colour::attributes) {
        draw_attributes(machine, cells_.x, cells_.y, cells_.width, cells_.height, out, out + frame_bytes() / 2);
        return;
    }
    const std::uint32_t changed = changes.take(machine);
    std::uint32_t needed = 0;
    for (const std::uint32_t bands : bands_) needed |= (bands & changed) != 0 ? bands : 0U;
    draw_bands(machine, needed, scratch.current);
    for (std::size_t from = 0, to = 0; from < bands_.size(); from = to) {
        const auto is_new = [&](std::size_t row) { return (bands_[row] & changed) != 0; };
        for (to = from + 1; to < bands_.size() && is_new(to) == is_new(from);) ++to;
        if (is_new(from)) {
            scale_rows(scratch.current, scratch.row, from, to, out);
        } else if (last != out) {
            copy_rows(last, from, to, out);
        }
    }
}

void ObservationPlan::draw_lines(const Machine& machine, int from, int to, std::span<std::uint8_t> pixels) const {
    const int x = area_.x, y = area_.y + from, width = area_.width;
    const int height = to - from;
    const std::size_t offset = static_cast<std::size_t>(from) * static_cast<std::size_t>(width);
    const std::span<std::uint8_t> lines = pixels.subspan(offset, static_cast<std::size_t>(height) * static_cast<std::size_t>(width));
    switch (colour_) {
        case Colour::grey:
            draw_indexed(machine, x, y, width, height, kGrey, lines.data());
            break;
        case Colour::ink:
            draw_ink(machine, x, y, width, height, lines.data());
            for (std::uint8_t& pixel : lines) pixel = static_cast<std::uint8_t>(-pixel);  // 1 becomes 255
            break;
        case Colour::rgb:
            for (std::size_t plane = 0; plane < 3; ++plane) {
                draw_indexed(machine, x, y, width, height, channel(16 - 8 * static_cast<int>(plane)), lines.data() + plane * area_bytes());
            }
            break;
        case Colour::attributes:
            break;  // It has no lines: update() draws it.
    }
}

void ObservationPlan::draw_bands(const Machine& machine, std::uint32_t bands, std::span<std::uint8_t> pixels) const {
    for (int band = 0, end = 0; band < DisplayChanges::kBands; band = end) {
        const auto wanted = [bands](int b) { return (bands >> b & 1U) != 0; };
        for (end = band + 1; end < DisplayChanges::kBands && wanted(end) == wanted(band);) ++end;
        if (!wanted(band)) continue;
        draw_lines(machine, std::max(0, 8 * band - area_.y), std::min(area_.height, 8 * end - area_.y), pixels);
    }
}

void ObservationPlan::scale_rows(std::span<const std::uint8_t> pixels, std::span<std::int16_t> row, std::size_t from, std::size_t to,
                                 std::uint8_t* out) const {
    const std::size_t plane_bytes = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
    for (std::size_t plane = 0; plane < static_cast<std::size_t>(planes()); ++plane) {
        average_.scale(pixels.data() + plane * area_bytes(), row, from, to, out + plane * plane_bytes);
    }
}

void ObservationPlan::copy_rows(const std::uint8_t* last, std::size_t from, std::size_t to, std::uint8_t* out) const {
    const std::size_t row_bytes = static_cast<std::size_t>(width_);
    const std::size_t plane_bytes = row_bytes * static_cast<std::size_t>(height_);
    for (std::size_t plane = 0; plane < static_cast<std::size_t>(planes()); ++plane) {
        const std::size_t offset = plane * plane_bytes + from * row_bytes;
        std::memcpy(out + offset, last + offset, (to - from) * row_bytes);
    }
}

void max_pool(std::span<const std::uint8_t> previous, std::span<std::uint8_t> current) {
    for (std::size_t i = 0; i < current.size(); ++i) current[i] = std::max(current[i], previous[i]);
}

}  // namespace oakemu
