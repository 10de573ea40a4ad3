// SPDX-License-Identifier: GPL-3.0-or-later
#include "video.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

namespace oakemu {
namespace {

constexpr int kBorderLeft = 32;
constexpr int kBorderTop = 24;
constexpr int kFullWidth = kScreenWidth + 2 * kBorderLeft;
constexpr int kFullHeight = kScreenHeight + 2 * kBorderTop;
constexpr std::size_t kAttributes = 0x1800;  // offset in RAM of 0x5800

constexpr std::uint8_t channel(unsigned colour, unsigned bit) {
    const std::uint8_t level = (colour & 8U) != 0 ? 0xFF : 0xCD;
    return ((colour >> bit) & 1U) != 0 ? level : std::uint8_t{0};
}

constexpr std::uint8_t blue(unsigned colour) { return channel(colour, 0); }
constexpr std::uint8_t red(unsigned colour) { return channel(colour, 1); }
constexpr std::uint8_t green(unsigned colour) { return channel(colour, 2); }

constexpr std::array<std::uint32_t, 16> make_palette() {
    std::array<std::uint32_t, 16> palette{};
    for (unsigned c = 0; c < 16; ++c) {
        palette[c] = static_cast<std::uint32_t>(red(c)) << 16 | static_cast<std::uint32_t>(green(c)) << 8 | blue(c);
    }
    return palette;
}

constexpr std::array<std::uint8_t, 16> make_grey() {
    std::array<std::uint8_t, 16> grey{};
    for (unsigned c = 0; c < 16; ++c) {
        grey[c] = static_cast<std::uint8_t>((299U * red(c) + 587U * green(c) + 114U * blue(c) + 500U) / 1000U);
    }
    return grey;
}

/// For each bitmap byte, eight bytes in memory order: 0xFF where the pixel is set. Bit 7 is the leftmost pixel.
constexpr std::array<std::uint64_t, 256> make_masks() {
    std::array<std::uint64_t, 256> masks{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        std::array<std::uint8_t, 8> pixels{};
        for (unsigned pixel = 0; pixel < 8; ++pixel) {
            pixels[pixel] = (byte & (0x80U >> pixel)) != 0 ? 0xFF : 0x00;
        }
        masks[byte] = std::bit_cast<std::uint64_t>(pixels);
    }
    return masks;
}

constexpr std::array<std::uint64_t, 256> kMasks = make_masks();

constexpr std::uint64_t repeat(std::uint8_t value) { return value * 0x0101010101010101ULL; }

constexpr std::array<std::uint8_t, 16> kIdentity = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

std::size_t bitmap_row(int y) {
    const auto line = static_cast<std::size_t>(y);
    return (line & 0xC0) << 5 | (line & 7) << 8 | (line & 0x38) << 2;
}

std::size_t attribute_row(int y) { return kAttributes + 32 * static_cast<std::size_t>(y >> 3); }

/// Writes pixels [x, x + width) of one line. `cell(column)` gives the eight pixels of a character column.
template <typename Cell>
void draw_line(int x, int width, const Cell& cell, std::uint8_t* out) {
    int column = x >> 3;
    const int end = x + width;
    const auto partial = [&](int from, int to) {
        const std::uint64_t pixels = cell(static_cast<std::size_t>(column));
        std::array<std::uint8_t, 8> bytes{};
        std::memcpy(bytes.data(), &pixels, 8);
        out = std::copy(bytes.begin() + from, bytes.begin() + to, out);
        ++column;
    };
    if ((x & 7) != 0) {
        partial(x & 7, std::min(8, (x & 7) + width));
    }
    for (; 8 * column + 8 <= end; ++column, out += 8) {
        const std::uint64_t pixels = cell(static_cast<std::size_t>(column));
        std::memcpy(out, &pixels, 8);
    }
    if (8 * column < end) {
        partial(0, end - 8 * column);
    }
}

/// The two colours, 0 to 15, of a cell.
struct CellColours {
    std::size_t ink, paper;
};

/// `swapped`: cells that flash show their colours exchanged.
constexpr CellColours colours_of(std::size_t attribute, bool swapped) {
    const std::size_t bright = (attribute & 0x40) >> 3;
    const std::size_t ink = bright | (attribute & 7), paper = bright | ((attribute >> 3) & 7);
    return swapped && (attribute & 0x80) != 0 ? CellColours{paper, ink} : CellColours{ink, paper};
}

/// What each attribute byte means in this frame: paper in all eight pixels, and what a set pixel changes.
struct Inks {
    std::array<std::uint64_t, 256> paper{};
    std::array<std::uint64_t, 256> change{};

    Inks(bool swapped, const std::array<std::uint8_t, 16>& lookup) {
        std::array<std::uint64_t, 16> colours{};
        for (std::size_t c = 0; c < 16; ++c) {
            colours[c] = repeat(lookup[c]);
        }
        for (std::size_t attribute = 0; attribute < 256; ++attribute) {
            const CellColours cell = colours_of(attribute, swapped);
            paper[attribute] = colours[cell.paper];
            change[attribute] = colours[cell.ink] ^ colours[cell.paper];
        }
    }
};

/// Luminance of ink and paper by attribute.
struct CellGreys {
    std::array<std::uint8_t, 256> ink{}, paper{};
};

constexpr CellGreys make_cell_greys(bool swapped) {
    CellGreys greys;
    for (std::size_t attribute = 0; attribute < 256; ++attribute) {
        const CellColours cell = colours_of(attribute, swapped);
        greys.ink[attribute] = make_grey()[cell.ink];
        greys.paper[attribute] = make_grey()[cell.paper];
    }
    return greys;
}

constexpr std::array<CellGreys, 2> kCellGreys = {make_cell_greys(false), make_cell_greys(true)};

void draw_indexed_line(const Machine& machine, const Inks& inks, int x, int y, int width, std::uint8_t* out) {
    const std::uint8_t* bitmap = machine.display() + bitmap_row(y);
    const std::uint8_t* attributes = machine.display() + attribute_row(y);
    const auto cell = [&](std::size_t column) {
        const std::uint8_t attribute = attributes[column];
        return inks.paper[attribute] ^ (inks.change[attribute] & kMasks[bitmap[column]]);
    };
    draw_line(x, width, cell, out);
}

/// Eight lines of whole cells, from line `y` on, which is the first of a row of cells: each attribute is looked up once.
void draw_cells(const Machine& machine, const Inks& inks, int column, int y, std::size_t width, std::uint8_t* out) {
    const std::uint8_t* bitmap = machine.display() + bitmap_row(y) + column;
    const std::uint8_t* attributes = machine.display() + attribute_row(y) + column;
    for (std::size_t cell = 0; 8 * cell < width; ++cell) {
        const std::uint64_t paper = inks.paper[attributes[cell]], change = inks.change[attributes[cell]];
        for (std::size_t line = 0; line < 8; ++line) {
            const std::uint64_t pixels = paper ^ (change & kMasks[bitmap[0x100 * line + cell]]);
            std::memcpy(out + line * width + 8 * cell, &pixels, 8);
        }
    }
}

/// Red, green, blue and a zero in memory order.
using Pixel = std::array<std::uint8_t, 4>;

constexpr Pixel make_pixel(unsigned colour) { return {red(colour), green(colour), blue(colour), 0}; }

constexpr std::array<Pixel, 16> make_pixels() {
    std::array<Pixel, 16> pixels{};
    for (unsigned c = 0; c < 16; ++c) {
        pixels[c] = make_pixel(c);
    }
    return pixels;
}

constexpr std::array<Pixel, 16> kPixels = make_pixels();

/// Writes 3 * colours.size() bytes. Four bytes at a time are faster than three, and the next pixel overwrites the fourth.
void put_rgb(std::span<const std::uint8_t> colours, std::uint8_t* out) {
    for (const std::uint8_t colour : colours.first(colours.size() - 1)) {
        std::memcpy(out, kPixels[colour].data(), 4);
        out += 3;
    }
    std::memcpy(out, kPixels[colours.back()].data(), 3);
}

/// Like draw_rgb, into rows that are `stride` bytes apart.
void draw_rgb_rows(const Machine& machine, int x, int y, int width, int height, std::uint8_t* out, std::size_t stride) {
    const Inks inks(flash_swapped(machine), kIdentity);
    std::array<std::uint8_t, kScreenWidth> line{};
    for (int row = y; row < y + height; ++row, out += stride) {
        draw_indexed_line(machine, inks, x, row, width, line.data());
        put_rgb(std::span(line).first(static_cast<std::size_t>(width)), out);
    }
}

}  // namespace

const std::array<std::uint32_t, 16> kPalette = make_palette();
const std::array<std::uint8_t, 16> kGrey = make_grey();

bool flash_swapped(const Machine& machine) { return (machine.state.frame & 0x10) != 0; }

void draw_indexed(const Machine& machine, int x, int y, int width, int height, const std::array<std::uint8_t, 16>& lookup,
                  std::uint8_t* out) {
    const Inks inks(flash_swapped(machine), lookup);
    const bool whole_cells = x % 8 == 0 && width % 8 == 0;
    for (const int end = y + height; y < end;) {
        if (whole_cells && y % 8 == 0 && y + 8 <= end) {
            draw_cells(machine, inks, x / 8, y, static_cast<std::size_t>(width), out);
            y += 8, out += 8 * width;
        } else {
            draw_indexed_line(machine, inks, x, y, width, out);
            ++y, out += width;
        }
    }
}

void draw_ink(const Machine& machine, int x, int y, int width, int height, std::uint8_t* out) {
    for (int row = y; row < y + height; ++row, out += width) {
        const std::uint8_t* bitmap = machine.display() + bitmap_row(row);
        draw_line(x, width, [&](std::size_t column) { return kMasks[bitmap[column]] & repeat(1); }, out);
    }
}

void draw_attributes(const Machine& machine, int column, int row, int columns, int rows, std::uint8_t* ink, std::uint8_t* paper) {
    const CellGreys& greys = kCellGreys[flash_swapped(machine) ? 1 : 0];
    for (int y = row; y < row + rows; ++y, ink += columns, paper += columns) {
        const std::uint8_t* attributes = machine.display() + attribute_row(kCellSize * y) + column;
        for (std::size_t cell = 0; cell < static_cast<std::size_t>(columns); ++cell) {
            ink[cell] = greys.ink[attributes[cell]];
            paper[cell] = greys.paper[attributes[cell]];
        }
    }
}

void draw_rgb(const Machine& machine, int x, int y, int width, int height, std::uint8_t* out) {
    draw_rgb_rows(machine, x, y, width, height, out, 3 * static_cast<std::size_t>(width));
}

void draw_rgb_with_border(const Machine& machine, std::uint8_t* out) {
    constexpr std::size_t stride = 3 * kFullWidth;
    std::array<std::uint8_t, kFullWidth> line{};
    line.fill(machine.state.border & 7U);
    put_rgb(line, out);
    for (std::size_t row = 1; row < kFullHeight; ++row) {
        std::memcpy(out + row * stride, out, stride);
    }
    draw_rgb_rows(machine, 0, 0, kScreenWidth, kScreenHeight, out + kBorderTop * stride + 3 * kBorderLeft, stride);
}

}  // namespace oakemu
