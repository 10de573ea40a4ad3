// SPDX-License-Identifier: GPL-3.0-or-later
#include "machine.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings.hpp"
#include "checks.hpp"
#include "registers.hpp"
#include "snapshot.hpp"
#include "video.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace oakemu {
namespace {

struct Machine {
    Rom rom{};
    State state{};
    Timing timing = Timing::exact;
};

using ByteView = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>, nb::c_contig>;
using RomView = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>, nb::c_contig>;
using Image = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>, nb::c_contig>;
using ColourImage = nb::ndarray<nb::numpy, std::uint8_t, nb::shape<-1, -1, 3>, nb::c_contig>;

constexpr std::array<std::uint8_t, 16> kIdentity = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// ---- memory

int read(const Machine& machine, std::int64_t address) {
    const auto where = static_cast<std::size_t>(check_range("address", address, 0, 0xFFFF));
    return where < machine.rom.size() ? machine.rom[where] : machine.state.ram[where - machine.rom.size()];
}

void write(Machine& machine, std::int64_t address, std::int64_t value) {
    const auto where = static_cast<std::size_t>(check_range("address (ROM ends at 16383)", address, 0x4000, 0xFFFF));
    machine.state.ram[where - machine.rom.size()] = static_cast<std::uint8_t>(check_range("value", value, 0, 0xFF));
}

// ---- running

void run_frames(Machine& machine, std::int64_t count) {
    check_range("number of frames", count, 0, INT64_MAX);
    const nb::gil_scoped_release release;
    for (std::int64_t i = 0; i < count; ++i) {
        run_frame(machine.state, machine.rom, machine.timing);
    }
}

void run_tstates_checked(Machine& machine, std::int64_t tstates) {
    check_range("number of T-states", tstates, 0, INT64_MAX);
    const nb::gil_scoped_release release;
    run_tstates(machine.state, machine.rom, machine.timing, static_cast<std::uint64_t>(tstates));
}

std::optional<int> run_until(Machine& machine, const std::vector<std::int64_t>& addresses, std::int64_t max_frames) {
    check_range("max_frames", max_frames, 0, INT64_MAX);
    const auto hooks = std::make_unique<Hooks>();
    for (const std::int64_t address : addresses) {
        hooks->set(static_cast<std::uint16_t>(check_range("address", address, 0, 0xFFFF)));
    }
    const auto stop = [](void* context, std::uint16_t pc) {
        *static_cast<std::uint16_t*>(context) = pc;
        return true;
    };
    std::uint16_t reached = 0;
    const nb::gil_scoped_release release;
    for (std::int64_t i = 0; i < max_frames; ++i) {
        if (run_frame_hooked(machine.state, machine.rom, machine.timing, *hooks, stop, &reached)) {
            return reached;
        }
    }
    return std::nullopt;
}

// ---- pictures

struct Area {
    int x, y, width, height;
};

Area check_area(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    check_range("x", x, 0, kScreenWidth - 1);
    check_range("y", y, 0, kScreenHeight - 1);
    check_range("width", width, 1, kScreenWidth - x);
    check_range("height", height, 1, kScreenHeight - y);
    return {static_cast<int>(x), static_cast<int>(y), static_cast<int>(width), static_cast<int>(height)};
}

/// A new numpy array whose pixels `draw` writes.
template <typename Array, typename Draw>
Array new_image(const std::vector<std::size_t>& shape, const Draw& draw) {
    std::size_t size = 1;
    for (const std::size_t length : shape) {
        size *= length;
    }
    auto pixels = std::make_unique<std::uint8_t[]>(size);
    draw(pixels.get());
    const nb::capsule owner(pixels.get(), [](void* data) noexcept { delete[] static_cast<std::uint8_t*>(data); });
    return Array(pixels.release(), shape.size(), shape.data(), owner);
}

template <typename Draw>
Image new_plane(const Area& area, const Draw& draw) {
    return new_image<Image>({static_cast<std::size_t>(area.height), static_cast<std::size_t>(area.width)}, draw);
}

Image indexed(const Machine& machine, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    const Area a = check_area(x, y, width, height);
    return new_plane(a, [&](std::uint8_t* out) { draw_indexed(machine.state, a.x, a.y, a.width, a.height, kIdentity, out); });
}

Image grey(const Machine& machine, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    const Area a = check_area(x, y, width, height);
    return new_plane(a, [&](std::uint8_t* out) { draw_indexed(machine.state, a.x, a.y, a.width, a.height, kGrey, out); });
}

Image ink(const Machine& machine, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    const Area a = check_area(x, y, width, height);
    return new_plane(a, [&](std::uint8_t* out) { draw_ink(machine.state, a.x, a.y, a.width, a.height, out); });
}

ColourImage rgb(const Machine& machine, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    const Area a = check_area(x, y, width, height);
    return new_image<ColourImage>({static_cast<std::size_t>(a.height), static_cast<std::size_t>(a.width), 3},
                                  [&](std::uint8_t* out) { draw_rgb(machine.state, a.x, a.y, a.width, a.height, out); });
}

ColourImage rgb_with_border(const Machine& machine) {
    return new_image<ColourImage>({240, 320, 3}, [&](std::uint8_t* out) { draw_rgb_with_border(machine.state, out); });
}

// ---- saving, and making

nb::bytes save_bytes(const Machine& machine) {
    const std::vector<std::byte> bytes = save(machine.state);
    return nb::bytes(bytes.data(), bytes.size());
}

void restore_bytes(Machine& machine, const nb::bytes& bytes) {
    restore(machine.state, std::span(static_cast<const std::byte*>(bytes.data()), bytes.size()));
}

void construct(Machine* place, const nb::bytes& rom, bool contention, bool kempston) {
    if (rom.size() != std::tuple_size_v<Rom>) {
        throw nb::value_error(("rom has " + std::to_string(rom.size()) + " bytes, a 48K ROM has 16384").c_str());
    }
    auto* machine = new (place) Machine;
    std::memcpy(machine->rom.data(), rom.data(), machine->rom.size());
    machine->timing = contention ? Timing::exact : Timing::uncontended;
    machine->state.kempston_fitted = kempston ? 1 : 0;
    power_on(machine->state);
}

void bind_running(nb::class_<Machine>& machine) {
    machine.def(
        "power_on", [](Machine& self) { power_on(self.state); }, "Puts the machine into its power-on state: RAM zero, PC 0, no key held.");
    machine.def("run_frames", &run_frames, "count"_a, "Runs to the end of the current frame, `count` times. The GIL is released.");
    machine.def("run_tstates", &run_tstates_checked, "tstates"_a, "Runs at least `tstates` T-states. The GIL is released.");
    machine.def(
        "run_until", &run_until, "addresses"_a, "max_frames"_a,
        "Runs until an instruction at one of the addresses is about to be executed; returns its address, or None after `max_frames` frame "
        "ends. The GIL is released.");
    machine.def("save", &save_bytes, "The whole machine without its ROM: a header (magic OAKS, version, size, CRC-32), then the state.");
    machine.def("restore", &restore_bytes, "data"_a,
                "Puts back what `save` returned. Raises ValueError that says what is wrong, and then nothing has changed.");
}

void bind_parts(nb::class_<Machine>& machine) {
    machine.def(
        "get_register", [](const Machine& self, const std::string& name) { return get_register(self.state.cpu, name); }, "name"_a,
        "A register by its lower-case name (af, a, f, ..., af_, ..., ix, pc, memptr, i, r, q, im, iff1, halted).");
    machine.def(
        "set_register", [](Machine& self, const std::string& name, std::int64_t value) { set_register(self.state.cpu, name, value); },
        "name"_a, "value"_a, "Raises ValueError for an unknown name or a value that does not fit.");
    machine.def("read", &read, "address"_a, "The byte at an address, ROM or RAM.");
    machine.def("write", &write, "address"_a, "value"_a, "Writes a byte of RAM; an address in ROM is a ValueError.");
    machine.def_prop_ro(
        "ram", [](Machine& self) { return ByteView(self.state.ram.data(), {self.state.ram.size()}); }, nb::rv_policy::reference_internal,
        "Addresses 0x4000 to 0xFFFF as a writable view, which keeps the machine alive.");
    machine.def_prop_ro(
        "rom", [](const Machine& self) { return RomView(self.rom.data(), {self.rom.size()}); }, nb::rv_policy::reference_internal,
        "Addresses 0 to 0x3FFF as a read-only view.");
    machine.def_prop_ro(
        "keys", [](Machine& self) { return ByteView(self.state.keys.data(), {self.state.keys.size()}); }, nb::rv_policy::reference_internal,
        "Held keys of the 8 half rows (FEFE first), bits 0 to 4, 1 = held; a writable view.");
    machine.def_prop_ro("t", [](const Machine& self) { return self.state.t; }, "T-states since this frame began.");
    machine.def_prop_ro("frame", [](const Machine& self) { return self.state.frame; }, "Frames since power-on.");
    machine.def_prop_ro("contention", [](const Machine& self) { return self.timing == Timing::exact; }, "Whether contention is emulated.");
    machine.def_prop_ro(
        "kempston_fitted", [](const Machine& self) { return self.state.kempston_fitted != 0; }, "Whether a Kempston joystick is fitted.");
    machine.def_prop_rw(
        "border", [](const Machine& self) { return self.state.border; },
        [](Machine& self, std::int64_t value) { self.state.border = static_cast<std::uint8_t>(check_range("border", value, 0, 7)); },
        "Border colour, 0 to 7.");
    machine.def_prop_rw(
        "kempston", [](const Machine& self) { return self.state.kempston; },
        [](Machine& self, std::int64_t value) { self.state.kempston = static_cast<std::uint8_t>(check_range("kempston", value, 0, 0x1F)); },
        "Kempston joystick: bits 0 right, 1 left, 2 down, 3 up, 4 fire; 1 = pressed.");
}

void bind_pictures(nb::class_<Machine>& machine) {
    const auto def = [&](const char* name, auto function, const char* doc) {
        machine.def(name, function, "x"_a = 0, "y"_a = 0, "width"_a = kScreenWidth, "height"_a = kScreenHeight, doc);
    };
    def("indexed", &indexed, "Colours 0 to 15 of a rectangle of the display, a new array (height, width).");
    def("grey", &grey, "Luminance of a rectangle of the display, a new array (height, width).");
    def("ink", &ink, "1 where a pixel of the bitmap is set, else 0, a new array (height, width).");
    def("rgb", &rgb, "A rectangle of the display, a new array (height, width, 3).");
    machine.def("rgb_with_border", &rgb_with_border, "The display and its border, a new array (240, 320, 3).");
}

}  // namespace

void bind_machine(nb::module_& m) {
    nb::class_<Machine> machine(m, "Machine", "One ZX Spectrum 48K. To be used by one thread at a time.");
    machine.def("__init__", &construct, "rom"_a, nb::kw_only(), "contention"_a = true, "kempston"_a = false,
                "A machine in its power-on state; `rom` is the 16 KiB image.");
    bind_running(machine);
    bind_parts(machine);
    bind_pictures(machine);
}

}  // namespace oakemu
