// SPDX-License-Identifier: GPL-3.0-or-later
#include "cell_archive.hpp"

#include <algorithm>
#include <cmath>

#include "hash.hpp"

namespace oakemu {

std::size_t CellKeyHash::operator()(const CellKey& key) const { return static_cast<std::size_t>(hash64(std::as_bytes(std::span(key)), 0)); }

bool CellArchive::wants(const CellKey& key, const Merit& merit) const {
    const auto place = places_.find(key);
    return place == places_.end() || merit.beats(cells_[place->second].merit);
}

void CellArchive::put(const CellKey& key, const Merit& merit, const Stop& stop, std::span<const std::byte> saved) {
    const SlotStore::Id state = states_.add(saved);
    const auto [place, added] = places_.try_emplace(key, cells_.size());
    if (added) {
        cells_.push_back({.key = key, .merit = merit, .stop = stop, .state = state});
        return;
    }
    Cell& cell = cells_[place->second];
    states_.discard(cell.state);
    cell.merit = merit;
    cell.stop = stop;
    cell.state = state;
}

std::vector<std::size_t> CellArchive::draw(std::size_t count, Random& random) const {
    std::vector<double> ends;
    ends.reserve(cells_.size());
    double sum = 0.0;
    for (const Cell& cell : cells_) ends.push_back(sum += 1.0 / std::sqrt(static_cast<double>(cell.seen) + 1.0));
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < count; ++i) {
        const auto place = std::ranges::upper_bound(ends, random.uniform() * sum);
        // The product may have been rounded up to the sum of all.
        drawn.push_back(std::min(static_cast<std::size_t>(place - ends.begin()), cells_.size() - 1));
    }
    return drawn;
}

std::size_t CellArchive::nbytes() const {
    // A key is kept in the list and in the table, whose nodes have a pointer, the hash and the allocator's own words.
    const std::size_t key = cells_.empty() ? 0 : cells_.front().key.size() * sizeof(std::int64_t) + 2 * sizeof(void*);
    const std::size_t node = sizeof(CellKey) + sizeof(std::size_t) + 4 * sizeof(void*) + sizeof(void*);
    return cells_.capacity() * sizeof(Cell) + cells_.size() * (2 * key + node) + states_.nbytes();
}

}  // namespace oakemu
