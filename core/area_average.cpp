// SPDX-License-Identifier: GPL-3.0-or-later
#include "area_average.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace oakemu {
namespace {

#if defined(__SSE2__)
constexpr bool kHasFastWay = true;
#else
constexpr bool kHasFastWay = false;
#endif

/// Sums over rows are at most 255 * 192, since weights add up to the source height; less this they fit 16 bits with a sign.
constexpr int kBias = 32768;
static_assert(255 * 192 - kBias < 32768);

}  // namespace

AreaAverage::AreaAverage(int source_width, int source_height, int width, int height)
    : source_width_(static_cast<std::size_t>(source_width)),
      width_(static_cast<std::size_t>(width)),
      columns_(make_cells(source_width, width)),
      rows_(make_cells(source_height, height)) {
    // (2*sum + W) / (2*W) rounded down, as trunc((sum + W/2 + 1/4) * (1/W)) in doubles. It is exact: before rounding down, the true value
    // with the 1/4 is a whole number of (4*W)ths but never a whole number, so it is at least 1/(4*W) >= 2^-18 away from one, while
    // the value is below 256 and the two roundings of the product err by less than 2^-43.
    const int row_weight = source_width / std::gcd(source_width, width);
    const int total_weight = row_weight * (source_height / std::gcd(source_height, height));
    offset_ = 0.5 * total_weight + 0.25 + static_cast<double>(kBias) * row_weight;
    inverse_ = 1.0 / total_weight;
    if (kHasFastWay) make_taps();
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

void AreaAverage::make_taps() {
    const bool fits = std::all_of(columns_.begin(), columns_.end(), [](const Cell& cell) { return cell.last - cell.first < int{kTaps}; });
    if (!fits) return;
    taps_.resize((columns_.size() + 3) / 4 * 4);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const Cell& cell = columns_[i];
        for (int x = cell.first; x <= cell.last; ++x) {
            const int weight = x == cell.first ? cell.first_weight : x == cell.last ? cell.last_weight : cell.inner_weight;
            taps_[i][static_cast<std::size_t>(x - cell.first)] = static_cast<std::int16_t>(weight);
        }
    }
    columns_.resize(taps_.size(), columns_.front());
}

void AreaAverage::scale(const std::uint8_t* pixels, std::span<std::int16_t> row, std::uint8_t* out) const {
    for (const Cell& cell : rows_) {
        sum_rows(pixels, cell, row.data());
        if (taps_.empty()) {
            sum_columns(row.data(), out);
        } else {
            sum_columns_fast(row.data(), out);
        }
        out += width_;
    }
}

void AreaAverage::sum_rows(const std::uint8_t* pixels, const Cell& cell, std::int16_t* __restrict row) const {
    const std::uint8_t* source = pixels + cell.first * source_width_;
    const int first_weight = cell.first_weight, inner_weight = cell.inner_weight, last_weight = cell.last_weight;
    for (std::size_t x = 0; x < source_width_; ++x) row[x] = static_cast<std::int16_t>(source[x] * first_weight - kBias);
    for (int y = cell.first + 1; y < cell.last; ++y) {
        source += source_width_;
        for (std::size_t x = 0; x < source_width_; ++x) row[x] = static_cast<std::int16_t>(row[x] + source[x] * inner_weight);
    }
    if (last_weight == 0) return;
    source += source_width_;
    for (std::size_t x = 0; x < source_width_; ++x) row[x] = static_cast<std::int16_t>(row[x] + source[x] * last_weight);
}

void AreaAverage::sum_columns(const std::int16_t* row, std::uint8_t* out) const {
    for (std::size_t i = 0; i < width_; ++i) {
        const Cell& cell = columns_[i];
        int inner = 0;
        for (int x = cell.first + 1; x < cell.last; ++x) inner += row[x];
        const int sum = cell.first_weight * row[cell.first] + cell.inner_weight * inner + cell.last_weight * row[cell.last];
        out[i] = static_cast<std::uint8_t>(static_cast<int>((sum + offset_) * inverse_));
    }
}

#if defined(__SSE2__)

/// Four output pixels a turn: eight products each, added up in a tree, then rounded as in sum_columns.
void AreaAverage::sum_columns_fast(const std::int16_t* row, std::uint8_t* out) const {
    const __m128d offset = _mm_set1_pd(offset_);
    const __m128d inverse = _mm_set1_pd(inverse_);
    const auto load = [](const std::int16_t* values) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(values)); };
    const auto halves = [](auto low, auto high) { return _mm_add_epi32(low, high); };
    const auto rounded = [&](__m128i sums) { return _mm_cvttpd_epi32(_mm_mul_pd(_mm_add_pd(_mm_cvtepi32_pd(sums), offset), inverse)); };
    for (std::size_t i = 0; i < width_; i += 4) {
        const auto products = [&](std::size_t k) { return _mm_madd_epi16(load(row + columns_[i + k].first), load(taps_[i + k].data())); };
        const __m128i a = products(0), b = products(1), c = products(2), d = products(3);
        const __m128i ab = halves(_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
        const __m128i cd = halves(_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
        const __m128i sums = halves(_mm_unpacklo_epi64(ab, cd), _mm_unpackhi_epi64(ab, cd));
        const __m128i words = _mm_unpacklo_epi64(rounded(sums), rounded(_mm_unpackhi_epi64(sums, sums)));
        const __m128i shorts = _mm_packs_epi32(words, words);
        const int bytes = _mm_cvtsi128_si32(_mm_packus_epi16(shorts, shorts));
        if (i + 4 <= width_) {
            std::memcpy(out + i, &bytes, 4);
        } else {
            std::memcpy(out + i, &bytes, width_ - i);
        }
    }
}

#else

void AreaAverage::sum_columns_fast(const std::int16_t* row, std::uint8_t* out) const { sum_columns(row, out); }

#endif

}  // namespace oakemu
