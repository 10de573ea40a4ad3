// SPDX-License-Identifier: GPL-3.0-or-later

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
#include "bound_machine.hpp"
#include "checks.hpp"
#include "registers.hpp"
#include "timing.hpp"
#include "video.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace oakemu {
namespace {

using ByteView = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>, nb::c_contig>;
using RomView = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<1>, nb::c_contig>;
using Image = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>, nb::c_contig>;
using ColourImage = nb::ndarray<nb::numpy, std::uint8_t, nb::shape<-1, -1, 3>, nb::c_contig>;

constexpr std::array<std::uint8_t, 16> kIdentity = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// ---- memory

const Rom& paged_rom(const BoundMachine& self) { return self.roms->images[rom_paged(self.machine.state)]; }

int read(const BoundMachine& self, std::int64_t address) {
    const auto where = static_cast<std::uint16_t>(check_range("address", address, 0, 0xFFFF));
    return where < kBankSize ? paged_rom(self)[where] : self.machine.at(where);
}

void write(BoundMachine& self, std::int64_t address, std::int64_t value) {
    const auto where = static_cast<std::uint16_t>(check_range("address (ROM ends at 16383)", address, 0x4000, 0xFFFF));
    self.machine.at(where) = static_cast<std::uint8_t>(check_range("value", value, 0, 0xFF));
}

ByteView bank(BoundMachine& self, std::int64_t number) {
    const bool paging = has_paging(self.machine.state.model);
    if (!paging && number != 0 && number != 2 && number != 5) {
        throw nb::value_error(("bank " + std::to_string(number) + ": a 48K machine has the banks 0, 2 and 5").c_str());
    }
    return {self.machine.ram.data() + kBankPlace[static_cast<std::size_t>(check_range("bank", number, 0, 7))], {kBankSize}};
}

// ---- running

void run_frames(BoundMachine& machine, std::int64_t count) {
    check_range("number of frames", count, 0, INT64_MAX);
    const nb::gil_scoped_release release;
    for (std::int64_t i = 0; i < count; ++i) {
        machine.run_frame();
    }
}

void run_tstates_checked(BoundMachine& machine, std::int64_t tstates) {
    check_range("number of T-states", tstates, 0, INT64_MAX);
    const nb::gil_scoped_release release;
    run_tstates(machine.machine, machine.setup(), static_cast<std::uint64_t>(tstates));
}

std::optional<int> run_until(BoundMachine& machine, const std::vector<std::int64_t>& addresses, std::int64_t max_frames) {
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
        if (run_frame_hooked(machine.machine, machine.setup(), *hooks, stop, &reached)) {
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

Image indexed(const BoundMachine& self, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    const Area a = check_area(x, y, width, height);
    return new_plane(a, [&](std::uint8_t* out) { draw_indexed(self.machine, a.x, a.y, a.width, a.height, kIdentity, out); });
}

Image grey(const BoundMachine& self, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    const Area a = check_area(x, y, width, height);
    return new_plane(a, [&](std::uint8_t* out) { draw_indexed(self.machine, a.x, a.y, a.width, a.height, kGrey, out); });
}

Image ink(const BoundMachine& self, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    const Area a = check_area(x, y, width, height);
    return new_plane(a, [&](std::uint8_t* out) { draw_ink(self.machine, a.x, a.y, a.width, a.height, out); });
}

ColourImage rgb(const BoundMachine& self, std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height) {
    const Area a = check_area(x, y, width, height);
    return new_image<ColourImage>({static_cast<std::size_t>(a.height), static_cast<std::size_t>(a.width), 3},
                                  [&](std::uint8_t* out) { draw_rgb(self.machine, a.x, a.y, a.width, a.height, out); });
}

ColourImage rgb_with_border(const BoundMachine& self) {
    return new_image<ColourImage>({240, 320, 3}, [&](std::uint8_t* out) { draw_rgb_with_border(self.machine, out); });
}

// ---- making

Model model_from_name(const std::string& name) {
    if (name == "48k") return Model::spectrum48;
    if (name == "128k") return Model::spectrum128;
    if (name == "plus2") return Model::plus2;
    throw nb::value_error(("'" + name + "' is no machine; known: 48k, 128k, plus2").c_str());
}

const char* name_of(Model model) {
    constexpr std::array<const char*, 3> names{"48k", "128k", "plus2"};
    return names[static_cast<std::size_t>(model)];
}

void construct(BoundMachine* place, const nb::bytes& rom, const std::string& model_name, bool contention, bool late, bool issue2,
               bool kempston) {
    const Model model = model_from_name(model_name);
    const std::span image(static_cast<const std::byte*>(rom.data()), rom.size());
    auto roms = std::make_shared<const RomSet>(make_rom_set(model, image));
    auto* self = new (place) BoundMachine(model, std::move(roms), contention ? Timing::exact : Timing::uncontended);
    self->machine.state.late = late ? 1 : 0;
    self->machine.state.issue2 = issue2 ? 1 : 0;
    self->machine.state.kempston_fitted = kempston ? 1 : 0;
}

void bind_running(MachineClass& machine) {
    machine.def(
        "power_on", [](BoundMachine& self) { power_on(self.machine); },
        "Puts the machine into its power-on state: RAM zero, PC 0, no key held.");
    machine.def("run_frames", &run_frames, "count"_a, "Runs to the end of the current frame, `count` times. The GIL is released.");
    machine.def("run_tstates", &run_tstates_checked, "tstates"_a, "Runs at least `tstates` T-states. The GIL is released.");
    machine.def(
        "run_until", &run_until, "addresses"_a, "max_frames"_a,
        "Runs until an instruction at one of the addresses is about to be executed; returns its address, or None after `max_frames` frame "
        "ends. The GIL is released.");
}

void bind_parts(MachineClass& machine) {
    machine.def(
        "get_register", [](const BoundMachine& self, const std::string& name) { return get_register(self.machine.state.cpu, name); },
        "name"_a, "A register by its lower-case name (af, a, f, ..., af_, ..., ix, pc, memptr, i, r, q, im, iff1, halted).");
    machine.def(
        "set_register",
        [](BoundMachine& self, const std::string& name, std::int64_t value) { set_register(self.machine.state.cpu, name, value); },
        "name"_a, "value"_a, "Raises ValueError for an unknown name or a value that does not fit.");
    machine.def("read", &read, "address"_a, "The byte at an address, ROM or RAM.");
    machine.def("write", &write, "address"_a, "value"_a, "Writes a byte of RAM; an address in ROM is a ValueError.");
    machine.def_prop_ro(
        "ram", [](BoundMachine& self) { return ByteView(self.machine.ram.data(), {self.machine.ram.size()}); },
        nb::rv_policy::reference_internal,
        "All RAM as a writable view, which keeps the machine alive: banks 5, 2, 0 (addresses 0x4000 to 0xFFFF of a 48K machine), then 1, "
        "3, "
        "4, 6 and 7.");
    machine.def("bank", &bank, "number"_a, nb::rv_policy::reference_internal,
                "One bank of 16,384 bytes as a writable view. A 48K machine has 5 (0x4000), 2 (0x8000) and 0 (0xC000).");
    machine.def_prop_ro(
        "rom", [](const BoundMachine& self) { return RomView(paged_rom(self).data(), {kBankSize}); }, nb::rv_policy::reference_internal,
        "The paged ROM, addresses 0 to 0x3FFF, as a read-only view.");
    machine.def_prop_ro(
        "keys", [](BoundMachine& self) { return ByteView(self.machine.state.keys.data(), {self.machine.state.keys.size()}); },
        nb::rv_policy::reference_internal, "Held keys of the 8 half rows (FEFE first), bits 0 to 4, 1 = held; a writable view.");
    machine.def_prop_ro("model", [](const BoundMachine& self) { return name_of(self.machine.state.model); }, "'48k', '128k' or 'plus2'.");
    machine.def_prop_ro("late", [](const BoundMachine& self) { return self.machine.state.late != 0; }, "Whether the ULA's timing is late.");
    machine.def_prop_rw(
        "issue2", [](const BoundMachine& self) { return self.machine.state.issue2 != 0; },
        [](BoundMachine& self, bool value) { self.machine.state.issue2 = value ? 1 : 0; },
        "Whether EAR with no signal reads back MIC as well as the speaker bit.");
    machine.def_prop_ro(
        "frame_tstates", [](const BoundMachine& self) { return timings_of(self.machine.state.model).frame; }, "T-states of a frame.");
    machine.def_prop_ro(
        "clock", [](const BoundMachine& self) { return timings_of(self.machine.state.model).clock; }, "T-states of a second.");
    machine.def_prop_rw(
        "t", [](const BoundMachine& self) { return self.machine.state.t; },
        [](BoundMachine& self, std::int64_t value) {
            const std::int64_t last = timings_of(self.machine.state.model).frame - 1;
            self.machine.state.t = static_cast<std::uint32_t>(check_range("t", value, 0, last));
        },
        "T-states since this frame began.");
    machine.def_prop_rw(
        "after_ei",
        [](const BoundMachine& self) { return self.machine.state.cpu.no_int_at == static_cast<std::int32_t>(self.machine.state.t); },
        [](BoundMachine& self, bool value) {
            self.machine.state.cpu.no_int_at = value ? static_cast<std::int32_t>(self.machine.state.t) : -1;
        },
        "Whether the CPU takes no interrupt at this T, because an EI or a lone DD or FD has just ended.");
    machine.def_prop_ro("frame", [](const BoundMachine& self) { return self.machine.state.frame; }, "Frames since power-on.");
    machine.def_prop_ro(
        "contention", [](const BoundMachine& self) { return self.timing == Timing::exact; }, "Whether contention is emulated.");
    machine.def_prop_ro(
        "kempston_fitted", [](const BoundMachine& self) { return self.machine.state.kempston_fitted != 0; },
        "Whether a Kempston joystick is fitted.");
    machine.def_prop_rw(
        "border", [](const BoundMachine& self) { return self.machine.state.border; },
        [](BoundMachine& self, std::int64_t value) {
            self.machine.state.border = static_cast<std::uint8_t>(check_range("border", value, 0, 7));
        },
        "Border colour, 0 to 7.");
    machine.def_prop_rw(
        "port_fe", [](const BoundMachine& self) { return self.machine.state.port_fe; },
        [](BoundMachine& self, std::int64_t value) {
            self.machine.state.port_fe = static_cast<std::uint8_t>(check_range("port_fe", value, 0, 0xFF));
        },
        "The byte last written to the ULA port (bit 3 MIC, bit 4 speaker).");
    machine.def_prop_rw(
        "port_7ffd", [](const BoundMachine& self) { return self.machine.state.port_7ffd; },
        [](BoundMachine& self, std::int64_t value) {
            const std::int64_t last = has_paging(self.machine.state.model) ? 0xFF : 0;
            self.machine.state.port_7ffd = static_cast<std::uint8_t>(check_range("port_7ffd", value, 0, last));
        },
        "The paging latch of a 128K machine: bits 0-2 bank at 0xC000, 3 screen of bank 7, 4 ROM 1, 5 locked; 0 on a 48K one.");
    machine.def_prop_rw(
        "ay_selected", [](const BoundMachine& self) { return self.machine.state.ay_selected; },
        [](BoundMachine& self, std::int64_t value) {
            self.machine.state.ay_selected = static_cast<std::uint8_t>(check_range("ay_selected", value, 0, 15));
        },
        "The register that the ports of a 128K machine's sound chip address.");
    machine.def_prop_ro(
        "ay", [](BoundMachine& self) { return ByteView(self.machine.state.ay.data(), {self.machine.state.ay.size()}); },
        nb::rv_policy::reference_internal, "The 16 registers of a 128K machine's sound chip as a writable view.");
    machine.def_prop_rw(
        "kempston", [](const BoundMachine& self) { return self.machine.state.kempston; },
        [](BoundMachine& self, std::int64_t value) {
            self.machine.state.kempston = static_cast<std::uint8_t>(check_range("kempston", value, 0, 0x1F));
        },
        "Kempston joystick: bits 0 right, 1 left, 2 down, 3 up, 4 fire; 1 = pressed.");
}

void bind_pictures(MachineClass& machine) {
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
    MachineClass machine(m, "Machine", "One ZX Spectrum. To be used by one thread at a time.");
    machine.def("__init__", &construct, "rom"_a, nb::kw_only(), "model"_a = "48k", "contention"_a = true, "late"_a = false,
                "issue2"_a = false, "kempston"_a = false,
                "A machine in its power-on state. `model` is '48k', '128k' or 'plus2'; `rom` is its ROM images one after the other, 16 KiB "
                "each.");
    machine.def("__copy__", [](const BoundMachine& self) { return self; });
    machine.def("fork", [](const BoundMachine& self) { return self; }, "A machine of its own that goes on from the same moment.");
    bind_running(machine);
    bind_parts(machine);
    bind_pictures(machine);
    bind_states(m, machine);
    bind_tape(m, machine);
}

}  // namespace oakemu
