# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of either kind, .rzx and .demo, frame by frame with what is said beneath the picture."""

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from oakemu_rl.cli.demo_text import clock
from oakemu_rl.demos import Demo, check_frame, load_demo, machine_of
from oakemu_rl.demos.checking import check_game
from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.caption import Line
from oakemu_rl.emulator.pacing import frame_rate
from oakemu_rl.emulator.rzx import RzxPlayer, find_playback_flags, held_names, read_rzx
from oakemu_rl.emulator.watching import WatchedFrame
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game

__all__ = ["ShownRecording", "shown_demo", "shown_rzx"]

_WHITE = (255, 255, 255)
_CYAN = (0, 255, 255)
_YELLOW = (255, 255, 0)

_EPILOGUE = 100
"""Frames after an episode's end: what the game itself then says."""

Shown = tuple[WatchedFrame, list[list[Line]]]


class ShownRecording(Protocol):
    """A recording that can be watched once."""

    @property
    def name(self) -> str:
        """What pictures of it are called."""
        ...

    @property
    def machine(self) -> str:
        """The model of the machine."""
        ...

    @property
    def frames(self) -> int:
        """How many frames there are to see."""
        ...

    def watch(self, *, sound: bool) -> Iterator[Shown]:
        """Each frame, and the lines to write beneath it.

        Raises:
            UserError: It cannot be played to its end.
        """
        ...


def shown_rzx(path: Path) -> ShownRecording:
    """An RZX recording.

    Raises:
        UserError: It is none, or damaged.
        OSError: It cannot be read.
    """
    return _ShownRzx(path)


def shown_demo(given: str | Path) -> ShownRecording:
    """A recording of an episode: a file, or the name of a game of which one ships.

    Raises:
        UserError: It is none, or damaged.
        OSError: It cannot be read.
    """
    return _ShownDemo(load_demo(given), Path(given).stem)


class _ShownRzx:
    def __init__(self, path: Path) -> None:
        recording = read_rzx(path)
        self._player = RzxPlayer(recording, flags=find_playback_flags(recording))
        self.name = path.stem
        self.machine = self._player.spectrum.machine
        self.frames = self._player.frames

    def watch(self, *, sound: bool) -> Iterator[Shown]:
        for frame, keys in self._player.watch(sound=sound):
            seconds = self._player.frame / float(frame_rate(self.machine))
            held = " ".join(held_names(keys.held[0])) or "-"
            where = f"{seconds // 60:.0f}:{seconds % 60:04.1f}  frame {self._player.frame}"
            yield frame, [[(where, _WHITE)], [(held, _CYAN)]]


class _ShownDemo:
    def __init__(self, demo: Demo, name: str) -> None:
        self._demo = demo
        self._game = _game_of(demo)
        self._epilogue = _EPILOGUE if demo.outcome not in ("running", "truncated") else 0
        self.name = name
        self.machine = demo.machine
        self.frames = demo.frames + self._epilogue

    def watch(self, *, sound: bool) -> Iterator[Shown]:
        demo, machine = self._demo, machine_of(self._demo)
        watcher = machine.watch(sound=sound)
        for frame, row in enumerate(demo.keys, start=1):
            machine.hold_row(row)
            watched = watcher.run_frame()
            check_frame(demo, machine, frame, self._game)
            yield watched, self._lines(machine, frame)
        machine.release_all()
        for _ in range(self._epilogue):
            yield watcher.run_frame(), self._lines(machine, demo.frames)

    def _lines(self, machine: Spectrum, frame: int) -> list[list[Line]]:
        demo = self._demo
        where = f"{clock(frame, demo.machine)}  "
        if self._game is not None and self._game.definition.score_variable is not None:
            where += f"SCORE {self._game.read(machine.visible_ram())[self._game.definition.score_variable]:<6}  "
        where += next((name for marked, name in reversed(demo.markers) if marked < frame), "")
        if frame == demo.frames and demo.outcome != "running":
            return [[(where, _WHITE)], [(demo.outcome.upper(), _YELLOW)]]
        if demo.actions is None:
            return [[(where, _WHITE)], [(" ".join(held_names(demo.keys[frame - 1])) or "-", _CYAN)]]
        step = int(demo.step_ends.searchsorted(frame))
        return [[(where, _WHITE)], [(f"STEP  {step:<6d} ", _WHITE), (self._action(step), _CYAN)]]

    def _action(self, step: int) -> str:
        return "" if self._demo.actions is None else self._demo.action_meanings[self._demo.actions[step - 1]]


def _game_of(demo: Demo) -> Game | None:
    """The game, if it is the one that was recorded; a machine plays the recording without it as well."""
    try:
        game = load_game(demo.game_id)
        check_game(demo, game)
    except UserError:
        return None
    return game
