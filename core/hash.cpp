// SPDX-License-Identifier: GPL-3.0-or-later
#include "hash.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "random.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define OAKEMU_HAS_AVX2_CODE
#include <immintrin.h>
#endif

namespace oakemu {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they lie in memory");

constexpr std::size_t kLanes = 8;
constexpr std::size_t kStripe = 8 * kLanes;  ///< bytes that all lanes take at once
constexpr std::size_t kStripesPerBlock = 64;
constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;

using Lanes = std::array<std::uint64_t, kLanes>;
using Add = void (*)(Lanes& lanes, const std::byte* data, std::size_t stripes, std::size_t place);

/// Numbers without a pattern: SplitMix64 from the letters "OakEmuRL". Stripe s of a block is mixed with the 8 from s on, and the last
/// 8 are what the lanes begin with.
constexpr auto kKeys = [] {
    std::array<std::uint64_t, kStripesPerBlock + 2 * kLanes> keys{};
    SplitMix64 numbers(0x4C52756D456B614F);
    for (std::uint64_t& key : keys) key = numbers.next();
    return keys;
}();

/// Takes whole stripes of one block, beginning with number `place` of it. A lane adds the product of the halves of its own word, mixed
/// with a key that depends on the place, and the word of its neighbour as it is, so that no change of a word is lost in a product with 0.
void add_portable(Lanes& lanes, const std::byte* data, std::size_t stripes, std::size_t place) {
    for (std::size_t j = 0; j < kLanes; j += 2) {
        std::uint64_t even = lanes[j], odd = lanes[j + 1];
        for (std::size_t n = 0; n < stripes; ++n) {
            std::array<std::uint64_t, 2> words;
            std::memcpy(words.data(), data + n * kStripe + j * 8, sizeof words);
            const std::uint64_t a = words[0] ^ kKeys[place + n + j], b = words[1] ^ kKeys[place + n + j + 1];
            even += (a & 0xFFFFFFFFU) * (a >> 32U) + words[1];
            odd += (b & 0xFFFFFFFFU) * (b >> 32U) + words[0];
        }
        lanes[j] = even;
        lanes[j + 1] = odd;
    }
}

#ifdef OAKEMU_HAS_AVX2_CODE
/// The same, four lanes an instruction.
__attribute__((target("avx2"))) void add_avx2(Lanes& lanes, const std::byte* data, std::size_t stripes, std::size_t place) {
    constexpr int kSwapWords = 0x4E;  // the two 64-bit words of each 128 bits
    auto* const low = reinterpret_cast<__m256i*>(lanes.data());
    auto* const high = reinterpret_cast<__m256i*>(lanes.data() + 4);
    __m256i sums[2] = {_mm256_loadu_si256(low), _mm256_loadu_si256(high)};
    const std::uint64_t* keys = kKeys.data() + place;
    for (std::size_t n = 0; n < stripes; ++n, ++keys, data += kStripe) {
        for (int half = 0; half < 2; ++half) {
            const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data) + half);
            const __m256i mixed = _mm256_xor_si256(words, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(keys + 4 * half)));
            const __m256i product = _mm256_mul_epu32(mixed, _mm256_srli_epi64(mixed, 32));
            sums[half] = _mm256_add_epi64(_mm256_add_epi64(sums[half], product), _mm256_shuffle_epi32(words, kSwapWords));
        }
    }
    _mm256_storeu_si256(low, sums[0]);
    _mm256_storeu_si256(high, sums[1]);
}
#endif

std::uint64_t hash_with(Add add, std::span<const std::byte> bytes, std::uint64_t seed) {
    Lanes lanes;
    std::copy_n(kKeys.end() - kLanes, kLanes, lanes.begin());
    const std::size_t stripes = bytes.size() / kStripe;
    for (std::size_t n = 0; n < stripes; n += kStripesPerBlock) {
        const std::size_t count = std::min(stripes - n, kStripesPerBlock);
        add(lanes, bytes.data() + n * kStripe, count, 0);
        if (count == kStripesPerBlock) {
            // Sums forget the order; from here on what came before counts differently from what comes after.
            for (std::uint64_t& lane : lanes) {
                lane = (lane ^ (lane >> 47U)) * kFactor;
            }
        }
    }
    if (const auto rest = bytes.subspan(stripes * kStripe); !rest.empty()) {
        std::array<std::byte, kStripe> last{};
        std::memcpy(last.data(), rest.data(), rest.size());
        add(lanes, last.data(), 1, stripes % kStripesPerBlock);
    }
    // Each turn is a bijection of `hash`, so a difference in a single lane always shows.
    std::uint64_t hash = seed ^ (bytes.size() * kFactor);
    for (const std::uint64_t lane : lanes) {
        hash = (hash ^ lane) * kFactor;
        hash ^= hash >> 32U;
    }
    return hash;
}

}  // namespace

std::uint64_t hash64_portable(std::span<const std::byte> bytes, std::uint64_t seed) { return hash_with(add_portable, bytes, seed); }

std::uint64_t hash64(std::span<const std::byte> bytes, std::uint64_t seed) {
#ifdef OAKEMU_HAS_AVX2_CODE
    if (__builtin_cpu_supports("avx2")) {
        return hash_with(add_avx2, bytes, seed);
    }
#endif
    return hash64_portable(bytes, seed);
}

}  // namespace oakemu
