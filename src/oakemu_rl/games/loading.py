# SPDX-License-Identifier: GPL-3.0-or-later
"""From a program's file to a machine that has it in memory."""

from dataclasses import replace

from oakemu_rl.emulator import Spectrum, load_tape, parse_snapshot, parse_tape, to_machine
from oakemu_rl.emulator.container import Content, unpack
from oakemu_rl.emulator.detection import SNAPSHOTS
from oakemu_rl.errors import UserError
from oakemu_rl.games.definition import Definition
from oakemu_rl.games.start_script import Script

__all__ = ["load_file", "load_program"]


def load_program(definition: Definition, program: bytes, *, script: Script | None = None) -> Spectrum:
    """A machine into which the program has just been loaded.

    A snapshot goes on where it was taken. A tape is loaded as a person would load it; when the start script begins with
    the wait for a routine, loading ends there, whatever else is on the tape.

    Args:
        definition: The game.
        program: A snapshot or a tape in any format, also packed.
        script: The steps that will follow; the definition's `start` by default.

    Raises:
        UserError: It is neither, is damaged, is for another machine, or cannot be loaded.
    """
    name = f"{definition.id}: {definition.program.bundled or 'the program'}"
    content = unpack(program, name)
    fitted = definition.joystick == "kempston"
    if content.kind in SNAPSHOTS:
        return _from_snapshot(definition, content, kempston=fitted)
    spectrum = Spectrum(definition.machine, kempston=fitted)
    steps = definition.start if script is None else script
    first = steps[0].until if steps else None
    load_tape(
        spectrum,
        parse_tape(content.data, content.name),
        until=None if first is None or first.routine is None else definition.routines[first.routine],
    )
    return spectrum


def load_file(definition: Definition, spectrum: Spectrum, name: str, data: bytes) -> Spectrum:
    """What a machine becomes when it takes a file: a snapshot takes its place, a tape is loaded by what is running.

    Raises:
        UserError: It is neither, is damaged, is for another machine, or nobody loads it.
    """
    content = unpack(data, name)
    if content.kind in SNAPSHOTS:
        return _from_snapshot(definition, content, kempston=definition.joystick == "kempston")
    load_tape(spectrum, parse_tape(content.data, content.name), boot=False)
    return spectrum


def _from_snapshot(definition: Definition, content: Content, *, kempston: bool) -> Spectrum:
    snapshot = parse_snapshot(content.data, content.name)
    if snapshot.machine != definition.machine:
        raise UserError(
            f"{content.name}: the snapshot is of a {snapshot.machine} machine, the definition says {definition.machine}"
        )
    return to_machine(replace(snapshot, kempston=kempston))
