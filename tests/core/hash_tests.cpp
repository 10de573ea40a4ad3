// SPDX-License-Identifier: GPL-3.0-or-later
// The checksum of saved states. Right values: those of a second implementation, tests/unit/emulator/saved_state_format.py.
#include "hash.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using oakemu::hash64;
using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    Bytes bytes(size);
    for (std::byte& byte : bytes) byte = std::byte{static_cast<unsigned char>(random())};
    return bytes;
}

void it_is_the_same_with_and_without_vectors(Check& check) {
    const Bytes bytes = random_bytes(60000, 1);
    for (std::size_t length = 0; length < 600; ++length) {
        const auto part = std::span(bytes).subspan(length % 61, length);
        check.equal(hash64(part, length), oakemu::hash64_portable(part, length), "hash of a short input");
    }
    for (std::size_t length = 4000; length < 60000; length += 977) {
        const auto part = std::span(bytes).first(length);
        check.equal(hash64(part, 7), oakemu::hash64_portable(part, 7), "hash of a long input");
    }
}

void its_values_are_those_of_the_format(Check& check) {
    Bytes counting(49288);
    for (std::size_t i = 0; i < counting.size(); ++i) counting[i] = std::byte{static_cast<unsigned char>(i * i + 3 * i)};
    const auto first = [&](std::size_t length) { return std::span(std::as_const(counting)).first(length); };
    check.equal(hash64({}, 0), 0x66E7FE3EC63065AB, "hash of nothing");
    check.equal(hash64(first(1), 0), 0xEA3FD81EEE7B824C, "hash of 1 byte");
    check.equal(hash64(first(64), 1), 0xFFF25B8DDF278159, "hash of 64 bytes");
    check.equal(hash64(first(5000), 2), 0x6BA5863A812F092B, "hash of 5000 bytes");
    check.equal(hash64(first(49288), 0x123456789ABCDEF0), 0x17D1A0CF55E58BF, "hash of 49288 bytes");
}

void it_sees_every_bit(Check& check) {
    for (const std::size_t size : {1U, 8U, 63U, 64U, 300U, 4096U, 4500U}) {
        for (const unsigned fill : {0U, 1U}) {
            Bytes bytes = fill == 0 ? Bytes(size) : random_bytes(size, 5);
            const std::uint64_t before = hash64(bytes, 0);
            int balance = 0, flips = 0;
            for (std::size_t bit = 0; bit < 8 * size; ++bit) {
                bytes[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
                const std::uint64_t after = hash64(bytes, 0);
                check.that(after != before, "a flipped bit changes the hash");
                balance += std::popcount(after ^ before);
                ++flips;
                bytes[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8);
            }
            check.that(balance > 28 * flips && balance < 36 * flips, "it changes about half of its bits");
        }
    }
}

void it_sees_order_and_length(Check& check) {
    // Words that differ in a single bit, at its worst the highest or the lowest: sums like these cancel easily.
    for (const std::uint64_t difference : {std::uint64_t{1}, std::uint64_t{1} << 63U, std::uint64_t{0x8000000080000000}}) {
        std::vector<std::uint64_t> hashes;
        for (std::size_t word = 0; word < 1200; ++word) {  // more than two blocks
            Bytes bytes(9600);
            std::memcpy(bytes.data() + 8 * word, &difference, 8);
            hashes.push_back(hash64(bytes, 0));
            std::memcpy(bytes.data() + 8 * ((word + 8) % 1200), &difference, 8);
            hashes.push_back(hash64(bytes, 0));
            std::memcpy(bytes.data() + 8 * ((word + 512) % 1200), &difference, 8);
            hashes.push_back(hash64(bytes, 0));
        }
        std::sort(hashes.begin(), hashes.end());
        check.that(std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end(), "equal words elsewhere give another hash");
    }
    Bytes zeros;
    std::vector<std::uint64_t> hashes;
    for (int size = 0; size < 300; ++size, zeros.emplace_back()) hashes.push_back(hash64(zeros, 0));
    std::sort(hashes.begin(), hashes.end());
    check.that(std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end(), "so many zeros are not so many more");

    Bytes bytes = random_bytes(20000, 8);
    const std::uint64_t before = hash64(bytes, 0);
    std::mt19937 random(9);
    for (int i = 0; i < 3000; ++i) {
        const std::size_t size = std::array{8U, 64U, 256U, 4096U}[static_cast<std::size_t>(i) % 4];
        const std::size_t blocks = bytes.size() / size;
        const std::size_t a = random() % blocks, b = (a + 1 + random() % (blocks - 1)) % blocks;
        const auto at = [&](std::size_t n) { return bytes.begin() + static_cast<std::ptrdiff_t>(n * size); };
        std::swap_ranges(at(a), at(a) + static_cast<std::ptrdiff_t>(size), at(b));
        check.that(hash64(bytes, 0) != before, "two blocks that changed places change the hash");
        std::swap_ranges(at(a), at(a) + static_cast<std::ptrdiff_t>(size), at(b));
    }
    check.equal(hash64(bytes, 0), before, "hash in the end");
}

}  // namespace

int main() {
    return run_tests({{"it is the same with and without vectors", it_is_the_same_with_and_without_vectors},
                      {"its values are those of the format", its_values_are_those_of_the_format},
                      {"it sees every bit", it_sees_every_bit},
                      {"it sees order and length", it_sees_order_and_length}});
}
