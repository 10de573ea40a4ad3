# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays what somebody played frame by frame as an agent would, in steps, and keeps it on the recorded way."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos.demo import Demo
from oakemu_rl.demos.recorder import DemoRecorder
from oakemu_rl.demos.rzx.scanning import Moment, Scan
from oakemu_rl.envs import SpectrumEnv

__all__ = ["Follower", "Piece"]

_PATIENCE = 32
"""Frames by which an agent may be early or late: it can press keys only at the beginning of a step."""
_RUN_UP = 25
"""Frames before the parting of the ways with which the next piece begins, so that it holds what has failed."""
_FEWEST_STEPS = 8
"""What is shorter and leads to no end is no piece."""


@dataclass(frozen=True, eq=False)
class Piece:
    """A recording of a part of a play, or of all of it.

    Attributes:
        demo: The recording.
        first: The frame of the RZX recording in which it begins.
        end: The frame after its last one.
    """

    demo: Demo
    first: int
    end: int


@dataclass
class _Notes:
    """Steps that have been played, and how many of them went the recorded way."""

    actions: list[int]
    returns: list[float]
    outcome: str = "running"
    good: int = 0


class Follower:
    """Plays in steps what was played in frames.

    Keys that change within a step cannot be played by an agent as they were, and what comes of it may differ. Where the
    variables that decide about reward and end become others than those recorded, a piece ends, and the next one begins
    in the recorded machine, a little before.

    Args:
        env: The environment; its frameskip is one number, and it has no limits and no sticky actions.
        scan: The recording.
        moment: In which the play begins.
        actions: Of the steps from there on, (S,).
    """

    def __init__(self, env: SpectrumEnv, scan: Scan, moment: Moment, actions: NDArray[np.int64]) -> None:
        self._env = env
        self._scan = scan
        self._moment = moment
        self._actions = actions.tolist()
        self._frameskip = env.options.frameskip[0]
        self._run_up = -(-_RUN_UP // self._frameskip)
        self._places = scan.memory.vital_places
        self.end = moment.frame
        """The frame of the RZX recording up to which it has been followed."""
        self.is_over = False
        """Whether the play has ended as it did when it was recorded."""

    def pieces(self) -> Iterator[Piece]:
        """Plays until the play is over or its steps are: one piece if that works out, else several."""
        begin = 0
        while not self.is_over and begin < len(self._actions):
            state = self._scan.state_at(self._frame(begin)) if begin else self._moment.state
            notes = self._play(begin, state)
            end = begin + notes.good
            self.end = self._frame(end)
            self.is_over = notes.outcome != "running" and notes.good == len(notes.actions)
            if self.is_over or notes.good >= _FEWEST_STEPS:
                yield Piece(self._record(notes, state), self._frame(begin), self.end)
            if end == len(self._actions):
                return
            begin = end - self._run_up if end - self._run_up > begin else max(end, begin + 1)

    def _frame(self, step: int) -> int:
        return self._moment.frame + step * self._frameskip

    def _play(self, begin: int, state: bytes) -> _Notes:
        """Plays on until the play is over, its steps are, or the ways part."""
        self._env.reset(seed=0, options={"machine": state})
        notes = _Notes([], [])
        for action in self._actions[begin:]:
            _, _, terminated, _, info = self._env.step(action)
            notes.actions.append(info["action_taken"])
            notes.returns.append(info["episode_return"])
            played = len(notes.actions)
            if self._is_recorded(self._frame(begin + played)):
                notes.good = played
            elif (played - notes.good) * self._frameskip > _PATIENCE:
                break
            if terminated:
                notes.outcome = info["outcome"]
                break
        return notes

    def _is_recorded(self, frame: int) -> bool:
        """Whether the variables that decide are as they were in the recording at about that time."""
        around = self._scan.vital[max(frame - _PATIENCE, self._scan.first) : frame + _PATIENCE + 1]
        return bool((around == self._env.get_ram()[self._places]).all(axis=1).any())

    def _record(self, notes: _Notes, state: bytes) -> Demo:
        recorder = DemoRecorder(self._env.game, self._env.options, state, source="rzx")
        for action in notes.actions[: notes.good]:
            recorder.add_step(action, self._frameskip)
        outcome = notes.outcome if notes.good == len(notes.actions) else "running"
        return recorder.finish(outcome, notes.returns[notes.good - 1])
