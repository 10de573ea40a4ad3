# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays a game in the vector environment, and keeps what the checks look at."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import Game

__all__ = ["Moment", "Played", "Player", "hold_each", "play", "random_player"]

Player = Callable[[npt.NDArray[np.bool_]], npt.NDArray[np.int64]]
"""Gives the next actions, (N,), knowing which are allowed, (N, A)."""

_EARLY_MOMENTS = 16
_LATE_MOMENTS = 48
_STEPS_BETWEEN_EARLY = 4
_STEPS_BETWEEN_LATE = 20


class Moment(NamedTuple):
    """A state in the middle of an episode."""

    env: bytes
    """As `SpectrumVectorEnv.get_state` gives it."""
    machine: bytes
    """The machine alone, as `Spectrum.load_state` takes it."""


@dataclass
class Played:
    """What happened while somebody played.

    Attributes:
        names: The variables, in the order of the rows below.
        steps: Steps in all environments.
        frames: Frames in all environments.
        seconds: How long that took.
        rewarded: Steps with a reward other than 0.
        largest: The largest reward of a step, in amount.
        smallest: The smallest reward of a step that is not 0, in amount; infinity if there was none.
        returns: Of the episodes that ended.
        lengths: Their steps.
        outcomes: How they ended.
        low: The lowest value of each variable.
        high: The highest one.
        seen_parts: Parts of the reward, and in how many steps they were not 0.
        zero_episodes: Episodes that ended and had no reward other than 0.
        moments: From here and there.
    """

    names: tuple[str, ...]
    low: npt.NDArray[np.int64]
    high: npt.NDArray[np.int64]
    steps: int = 0
    frames: int = 0
    seconds: float = 0.0
    rewarded: int = 0
    largest: float = 0.0
    smallest: float = float("inf")
    returns: list[float] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    zero_episodes: int = 0
    seen_parts: Counter[str] = field(default_factory=Counter)
    moments: list[Moment] = field(default_factory=list)

    def note_variables(self, infos: dict[str, Any]) -> None:
        """Takes in the values of a step."""
        for row, name in enumerate(self.names):
            values = infos[name]
            self.low[row] = min(self.low[row], int(values.min()))
            self.high[row] = max(self.high[row], int(values.max()))

    def note_rewards(self, rewards: npt.NDArray[np.float64], infos: dict[str, Any]) -> None:
        """Takes in the rewards of a step."""
        amounts = np.abs(rewards[rewards != 0])
        self.rewarded += amounts.size
        if amounts.size:
            self.largest = max(self.largest, float(amounts.max()))
            self.smallest = min(self.smallest, float(amounts.min()))
        for key, values in infos.items():
            if key.startswith("reward/"):
                self.seen_parts[key.removeprefix("reward/")] += int(np.count_nonzero(values))

    def note_ends(self, ended: npt.NDArray[np.bool_], infos: dict[str, Any]) -> None:
        """Takes in the episodes that ended in a step."""
        for i in np.flatnonzero(ended):
            self.returns.append(float(infos["episode_return"][i]))
            self.lengths.append(int(infos["episode_length"][i]))
            self.outcomes[str(infos["outcome"][i])] += 1


class _Moments:
    """Chooses moments to keep: some of the first steps, for a game may soon be over, and some of all that follow."""

    def __init__(self, env: SpectrumVectorEnv) -> None:
        self._env = env
        self._early: list[Moment] = []
        self._late: list[Moment] = []
        self._gap = _STEPS_BETWEEN_LATE

    def look(self, step: int) -> None:
        """Keeps the state of an environment, if it is time for one."""
        if step % _STEPS_BETWEEN_EARLY == 0 and len(self._early) < _EARLY_MOMENTS:
            self._early.append(self._take(len(self._early)))
        elif step % self._gap == 0:
            self._late.append(self._take(step // self._gap))
            if len(self._late) == 2 * _LATE_MOMENTS:
                del self._late[::2]  # so that they stay spread over everything
                self._gap *= 2

    def all(self) -> list[Moment]:
        """Those that were kept, at most 64 of them."""
        return self._early + self._late[:: 1 + len(self._late) // (_LATE_MOMENTS + 1)]

    def _take(self, number: int) -> Moment:
        i = number % self._env.num_envs
        return Moment(self._env.get_state(i), self._env.machine_state(i))


def random_player(rng: np.random.Generator) -> Player:
    """Any action that is allowed is as likely as any other, in each step anew."""
    return lambda allowed: (rng.random(allowed.shape) * allowed).argmax(axis=1)


def hold_each(num_envs: int, num_actions: int) -> Player:
    """Environment i holds action i all the time; beyond the last action, counting begins anew."""
    actions = np.arange(num_envs) % num_actions
    return lambda _: actions


def play(
    game: Game, player: Player, *, num_envs: int, steps: int, seconds: float, seed: int, num_threads: int | None = None
) -> Played:
    """Plays in `num_envs` environments at once.

    Args:
        game: The game.
        player: Chooses actions.
        num_envs: N.
        steps: Steps in each environment, at most.
        seconds: How long, at most; whoever is stopped by that has still played a step.
        seed: Of the first environment; the others count on.
        num_threads: Threads; None is one a processor.
    """
    env = SpectrumVectorEnv(game, num_envs, num_threads=num_threads)
    try:
        _, infos = env.reset(seed=seed)
        names = tuple(name for name in game.variable_names if name in infos)
        first = np.array([infos[name] for name in names]).reshape(len(names), num_envs)
        played = Played(names, first.min(axis=1), first.max(axis=1))
        begin = int(infos["frame_number"].sum())
        start = time.perf_counter()
        moments = _Moments(env)
        nonzero = np.zeros(num_envs, np.bool_)  # whether there was a reward in the episode
        for step in range(steps):
            _, rewards, terminated, truncated, infos = env.step(player(env.action_masks()))
            played.note_variables(infos)
            played.note_rewards(rewards, infos)
            nonzero |= rewards != 0
            ended = terminated | truncated
            if ended.any():
                played.note_ends(ended, infos)
                played.zero_episodes += int(np.count_nonzero(ended & ~nonzero))
                nonzero[ended] = False
            moments.look(step)
            played.steps += num_envs
            if time.perf_counter() - start > seconds:
                break
        played.seconds = time.perf_counter() - start
        played.moments = moments.all()
        played.frames = int(infos["frame_number"].sum()) - begin
        return played
    finally:
        env.close()
