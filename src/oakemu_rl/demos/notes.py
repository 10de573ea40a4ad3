# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes of the episodes that many environments play at once, of which those that are wanted become recordings."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorWrapper
from numpy.typing import NDArray

from oakemu_rl.demos.demo import Demo
from oakemu_rl.demos.recorder import DemoRecorder
from oakemu_rl.envs import EnvOptions, SpectrumVectorEnv
from oakemu_rl.games import Game

__all__ = ["EpisodeNotes", "RecordedVectorEnv"]

_TRIM_EVERY = 1024
_MOST_STEPS = 100_000
"""Of an episode; a longer one is not noted, so that endless games need no endless memory."""

_StepResult = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


@dataclass(frozen=True, eq=False)
class EpisodeNotes:
    """All that a recording of an episode needs.

    Attributes:
        env_id: Which environment played it.
        seed: Which it was given at the reset; None if its stream went on.
        start: The machine at the beginning, as `Spectrum.save_state` gives it.
        actions: What was played, (S,).
        step_frames: For how many frames, (S,).
        outcome: How it ended; ``"truncated"`` also where it was broken off from outside.
        episode_return: The environment's own rewards since the beginning.
        whole: Whether it began at an episode's beginning, and not in a saved state of one.
    """

    env_id: int
    seed: int | None
    start: bytes
    actions: NDArray[np.int64]
    step_frames: NDArray[np.int64]
    outcome: str
    episode_return: float
    whole: bool = True

    def as_demo(self, game: Game, options: EnvOptions) -> Demo:
        """The recording; it takes as long as playing the episode on one machine.

        Args:
            game: What was played.
            options: Those of the environments that played it.
        """
        recorder = DemoRecorder(game, options, self.start, seed=self.seed)
        for action, frames in zip(self.actions.tolist(), self.step_frames.tolist(), strict=True):
            recorder.add_step(action, frames)
        return recorder.finish(self.outcome, self.episode_return)


class RecordedVectorEnv(VectorWrapper):
    """Environments that take notes of all their episodes; it costs a saved machine an episode and little a step.

    Args:
        env: In autoreset mode SAME_STEP or DISABLED.
        keep: Called with the notes of every episode that has ended, or was broken off by a reset.

    Raises:
        ValueError: The mode is another one.
    """

    def __init__(self, env: SpectrumVectorEnv, keep: Callable[[EpisodeNotes], None]) -> None:
        super().__init__(env)
        if env.autoreset_mode is AutoresetMode.NEXT_STEP:
            raise ValueError("episodes are noted where every step is one: SAME_STEP or DISABLED")
        self.game = env.game
        self._inner = env
        self._keep = keep
        N = env.num_envs
        self._starts: list[bytes | None] = [None] * N  # None where nothing is noted
        self._seeds: list[int | None] = [None] * N
        self._began = np.zeros(N, np.int64)  # the number of its first row
        self._frames_before = np.zeros(N, np.int64)
        self._return_before = np.zeros(N)
        self._whole = np.zeros(N, np.bool_)
        self._last_return = np.zeros(N)
        self._actions: list[NDArray[np.int32]] = []
        self._frames: list[NDArray[np.int32]] = []
        self._trimmed = 0  # rows that are forgotten

    @property
    def _row(self) -> int:
        return self._trimmed + len(self._actions)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Starts new episodes."""
        observations, infos = self._inner.reset(seed=seed, options=options)
        mask = infos["_episode_frame_number"]
        for i in np.flatnonzero(mask).tolist():
            self._end(i, "truncated", float(self._last_return[i]))
            self._seeds[i] = seed[i] if isinstance(seed, list) else None if seed is None else seed + i
            self._begin(i, infos)
        return observations, infos

    def step(self, actions: Any) -> _StepResult:  # noqa: ANN401  # as Gymnasium's vector environments
        """Plays a step in every environment."""
        result = self._inner.step(actions)
        _, _, terminated, truncated, infos = result
        ended = terminated | truncated
        told = infos
        if ended.any() and "final_info" in infos:
            final = infos["final_info"]
            names = ("action_taken", "episode_frame_number", "episode_return", "outcome")
            told = {name: np.where(ended, final[name], infos[name]) for name in names}
        self._actions.append(told["action_taken"].astype(np.int32))
        self._frames.append(told["episode_frame_number"].astype(np.int32))
        self._last_return[:] = told["episode_return"]
        for i in np.flatnonzero(ended).tolist():
            self._end(i, str(told["outcome"][i]), float(told["episode_return"][i]))
            if told is not infos:
                self._seeds[i] = None
                self._begin(i, infos)
        if len(self._actions) >= 2 * _TRIM_EVERY:
            self._trim()
        return result

    def get_state(self, i: int) -> bytes:
        """Everything that environment i is; notes are no part of it."""
        return self._inner.get_state(i)

    def set_state(self, i: int, state: bytes) -> None:
        """Takes environment i back; of the episode that goes on there nothing is noted.

        Raises:
            UserError: The bytes are damaged, or of another configuration.
        """
        self._inner.set_state(i, state)
        self._starts[i] = None

    def _begin(self, i: int, infos: dict[str, Any]) -> None:
        self._starts[i] = self._inner.machine_state(i)
        self._began[i] = self._row
        self._frames_before[i] = infos["episode_frame_number"][i]
        self._whole[i] = infos["episode_length"][i] == 0
        self._return_before[i] = self._last_return[i] = infos["episode_return"][i]

    def _end(self, i: int, outcome: str, episode_return: float) -> None:
        start, first = self._starts[i], int(self._began[i]) - self._trimmed
        self._starts[i] = None
        if start is None or first == len(self._actions):
            return
        frames = np.array([self._frames_before[i], *(row[i] for row in self._frames[first:])], np.int64)
        notes = EpisodeNotes(
            env_id=i,
            seed=self._seeds[i],
            start=start,
            actions=np.array([row[i] for row in self._actions[first:]], np.int64),
            step_frames=np.diff(frames),
            outcome=outcome,
            episode_return=episode_return - float(self._return_before[i]),
            whole=bool(self._whole[i]),
        )
        self._keep(notes)

    def _trim(self) -> None:
        """Forgets what no running episode needs; what one of them needs is kept for all."""
        for i in np.flatnonzero(self._row - self._began > _MOST_STEPS).tolist():
            self._starts[i] = None
        needed = [int(self._began[i]) for i, start in enumerate(self._starts) if start is not None]
        gone = min(needed, default=self._row) - self._trimmed
        if gone >= _TRIM_EVERY:
            del self._actions[:gone], self._frames[:gone]
            self._trimmed += gone
