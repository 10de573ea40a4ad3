# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays what was recorded in an environment of the game, which says how it ends and what it earns."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos.demo import Demo
from oakemu_rl.demos.recorder import DemoRecorder
from oakemu_rl.demos.rzx.scanning import Moment, OnFrame, Scan
from oakemu_rl.envs import SpectrumEnv

__all__ = ["Follower", "Piece"]

_STEPS_A_REPORT = 50
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
class _Steps:
    """How many steps went as recorded, and where that led."""

    count: int = 0
    episode_return: float = 0.0
    outcome: str = "running"
    parted: bool = False
    """Whether the next step did not go as recorded."""


class Follower:
    """Plays frame by frame what was held, and takes notes of it in steps.

    Our machine, given the same keys, does what the recorded one did, unless the emulator that recorded it kept other
    time, or keys changed within a frame. Where the variables that decide about reward and end become others than those
    recorded, a piece ends, and the next one begins in the recorded machine.

    Args:
        env: The environment; its frameskip is one number, and it has no limits.
        scan: The recording.
        moment: In which the play begins.
        actions: What the steps from there on are taken for, (S,).
        on_frame: Told of how far it is.
    """

    def __init__(
        self,
        env: SpectrumEnv,
        scan: Scan,
        moment: Moment,
        actions: NDArray[np.int64],
        on_frame: OnFrame | None = None,
    ) -> None:
        self._env = env
        self._scan = scan
        self.moment = moment
        self._actions = actions.tolist()
        self._on_frame = on_frame
        self.frameskip = env.options.frameskip[0]
        self._places = scan.memory.vital_places
        self.end = moment.frame
        """The frame of the RZX recording up to which it has been followed."""

    def pieces(self) -> Iterator[Piece]:
        """Plays until the play is over or its steps are: one piece if that works out, else several."""
        begin = 0
        while begin < len(self._actions):
            state = self._scan.state_at(self._frame(begin)) if begin else self.moment.state
            steps = self._play(begin, state)
            self.end = self._frame(begin + steps.count)
            if steps.count >= _FEWEST_STEPS or steps.outcome != "running":
                yield Piece(self._record(begin, steps, state), self._frame(begin), self.end)
            if not steps.parted:
                return
            begin += max(steps.count, 1)

    def _play(self, begin: int, state: bytes) -> _Steps:
        """Plays on until the play is over, its steps are, or the ways part."""
        self._env.reset(seed=0, options={"machine": state})
        steps = _Steps()
        for step in range(begin, len(self._actions)):
            _, _, terminated, _, info = self._env.step_held(self._actions[step], self._held(step))
            if (self._env.get_ram()[self._places] != self._scan.vital[self._frame(step + 1)]).any():
                steps.parted = True
                return steps
            steps.count += 1
            if self._on_frame is not None and step % _STEPS_A_REPORT == 0:
                self._on_frame(self._frame(step))
            steps.episode_return = info["episode_return"]
            if terminated:
                steps.outcome = info["outcome"]
                return steps
        return steps

    def _record(self, begin: int, steps: _Steps, state: bytes) -> Demo:
        recorder = DemoRecorder(self._env.game, self._env.options, state, source="rzx")
        for step in range(begin, begin + steps.count):
            recorder.add_held_step(self._actions[step], self._held(step))
        return recorder.finish(steps.outcome, steps.episode_return)

    def _held(self, step: int) -> NDArray[np.uint8]:
        return self._scan.keys[self._frame(step) : self._frame(step + 1)]

    def _frame(self, step: int) -> int:
        return self.moment.frame + step * self.frameskip
