// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>

#include "machine.hpp"

namespace oakemu {

inline constexpr int kScreenWidth = 256;
inline constexpr int kScreenHeight = 192;
inline constexpr int kCellSize = 8;  ///< pixels of a character cell, in both directions

/// The 16 colours as 0xRRGGBB: bit 0 blue, bit 1 red, bit 2 green, bit 3 bright.
extern const std::array<std::uint32_t, 16> kPalette;

/// Luminance of the 16 colours (ITU-R BT.601, rounded), the values of every grey observation.
extern const std::array<std::uint8_t, 16> kGrey;

/// Whether FLASH cells show ink and paper exchanged in this frame (period 32 frames).
bool flash_swapped(const Machine& machine);

/// Rows [y, y + height) and columns [x, x + width) of the 256x192 display, one byte a pixel, row after row.
/// `lookup` maps a colour 0-15 to the byte written: identity for palette indices, kGrey for grey.
/// x and width are any; the caller has checked that the rectangle lies on the display.
void draw_indexed(const Machine& machine, int x, int y, int width, int height, const std::array<std::uint8_t, 16>& lookup,
                  std::uint8_t* out);

/// 1 for pixels set in the bitmap (ink), 0 for paper, whatever the colours and FLASH.
void draw_ink(const Machine& machine, int x, int y, int width, int height, std::uint8_t* out);

/// Luminance of the ink and of the paper of character cells as they are shown in this frame: columns [column, column + columns) of
/// 32, rows [row, row + rows) of 24, one byte a cell.
void draw_attributes(const Machine& machine, int column, int row, int columns, int rows, std::uint8_t* ink, std::uint8_t* paper);

/// 3 bytes a pixel.
void draw_rgb(const Machine& machine, int x, int y, int width, int height, std::uint8_t* out);

/// 320x240x3: the display with 32 pixels of border left and right and 24 above and below, in the current border colour.
void draw_rgb_with_border(const Machine& machine, std::uint8_t* out);

}  // namespace oakemu
