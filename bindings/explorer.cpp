// SPDX-License-Identifier: GPL-3.0-or-later
#include "explorer.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "batch.hpp"
#include "bindings.hpp"
#include "bytes.hpp"
#include "checks.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace oakemu {
namespace {

nb::bytes to_bytes(const std::vector<std::byte>& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

std::uint64_t checked_cell(std::int64_t cell) {
    if (cell < 0) throw std::out_of_range("there is no cell " + std::to_string(cell));
    return static_cast<std::uint64_t>(cell);
}

/// A new numpy array into which `get` writes what it makes of each cell.
template <typename Number, typename Get>
nb::ndarray<nb::numpy, Number> column(const std::vector<CellArchive::Cell>& cells, std::initializer_list<std::size_t> shape, Get get) {
    std::size_t size = 1;
    for (const std::size_t length : shape) size *= length;
    auto numbers = std::make_unique<Number[]>(size);
    Number* place = numbers.get();
    for (const CellArchive::Cell& cell : cells) place = get(cell, place);
    const nb::capsule owner(numbers.get(), [](void* data) noexcept { delete[] static_cast<Number*>(data); });
    return {numbers.release(), shape, owner};
}

nb::tuple cells_of(const Explorer& explorer) {
    const std::vector<CellArchive::Cell> cells = explorer.cells();
    const std::size_t count = cells.size(), width = cells.front().key.size();
    return nb::make_tuple(
        column<std::int64_t>(cells, {count, width}, [](const auto& cell, auto* place) { return std::ranges::copy(cell.key, place).out; }),
        column<double>(cells, {count}, [](const auto& cell, auto* place) { return *place = cell.merit.episode_return, place + 1; }),
        column<std::int64_t>(cells, {count}, [](const auto& cell, auto* place) { return *place = cell.merit.steps, place + 1; }),
        column<std::int64_t>(cells, {count},
                             [](const auto& cell, auto* place) { return *place = static_cast<std::int64_t>(cell.seen), place + 1; }));
}

void construct(Explorer* place, const Batch& batch, std::vector<int> cell, bool picture, std::int64_t start, std::uint64_t seed,
               std::int64_t num_threads, std::int64_t trips, std::int64_t trip_steps, double repeat) {
    new (place) Explorer(batch.rules(), {.cell = std::move(cell),
                                         .picture = picture,
                                         .start = start,
                                         .seed = seed,
                                         .num_threads = static_cast<int>(check_range("num_threads", num_threads, 1, 4096)),
                                         .trips = static_cast<int>(check_range("trips", trips, 1, 1'000'000)),
                                         .trip_steps = static_cast<int>(check_range("trip_steps", trip_steps, 1, 1'000'000)),
                                         .repeat = repeat});
}

void bind_figures(nb::class_<Explorer>& explorer) {
    explorer.def_prop_ro("num_cells", [](const Explorer& self) { return self.figures().cells; });
    explorer.def_prop_ro("num_trips", [](const Explorer& self) { return self.figures().trips; });
    explorer.def_prop_ro("num_steps", [](const Explorer& self) { return self.figures().steps; });
    explorer.def_prop_ro("num_frames", [](const Explorer& self) { return self.figures().frames; }, "Frames emulated, of all trips.");
    explorer.def_prop_ro("num_wins", [](const Explorer& self) { return self.figures().wins; }, "Trips that ended with a win.");
    explorer.def_prop_ro("nbytes", [](const Explorer& self) { return self.figures().nbytes; }, "Bytes of memory that cells and ways hold.");
    explorer.def("cells", &cells_of,
                 nb::sig("def cells(self) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64], "
                         "numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.int64]]"),
                 "New arrays with a row a cell, in the order in which they were found: what makes it (N, K), the return (N,) and the steps "
                 "(N,) of the best way to it, and how many trips came by (N,).");
    explorer.def(
        "best_win",
        [](const Explorer& self) -> std::optional<std::pair<double, std::int64_t>> {
            const std::optional<Merit> win = self.best_win();
            if (!win.has_value()) return std::nullopt;
            return std::pair(win->episode_return, win->steps);
        },
        "Return and steps of the best way that won; None if none did.");
}

}  // namespace

void bind_explorer(nb::module_& m) {
    nb::class_<Explorer> explorer(m, "Explorer",
                                  "Finds ways to as many different moments of a game as it can, by going back to where it has been seldom "
                                  "and playing on at random.\n\nWhat it finds does not depend on the number of threads.");
    explorer.def("__init__", &construct, "batch"_a, nb::kw_only(), "cell"_a, "picture"_a, "start"_a, "seed"_a, "num_threads"_a, "trips"_a,
                 "trip_steps"_a, "repeat"_a,
                 "Explores the game of this batch, whose autoreset is 'disabled'; the batch itself is not touched. cell are the numbers of "
                 "the variables that make a cell; with picture, the newest frame in 8 levels belongs to it. start is the number of the "
                 "start state. A round has so many trips, each of at most trip_steps steps; repeat is how likely a step plays the last "
                 "action once more.\n\nRaises ValueError for what is not allowed.");
    explorer.def("explore", &Explorer::explore, nb::call_guard<nb::gil_scoped_release>(), "Plays one round of trips. The GIL is released.");
    explorer.def(
        "way_to", [](const Explorer& self, std::int64_t cell) { return self.way_to(checked_cell(cell)); }, "cell"_a,
        "The actions from the start to a cell. Raises IndexError.");
    explorer.def("way_to_win", &Explorer::way_to_win, "The actions up to the best win; empty if there was none.");
    explorer.def_prop_ro("start", [](const Explorer& self) { return to_bytes(self.start()); }, "The machine at the start of all ways.");
    bind_figures(explorer);
}

}  // namespace oakemu
