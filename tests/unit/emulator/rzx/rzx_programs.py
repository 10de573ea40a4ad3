# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that make a recording hard to play: they ask every port, and meet interrupts at odd moments."""

import random

from oakemu_rl.emulator import Spectrum

_LOG = 0xA000  # to 0xBFFF: what the program has seen, round and round


def _in(port: int) -> list[int]:
    """LD BC,port; IN A,(C); CALL log."""
    return [0x01, port & 0xFF, port >> 8, 0xED, 0x78, *_CALL_LOG]


_ROUTINES = 0x9000
_INTERRUPT = 0x9100
_CALL_LOG = [0xCD, _ROUTINES & 0xFF, _ROUTINES >> 8]

# LD (HL),A; INC HL; then H back into 0xA0 to 0xBF; RET
_LOG_ROUTINE = [0x77, 0x23, 0xCB, 0xFC, 0xCB, 0xB4, 0xCB, 0xEC, 0xC9]

_STEPS: dict[str, list[int]] = {
    "row": _in(0xFEFE),
    "other row": _in(0x7FFE),
    "rows together": _in(0x00FE),
    "two rows": _in(0xF5FE),
    "joystick": [0xDB, 0x1F, *_CALL_LOG],
    "floating bus": [0x3E, 0x40, 0xDB, 0xFF, *_CALL_LOG],
    "halt": [0x76],
    "halt without interrupt": [0xF3, 0x06, 200, 0x10, 0xFE, 0xFB],  # DI; LD B,200; DJNZ $; EI
    "late ei": [0xF3, 0xED, 0x5F, 0x47, 0x10, 0xFE, 0xFB, 0xFB, 0xFB, 0xFB, 0x00],  # DI; LD A,R; LD B,A; DJNZ $; EI x 4
    "prefixes": [0xDD, 0xDD, 0xFD, 0xDD, 0x21, 0x34, 0x12, 0xDD, 0x00, 0xFD, 0xCB, 0x01, 0x46],  # ... BIT 0,(IY+1)
    "r": [0xED, 0x5F, *_CALL_LOG],
    "p/v after ld a,i": [0xED, 0x57, 0xF5, 0xF1, 0xF5, 0xD1, 0x7B, *_CALL_LOG],  # ...; PUSH AF; POP DE; LD A,E; log
    "copy": [0xE5, 0x21, 0, 0xA0, 0x11, 0, 0xC8, 0x01, 150, 0, 0xED, 0xB0, 0xE1],  # LDIR 150 bytes
    "block in": [0xE5, 0x21, 0, 0xC9, 0x01, 0xFE, 20, 0xED, 0xB2, 0xE1],  # INIR 20 bytes from 0x14FE down
}
_STEPS_128K: dict[str, list[int]] = {
    "page": [0x01, 0xFD, 0x7F, 0xED, 0x5F, 0xE6, 0x07, 0xF6, 0x10, 0xED, 0x79],  # LD A,R; AND 7; OR 16; OUT (C),A
    "sound": [0x01, 0xFD, 0xFF, 0x3E, 7, 0xED, 0x79, 0x06, 0xBF, 0x7C, 0xED, 0x79, *_in(0xFFFD)],
    "screen": [0x01, 0xFD, 0x7F, 0x3E, 0x18, 0xED, 0x79],
}


def _place(spectrum: Spectrum, address: int, data: list[int]) -> int:
    spectrum.write_block(address, bytes(data))
    return address + len(data)


def start_program(spectrum: Spectrum, seed: int, *, im2: bool = True, at: int = 0x8000) -> None:
    """Puts a program of random steps into a machine and begins it there, with interrupts enabled.

    Args:
        spectrum: The machine.
        seed: Decides the steps.
        im2: Interrupts go to a short routine of the program, else to that of the ROM.
        at: Where it lies.
    """
    chance = random.Random(seed)  # noqa: S311 - a program, not a secret
    steps = _STEPS | (_STEPS_128K if spectrum.machine != "48k" else {})
    _place(spectrum, _ROUTINES, _LOG_ROUTINE)
    # A routine so short that the interrupt is still there when it ends, or a long one.
    body = [0xFB, 0xC9] if chance.random() < 0.5 else [0xF5, 0xC5, *_in(0xBFFE), 0xC1, 0xF1, 0xFB, 0xED, 0x4D]
    _place(spectrum, _INTERRUPT, body)
    _place(spectrum, 0x9DFF, [_INTERRUPT & 0xFF, _INTERRUPT >> 8])
    # HALT passes most of a frame, so that it may not come too often.
    busy = sorted(set(steps) - {"halt"})
    names = [chance.choice(busy) for _ in range(40)] + ["halt"] * (seed % 2)
    chance.shuffle(names)
    # POP and PUSH leave the stack as it was; a step may not change HL.
    end = _place(spectrum, at, [code for name in names for code in steps[name]])
    _place(spectrum, end, [0xC3, at & 0xFF, at >> 8])
    registers = spectrum.registers
    registers.pc, registers.sp, registers.hl, registers.i, registers.im = at, 0x9FF0, _LOG, 0x9D, 2 if im2 else 1
    registers.iff1 = registers.iff2 = 1


def play_about(spectrum: Spectrum, seed: int, frames: int) -> None:
    """Runs frames, while keys and joystick are held and let go at random."""
    chance = random.Random(seed)  # noqa: S311 - a program, not a secret
    while frames > 0:
        some = min(frames, chance.randint(1, 20))
        spectrum.release_all()
        spectrum.press(*chance.sample(["a", "p", "space", "shift", "5", "0", "enter", "b"], chance.randint(0, 3)))
        if spectrum._machine.kempston_fitted:
            spectrum.joystick(left=chance.random() < 0.3, fire=chance.random() < 0.5)
        spectrum.run_frames(some)
        frames -= some
