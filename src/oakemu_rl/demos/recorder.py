# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes recordings of what is played."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos.checking import ram_hash
from oakemu_rl.demos.demo import CHECK_EVERY, Demo, Source
from oakemu_rl.emulator import Spectrum
from oakemu_rl.envs.actions import action_set
from oakemu_rl.envs.options import EnvOptions
from oakemu_rl.games import Game
from oakemu_rl.games.identity import fingerprint

__all__ = ["DemoRecorder", "KeyTrace", "settings_of", "trace_keys"]

_KEYFRAME_EVERY = 250
"""Frames between two keyframes: a machine plays them in some milliseconds."""


def settings_of(options: EnvOptions) -> dict[str, Any]:
    """What of an environment's options decides how it plays, as keywords of `SpectrumEnv`."""
    low, high = options.frameskip
    return {
        "frameskip": low if low == high else [low, high],
        "repeat_action_probability": options.repeat_action_probability,
        "full_action_space": options.full_action_space,
        "action_type": options.action_type,
        "reward": options.reward,
        "episodic_life": options.episodic_life,
        "contention": options.contention,
    }


@dataclass(frozen=True)
class KeyTrace:
    """What a machine was seen to do when keys were played on it: fields of a `Demo`."""

    checks: NDArray[np.uint64]
    keyframes: tuple[tuple[int, bytes], ...]


def trace_keys(
    machine: Spectrum,
    keys: NDArray[np.uint8],
    markers: Iterable[tuple[int, str]] = (),
    *,
    check_every: int = CHECK_EVERY,
) -> KeyTrace:
    """Plays keys on a machine and notes the checks and keyframes.

    Args:
        machine: It stands at the start.
        keys: What it holds in each frame, (F, 9).
        markers: Moments of which there are to be keyframes, too, as of `Demo`.
        check_every: Frames between two checks.
    """
    checks, keyframes, last = [], [], len(keys)
    marked = {frame for frame, _ in markers}
    for frame, row in enumerate(keys, start=1):
        machine.hold_row(row)
        machine.run_frames(1)
        if frame % check_every == 0 or frame == last:
            checks.append(ram_hash(machine.memory))
        if frame % _KEYFRAME_EVERY == 0 or frame in marked:
            keyframes.append((frame, machine.save_state()))
    return KeyTrace(np.array(checks, np.uint64), tuple(keyframes))


class DemoRecorder:
    """Takes notes of an episode, step by step or frame by frame, and makes a recording of it at the end.

    Notes cost next to nothing: the checks and keyframes are made by `finish`, which plays the keys again on a machine
    of its own, so that many episodes can be noted and only the good ones kept.

    Example:
        >>> env = SpectrumEnv("acorns")
        >>> observation, info = env.reset(seed=1)
        >>> recorder = DemoRecorder(env.game, env.options, env.machine_state(), seed=1)
        >>> frames = info["episode_frame_number"]
        >>> while info["outcome"] == "running":
        ...     observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        ...     recorder.add_step(info["action_taken"], info["episode_frame_number"] - frames)
        ...     frames = info["episode_frame_number"]
        >>> save_demo("episode.demo", recorder.finish(info["outcome"], info["episode_return"]))

    Args:
        game: The game.
        options: Those of the environment, complete (`SpectrumEnv.options`).
        start: The machine right after the reset (`SpectrumEnv.machine_state`).
        source: Who plays.
        seed: Of the environment at the reset.
    """

    def __init__(
        self,
        game: Game,
        options: EnvOptions,
        start: bytes,
        *,
        source: Source = "agent",
        seed: int | None = None,
    ) -> None:
        self._game = game
        self._options = options
        self._start = start
        self._source = source
        self._seed = seed
        self._actions_of = action_set(game, full=options.full_action_space, action_type=options.action_type)
        self._held: list[NDArray[np.uint8]] = []
        self._actions: list[int] = []
        self._step_frames: list[int] = []
        self._markers: list[tuple[int, str]] = []
        self._frames = 0

    @property
    def frames(self) -> int:
        """How many frames have been noted."""
        return self._frames

    def add_step(self, action: int, frames: int) -> None:
        """A step of an environment.

        Args:
            action: What was really played (``info["action_taken"]``).
            frames: How many frames it took (the growth of ``info["episode_frame_number"]``).
        """
        self._note(np.broadcast_to(self._actions_of.table[action], (frames, 9)), action)

    def add_held_step(self, action: int, held: NDArray[np.uint8]) -> None:
        """A step in which each frame held keys of its own.

        Args:
            action: What it is taken for.
            held: What was held in its frames, (F, 9).
        """
        self._note(held.copy(), action)

    def add_frame(self, row: NDArray[np.uint8]) -> None:
        """A frame of a machine that nobody steps: what was held, (9,) as of `Spectrum.hold_row`."""
        self._note(np.array(row, np.uint8).reshape(1, -1))

    def mark(self, name: str) -> None:
        """Gives this moment, after what has been noted so far, a name."""
        self._markers.append((self.frames, name))

    def finish(self, outcome: str = "running", episode_return: float | None = None) -> Demo:
        """The recording.

        Args:
            outcome: How the episode ended, one of `oakemu_rl.envs.OUTCOMES`.
            episode_return: The sum of its rewards, if anybody counted.

        Raises:
            UserError: Nothing has been noted.
            ValueError: Steps have been noted as well as single frames.
        """
        actions, step_frames = np.array(self._actions, np.int64), np.array(self._step_frames, np.int64)
        stepped = bool(self._actions)
        if stepped and len(self._held) != len(actions):
            raise ValueError("a recording is noted by steps or by frames, not by both")
        keys = np.concatenate([np.zeros((0, 9), np.uint8), *self._held])
        machine = Spectrum(self._game.definition.machine, contention=self._options.contention)
        machine.load_state(self._start)
        trace = trace_keys(machine, keys, self._markers)
        return Demo(
            game_id=self._game.id,
            fingerprint=fingerprint(self._game),
            machine=self._game.definition.machine,
            settings=settings_of(self._options),
            action_meanings=self._actions_of.names,
            start=self._start,
            keys=keys,
            actions=actions if stepped else None,
            step_frames=step_frames if stepped else None,
            seed=self._seed,
            source=self._source,
            outcome=outcome,
            episode_return=episode_return,
            checks=trace.checks,
            keyframes=trace.keyframes,
            markers=tuple(self._markers),
        )

    def _note(self, held: NDArray[np.uint8], action: int | None = None) -> None:
        self._held.append(held)
        self._frames += len(held)
        if action is not None:
            self._actions.append(action)
            self._step_frames.append(len(held))
