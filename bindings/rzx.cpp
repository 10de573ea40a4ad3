// SPDX-License-Identifier: GPL-3.0-or-later
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "bindings.hpp"
#include "bound_machine.hpp"
#include "bound_watcher.hpp"
#include "checks.hpp"
#include "rzx_playback.hpp"
#include "rzx_recording.hpp"
#include "snapshot.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace oakemu {
namespace {

template <typename Element>
using Column = nb::ndarray<nb::numpy, Element, nb::ndim<1>, nb::c_contig>;
using KeyTable = nb::ndarray<nb::numpy, std::uint8_t, nb::shape<-1, 9>, nb::c_contig>;

/// Recorded frames that Python owns.
template <typename Element>
std::span<const Element> column(const char* name, nb::handle array, std::size_t length) {
    return {checked_array<const Element>(name, array, {length}), length};
}

std::size_t length_of(const char* name, nb::handle array) {
    AnyArray<nb::ro> any;
    if (!nb::try_cast(array, any, false) || any.ndim() != 1) {
        throw nb::type_error((std::string(name) + ": wanted an array of one dimension in CPU memory").c_str());
    }
    return any.shape(0);
}

RecordedFrames recorded_frames(nb::handle fetches, nb::handle starts, nb::handle counts, nb::handle data) {
    const std::size_t frames = length_of("fetches", fetches);
    return {.fetches = column<std::uint16_t>("fetches", fetches, frames),
            .starts = column<std::int64_t>("starts", starts, frames),
            .counts = column<std::uint16_t>("counts", counts, frames),
            .data = column<std::uint8_t>("data", data, length_of("data", data))};
}

void check_inside(const RecordedFrames& frames, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
        const std::int64_t start = frames.starts[i];
        if (start < 0 || static_cast<std::size_t>(start) + frames.counts[i] > frames.data.size()) {
            throw nb::index_error(("the port reads of frame " + std::to_string(i) + " do not lie in data").c_str());
        }
    }
}

template <typename Array, typename Element>
Array moved_to_python(std::vector<Element>&& values, std::initializer_list<std::size_t> shape) {
    auto kept = std::make_unique<std::vector<Element>>(std::move(values));
    Element* first = kept->data();
    const nb::capsule owner(kept.get(), [](void* p) noexcept { delete static_cast<std::vector<Element>*>(p); });
    kept.release();
    return Array(first, shape, owner);
}

using Played = std::tuple<std::size_t, KeyTable, KeyTable>;

/// Plays frames `first` to `first + count`, at most up to the first that goes another way.
Played play(RzxPlayback& playback, BoundMachine& machine, nb::handle fetches, nb::handle starts, nb::handle counts, nb::handle data,
            std::int64_t first, std::int64_t count, const BoundWatcher* watcher) {
    const RecordedFrames frames = recorded_frames(fetches, starts, counts, data);
    const auto total = static_cast<std::int64_t>(frames.fetches.size());
    const auto begin = static_cast<std::size_t>(check_range("first", first, 0, total));
    const auto wanted = static_cast<std::size_t>(check_range("count", count, 0, total - first));
    check_inside(frames, begin, wanted);
    std::vector<std::uint8_t> held(9 * wanted), known(9 * wanted);
    std::size_t done = 0;
    {
        const nb::gil_scoped_release release;
        const Setup setup = machine.setup();
        const auto play_one = [&](Probe* probe) { return playback.play(machine.machine, setup, frames, begin + done, probe); };
        const auto play_next = [&] {
            bool good = false;
            if (watcher == nullptr) {
                good = play_one(nullptr);
            } else {
                watcher->watch([&](Probe& probe) { good = play_one(&probe); });
            }
            return good;
        };
        while (done < wanted && play_next()) {
            std::memcpy(&held[9 * done], playback.keys().held.data(), 9);
            std::memcpy(&known[9 * done], playback.keys().known.data(), 9);
            ++done;
        }
    }
    held.resize(9 * done), known.resize(9 * done);
    return {done, moved_to_python<KeyTable>(std::move(held), {done, 9}), moved_to_python<KeyTable>(std::move(known), {done, 9})};
}

void bind_playback(nb::module_& m) {
    nb::class_<RzxPlayback> playback(m, "RzxPlayback", "Plays recorded frames on a machine. To be used by one thread at a time.");
    playback.def(
        "__init__",
        [](RzxPlayback* place, std::int64_t habits) {
            new (place) RzxPlayback(static_cast<unsigned>(check_range("habits", habits, 0, 7)));
        },
        "habits"_a = 0,
        "`habits` is a sum: 1 LD A,I and LD A,R lose P/V to an interrupt, 2 a frame of one or two fetches after EI begins without one.");
    playback.def("restart", &RzxPlayback::restart,
                 "To be called when the machine has become a snapshot: no interrupt comes before its first frame.");
    playback.def("play", &play, "machine"_a, "fetches"_a, "starts"_a, "counts"_a, "data"_a, "first"_a, "count"_a,
                 "watcher"_a.none() = nb::none(),
                 "Plays frames and returns how many went as recorded, and for each of those what was held and what of that is known: uint8 "
                 "(frames, 9), the 8 half rows (FEFE first) and the Kempston joystick. The frame after them, if any, had another number of "
                 "port reads (`desync`). `fetches` and `counts` are uint16, `starts` int64 (frames,), `data` uint8. `watcher` sees and "
                 "hears them. The GIL is released.");
    playback.def_prop_ro(
        "desync", [](const RzxPlayback& self) { return std::tuple(self.desync().reads, self.desync().recorded); },
        "How many port reads the last frame had, and how many were recorded.");
}

nb::tuple part_to_python(const RzxRecording::Part& part) {
    const std::vector<std::byte> start = save(part.start);
    return nb::make_tuple(nb::bytes(start.data(), start.size()),
                          moved_to_python<Column<std::uint16_t>>(std::vector(part.fetches), {part.fetches.size()}),
                          moved_to_python<Column<std::uint16_t>>(std::vector(part.counts), {part.counts.size()}),
                          moved_to_python<Column<std::uint8_t>>(std::vector(part.data), {part.data.size()}));
}

nb::list parts_to_python(const RzxRecording& recording) {
    nb::list list;
    const std::vector<RzxRecording::Part> parts = recording.parts();
    for (const RzxRecording::Part& part : parts) {
        list.append(part_to_python(part));
    }
    return list;
}

void start_recording(const std::shared_ptr<RzxRecording>& recording, BoundMachine& machine) {
    if (machine.recording != nullptr && machine.recording != recording) {
        throw nb::value_error("the machine is being recorded already");
    }
    machine.recording = recording;
}

void bind_recording(nb::module_& m) {
    nb::class_<RzxRecording> recording(m, "RzxRecording", "Records what goes into a machine. To be used by one thread at a time.");
    recording.def(nb::init<>());
    recording.def(
        "start", [](std::shared_ptr<RzxRecording> self, BoundMachine& machine) { start_recording(self, machine); }, "machine"_a,
        "From now on `machine.run_frames` is recorded, and slower. ValueError if it is recorded already.");
    recording.def(
        "stop",
        [](RzxRecording& self, BoundMachine& machine) {
            if (machine.recording.get() == &self) machine.recording = nullptr;
        },
        "machine"_a, "No longer records this machine.");
    recording.def_prop_ro("frames", &RzxRecording::frames, "How many recorded frames have ended.");
    recording.def("parts", &parts_to_python,
                  nb::sig("def parts(self) -> list[tuple[bytes, numpy.typing.NDArray[numpy.uint16], numpy.typing.NDArray[numpy.uint16], "
                          "numpy.typing.NDArray[numpy.uint8]]]"),
                  "What was recorded, a tuple for each part: the machine before it (as `Machine.save` gives it), and of its frames the "
                  "fetches, the number of port reads (uint16 each) and what all of these gave, one frame after the other (uint8).");
}

}  // namespace

void bind_rzx(nb::module_& m) {
    bind_playback(m);
    bind_recording(m);
}

}  // namespace oakemu
