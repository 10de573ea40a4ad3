# SPDX-License-Identifier: GPL-3.0-or-later
"""A game of a few bytes: it waits for a key or the joystick, then counts the loops in which O or P is held."""

from pathlib import Path

from oakemu_rl.emulator import TapeBlock

ORIGIN = 0x8000
SCORE = 0x9000
LIVES = 0x9002
ROUNDS = 0x9003
MAIN_LOOP = 0x8011
SCORED = 0x8028

# fmt: off
CODE = bytes([
    0xF3,                          # 8000 DI
    0x01, 0xFE, 0x7F,              # 8001 LD BC,7FFE     wait for SPACE
    0xED, 0x78,                    # 8004 wait: IN A,(C)
    0x1F,                          # 8006 RRA
    0x38, 0xFB,                    # 8007 JR C,wait
    0x3E, 0x03,                    # 8009 LD A,3
    0x32, 0x02, 0x90,              # 800B LD (LIVES),A
    0xFB,                          # 800E EI
    0x76,                          # 800F HALT           a frame of its own for the start
    0x00,                          # 8010 NOP
    0x76,                          # 8011 main_loop: HALT
    0x21, 0x03, 0x90,              # 8012 LD HL,ROUNDS
    0x34,                          # 8015 INC (HL)
    0x01, 0xFE, 0xDF,              # 8016 LD BC,DFFE     P is bit 0, O is bit 1
    0xED, 0x78,                    # 8019 IN A,(C)
    0x2F,                          # 801B CPL
    0xE6, 0x03,                    # 801C AND 3
    0x28, 0xF1,                    # 801E JR Z,main_loop
    0xCD, 0x28, 0x80,              # 8020 CALL scored
    0x18, 0xEC,                    # 8023 JR main_loop
    0x00, 0x00, 0x00,              # 8025
    0x2A, 0x00, 0x90,              # 8028 scored: LD HL,(SCORE)
    0x23,                          # 802B INC HL
    0x22, 0x00, 0x90,              # 802C LD (SCORE),HL
    0xC9,                          # 802F RET
])
# fmt: on

DEFINITION = """\
id: ZXSpectrum/Small-v0
title: Small
machine: 48k
program: {bundled: small.tap}
start:
  - wait: {frames: 20}
  - press: {keys: [space], frames: 3}
  - until: {routine: main_loop, at_most_frames: 50}
  - set: {lives: 5}
reset: {noops: [0, 3], randomize: {rounds: u8}}
variables:
  score: {at: 0x9000, type: u16le}
  lives: {at: 0x9002, type: u8}
  rounds: {at: 0x9003, type: u8}
routines: {unused: 0x8000, main_loop: 0x8011, scored: 0x8028}
actions: {left: [o], stay: [], right: [p]}
reward: delta(score) + 10 * called(scored) + called(main_loop) / 100
loss: lives == 0
"""


def basic_loader() -> bytes:
    """10 RANDOMIZE USR VAL "32768", after LOADing the code."""
    load = bytes([0xEF, 0x22, 0x22, 0xAF])  # LOAD "" CODE
    clear = bytes([0xFD, 0xB0, 0x22]) + b"32767" + bytes([0x22, 0x3A])  # CLEAR VAL "32767":
    run = bytes([0x3A, 0xF9, 0xC0, 0xB0, 0x22]) + b"32768" + bytes([0x22, 0x0D])  # :RANDOMIZE USR VAL "32768"
    text = clear + load + run
    return bytes([0, 10]) + len(text).to_bytes(2, "little") + text


def header(kind: int, length: int, first: int, second: int) -> bytes:
    words = b"".join(word.to_bytes(2, "little") for word in (length, first, second))
    return bytes([kind]) + b"small     " + words


def tape() -> bytes:
    program = basic_loader()
    blocks = [
        TapeBlock.from_data(0, header(0, len(program), 10, len(program))),
        TapeBlock.from_data(255, program),
        TapeBlock.from_data(0, header(3, len(CODE), ORIGIN, 32768)),
        TapeBlock.from_data(255, CODE),
    ]
    return b"".join(len(block.content).to_bytes(2, "little") + block.content for block in blocks)


def write_game(folder: Path, definition: str = DEFINITION, name: str = "small.yaml") -> Path:
    """Puts the definition and the tape into a folder; returns the path of the definition."""
    (folder / "small.tap").write_bytes(tape())
    path = folder / name
    path.write_text(definition, encoding="utf-8")
    return path
