# SPDX-License-Identifier: GPL-3.0-or-later
"""Environments that take notes of all the episodes that they play."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorWrapper
from numpy.typing import NDArray

from oakemu_rl.demos.notes import EpisodeNotes
from oakemu_rl.demos.way import Way
from oakemu_rl.demos.way_table import WayTable
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
        self._before: list[Way | None] = [None] * N  # what led to where the rows of the episode begin
        self._others = np.zeros(N, np.int64)  # how many steps of that are not the episode's own
        self._last_return = np.zeros(N)
        self._last_frames = np.zeros(N, np.int64)
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
        self._last_frames[:] = told["episode_frame_number"]
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
        if self._ways is None or self._starts[i] is None:
            return
        way = self._way(i, name)
        if way.origin.whole and way.steps <= _MOST_STEPS:
            self._ways.add(bucket, state, way)
            self._go_on(i, way)

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

    def state_dict(self, table: WayTable) -> list[list[Any] | None]:
        """What is noted of the running episodes, as plain values.

        Args:
            table: Takes their ways up.

        Raises:
            ValueError: There are no `ways`.
        """
        return [
            None
            if start is None
            else [
                table.put(self._way(i)),
                int(self._others[i]),
                float(self._last_return[i]),
                int(self._last_frames[i]),
            ]
            for i, start in enumerate(self._starts)
        ]

    def load_state_dict(self, state: Sequence[list[Any] | None], ways: Sequence[Way]) -> None:
        """Takes up where `state_dict` stood, once the environments stand where they did.

        Args:
            state: What it gave.
            ways: Those of its table.
        """
        for i, noted in enumerate(state):
            self._starts[i] = None if noted is None else b""
            if noted is not None:
                number, self._others[i], self._last_return[i], self._last_frames[i] = noted
                self._go_on(i, ways[number])

    def _begin(self, i: int, infos: dict[str, Any], state: bytes | None = None) -> None:
        self._starts[i] = self._inner.machine_state(i)
        self._began[i] = self._row
        self._frames_before[i] = self._last_frames[i] = infos["episode_frame_number"][i]
        self._whole[i] = infos["episode_length"][i] == 0
        self._return_before[i] = self._last_return[i] = infos["episode_return"][i]
        self._before[i] = before = None if state is None or self._ways is None else self._ways.find(state)
        self._others[i] = 0 if before is None else before.steps

    def _go_on(self, i: int, way: Way) -> None:
        """Notes from here on what comes after a way."""
        self._began[i] = self._row
        self._frames_before[i] = self._last_frames[i]
        self._return_before[i] = self._last_return[i]
        self._before[i] = way

    def _end(self, i: int, outcome: str, episode_return: float) -> None:
        notes = self._noted(i, outcome, episode_return)
        self._starts[i] = None
        if notes is not None:
            self._keep(notes)

    def _noted(self, i: int, outcome: str, episode_return: float) -> EpisodeNotes | None:
        """The notes of an episode that has ended; None if it has no step, or is not noted."""
        start, before = self._starts[i], self._before[i]
        if start is None:
            return None
        actions, step_frames = self._rows(i)
        if not len(actions) and (before is None or before.steps == self._others[i]):
            return None
        notes = EpisodeNotes(
            env_id=i,
            seed=self._seeds[i],
            start=start,
            actions=actions,
            step_frames=step_frames,
            outcome=outcome,
            episode_return=episode_return - float(self._return_before[i]),
            whole=bool(self._whole[i]),
        )
        if before is None or self._ways is None:
            return notes
        return replace(self._ways.joined(before, notes), steps_before=int(self._others[i]))

    def _way(self, i: int, name: str | None = None) -> Way:
        """How environment i came to where it stands, which may get a name."""
        if self._ways is None:
            raise ValueError("ways are told by environments that were given some")
        start, before = self._starts[i], self._before[i]
        origin = None if before is None else before.origin
        if origin is None:
            origin = self._ways.origin(start or b"", self._seeds[i], whole=bool(self._whole[i]))
        actions, step_frames = self._rows(i)
        return Way(
            origin,
            before,
            actions.astype(np.uint16),
            step_frames.astype(np.uint16),
            float(self._last_return[i] - self._return_before[i]),
            () if name is None else ((len(actions), name),),
        )

    def _rows(self, i: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The actions that environment i has played since its rows began, and for how many frames, (S,) each."""
        first = int(self._began[i]) - self._trimmed
        frames = np.array([self._frames_before[i], *(row[i] for row in self._frames[first:])], np.int64)
        return np.array([row[i] for row in self._actions[first:]], np.int64), np.diff(frames)

    def _trim(self) -> None:
        """Forgets what no running episode needs; what one of them needs is kept for all."""
        for i in np.flatnonzero(self._row - self._began > _MOST_STEPS).tolist():
            self._starts[i] = None
        needed = [int(self._began[i]) for i, start in enumerate(self._starts) if start is not None]
        gone = min(needed, default=self._row) - self._trimmed
        if gone >= _TRIM_EVERY:
            del self._actions[:gone], self._frames[:gone]
            self._trimmed += gone
