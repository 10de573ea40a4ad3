# SPDX-License-Identifier: GPL-3.0-or-later
"""A game for tests that loads a level whenever Q is pressed, and its tape."""

from oakemu_rl.emulator import Tape, TapeBlock

__all__ = ["LEVELS", "LEVEL_AT", "level_tape"]

LEVEL_AT = 0x9000
LEVELS = (b"level 1", b"level 2")

_GAME = bytes([
    0xFB,                    # 8000 EI
    0x76,                    # 8001 HALT
    0x01, 0xFE, 0xFB,        # 8002 LD BC,FBFE
    0xED, 0x78,              # 8005 IN A,(C)
    0x1F,                    # 8007 RRA             Q
    0x38, 0xF7,              # 8008 JR C,8001
    0xDD, 0x21, 0x00, 0x90,  # 800A LD IX,9000
    0x11, 0x07, 0x00,        # 800E LD DE,7
    0x3E, 0xFF,              # 8011 LD A,FF
    0x37,                    # 8013 SCF
    0xCD, 0x56, 0x05,        # 8014 CALL LD-BYTES
    0x18, 0xE7,              # 8017 JR 8000
])  # fmt: skip


def level_tape() -> Tape:
    """10 CLEAR 32767: LOAD ""CODE: RANDOMIZE USR 32768; four blocks with that and the game, and one for each level."""
    line = b"\xfd" + _number(32767) + b':\xef""\xaf:\xf9\xc0' + _number(32768) + b"\r"
    basic = b"\0\x0a" + len(line).to_bytes(2, "little") + line
    return Tape(
        "levels.tap",
        (
            _header(0, b"levels", len(basic), 10, len(basic)),
            TapeBlock.from_data(0xFF, basic),
            _header(3, b"code", len(_GAME), 32768, 32768),
            TapeBlock.from_data(0xFF, _GAME),
            *(TapeBlock.from_data(0xFF, level) for level in LEVELS),
        ),
    )


def _header(kind: int, name: bytes, *words: int) -> TapeBlock:
    return TapeBlock.from_data(
        0, bytes([kind]) + name.ljust(10) + b"".join(word.to_bytes(2, "little") for word in words)
    )


def _number(value: int) -> bytes:
    """A number in a line of BASIC: as text, and as the ROM keeps it."""
    return str(value).encode() + b"\x0e\0\0" + value.to_bytes(2, "little") + b"\0"
