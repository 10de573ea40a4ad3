# SPDX-License-Identifier: GPL-3.0-or-later
"""The registers of a machine's Z80 as attributes."""

from oakemu_rl._core import Machine

__all__ = ["Registers"]


class _Register:
    """One register: reads and writes go straight to the machine."""

    def __set_name__(self, owner: type["Registers"], name: str) -> None:
        self._name = name

    def __get__(self, registers: "Registers", owner: type["Registers"]) -> int:
        return registers._machine.get_register(self._name)

    def __set__(self, registers: "Registers", value: int) -> None:
        registers._machine.set_register(self._name, value)


class Registers:
    """The registers of a machine's Z80, always current: ``spectrum.registers.pc = 0x8000``.

    Pairs (``af bc de hl``, the shadow set ``af_ bc_ de_ hl_``, ``ix iy sp pc``) are 0 to 65535, single registers
    (``a f b c d e h l i r``) 0 to 255. ``memptr`` and ``q`` are the inner registers that show in undocumented flags.
    ``im`` is the interrupt mode, ``iff1`` and ``iff2`` the interrupt flip-flops, ``halted`` 1 while a HALT waits.

    A value that does not fit is a ``ValueError``.
    """

    __slots__ = ("_machine",)

    af, bc, de, hl = _Register(), _Register(), _Register(), _Register()
    af_, bc_, de_, hl_ = _Register(), _Register(), _Register(), _Register()
    ix, iy, sp, pc = _Register(), _Register(), _Register(), _Register()
    a, f, b, c = _Register(), _Register(), _Register(), _Register()
    d, e, h, l = _Register(), _Register(), _Register(), _Register()  # noqa: E741 - the register's name
    i, r, memptr, q = _Register(), _Register(), _Register(), _Register()
    im, iff1, iff2, halted = _Register(), _Register(), _Register(), _Register()

    def __init__(self, machine: Machine) -> None:
        self._machine = machine

    def as_dict(self) -> dict[str, int]:
        """The values of all registers by name, without the halves of the pairs."""
        words = ("af", "bc", "de", "hl", "af_", "bc_", "de_", "hl_", "ix", "iy", "sp", "pc", "memptr")
        small = ("i", "r", "q", "im", "iff1", "iff2", "halted")
        return {name: self._machine.get_register(name) for name in words + small}

    def __repr__(self) -> str:
        flags = ("im", "iff1", "iff2", "halted")
        parts = []
        for name, value in self.as_dict().items():
            width = 1 if name in flags else 2 if name in ("i", "r", "q") else 4
            parts.append(f"{name}={value}" if name in flags else f"{name}=0x{value:0{width}X}")
        return f"Registers({', '.join(parts)})"
