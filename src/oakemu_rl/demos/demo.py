# SPDX-License-Identifier: GPL-3.0-or-later
"""A recorded episode."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.envs import OUTCOMES
from oakemu_rl.errors import UserError

__all__ = ["CHECK_EVERY", "SOURCES", "Demo", "Source"]

Source = Literal["hand", "agent", "rzx", "explorer", "script", "minari"]

SOURCES: tuple[Source, ...] = get_args(Source)
"""Who can have played."""

CHECK_EVERY = 10
"""Frames between two checks of the RAM, unless a recording says otherwise."""

_ROW_BYTES = 9
_MAX_MASK = 0x1F


@dataclass(frozen=True, eq=False)
class Demo:
    """An episode that can be played again, frame by frame: F frames, and where an agent played it, S steps.

    All that happens follows from the machine at the start and the keys of every frame; the rest says what they mean, or
    whether a machine that plays them again has done the same.

    Attributes:
        game_id: The environment's id.
        fingerprint: Of its definition and program (`oakemu_rl.games.identity.fingerprint`).
        machine: The model of the machine: ``"48k"``, ``"128k"`` or ``"plus2"``.
        settings: The options of the environment that decide how it plays, as keywords of `SpectrumEnv`.
        action_meanings: The names of the actions, by number; of MultiBinary ones, those of all combinations.
        start: The machine right after the reset, as `Spectrum.save_state` gives it.
        keys: What is held in each frame, (F, 9) uint8: bits of eight half rows, and the Kempston byte.
        actions: What was played in each step, after stickiness and masks, (S,) int64; None where nobody took steps.
            Where a person did, whose keys change within steps, it is what a step is taken for: `keys` says what was
            held.
        step_frames: How many frames each step has, (S,) int64; None as `actions`.
        seed: Of the environment at the reset; None if there was none.
        source: Who played.
        outcome: How it ended, one of `oakemu_rl.envs.OUTCOMES`; ``"running"`` where the recording ends before.
        episode_return: The sum of the rewards; None where nobody counted.
        check_every: Every so many frames, and after the last, there is a check.
        checks: Hashes of the RAM, (ceil(F / check_every),) uint64: check k is that after frame
            ``min((k + 1) * check_every, F)``.
        keyframes: Machines on the way, at markers among others, as (frames played before, saved state), ascending.
        markers: Names of moments, as (frames played before, name), ascending.

    Raises:
        UserError: The parts do not fit one another.
    """

    game_id: str
    fingerprint: str
    machine: str
    settings: Mapping[str, Any]
    action_meanings: tuple[str, ...]
    start: bytes
    keys: NDArray[np.uint8]
    actions: NDArray[np.int64] | None = None
    step_frames: NDArray[np.int64] | None = None
    seed: int | None = None
    source: Source = "agent"
    outcome: str = "running"
    episode_return: float | None = None
    check_every: int = CHECK_EVERY
    checks: NDArray[np.uint64] = field(default_factory=lambda: np.zeros(0, np.uint64))
    keyframes: tuple[tuple[int, bytes], ...] = ()
    markers: tuple[tuple[int, str], ...] = ()

    def __post_init__(self) -> None:
        self._check_frames()
        self._check_steps()
        if self.source not in SOURCES:
            raise UserError(f"recording: the source is one of {', '.join(SOURCES)}, not {self.source!r}")
        if self.outcome not in OUTCOMES:
            raise UserError(f"recording: the outcome is one of {', '.join(OUTCOMES)}, not {self.outcome!r}")
        for what, moments in (("keyframes", self.keyframes), ("markers", self.markers)):
            frames = [frame for frame, _ in moments]
            if frames != sorted(frames) or (frames and not 0 <= frames[0] <= frames[-1] <= self.frames):
                raise UserError(f"recording: its {what} do not ascend from frame 0 to frame {self.frames}")

    def _check_frames(self) -> None:
        if self.keys.ndim != 2 or self.keys.shape[1] != _ROW_BYTES or self.keys.dtype != np.uint8:
            raise UserError(f"recording: its keys are (F, {_ROW_BYTES}) uint8, not {self.keys.shape} {self.keys.dtype}")
        if not self.frames:
            raise UserError("recording: it is empty; it needs at least one frame")
        wrong = np.flatnonzero((self.keys > _MAX_MASK).any(axis=1))
        if wrong.size:
            raise UserError(f"recording: frame {wrong[0] + 1}: there are no keys {self.keys[wrong[0]].tolist()}")
        if self.check_every < 1 or self.checks.shape != (-(-self.frames // self.check_every),):
            raise UserError(
                f"recording: {self.frames} frames with a check every {self.check_every} do not make "
                f"{self.checks.size} checks"
            )

    def _check_steps(self) -> None:
        actions, step_frames = self.actions, self.step_frames
        if (actions is None) != (step_frames is None):
            raise UserError("recording: actions and their numbers of frames are given together or not at all")
        if actions is None or step_frames is None:
            return
        if actions.shape != step_frames.shape or actions.ndim != 1:
            raise UserError(f"recording: {actions.shape} actions do not have {step_frames.shape} numbers of frames")
        if (step_frames < 1).any() or int(step_frames.sum()) != self.frames:
            raise UserError(f"recording: its steps do not add up to its {self.frames} frames")
        wrong = np.flatnonzero((actions < 0) | (actions >= len(self.action_meanings)))
        if wrong.size:
            raise UserError(
                f"recording: step {wrong[0] + 1}: there is no action {actions[wrong[0]]}; "
                f"there are 0 to {len(self.action_meanings) - 1}"
            )

    @property
    def frames(self) -> int:
        """F."""
        return len(self.keys)

    @property
    def steps(self) -> int | None:
        """S; None where nobody took steps."""
        return None if self.actions is None else len(self.actions)

    @property
    def step_ends(self) -> NDArray[np.int64]:
        """How many frames have been played after 0, 1, ... S steps, (S + 1,).

        Raises:
            UserError: Nobody took steps.
        """
        if self.step_frames is None:
            raise UserError(f"recording of {self.game_id}: it has keys, but no steps of an agent")
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.step_frames)])
