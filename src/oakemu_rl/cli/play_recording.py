# SPDX-License-Identifier: GPL-3.0-or-later
"""The recording of what a person plays: written when they stop, however they do."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from oakemu_rl.cli.demo_text import told
from oakemu_rl.cli.files import check_writable, write_bytes
from oakemu_rl.demos import HandTake, save_demo
from oakemu_rl.emulator.pacing import frame_rate
from oakemu_rl.emulator.rzx import Rzx, rzx_bytes
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game
from oakemu_rl.playing import Playable
from oakemu_rl.playing.recordings import RecordingFolder
from oakemu_rl.playing.take import Take

__all__ = ["recorded", "recorded_as_demo", "recorded_by_the_way"]


@contextmanager
def recorded(playable: Playable, path: Path) -> Iterator[Take]:
    """Writes what is played into a file.

    Raises:
        UserError: It cannot be recorded, or written.
    """
    take = _take(playable)
    try:
        yield take
    finally:
        recording = take.finish(str(path))
        if recording is not None:
            _write(recording, playable, path)


@contextmanager
def recorded_as_demo(playable: Playable, game: Game, path: Path) -> Iterator[HandTake]:
    """Writes the episode that is played, with an agent's controls, into a file.

    Raises:
        UserError: It cannot be written.
    """
    take = HandTake(game, playable.state)
    try:
        yield take
    finally:
        demo = take.finish()
        if demo is not None:
            save_demo(path, demo)
            sys.stdout.write(f"{path}: {told(demo)}\n")


@contextmanager
def recorded_by_the_way(playable: Playable, folder: Path) -> Iterator[Take]:
    """Writes what is played into a new file of the game's folder, where the oldest go; not if no key was pressed.

    Raises:
        UserError: It cannot be recorded, or written, which is found out before anybody has played.
        OSError: An old recording cannot be removed.
    """
    files = RecordingFolder(folder, playable.name)
    began = datetime.now().astimezone()
    try:
        check_writable(files.new_path(began))
    except UserError as error:
        raise UserError(f"{error}; --no-record plays without a recording") from error
    take = _take(playable)
    try:
        yield take
    finally:
        path = files.new_path(began)
        recording = take.finish(str(path)) if take.pressed else None
        if recording is not None:
            _write(recording, playable, path)
            files.prune()


def _take(playable: Playable) -> Take:
    return Take(playable.state, playable.machine, playable.identity, before=playable.before)


def _write(recording: Rzx, playable: Playable, path: Path) -> None:
    write_bytes(path, rzx_bytes(recording))
    seconds = recording.frames / float(frame_rate(playable.machine))
    sys.stdout.write(f"{path}: {seconds:.1f} s\n")
