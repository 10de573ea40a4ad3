// SPDX-License-Identifier: GPL-3.0-or-later
#include "tape.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bound_machine.hpp"
#include "checks.hpp"
#include "edge_loops.hpp"
#include "listening.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace oakemu {
namespace {

using Rows5 = nb::ndarray<const std::int64_t, nb::shape<-1, 5>, nb::c_contig, nb::device::cpu>;
using Rows3 = nb::ndarray<const std::int64_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Lengths = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::uint32_t word(std::int64_t value) { return static_cast<std::uint32_t>(check_range("number of a tape", value, 0, UINT32_MAX)); }

void construct(Tape* place, const Rows5& rows, const Rows3& symbol_rows, const Lengths& pulses, const nb::bytes& bytes) {
    std::vector<TapeSegment> segments(rows.shape(0));
    for (std::size_t k = 0; k < segments.size(); ++k) {
        const std::int64_t* row = rows.data() + 5 * k;
        const auto op = static_cast<TapeOp>(check_range("kind of a segment", row[0], 0, static_cast<std::int64_t>(TapeOp::loop_end)));
        segments[k] = {op, static_cast<std::uint8_t>(check_range("bits", row[1], 0, 8)), word(row[2]), word(row[3]), word(row[4])};
    }
    std::vector<TapeSymbol> symbols(symbol_rows.shape(0));
    for (std::size_t k = 0; k < symbols.size(); ++k) {
        const std::int64_t* row = symbol_rows.data() + 3 * k;
        symbols[k] = {word(row[0]), word(row[1]), static_cast<TapeSymbol::Start>(check_range("start of a symbol", row[2], 0, 3))};
    }
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
    new (place) Tape(std::move(segments), std::move(symbols), {pulses.data(), pulses.data() + pulses.size()}, {data, data + bytes.size()});
}

/// Everything up to `until` T at once, in the order of time.
std::vector<std::pair<std::int64_t, int>> edges(const Tape& tape, std::int64_t until, bool on_48k) {
    std::vector<std::pair<std::int64_t, int>> found;
    TapeState state;
    int before = 0;
    tape_start(state, tape, 0, on_48k);
    for (std::int64_t t = 0; t < until;) {
        if (state.level != before) {
            before = state.level;
            found.emplace_back(t, before);
        }
        if (state.playing == 0) {
            break;
        }
        t = state.edge;
        tape_play_to(state, tape, t, on_48k);
    }
    return found;
}

const Tape& inserted(const BoundMachine& self) {
    if (self.tape == nullptr) {
        throw nb::value_error("there is no tape in the recorder");
    }
    return *self.tape;
}

bool is_48k(const BoundMachine& self) { return !has_paging(self.machine.state.model); }

void insert(BoundMachine& self, std::shared_ptr<const Tape> tape) {
    self.tape = std::move(tape);
    self.machine.state.tape = TapeState{};
}

void wind(BoundMachine& self, std::int64_t segment) {
    const Tape& tape = inserted(self);
    tape_wind(self.machine.state.tape, tape, word(check_range("segment", segment, 0, static_cast<std::int64_t>(tape.segments().size()))));
}

void bind_recorder(MachineClass& machine) {
    machine.def("insert_tape", &insert, "tape"_a.none(), "Puts a tape into the recorder, at its beginning and stopped; None takes it out.");
    machine.def(
        "play_tape", [](BoundMachine& self) { tape_start(self.machine.state.tape, inserted(self), self.machine.state.t, is_48k(self)); },
        "Starts the tape where it stands.");
    machine.def(
        "stop_tape", [](BoundMachine& self) { tape_stop(self.machine.state.tape, inserted(self), self.machine.state.t, is_48k(self)); },
        "Stops the tape where it stands.");
    machine.def("wind_tape", &wind, "segment"_a, "Stops the tape at the beginning of a segment, or behind the last one.");
    machine.def(
        "listens_to_tape",
        [](const BoundMachine& self) {
            inserted(self);
            const nb::gil_scoped_release release;
            return listens_to_tape(self.machine, self.setup());
        },
        "Whether what the machine does next depends on what is heard from the tape.");
}

void bind_loops(nb::module_& m) {
    nb::class_<EdgeLoops> loops(m, "EdgeLoops",
                                "The loops in which loaders wait for edges, whose turns are taken at once: fast, and exact.");
    loops.def(nb::init<>());
    loops.def(
        "find", [](EdgeLoops& self, const BoundMachine& machine) { self.find(machine.machine, machine.setup()); }, "machine"_a,
        "Looks for them in the memory of a machine, as it is paged now.");
    loops.def_prop_ro("addresses", [](const EdgeLoops& self) { return self.addresses(); }, "Where they were found.");
    loops.def(
        "run_frame",
        [](EdgeLoops& self, BoundMachine& machine, const std::vector<std::uint16_t>& stops) {
            const nb::gil_scoped_release release;
            return self.run_frame(machine.machine, machine.setup(), stops);
        },
        "machine"_a, "stops"_a,
        "Runs to the end of the frame, or until an instruction at one of the addresses is about to be executed, which is returned then.");
}

void bind_counter(MachineClass& machine) {
    machine.def_prop_ro("has_tape", [](const BoundMachine& self) { return self.tape != nullptr; }, "Whether a tape is in the recorder.");
    machine.def_prop_ro(
        "tape_playing", [](const BoundMachine& self) { return self.machine.state.tape.playing != 0; }, "Whether the tape is playing.");
    machine.def_prop_ro(
        "tape_position", [](const BoundMachine& self) { return tape_position(self.machine.state.tape, self.machine.state.t); },
        "T-states of tape that have passed.");
    machine.def_prop_ro(
        "tape_segment", [](const BoundMachine& self) { return self.machine.state.tape.segment; },
        "The segment from which the next pulse comes; their number at the end.");
    machine.def_prop_ro(
        "tape_item", [](const BoundMachine& self) { return self.machine.state.tape.item; },
        "The pulse, symbol or sample within the segment that is the next one; 0 at its beginning.");
    machine.def_prop_ro(
        "tape_level", [](const BoundMachine& self) { return self.machine.state.tape.level; }, "What was heard last, 0 or 1.");
    machine.def_prop_ro(
        "tape_reads", [](const BoundMachine& self) { return self.machine.state.tape.reads; },
        "How often the ULA port was read while a tape was in; 32 bits.");
}

}  // namespace

void bind_tape(nb::module_& m, MachineClass& machine) {
    nb::class_<Tape> tape(m, "Tape", "A tape as it is played: immutable, and shared by all machines in which it is.");
    tape.def("__init__", &construct, "segments"_a, "symbols"_a, "pulses"_a, "bytes"_a,
             "`segments` are rows of (kind, bits, first, count, extra) as core/tape.hpp describes them, `symbols` rows of (first pulse, "
             "count, start), `pulses` their lengths in T. Raises ValueError for what cannot be played.");
    tape.def_prop_ro("duration", &Tape::duration, "T-states from the beginning to the end.");
    tape.def_prop_ro("segments", [](const Tape& self) { return self.segments().size(); }, "How many segments there are.");
    tape.def(
        "begin_of",
        [](const Tape& self, std::int64_t segment) {
            return self.begin_of(word(check_range("segment", segment, 0, static_cast<std::int64_t>(self.segments().size()))));
        },
        "segment"_a, "T-states of tape after which a segment is reached for the first time.");
    tape.def("edges", &edges, "until"_a, "on_48k"_a = true,
             "(T, level from then on) for every change of the level up to `until` T or the first stop; before the first it is 0.");
    bind_recorder(machine);
    bind_counter(machine);
    bind_loops(m);
}

}  // namespace oakemu
