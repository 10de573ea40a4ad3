# SPDX-License-Identifier: GPL-3.0-or-later
"""The best episodes of a training run, as recordings in its folder."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch

from oakemu_rl.demos import SUFFIX, EpisodeNotes, RecordedRoute, RecordedVectorEnv, Ways, WayTable, read_ways, save_demo
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.ppo import Route
from oakemu_rl.ppo.plain_bytes import as_bytes, as_tensor
from oakemu_rl.training.records import Ending, Record

__all__ = ["EpisodeArchive"]

_BEST, _ROUTE = "best", "route"
_Rank = tuple[bool, float, int]


@dataclass
class _Shelf:
    """The best of one kind.

    Attributes:
        size: How many it holds.
        notes: Best first.
        least: What has to be surpassed.
        written: Which of them are in the folder.
    """

    size: int
    notes: list[EpisodeNotes] = field(default_factory=list)
    least: _Rank | None = None
    written: list[EpisodeNotes] = field(default_factory=list)

    def admit(self, notes: EpisodeNotes) -> None:
        """Takes an episode in if it is good enough, and not there."""
        rank = _rank(notes)
        if (self.least is not None and rank <= self.least) or (
            len(self.notes) == self.size and rank <= _rank(self.notes[-1])
        ):
            return
        if not any(_same(notes, other) for other in self.notes):
            self.notes = sorted([*self.notes, notes], key=_rank, reverse=True)[: self.size]


class EpisodeArchive:
    """Keeps the notes of the best whole episodes that the policy plays in training; a win comes before any return.

    Who has played an episode it hears as a metrics writer, as which it has to be opened. It writes at evaluations and
    at the end of the run: ``best_1.demo`` is the best that the agent has played from the beginning of a game on, and
    ``route_1.demo`` the best that begins as a recording does, if it surpasses all recordings.

    Args:
        size: How many it keeps of each.
        env: The training environments.
        ways: For how many states of each kind it is remembered how they were reached, so that an episode which begins
            in one counts from the beginning of the game on (`RecordedVectorEnv.remember`).
    """

    def __init__(self, size: int, env: SpectrumVectorEnv, ways: int = 1) -> None:
        self._game, self._options = env.game, env.options
        self._ways = Ways(ways, env.game.start_state())
        self.env = RecordedVectorEnv(env, self._note, self._ways)
        """The environments, of which notes are taken."""
        self._waiting: dict[int, deque[EpisodeNotes]] = {i: deque() for i in range(env.num_envs)}
        self._shelves = {_BEST: _Shelf(size), _ROUTE: _Shelf(size)}
        self._folder: Path | None = None

    def open(self, folder: Path) -> "EpisodeArchive":
        """Takes up its work as a metrics writer.

        Args:
            folder: Where recordings go. It is made when there is one.
        """
        self._folder = folder
        return self

    def add_route(self, route: RecordedRoute) -> None:
        """Lets episodes that begin in a recording's states count together with what it shows before."""
        self._ways.add_route(route)
        shelf, rank = self._shelves[_ROUTE], _rank(route.notes)
        shelf.least = rank if shelf.least is None else max(shelf.least, rank)

    def state_dict(self) -> dict[str, Any]:
        """All that is kept, as plain values and tensors."""
        table = WayTable()
        return {
            "running": self.env.state_dict(table),
            "ways": self._ways.state_dict(table),
            "table": {name: as_tensor(data) for name, data in table.packed().items()},
            "waiting": [_as_plain(notes) for queue in self._waiting.values() for notes in queue],
            "shelves": {name: [_as_plain(notes) for notes in shelf.notes] for name, shelf in self._shelves.items()},
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood, once the environments stand where they did.

        Raises:
            UserError: It is of a run with other recordings.
        """
        ways = read_ways({name: as_bytes(packed) for name, packed in state["table"].items()}, self._ways.part)
        self._ways.load_state_dict(state["ways"], ways)
        self.env.load_state_dict(state["running"], ways)
        for queue in self._waiting.values():
            queue.clear()
        for each in state["waiting"]:
            notes = _from_plain(each)
            self._waiting[notes.env_id].append(notes)
        for name, shelf in self._shelves.items():
            shelf.notes = [_from_plain(each) for each in state["shelves"][name]]

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
            self._shelves[_ROUTE if notes.shown_steps else _BEST].admit(notes)

    def _flush(self) -> None:
        if self._folder is None:
            return
        for name, shelf in self._shelves.items():
            for number, notes in enumerate(shelf.notes):
                if number < len(shelf.written) and shelf.written[number] is notes:
                    continue
                self._folder.mkdir(exist_ok=True)
                path = self._folder / f"{name}_{number + 1}{SUFFIX}"
                save_demo(path, notes.as_demo(self._game, self._options))
            shelf.written = list(shelf.notes)


def _rank(notes: EpisodeNotes) -> _Rank:
    # Rounded: the same rewards may be summed in another order.
    return notes.outcome == "win", round(notes.episode_return, 6), -len(notes.actions)


def _same(one: EpisodeNotes, other: EpisodeNotes) -> bool:
    return one.start == other.start and np.array_equal(one.actions, other.actions)


def _as_plain(notes: EpisodeNotes) -> dict[str, Any]:
    """Notes for a checkpoint."""
    values = {each.name: getattr(notes, each.name) for each in fields(notes)}
    return {
        **values,
        "start": as_tensor(notes.start),
        "actions": torch.from_numpy(notes.actions),
        "step_frames": torch.from_numpy(notes.step_frames),
        "held": None if notes.held is None else as_tensor(notes.held.tobytes()),
    }


def _from_plain(values: Mapping[str, Any]) -> EpisodeNotes:
    return EpisodeNotes(
        **{
            **values,
            "start": as_bytes(values["start"]),
            "actions": values["actions"].numpy(),
            "step_frames": values["step_frames"].numpy(),
            "held": None if values["held"] is None else values["held"].numpy().reshape(-1, 9),
        }
    )
