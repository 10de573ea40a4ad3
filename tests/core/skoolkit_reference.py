# SPDX-License-Identifier: GPL-3.0-or-later
"""SkoolKit's contended simulator as a second implementation of the 48K machine, stepped and read like ours.

SkoolKit has no floating bus and no ULA port of its own; both are added here, worked out from the hardware facts by
another way than the core's.
"""

from collections.abc import Callable, MutableSequence
from typing import Any, Protocol

from skoolkit.cmiosimulator import CMIOSimulator

FRAME = 69888
INTERRUPT = 32
_PICTURE = range(14313, 57245)  # T at which an instruction can start that the ULA delays

# SkoolKit's register numbers.
_F, _SP, _I, _R, _PC, _T, _IFF, _IM, _HALT, _MEMPTR = 1, 12, 14, 15, 24, 25, 26, 27, 28, 29
_PAIRS = {
    "af": (0, 1), "bc": (2, 3), "de": (4, 5), "hl": (6, 7), "ix": (8, 9), "iy": (10, 11),
    "af_": (16, 17), "bc_": (18, 19), "de_": (20, 21), "hl_": (22, 23),
}  # fmt: skip
_SINGLE = {"sp": _SP, "i": _I, "r": _R, "pc": _PC, "memptr": _MEMPTR, "im": _IM, "iff1": _IFF, "halted": _HALT}


def _floating_bus() -> dict[int, int]:
    """T -> the address that the ULA reads then, by walking over the picture as the beam does."""
    addresses: dict[int, int] = {}
    for y in range(192):
        third, row, line = y // 64, y // 8 % 8, y % 8
        bitmap = 0x4000 + 2048 * third + 32 * row + 256 * line
        attributes = 0x5800 + 32 * (y // 8)
        for cell in range(0, 32, 2):
            t = 14338 + 224 * y + 4 * cell
            fetched = (bitmap + cell, attributes + cell, bitmap + cell + 1, attributes + cell + 1)
            addresses.update(zip(range(t, t + 4), fetched, strict=True))
    return addresses


_FLOATING = _floating_bus()


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
    def get_register(self, name: str) -> int: ...


def core_registers(machine: Stepped) -> dict[str, int]:
    """Our registers under the names that ``Reference.registers`` uses."""
    return {name: machine.get_register(name) for name in [*_PAIRS, *_SINGLE]}


class Reference:
    """One machine inside SkoolKit, which takes long to make and can be loaded again and again.

    Args:
        rom: The 16384 bytes from address 0.
        simulator: ``CMIOSimulator`` or its twin in C.
    """

    def __init__(self, rom: bytes, simulator: Callable[..., Any] = CMIOSimulator) -> None:
        config = {"frame_duration": FRAME, "int_active": INTERRUPT}
        self._sim = simulator([*rom, *bytes(49152)], config=config)
        self._sim.set_tracer(self)
        self._delays = CMIOSimulator([0] * 65536).contend
        self.port_fe = 0

    def load(self, machine: Stepped) -> None:
        """Makes the reference a copy of our machine; no key is held and nothing is plugged in."""
        self._sim.memory[0x4000:] = machine.ram.tolist()
        for name, value in core_registers(machine).items():
            if name in _PAIRS:
                high, low = _PAIRS[name]
                self._registers[high], self._registers[low] = divmod(value, 256)
            else:
                self._registers[_SINGLE[name]] = value
        if self._registers[_HALT]:
            self._registers[_PC] = (self._registers[_PC] - 1) % 65536
        self._registers[_T] = machine.frame * FRAME + machine.t
        self.port_fe = machine.border

    @property
    def _registers(self) -> MutableSequence[int]:
        registers: MutableSequence[int] = self._sim.registers
        return registers

    @property
    def t(self) -> int:
        """T-states since power-on."""
        return self._registers[_T]

    def ram(self) -> bytes:
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
        is_low = self.t % FRAME < INTERRUPT
        accepts = bool(self._registers[_IFF]) and is_low
        return accepts and bool(self._sim.accept_interrupt(self._registers, self._sim.memory, pc))

    # What SkoolKit calls on IN and OUT.

    def read_port(self, registers: MutableSequence[int], port: int) -> int:
        if port % 2 == 0:
            return 0xFF if self.port_fe & 0x10 else 0xBF
        address = _FLOATING.get(self._end_of_port_read(registers, port) - 1)
        return 0xFF if address is None else int(self._sim.memory[address])

    def write_port(self, _registers: MutableSequence[int], port: int, value: int, *_time: int) -> None:
        if port % 2 == 0:
            self.port_fe = value

    def _end_of_port_read(self, registers: MutableSequence[int], port: int) -> int:
        """T in the frame at which the port cycle of the instruction at PC ends."""
        pc = registers[_PC]
        code, second = self._sim.memory[pc], self._sim.memory[(pc + 1) % 65536]
        cycles = [(pc, 4), ((pc + 1) % 65536, 3 if code == 0xDB else 4)]
        if code == 0xED and second >= 0x80:  # INI and its relatives
            cycles.append((registers[_I] * 256, 1))
        contended = 0x4000 <= port < 0x8000
        cycles += [(port, 1)] * 4 if contended and port % 2 else [(port, 4)]
        t = registers[_T] % FRAME
        delay = self._delays(t, cycles) if t in _PICTURE else 0
        return t + sum(length for _, length in cycles) + int(delay)
