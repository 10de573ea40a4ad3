# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of what went into a machine: the RZX format, which other emulators read and write as well."""

from oakemu_rl.emulator.rzx.description import describe_rzx
from oakemu_rl.emulator.rzx.player import PlayedKeys, RzxDesync, RzxPlayer, find_playback_flags, held_names
from oakemu_rl.emulator.rzx.reader import parse_rzx, read_rzx
from oakemu_rl.emulator.rzx.recorder import RzxRecorder
from oakemu_rl.emulator.rzx.recording import FrameInputs, Rzx, RzxCreator, RzxPart, RzxSnapshot
from oakemu_rl.emulator.rzx.writer import rzx_bytes, write_rzx

__all__ = [
    "FrameInputs",
    "PlayedKeys",
    "Rzx",
    "RzxCreator",
    "RzxDesync",
    "RzxPart",
    "RzxPlayer",
    "RzxRecorder",
    "RzxSnapshot",
    "describe_rzx",
    "find_playback_flags",
    "held_names",
    "parse_rzx",
    "read_rzx",
    "rzx_bytes",
    "write_rzx",
]
