// SPDX-License-Identifier: GPL-3.0-or-later
// The display against the hardware's facts: where a pixel lies in memory, what an attribute means, when FLASH swaps.
#include "video.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

using oakemu::Machine;

namespace {

int failures = 0;

void check(bool ok, const char* what, int a = 0, int b = 0, int c = 0) {
    if (!ok && ++failures <= 20) {
        std::printf("FAILED: %s (%d, %d, %d)\n", what, a, b, c);
    }
}

constexpr std::array<std::uint8_t, 16> kIdentity = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/// Pseudo-random display memory, the same in every run.
Machine noise() {
    Machine machine;
    std::uint32_t seed = 12345;
    for (std::size_t i = 0; i < 0x1B00; ++i) {
        seed = seed * 1664525U + 1013904223U;
        machine.ram[i] = static_cast<std::uint8_t>(seed >> 24);
    }
    return machine;
}

std::uint8_t peek(const Machine& machine, int address) { return machine.ram[static_cast<std::size_t>(address - 0x4000)]; }

bool is_set(const Machine& machine, int x, int y) {
    const int address = 0x4000 | (y & 0xC0) << 5 | (y & 7) << 8 | (y & 0x38) << 2 | x >> 3;
    return (peek(machine, address) >> (7 - (x & 7)) & 1) != 0;
}

/// One pixel, straight from the description of the hardware.
int colour(const Machine& machine, int x, int y) {
    const int attribute = peek(machine, 0x5800 + 32 * (y >> 3) + (x >> 3));
    const bool swapped = (attribute & 0x80) != 0 && machine.state.frame / 16 % 2 == 1;
    const int bright = (attribute & 0x40) != 0 ? 8 : 0;
    return bright + (is_set(machine, x, y) != swapped ? attribute & 7 : attribute >> 3 & 7);
}

void pixels_lie_where_the_hardware_has_them() {
    // By hand: line 1 of the display is 256 bytes after line 0, line 8 is 32 after, line 64 is 2048 after.
    constexpr struct {
        int address, x, y;
    } places[] = {{0x4000, 0, 0}, {0x4100, 0, 1}, {0x4020, 0, 8}, {0x4800, 0, 64}, {0x401F, 248, 0}, {0x57FF, 248, 191}, {0x5000, 0, 128}};
    for (const auto& place : places) {
        Machine machine;
        machine.ram[static_cast<std::size_t>(place.address - 0x4000)] = 0x81;
        std::vector<std::uint8_t> out(256 * 192, 9);
        oakemu::draw_ink(machine, 0, 0, 256, 192, out.data());
        check(std::count(out.begin(), out.end(), 1) == 2 && std::count(out.begin(), out.end(), 0) == 256 * 192 - 2, "two pixels set",
              place.address);
        const auto first = static_cast<std::size_t>(256 * place.y + place.x);
        check(out[first] == 1 && out[first + 7] == 1, "pixel at its place", place.address);
    }
}

void attributes_mean_ink_paper_bright_and_flash() {
    for (int attribute = 0; attribute < 256; ++attribute) {
        for (const int frame : {0, 15, 16, 31, 32, 48}) {
            Machine machine;
            machine.state.frame = static_cast<std::uint64_t>(frame);
            machine.ram[0] = 0xF0;
            machine.ram[0x1800] = static_cast<std::uint8_t>(attribute);
            std::array<std::uint8_t, 8> out{};
            oakemu::draw_indexed(machine, 0, 0, 8, 1, kIdentity, out.data());
            int ink = attribute % 8 + (attribute & 64) / 8;
            int paper = attribute / 8 % 8 + (attribute & 64) / 8;
            if (attribute >= 128 && (frame == 16 || frame == 31 || frame == 48)) {
                std::swap(ink, paper);
            }
            for (std::size_t i = 0; i < 8; ++i) {
                check(out[i] == (i < 4 ? ink : paper), "colour", attribute, frame, static_cast<int>(i));
            }
        }
    }
}

void check_rectangle(const Machine& machine, int x, int y, int width, int height) {
    // A byte behind the picture must stay as it was.
    const auto size = static_cast<std::size_t>(width * height);
    std::vector<std::uint8_t> indexed(size + 1, 0xAA);
    std::vector<std::uint8_t> ink(size + 1, 0xAA);
    std::vector<std::uint8_t> grey(size + 1, 0xAA);
    std::vector<std::uint8_t> rgb(3 * size + 1, 0xAA);
    oakemu::draw_indexed(machine, x, y, width, height, kIdentity, indexed.data());
    oakemu::draw_ink(machine, x, y, width, height, ink.data());
    oakemu::draw_indexed(machine, x, y, width, height, oakemu::kGrey, grey.data());
    oakemu::draw_rgb(machine, x, y, width, height, rgb.data());
    for (std::size_t i = 0; i < size; ++i) {
        const int px = x + static_cast<int>(i) % width;
        const int py = y + static_cast<int>(i) / width;
        const auto expected = static_cast<std::size_t>(colour(machine, px, py));
        check(indexed[i] == expected, "indexed pixel", px, py, width);
        check(ink[i] == (is_set(machine, px, py) ? 1 : 0), "ink pixel", px, py, width);
        check(grey[i] == oakemu::kGrey[expected], "grey pixel", px, py, width);
        const std::uint32_t value =
            static_cast<std::uint32_t>(rgb[3 * i]) << 16 | static_cast<std::uint32_t>(rgb[3 * i + 1]) << 8 | rgb[3 * i + 2];
        check(value == oakemu::kPalette[expected], "rgb pixel", px, py, width);
    }
    check(indexed[size] == 0xAA && ink[size] == 0xAA && grey[size] == 0xAA && rgb[3 * size] == 0xAA, "nothing behind the picture", x,
          width);
}

void every_rectangle_is_a_part_of_the_whole() {
    Machine machine = noise();
    for (const unsigned frame : {0U, 16U}) {
        machine.state.frame = frame;
        check_rectangle(machine, 0, 0, 256, 192);
        for (int x = 0; x < 17; ++x) {
            for (int width = 1; width < 26; ++width) {
                check_rectangle(machine, x, 5, width, 3);
                check_rectangle(machine, 256 - width - x, 189, width, 3);
            }
        }
        check_rectangle(machine, 255, 191, 1, 1);
        check_rectangle(machine, 3, 62, 250, 68);
    }
}

void colours_have_their_values() {
    constexpr std::array<std::uint32_t, 16> palette = {0x000000, 0x0000CD, 0xCD0000, 0xCD00CD, 0x00CD00, 0x00CDCD, 0xCDCD00, 0xCDCDCD,
                                                       0x000000, 0x0000FF, 0xFF0000, 0xFF00FF, 0x00FF00, 0x00FFFF, 0xFFFF00, 0xFFFFFF};
    // 0.299 R + 0.587 G + 0.114 B, by hand: 23.37 61.295 84.665 120.335 143.705 181.63 205, 29.07 76.245 105.315 149.685 178.755 225.93
    // 255.
    constexpr std::array<std::uint8_t, 16> grey = {0, 23, 61, 85, 120, 144, 182, 205, 0, 29, 76, 105, 150, 179, 226, 255};
    for (std::size_t c = 0; c < 16; ++c) {
        check(oakemu::kPalette[c] == palette[c], "palette", static_cast<int>(c));
        check(oakemu::kGrey[c] == grey[c], "grey", static_cast<int>(c));
    }
}

void the_border_surrounds_the_display() {
    Machine machine = noise();
    std::vector<std::uint8_t> display(3 * 256 * 192);
    oakemu::draw_rgb(machine, 0, 0, 256, 192, display.data());
    for (int border = 0; border < 8; ++border) {
        machine.state.border = static_cast<std::uint8_t>(border);
        std::vector<std::uint8_t> out(3 * 320 * 240 + 1, 0xAA);
        oakemu::draw_rgb_with_border(machine, out.data());
        const std::array<std::uint8_t, 3> rgb = {static_cast<std::uint8_t>((border & 2) != 0 ? 0xCD : 0),
                                                 static_cast<std::uint8_t>((border & 4) != 0 ? 0xCD : 0),
                                                 static_cast<std::uint8_t>((border & 1) != 0 ? 0xCD : 0)};
        for (int y = 0; y < 240; ++y) {
            for (int x = 0; x < 320; ++x) {
                const bool inside = x >= 32 && x < 288 && y >= 24 && y < 216;
                const std::uint8_t* expected = inside ? display.data() + 3 * (256 * (y - 24) + x - 32) : rgb.data();
                check(std::equal(expected, expected + 3, out.data() + 3 * (320 * y + x)), "bordered pixel", x, y, border);
            }
        }
        check(out.back() == 0xAA, "nothing behind the picture", border);
    }
}

}  // namespace

int main() {
    pixels_lie_where_the_hardware_has_them();
    attributes_mean_ink_paper_bright_and_flash();
    every_rectangle_is_a_part_of_the_whole();
    colours_have_their_values();
    the_border_surrounds_the_display();
    if (failures > 0) {
        std::printf("%d checks failed\n", failures);
        return 1;
    }
    std::puts("video: ok");
    return 0;
}
