# SPDX-License-Identifier: GPL-3.0-or-later
"""Machine code that every emulator in the comparison runs: the same bytes from the same registers."""

from collections.abc import Mapping
from dataclasses import dataclass

from oakemu_rl._core import Machine
from oakemu_rl.emulator import load_rom
from oakemu_rl.games import load_game

import _busy

__all__ = ["REGISTERS", "Program", "programs"]

REGISTERS = ("af", "bc", "de", "hl", "af_", "bc_", "de_", "hl_", "ix", "iy", "sp", "pc", "i", "r", "im", "iff1", "iff2")
_ORIGIN = 0x8000
_UNREACHED = (0x8002, 0x8009, 0xFE00)


@dataclass(frozen=True)
class Program:
    """A state of a 48K machine from which it runs on for ever.

    Attributes:
        name: What kind of program it is.
        memory: 65,536 bytes, the ROM among them.
        registers: By the names of REGISTERS; the others are 0.
        tick: An address that is reached again and again, for emulators that can only run up to one.
        frames: How many it may run before it has to start again; None for as many as one likes.
        unreached: Where hooks can be set that are never hit, most of them on operands of what is executed.
    """

    name: str
    memory: bytes
    registers: Mapping[str, int]
    tick: int
    frames: int | None = None
    unreached: tuple[int, ...] = ()


def _program(name: str, code: str | Mapping[int, bytes], tick: int, **registers: int) -> Program:
    """A program of our own at 0x8000, as hexadecimal text with blanks or as bytes by address."""
    memory = bytearray(load_rom("48k") + bytes(0xC000))
    parts = {_ORIGIN: bytes.fromhex(code)} if isinstance(code, str) else code
    for address, data in parts.items():
        memory[address : address + len(data)] = data
    start = {"pc": _ORIGIN, "sp": 0xBF00, "iy": 0x5C3A, "i": 0x3F, "im": 1}
    return Program(name, bytes(memory), start | registers, tick, unreached=_UNREACHED if parts is code else ())


def _pushes() -> str:
    """Fills the display from its end by PUSH, 128 of them in a row, 27 times."""
    return (
        "31005B 11AA55 061B"  # start: ld sp,0x5B00; ld de,0x55AA; ld b,27
        + "D5" * 128  # loop: push de
        + "05 C20880 C30080"  # dec b; jp nz,loop; jp start
    )


def _game(name: str) -> Program:
    """A game that ships, from its start state, nobody playing."""
    game = load_game(name)
    machine = Machine(load_rom("48k"))
    machine.restore(game.start_state())
    registers = {register: machine.get_register(register) for register in REGISTERS}
    return Program(
        f"{game.definition.title}, from its start state",
        load_rom("48k") + bytes(machine.ram),
        registers,
        game.definition.routines["main_loop"] + 1,  # past its HALT
        frames=400,  # nobody playing loses some 80 frames later
    )


def programs() -> list[Program]:
    """All of them, the one that the budgets are about first."""
    busy = _program("busy: arithmetic, memory, stack, branches", _busy.program(0), _busy.AGAIN, sp=0x9000)
    copying = (
        "210090 110040 01001B EDB0"  # start: copy 6,912 bytes to the display
        "210040 1100B0 01001B EDB0"  # and from it
        "C30080"  # jp start
    )
    polling = (
        "01FEFE"  # start: ld bc,0xFEFE
        "ED78 2F E61F B3 5F CB00 38F5"  # row: in a,(c); cpl; and 31; or e; ld e,a; rlc b; jr c,row
        "0E40"  # ld c,64
        "DBFF A1 57 0D 20F9"  # bus: in a,(255); and c; ld d,a; dec c; jr nz,bus
        "C30080"  # jp start
    )
    waiting = (
        "FB 76 0600 2100A0"  # start: ei; halt; ld b,0; ld hl,0xA000
        "7E 23 86 77 10FA"  # sum: ld a,(hl); inc hl; add a,(hl); ld (hl),a; djnz sum
        "C30080"  # jp start
    )
    return [
        busy,
        _program("copying by LDIR", copying, _ORIGIN),
        _program("filling the display by PUSH", _pushes(), _ORIGIN),
        _program("polling keyboard and floating bus", polling, _ORIGIN),
        _program("a game loop that waits by HALT", waiting, _ORIGIN),
        _game("acorns"),
    ]
