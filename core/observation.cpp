// SPDX-License-Identifier: GPL-3.0-or-later
#include "observation.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "video.hpp"

namespace oakemu {
namespace {

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

std::pair<int, int> checked_size(int width, int height) {
    if (width < 1 || height < 1 || width > ObservationPlan::kMaxSize || height > ObservationPlan::kMaxSize) {
        throw std::invalid_argument("size (" + std::to_string(width) + ", " + std::to_string(height) + "): width and height must be 1 to " +
                                    std::to_string(ObservationPlan::kMaxSize));
    }
    return {width, height};
}

}  // namespace

Colour colour_from_name(std::string_view name) {
    if (name == "grey") return Colour::grey;
    if (name == "ink") return Colour::ink;
    if (name == "rgb") return Colour::rgb;
    throw std::invalid_argument("'" + std::string(name) + "' is no colour; known: grey, ink, rgb");
}

ObservationPlan::ObservationPlan(Area area, int width, int height, Colour colour)
    : area_(checked(area)),
      width_(checked_size(width, height).first),
      height_(height),
      colour_(colour),
      average_(area.width, area.height, width, height) {}

std::size_t ObservationPlan::frame_bytes() const {
    return static_cast<std::size_t>(planes()) * static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
}

std::size_t ObservationPlan::area_bytes() const { return static_cast<std::size_t>(area_.width) * static_cast<std::size_t>(area_.height); }

ObservationScratch ObservationPlan::make_scratch() const {
    const std::size_t bytes = static_cast<std::size_t>(planes()) * area_bytes();
    return {std::vector<std::uint8_t>(bytes), std::vector<std::uint8_t>(bytes), std::vector<std::int16_t>(average_.row_size())};
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

void ObservationPlan::scale(std::span<const std::uint8_t> pixels, std::span<std::int16_t> row, std::uint8_t* out) const {
    if (width_ == area_.width && height_ == area_.height) {
        std::memcpy(out, pixels.data(), pixels.size());
        return;
    }
    const std::size_t plane_bytes = static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_);
    for (std::size_t plane = 0; plane < static_cast<std::size_t>(planes()); ++plane) {
        average_.scale(pixels.data() + plane * area_bytes(), row, out + plane * plane_bytes);
    }
}

void max_pool(std::span<const std::uint8_t> previous, std::span<std::uint8_t> current) {
    for (std::size_t i = 0; i < current.size(); ++i) current[i] = std::max(current[i], previous[i]);
}

}  // namespace oakemu
