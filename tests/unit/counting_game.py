# SPDX-License-Identifier: GPL-3.0-or-later
"""A game whose figures can be told by hand: a frame with O held scores 1, a frame with P held costs one of 3 lives."""

from pathlib import Path

from oakemu_rl.emulator import TapeBlock

__all__ = ["DEFINITION", "DIE", "SCORE", "STAY", "write_game"]

STAY, SCORE, DIE = 0, 1, 2
_ORIGIN = 0x8000

# fmt: off
_CODE = bytes([
    0xF3,                          # 8000 DI
    0x3E, 0x03,                    # 8001 LD A,3
    0x32, 0x04, 0x90,              # 8003 LD (lives),A
    0xFB,                          # 8006 EI
    0x76,                          # 8007 main_loop: HALT
    0x21, 0x00, 0x90,              # 8008 LD HL,frames
    0x34,                          # 800B INC (HL)
    0x7E,                          # 800C LD A,(HL)
    0x32, 0x00, 0x40,              # 800D LD (4000),A     seen at the top left of the display
    0x3A, 0x06, 0x90,              # 8010 LD A,(seed)
    0x32, 0x01, 0x40,              # 8013 LD (4001),A     seen beside it
    0x01, 0xFE, 0xDF,              # 8016 LD BC,DFFE      P is bit 0, O is bit 1
    0xED, 0x78,                    # 8019 IN A,(C)
    0x2F,                          # 801B CPL
    0x47,                          # 801C LD B,A
    0xCB, 0x48,                    # 801D BIT 1,B
    0x28, 0x07,                    # 801F JR Z,8028
    0x2A, 0x02, 0x90,              # 8021 LD HL,(score)
    0x23,                          # 8024 INC HL
    0x22, 0x02, 0x90,              # 8025 LD (score),HL
    0xCB, 0x40,                    # 8028 BIT 0,B
    0x28, 0xDB,                    # 802A JR Z,main_loop
    0x21, 0x04, 0x90,              # 802C LD HL,lives
    0x35,                          # 802F DEC (HL)
    0x18, 0xD5,                    # 8030 JR main_loop
])
# fmt: on

DEFINITION = """\
id: ZXSpectrum/Counting-v0
title: Counting
machine: 48k
program: {bundled: counting.tap}
start:
  - until: {routine: main_loop, at_most_frames: 50}
reset: {noops: [0, 3], randomize: {seed: u16}}
area: [0, 0, 64, 48]
variables:
  frames: {at: 0x9000, type: u8}
  score: {at: 0x9002, type: u16le}
  lives: {at: 0x9004, type: u8}
  seed: {at: 0x9006, type: u16le}
routines: {main_loop: 0x8007}
actions: {stay: [], score: [o], die: [p]}
reward: delta(score)
win: score >= 30
loss: lives == 0 or lives > 3
limits: {steps: 40}
presets: {frameskip: 2, size: [64, 48], colour: ink, stack: 2}
"""


def _tape() -> bytes:
    # 10 CLEAR VAL "32767": LOAD "" CODE: RANDOMIZE USR VAL "32768"
    text = b'\xfd\xb0"32767":\xef""\xaf:\xf9\xc0\xb0"32768"\r'
    basic = bytes([0, 10]) + len(text).to_bytes(2, "little") + text
    blocks = [
        TapeBlock.from_data(0, _header(0, len(basic), 10, len(basic))),
        TapeBlock.from_data(255, basic),
        TapeBlock.from_data(0, _header(3, len(_CODE), _ORIGIN, 32768)),
        TapeBlock.from_data(255, _CODE),
    ]
    return b"".join(len(block.content).to_bytes(2, "little") + block.content for block in blocks)


def _header(kind: int, *words: int) -> bytes:
    return bytes([kind]) + b"counting  " + b"".join(word.to_bytes(2, "little") for word in words)


def write_game(folder: Path, definition: str = DEFINITION) -> Path:
    """Puts the definition and its tape into a folder; returns the path of the definition."""
    (folder / "counting.tap").write_bytes(_tape())
    path = folder / "counting.yaml"
    path.write_text(definition, encoding="utf-8")
    return path
