// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "random.hpp"
#include "slot_store.hpp"

namespace oakemu {

/// What tells two moments of a game apart for an exploration: whole numbers.
using CellKey = std::vector<std::int64_t>;

struct CellKeyHash {
    std::size_t operator()(const CellKey& key) const;
};

/// How good a way to a moment is: the more reward the better, and of equal ones the shorter.
struct Merit {
    double episode_return = 0.0;
    std::int64_t steps = 0;

    bool beats(const Merit& other) const {
        return episode_return > other.episode_return || (episode_return == other.episode_return && steps < other.steps);
    }
};

/// A moment on a trip: after so many of its steps.
struct Stop {
    std::size_t trip = 0;
    std::size_t steps = 0;
};

/// The cells that have been found, each with the best way to it and the environment as it stood there.
class CellArchive {
public:
    struct Cell {
        CellKey key;
        Merit merit;
        Stop stop;
        SlotStore::Id state = 0;
        std::uint64_t seen = 0;  ///< trips that came by, those that began here included
    };

    explicit CellArchive(const Rules& rules) : states_(rules) {}

    /// Whether a way of this merit to this cell is new or better than what is known.
    bool wants(const CellKey& key, const Merit& merit) const;

    /// Counts a trip that came by; the cell is known.
    void count(const CellKey& key) { ++cells_[places_.at(key)].seen; }

    /// Takes over a way that it wants. `saved` is the environment as Slot::save wrote it.
    void put(const CellKey& key, const Merit& merit, const Stop& stop, std::span<const std::byte> saved);

    /// Draws the numbers of `count` cells, each with a probability in proportion to 1 / sqrt(seen + 1) (Ecoffet, Huizinga, Lehman,
    /// Stanley and Clune 2021, "First return, then explore", methods).
    std::vector<std::size_t> draw(std::size_t count, Random& random) const;

    /// In the order in which they were found.
    const std::vector<Cell>& cells() const { return cells_; }
    std::vector<std::byte> state(std::size_t cell) const { return states_.get(cells_.at(cell).state); }

    /// Memory of the cells and their states.
    std::size_t nbytes() const;

private:
    std::vector<Cell> cells_;
    std::unordered_map<CellKey, std::size_t, CellKeyHash> places_;
    SlotStore states_;
};

}  // namespace oakemu
