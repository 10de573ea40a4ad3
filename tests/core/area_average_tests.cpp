// SPDX-License-Identifier: GPL-3.0-or-later
// All ways of averaging against the definition, pixel by pixel. (tests/unit/test_observation.py does it once more, in numpy.)
#include "area_average.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

using oakemu::AreaAverage;
using Way = AreaAverage::Way;

struct Sizes {
    int source_width, source_height, width, height;
};

/// Overlap of source pixel j, [j*o, (j+1)*o), and output pixel i, [i*s, (i+1)*s).
int overlap(int i, int j, int s, int o) { return std::max(0, std::min((i + 1) * s, (j + 1) * o) - std::max(i * s, j * o)); }

std::vector<std::uint8_t> by_definition(const std::vector<std::uint8_t>& pixels, const Sizes& sizes) {
    const auto [sw, sh, w, h] = sizes;
    std::vector<std::uint8_t> out;
    for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
            std::int64_t sum = 0;
            for (int j = y * sh / h; j < sh && j * h < (y + 1) * sh; ++j) {
                for (int i = x * sw / w; i < sw && i * w < (x + 1) * sw; ++i) {
                    sum += std::int64_t{overlap(y, j, sh, h)} * overlap(x, i, sw, w) * pixels[static_cast<std::size_t>(j * sw + i)];
                }
            }
            const std::int64_t total = std::int64_t{sw} * sh;
            out.push_back(static_cast<std::uint8_t>((2 * sum + total) / (2 * total)));
        }
    }
    return out;
}

void compare(Check& check, const std::vector<std::uint8_t>& pixels, const Sizes& sizes) {
    const std::vector<std::uint8_t> wanted = by_definition(pixels, sizes);
    for (const Way way : {Way::plain, Way::sse2, Way::avx2}) {
        if (way > AreaAverage::best_way()) continue;
        const AreaAverage average(sizes.source_width, sizes.source_height, sizes.width, sizes.height, way);
        std::vector<std::int16_t> row(average.row_size());
        std::vector<std::uint8_t> out(wanted.size());
        average.scale(pixels.data(), row, 0, static_cast<std::size_t>(sizes.height), out.data());
        check.that(out == wanted, "the average, " + std::to_string(sizes.source_width) + "x" + std::to_string(sizes.source_height) +
                                      " to " + std::to_string(sizes.width) + "x" + std::to_string(sizes.height) + " by way " +
                                      std::to_string(static_cast<int>(way)));
    }
}

void all_ways_follow_the_definition(Check& check) {
    std::mt19937 random(7);
    const auto up_to = [&](unsigned most) { return static_cast<int>(random() % most) + 1; };
    std::vector<Sizes> all = {{256, 192, 84, 84}, {256, 176, 64, 44}, {256, 192, 256, 192}, {256, 192, 1, 1},
                              {256, 192, 300, 7}, {1, 1, 9, 9},       {256, 192, 37, 191},  {256, 192, 36, 2}};
    for (int i = 0; i < 60; ++i) all.push_back({up_to(256), up_to(192), up_to(120), up_to(120)});
    for (const Sizes& sizes : all) {
        std::vector<std::uint8_t> pixels(static_cast<std::size_t>(sizes.source_width * sizes.source_height));
        for (std::uint8_t& pixel : pixels) pixel = static_cast<std::uint8_t>(random());
        compare(check, pixels, sizes);
        std::fill(pixels.begin(), pixels.end(), std::uint8_t{255});
        compare(check, pixels, sizes);
        // Black and white in turn: sums lie on or next to the halves that are rounded.
        for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = i % 2 == 0 ? 255 : 0;
        compare(check, pixels, sizes);
    }
}

}  // namespace

int main() { return run_tests({{"all ways follow the definition", all_ways_follow_the_definition}}); }
