# SPDX-License-Identifier: GPL-3.0-or-later
"""Tapes with loaders of their own, and what they load."""

import hashlib

from custom_loaders import turbo_loader
from tape_maker import program_blocks, standard, turbo, tzx

from oakemu_rl.emulator import Spectrum, load_tape, parse_tape

PAYLOAD = hashlib.shake_128(b"payload").digest(700)


def parity(content: bytes) -> int:
    value = 0
    for byte in content:
        value ^= byte
    return value


def with_loader(code: bytes, *more: bytes) -> bytes:
    return tzx(*(standard(block.content) for block in program_blocks(code)), *more)


def turbo_file(length: int = len(PAYLOAD), **changes: int) -> bytes:
    content = PAYLOAD[:length] + bytes([parity(PAYLOAD[:length])])
    settings = {"pilot": 1500, "pulses": 1500, "zero": 400, "one": 800, **changes}
    return with_loader(turbo_loader(length), turbo(content, sync=(400, 500), **settings))  # type: ignore[arg-type]


def loaded(file: bytes, *, fast: bool, machine: str = "48k", name: str = "t.tap") -> Spectrum:
    spectrum = Spectrum(machine)
    load_tape(spectrum, parse_tape(file, name), fast=fast)
    return spectrum


def memory(spectrum: Spectrum, address: int, length: int) -> bytes:
    return bytes(spectrum.peek(address + k) for k in range(length))
