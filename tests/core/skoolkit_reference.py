# SPDX-License-Identifier: GPL-3.0-or-later
"""SkoolKit's contended simulator as a second implementation of the 48K and the 128K, stepped and read like ours.

SkoolKit has no floating bus, no ULA port and no sound chip's port of its own; they are added here, worked out from the
hardware facts by another way than the core's.
"""

from collections.abc import Callable, MutableSequence
from dataclasses import dataclass
from typing import Any, Protocol

from skoolkit.cmiosimulator import CMIOSimulator
from skoolkit.pagingtracer import Memory


@dataclass(frozen=True)
class Facts:
    """What one model's ULA does when, in T."""

    line: int
    frame: int
    interrupt: int
    first_byte: int  # of the picture on the floating bus
    picture: range  # T at which an instruction can start that the ULA delays


FACTS = {
    "48k": Facts(224, 69888, 32, 14338, range(14313, 57245)),
    "128k": Facts(228, 70908, 36, 14364, range(14339, 58035)),
}
_AY_BITS = (8, 4, 8, 4, 8, 4, 5, 8, 5, 5, 5, 8, 8, 4, 8, 8)

# SkoolKit's register numbers.
_F, _SP, _I, _R, _PC, _T, _IFF, _IM, _HALT, _MEMPTR = 1, 12, 14, 15, 24, 25, 26, 27, 28, 29
_PAIRS = {
    "af": (0, 1), "bc": (2, 3), "de": (4, 5), "hl": (6, 7), "ix": (8, 9), "iy": (10, 11),
    "af_": (16, 17), "bc_": (18, 19), "de_": (20, 21), "hl_": (22, 23),
}  # fmt: skip
_SINGLE = {"sp": _SP, "i": _I, "r": _R, "pc": _PC, "memptr": _MEMPTR, "im": _IM, "iff1": _IFF, "halted": _HALT}


def _floating_bus(facts: Facts) -> dict[int, int]:
    """T -> the offset in the screen that the ULA reads then, by walking over the picture as the beam does."""
    offsets: dict[int, int] = {}
    for y in range(192):
        third, row, line = y // 64, y // 8 % 8, y % 8
        bitmap = 2048 * third + 32 * row + 256 * line
        attributes = 0x1800 + 32 * (y // 8)
        for cell in range(0, 32, 2):
            t = facts.first_byte + facts.line * y + 4 * cell
            fetched = (bitmap + cell, attributes + cell, bitmap + cell + 1, attributes + cell + 1)
            offsets.update(zip(range(t, t + 4), fetched, strict=True))
    return offsets


class Stepped(Protocol):
    """The part of ``_core.Machine`` that the reference is loaded from."""

    @property
    def t(self) -> int: ...
    @property
    def frame(self) -> int: ...
    @property
    def ram(self) -> Any: ...
    @property
    def border(self) -> int: ...
    @property
    def port_7ffd(self) -> int: ...
    @property
    def ay_selected(self) -> int: ...
    @property
    def ay(self) -> Any: ...
    def bank(self, number: int) -> Any: ...
    def get_register(self, name: str) -> int: ...


def core_registers(machine: Stepped) -> dict[str, int]:
    """Our registers under the names that ``Reference.registers`` uses."""
    return {name: machine.get_register(name) for name in [*_PAIRS, *_SINGLE]}


class Reference:
    """One machine inside SkoolKit, which takes long to make and can be loaded again and again.

    Args:
        rom: The 16384 bytes from address 0; of a 128K machine both images.
        simulator: ``CMIOSimulator`` or its twin in C (48K only).
        model: ``48k`` or ``128k``.
    """

    def __init__(self, rom: bytes, simulator: Callable[..., Any] = CMIOSimulator, model: str = "48k") -> None:
        self.facts = FACTS[model]
        self._paging: Any = None
        if model == "48k":
            memory: Any = [*rom, *bytes(49152)]
        else:
            memory = self._paging = Memory()
            memory.roms = ([*rom[:16384]], [*rom[16384:]])
        self._floating = _floating_bus(self.facts)
        config = {"frame_duration": self.facts.frame, "int_active": self.facts.interrupt}
        self._sim = simulator(memory, config=config)
        self._sim.set_tracer(self)
        self._delays = CMIOSimulator(memory if self._paging else [0] * 65536).contend
        self.port_fe = 0
        self.ay_selected = 0
        self.ay = [0] * 16

    def load(self, machine: Stepped) -> None:
        """Makes the reference a copy of our machine; no key is held and nothing is plugged in."""
        if self._paging:
            for number, bank in enumerate(self._paging.banks):
                bank[:] = machine.bank(number).tolist()
            self._paging.out7ffd(machine.port_7ffd)
            self.ay_selected, self.ay = machine.ay_selected, machine.ay.tolist()
        else:
            self._sim.memory[0x4000:] = machine.ram.tolist()
        for name, value in core_registers(machine).items():
            if name in _PAIRS:
                high, low = _PAIRS[name]
                self._registers[high], self._registers[low] = divmod(value, 256)
            else:
                self._registers[_SINGLE[name]] = value
        if self._registers[_HALT]:
            self._registers[_PC] = (self._registers[_PC] - 1) % 65536
        self._registers[_T] = machine.frame * self.facts.frame + machine.t
        self.port_fe = machine.border

    @property
    def _registers(self) -> MutableSequence[int]:
        registers: MutableSequence[int] = self._sim.registers
        return registers

    @property
    def t(self) -> int:
        """T-states since power-on."""
        return self._registers[_T]

    @property
    def port_7ffd(self) -> int:
        return int(self._paging.o7ffd) if self._paging else 0

    def ram(self) -> bytes:
        if self._paging:
            return b"".join(bytes(self._paging.banks[number]) for number in (5, 2, 0, 1, 3, 4, 6, 7))
        return bytes(self._sim.memory[0x4000:])

    def registers(self) -> dict[str, int]:
        values = {name: self._registers[high] * 256 + self._registers[low] for name, (high, low) in _PAIRS.items()}
        values.update({name: self._registers[number] for name, number in _SINGLE.items()})
        if values["halted"]:  # SkoolKit stays on the HALT, the real PC is already behind it
            values["pc"] = (values["pc"] + 1) % 65536
        return values

    def set_flags_53(self, flags: int) -> None:
        self._registers[_F] = self._registers[_F] & ~0x28 | flags & 0x28

    def step(self) -> bool:
        """One instruction and the interrupt that may follow it; whether one did."""
        pc = self._registers[_PC]
        self._sim.run()
        is_low = self.t % self.facts.frame < self.facts.interrupt
        accepts = bool(self._registers[_IFF]) and is_low
        return accepts and bool(self._sim.accept_interrupt(self._registers, self._sim.memory, pc))

    # What SkoolKit calls on IN and OUT.

    def read_port(self, registers: MutableSequence[int], port: int) -> int:
        value = self._port_value(registers, port)
        if port & 0x8002 == 0:
            self._page(value)  # the latch does not look whether the CPU reads or writes
        return value

    def write_port(self, _registers: MutableSequence[int], port: int, value: int, *_time: int) -> None:
        if port % 2 == 0:
            self.port_fe = value
        if port & 0x8002 == 0:
            self._page(value)
        if self._paging and port & 0xC002 == 0xC000:
            self.ay_selected = value % 16
        if self._paging and port & 0xC002 == 0x8000:
            self.ay[self.ay_selected] = value % (1 << _AY_BITS[self.ay_selected])

    def _port_value(self, registers: MutableSequence[int], port: int) -> int:
        if port % 2 == 0:
            return 0xFF if self.port_fe & 0x10 else 0xBF
        if self._paging and port & 0xC002 == 0xC000:
            return self._ay_value()
        offset = self._floating.get(self._end_of_port_read(registers, port) - 1)
        if offset is None:
            return 0xFF
        if self._paging:
            return int(self._paging.banks[7 if self.port_7ffd & 8 else 5][offset])
        return int(self._sim.memory[0x4000 + offset])

    def _ay_value(self) -> int:
        """Ports A and B read their pins when they are inputs, where a serial interface holds one line of A low."""
        value = self.ay[self.ay_selected]
        if self.ay_selected == 14:
            return value & 0xBF if self.ay[7] & 0x40 else 0xBF
        return 0xFF if self.ay_selected == 15 and not self.ay[7] & 0x80 else value

    def _page(self, value: int) -> None:
        if self._paging and not self.port_7ffd & 0x20:
            self._paging.out7ffd(value)

    def _end_of_port_read(self, registers: MutableSequence[int], port: int) -> int:
        """T in the frame at which the port cycle of the instruction at PC ends."""
        pc = registers[_PC]
        code, second = self._sim.memory[pc], self._sim.memory[(pc + 1) % 65536]
        cycles = [(pc, 4), ((pc + 1) % 65536, 3 if code == 0xDB else 4)]
        if code == 0xED and second >= 0x80:  # INI and its relatives
            cycles.append((registers[_I] * 256, 1))
        contended = 0x4000 <= port < 0x8000 or (port >= 0xC000 and bool(self.port_7ffd & 1))
        cycles += [(port, 1)] * 4 if contended and port % 2 else [(port, 4)]
        t = registers[_T] % self.facts.frame
        delay = self._delays(t, cycles) if t in self.facts.picture else 0
        return t + sum(length for _, length in cycles) + int(delay)
