# SPDX-License-Identifier: GPL-3.0-or-later
"""Environments that take notes of all the episodes that they play."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorWrapper
from numpy.typing import NDArray

from oakemu_rl.demos.notes import EpisodeNotes
from oakemu_rl.demos.ways import Ways
from oakemu_rl.envs import SpectrumVectorEnv

__all__ = ["RecordedVectorEnv"]

_TRIM_EVERY = 1024
_MOST_STEPS = 100_000
"""Of an episode; a longer one is not noted, so that endless games need no endless memory."""

_StepResult = tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class RecordedVectorEnv(VectorWrapper):
    """Environments that take notes of all their episodes; it costs a saved machine an episode and little a step.

    An episode that begins in a state to which a way is known is noted together with that way: as a whole.

    Args:
        env: In autoreset mode SAME_STEP or DISABLED.
        keep: Called with the notes of every episode that has ended, or was broken off by a reset.
        ways: Where `remember` keeps how states were reached; None remembers none.

    Raises:
        ValueError: The mode is another one.
    """

    def __init__(self, env: SpectrumVectorEnv, keep: Callable[[EpisodeNotes], None], ways: Ways | None = None) -> None:
        super().__init__(env)
        if env.autoreset_mode is AutoresetMode.NEXT_STEP:
            raise ValueError("episodes are noted where every step is one: SAME_STEP or DISABLED")
        self.game = env.game
        self._inner = env
        self._keep = keep
        self._ways = ways
        N = env.num_envs
        self._starts: list[bytes | None] = [None] * N  # None where nothing is noted
        self._seeds: list[int | None] = [None] * N
        self._began = np.zeros(N, np.int64)  # the number of its first row
        self._frames_before = np.zeros(N, np.int64)
        self._return_before = np.zeros(N)
        self._whole = np.zeros(N, np.bool_)
        self._before: list[EpisodeNotes | None] = [None] * N  # what led to the state in which it began
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
        states = (options or {}).get("states") or [None] * self.num_envs
        for i in np.flatnonzero(mask).tolist():
            self._end(i, "truncated", float(self._last_return[i]))
            self._seeds[i] = seed[i] if isinstance(seed, list) else None if seed is None else seed + i
            self._begin(i, infos, states[i])
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

    def remember(self, i: int, bucket: int, state: bytes, name: str) -> None:
        """Keeps how environment i came to where it stands, if that is known from an episode's beginning on.

        Args:
            i: Which.
            bucket: Among whose ways.
            state: What `get_state` gives now.
            name: Of this moment, for the recordings of which it becomes a part.
        """
        notes = self._so_far(i, "running", float(self._last_return[i])) if self._ways is not None else None
        if self._ways is not None and notes is not None and notes.whole and len(notes.actions) <= _MOST_STEPS:
            here = (len(notes.actions), name)
            self._ways.add(bucket, state, replace(notes, markers=(*notes.markers, here)))

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

    def _begin(self, i: int, infos: dict[str, Any], state: bytes | None = None) -> None:
        self._starts[i] = self._inner.machine_state(i)
        self._began[i] = self._row
        self._frames_before[i] = infos["episode_frame_number"][i]
        self._whole[i] = infos["episode_length"][i] == 0
        self._return_before[i] = self._last_return[i] = infos["episode_return"][i]
        self._before[i] = None if state is None or self._ways is None else self._ways.find(state)

    def _end(self, i: int, outcome: str, episode_return: float) -> None:
        notes = self._so_far(i, outcome, episode_return)
        self._starts[i] = None
        if notes is not None:
            self._keep(notes)

    def _so_far(self, i: int, outcome: str, episode_return: float) -> EpisodeNotes | None:
        """The notes of the running episode; None if it has no step, or is not noted."""
        start, first = self._starts[i], int(self._began[i]) - self._trimmed
        if start is None or first == len(self._actions):
            return None
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
        before = self._before[i]
        return notes if before is None else notes.after(before)

    def _trim(self) -> None:
        """Forgets what no running episode needs; what one of them needs is kept for all."""
        for i in np.flatnonzero(self._row - self._began > _MOST_STEPS).tolist():
            self._starts[i] = None
        needed = [int(self._began[i]) for i, start in enumerate(self._starts) if start is not None]
        gone = min(needed, default=self._row) - self._trimmed
        if gone >= _TRIM_EVERY:
            del self._actions[:gone], self._frames[:gone]
            self._trimmed += gone
