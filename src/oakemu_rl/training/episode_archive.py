# SPDX-License-Identifier: GPL-3.0-or-later
"""The best episodes of a training run, as recordings in its folder."""

from collections import deque
from contextlib import suppress
from pathlib import Path

import numpy as np

from oakemu_rl.demos import SUFFIX, EpisodeNotes, RecordedVectorEnv, Ways, load_demo, save_demo
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.errors import UserError
from oakemu_rl.ppo import Route
from oakemu_rl.training.records import Ending, Record

__all__ = ["EpisodeArchive"]


class EpisodeArchive:
    """Keeps the notes of the best whole episodes that the policy plays in training; a win comes before any return.

    Who has played an episode it hears as a metrics writer, as which it has to be opened. It writes at evaluations and
    at the end of the run.

    Args:
        size: How many it keeps.
        env: The training environments.
        ways: For how many states of each kind it is remembered how they were reached, so that an episode which begins
            in one counts from the beginning of the game on (`RecordedVectorEnv.remember`).
    """

    def __init__(self, size: int, env: SpectrumVectorEnv, ways: int = 1) -> None:
        self._size = size
        self._game, self._options = env.game, env.options
        self.env = RecordedVectorEnv(env, self._note, Ways(ways))
        """The environments, of which notes are taken."""
        self._waiting: dict[int, deque[EpisodeNotes]] = {i: deque() for i in range(env.num_envs)}
        self._best: list[EpisodeNotes] = []  # best first
        self._written: list[EpisodeNotes] = []
        self._folder: Path | None = None

    def open(self, folder: Path, *, resumed: bool) -> "EpisodeArchive":
        """Takes up its work as a metrics writer.

        Args:
            folder: Where recordings go: ``best_1.demo`` is the best. It is made when there is one.
            resumed: Take over what is there. What cannot be read is left aside, and written anew in time.
        """
        self._folder = folder
        for number in range(self._size if resumed else 0):
            with suppress(UserError, OSError):
                self._admit(_notes_of(_path(folder, number)))
        return self

    def write(self, record: Record) -> None:
        """Takes in an episode's end; at an evaluation, brings the folder up to date.

        Raises:
            OSError: It cannot be written.
        """
        if record.kind == "episode":
            self._settle(int(record.values["env"]), int(record.values["length"]), record.values.get("route"))
        elif record.kind == "evaluation":
            self._flush()

    def close(self, ending: Ending) -> None:  # noqa: ARG002 - however it ended, what was played was played
        """Brings the folder up to date.

        Raises:
            OSError: It cannot be written.
        """
        self._flush()

    def _note(self, notes: EpisodeNotes) -> None:
        if self._folder is not None:  # before that, nobody will come for them
            self._waiting[notes.env_id].append(notes)

    def _settle(self, env_id: int, length: int, route: object) -> None:
        waiting = self._waiting[env_id]
        # Of one that was running when the run was resumed there is a record but no notes; of one that was broken off by
        # a reset of everything, there are notes but no record.
        lengths = [len(notes.actions) - notes.steps_before for notes in waiting]
        if length not in lengths:
            return
        for _ in range(lengths.index(length)):
            waiting.popleft()
        notes = waiting.popleft()
        if notes.whole and Route(str(route or Route.POLICY)).shows_policy:
            self._admit(notes)

    def _admit(self, notes: EpisodeNotes) -> None:
        if len(self._best) == self._size and _rank(notes) <= _rank(self._best[-1]):
            return
        if any(_same(notes, other) for other in self._best):
            return
        self._best = sorted([*self._best, notes], key=_rank, reverse=True)[: self._size]

    def _flush(self) -> None:
        if self._folder is None:
            return
        for number, notes in enumerate(self._best):
            if number < len(self._written) and self._written[number] is notes:
                continue
            self._folder.mkdir(exist_ok=True)
            save_demo(_path(self._folder, number), notes.as_demo(self._game, self._options))
        self._written = list(self._best)


def _path(folder: Path, number: int) -> Path:
    return folder / f"best_{number + 1}{SUFFIX}"


def _notes_of(path: Path) -> EpisodeNotes:
    demo = load_demo(path)
    if demo.actions is None or demo.step_frames is None:
        raise UserError(f"{path}: it has no steps")
    return EpisodeNotes(
        env_id=0,
        seed=demo.seed,
        start=demo.start,
        actions=demo.actions,
        step_frames=demo.step_frames,
        outcome=demo.outcome,
        episode_return=demo.episode_return or 0.0,
        markers=tuple(
            (int(np.searchsorted(np.cumsum(demo.step_frames), frame)) + 1, name) for frame, name in demo.markers
        ),
    )


def _rank(notes: EpisodeNotes) -> tuple[bool, float, int]:
    return notes.outcome == "win", notes.episode_return, -len(notes.actions)


def _same(one: EpisodeNotes, other: EpisodeNotes) -> bool:
    return one.start == other.start and np.array_equal(one.actions, other.actions)
