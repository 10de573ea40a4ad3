# SPDX-License-Identifier: GPL-3.0-or-later
"""The recordings of an evaluation's episodes, in a folder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from oakemu_rl.cli.files import check_writable
from oakemu_rl.demos import SUFFIX, EpisodeNotes, RecordedVectorEnv, save_demo
from oakemu_rl.envs import SpectrumVectorEnv

__all__ = ["EpisodeFolder", "Which"]

Which = Literal["all", "wins", "best"]


class EpisodeFolder:
    """Writes recordings of the episodes that environments play.

    Args:
        folder: Where they go; it is made.
        which: Which are kept: all, those that are won, or the one with the highest return.
        seeds: Of the evaluation's episodes, in order; others are not kept.

    Raises:
        UserError: Nothing can be written there.
    """

    def __init__(self, folder: Path, which: Which, seeds: Sequence[int]) -> None:
        self._folder = folder
        self._which = which
        self._numbers = {seed: number for number, seed in enumerate(seeds, start=1)}
        self._width = len(str(len(seeds)))
        self._env: SpectrumVectorEnv | None = None
        self._best: tuple[int, EpisodeNotes] | None = None
        self.written: list[Path] = []
        check_writable(folder / f"1{SUFFIX}")

    def watch(self, env: SpectrumVectorEnv) -> RecordedVectorEnv:
        """The environments, whose episodes are kept from now on."""
        return RecordedVectorEnv(env, lambda notes: self._keep(env, notes))

    def close(self) -> None:
        """Writes what could only be known at the end."""
        if self._best is not None and self._env is not None:
            self._write(self._env, *self._best)

    def _keep(self, env: SpectrumVectorEnv, notes: EpisodeNotes) -> None:
        # A machine without work plays on; what it plays is no part of the evaluation.
        number = None if notes.seed is None else self._numbers.pop(notes.seed, None)
        if number is None:
            return
        if self._which == "all" or (self._which == "wins" and notes.outcome == "win"):
            self._write(env, number, notes)
        elif self._which == "best" and (self._best is None or _rank(number, notes) > _rank(*self._best)):
            self._best, self._env = (number, notes), env

    def _write(self, env: SpectrumVectorEnv, number: int, notes: EpisodeNotes) -> None:
        path = self._folder / f"{number:0{self._width}}_{notes.outcome}_{notes.episode_return:g}{SUFFIX}"
        save_demo(path, notes.as_demo(env.game, env.options))
        self.written.append(path)


def _rank(number: int, notes: EpisodeNotes) -> tuple[float, int]:
    """Of equal returns the first counts, whichever ended first."""
    return notes.episode_return, -number
