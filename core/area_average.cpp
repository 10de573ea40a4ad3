// SPDX-License-Identifier: GPL-3.0-or-later
#include "area_average.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#if defined(__x86_64__)
#define OAKEMU_X86 1
#include <immintrin.h>
#else
#define OAKEMU_X86 0
#endif

namespace oakemu {
namespace {

/// Sums over rows are at most 255 * 192, since weights add up to the source height; less this they fit 16 bits with a sign.
constexpr int kBias = 32768;
static_assert(255 * 192 - kBias < 32768);

/// Adds up the source rows of one output row. A template over the cell only because that is private; always inlined, so that it is
/// compiled with the instructions of whoever calls it.
template <typename Cell>
[[gnu::always_inline]] inline void sum_rows(const std::uint8_t* pixels, std::size_t width, const Cell& cell, std::int16_t* __restrict row) {
    const std::uint8_t* source = pixels + cell.first * width;
    const int first_weight = cell.first_weight, inner_weight = cell.inner_weight, last_weight = cell.last_weight;
    for (std::size_t x = 0; x < width; ++x) row[x] = static_cast<std::int16_t>(source[x] * first_weight - kBias);
    for (int y = cell.first + 1; y < cell.last; ++y) {
        source += width;
        for (std::size_t x = 0; x < width; ++x) row[x] = static_cast<std::int16_t>(row[x] + source[x] * inner_weight);
    }
    if (last_weight == 0) return;
    source += width;
    for (std::size_t x = 0; x < width; ++x) row[x] = static_cast<std::int16_t>(row[x] + source[x] * last_weight);
}

}  // namespace

AreaAverage::AreaAverage(int source_width, int source_height, int width, int height, Way way)
    : source_width_(static_cast<std::size_t>(source_width)),
      width_(static_cast<std::size_t>(width)),
      columns_(make_cells(source_width, width)),
      rows_(make_cells(source_height, height)),
      same_size_(source_width == width && source_height == height) {
    // (2*sum + W) / (2*W) rounded down, as trunc((sum + W/2 + 1/4) * (1/W)) in doubles. It is exact: before rounding down, the true value
    // with the 1/4 is a whole number of (4*W)ths but never a whole number, so it is at least 1/(4*W) >= 2^-18 away from one, while
    // the value is below 256 and the two roundings of the product err by less than 2^-43.
    const int row_weight = source_width / std::gcd(source_width, width);
    const int total_weight = row_weight * (source_height / std::gcd(source_height, height));
    offset_ = 0.5 * total_weight + 0.25 + static_cast<double>(kBias) * row_weight;
    inverse_ = 1.0 / total_weight;
    if (way != Way::plain) make_taps(way);
}

std::vector<AreaAverage::Cell> AreaAverage::make_cells(int source, int output) {
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

AreaAverage::Way AreaAverage::best_way() {
#if OAKEMU_X86
    return __builtin_cpu_supports("avx2") ? Way::avx2 : Way::sse2;
#else
    return Way::plain;
#endif
}

void AreaAverage::make_taps(Way way) {
    const bool fits = std::all_of(columns_.begin(), columns_.end(), [](const Cell& cell) { return cell.last - cell.first < int{kTaps}; });
    if (!fits) return;
    way_ = way;
    taps_.resize((columns_.size() + kGroup - 1) / kGroup * kGroup);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const Cell& cell = columns_[i];
        for (int x = cell.first; x <= cell.last; ++x) {
            const int weight = x == cell.first ? cell.first_weight : x == cell.last ? cell.last_weight : cell.inner_weight;
            taps_[i][static_cast<std::size_t>(x - cell.first)] = static_cast<std::int16_t>(weight);
        }
    }
    columns_.resize(taps_.size(), columns_.front());
}

void AreaAverage::scale(const std::uint8_t* pixels, std::span<std::int16_t> row, std::size_t from, std::size_t to,
                        std::uint8_t* out) const {
    out += from * width_;
    if (same_size_) {
        std::memcpy(out, pixels + from * width_, (to - from) * width_);
        return;
    }
    const std::span rows = std::span(rows_).subspan(from, to - from);
    switch (way_) {
        case Way::plain:
            scale_plain(pixels, rows, row.data(), out);
            break;
        case Way::sse2:
            scale_sse2(pixels, rows, row.data(), out);
            break;
        case Way::avx2:
            scale_avx2(pixels, rows, row.data(), out);
            break;
    }
}

void AreaAverage::scale_plain(const std::uint8_t* pixels, std::span<const Cell> rows, std::int16_t* row, std::uint8_t* out) const {
    for (const Cell& cell : rows) {
        sum_rows(pixels, source_width_, cell, row);
        for (std::size_t i = 0; i < width_; ++i) {
            const Cell& column = columns_[i];
            int inner = 0;
            for (int x = column.first + 1; x < column.last; ++x) inner += row[x];
            const int sum = column.first_weight * row[column.first] + column.inner_weight * inner + column.last_weight * row[column.last];
            *out++ = static_cast<std::uint8_t>(static_cast<int>((sum + offset_) * inverse_));
        }
    }
}

#if OAKEMU_X86

// Both: eight products for each output pixel, added up in a tree, four pixels of which share it; then rounded as above.

namespace {

__m128i load(const std::int16_t* values) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(values)); }

/// The sums of a, b, c and d.
__m128i add_up(__m128i a, __m128i b, __m128i c, __m128i d) {
    const __m128i ab = _mm_add_epi32(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
    const __m128i cd = _mm_add_epi32(_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
    return _mm_add_epi32(_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd));
}

/// Writes the group that begins at output pixel i; the last one may be cut.
void store_group(__m128i bytes, std::size_t i, std::size_t width, std::uint8_t* out) {
    if (i + 8 <= width) {
        std::memcpy(out + i, &bytes, 8);
    } else {
        std::memcpy(out + i, &bytes, width - i);
    }
}

}  // namespace

void AreaAverage::scale_sse2(const std::uint8_t* pixels, std::span<const Cell> rows, std::int16_t* row, std::uint8_t* out) const {
    const __m128d offset = _mm_set1_pd(offset_);
    const __m128d inverse = _mm_set1_pd(inverse_);
    const auto rounded = [&](__m128i sums) { return _mm_cvttpd_epi32(_mm_mul_pd(_mm_add_pd(_mm_cvtepi32_pd(sums), offset), inverse)); };
    for (const Cell& cell : rows) {
        sum_rows(pixels, source_width_, cell, row);
        for (std::size_t i = 0; i < width_; i += kGroup) {
            const auto products = [&](std::size_t k) { return _mm_madd_epi16(load(row + columns_[k].first), load(taps_[k].data())); };
            const auto four = [&](std::size_t k) {
                const __m128i sums = add_up(products(k), products(k + 1), products(k + 2), products(k + 3));
                return _mm_unpacklo_epi64(rounded(sums), rounded(_mm_unpackhi_epi64(sums, sums)));
            };
            const __m128i words = _mm_packs_epi32(four(i), four(i + 4));
            store_group(_mm_packus_epi16(words, words), i, width_, out);
        }
        out += width_;
    }
}

[[gnu::target("avx2")]] void AreaAverage::scale_avx2(const std::uint8_t* pixels, std::span<const Cell> rows, std::int16_t* row,
                                                     std::uint8_t* out) const {
    const __m256d offset = _mm256_set1_pd(offset_);
    const __m256d inverse = _mm256_set1_pd(inverse_);
    for (const Cell& cell : rows) {
        sum_rows(pixels, source_width_, cell, row);
        for (std::size_t i = 0; i < width_; i += kGroup) {
            // Pixel k in the lower half of a register, pixel k + 4 in the upper one.
            __m256i products[4];
            for (std::size_t k = 0; k < 4; ++k) {
                const Cell* columns = &columns_[i + k];
                const Taps* taps = &taps_[i + k];
                const __m256i sources = _mm256_loadu2_m128i(reinterpret_cast<const __m128i*>(row + columns[4].first),
                                                            reinterpret_cast<const __m128i*>(row + columns[0].first));
                const __m256i weights =
                    _mm256_loadu2_m128i(reinterpret_cast<const __m128i*>(taps[4].data()), reinterpret_cast<const __m128i*>(taps[0].data()));
                products[k] = _mm256_madd_epi16(sources, weights);
            }
            const auto [a, b, c, d] = products;
            const __m256i ab = _mm256_add_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
            const __m256i cd = _mm256_add_epi32(_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
            const __m256i sums = _mm256_add_epi32(_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd));
            const __m256d low = _mm256_cvtepi32_pd(_mm256_castsi256_si128(sums));
            const __m256d high = _mm256_cvtepi32_pd(_mm256_extracti128_si256(sums, 1));
            const __m128i words = _mm_packs_epi32(_mm256_cvttpd_epi32(_mm256_mul_pd(_mm256_add_pd(low, offset), inverse)),
                                                  _mm256_cvttpd_epi32(_mm256_mul_pd(_mm256_add_pd(high, offset), inverse)));
            store_group(_mm_packus_epi16(words, words), i, width_, out);
        }
        out += width_;
    }
}

#else

// best_way() never chooses these.
void AreaAverage::scale_sse2(const std::uint8_t* pixels, std::span<const Cell> rows, std::int16_t* row, std::uint8_t* out) const {
    scale_plain(pixels, rows, row, out);
}
void AreaAverage::scale_avx2(const std::uint8_t* pixels, std::span<const Cell> rows, std::int16_t* row, std::uint8_t* out) const {
    scale_plain(pixels, rows, row, out);
}

#endif

}  // namespace oakemu
