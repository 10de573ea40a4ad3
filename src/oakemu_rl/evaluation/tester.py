# SPDX-License-Identifier: GPL-3.0-or-later
"""Playing whole episodes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.evaluation.players import ModelPlayer, Player
from oakemu_rl.evaluation.result import EpisodeResult, EvaluationResult
from oakemu_rl.games import Game
from oakemu_rl.ppo import PPOModel
from oakemu_rl.ppo.env_contract import reward_parts, state_masks

__all__ = ["EpisodeVectorEnv", "Tester", "episode_chance", "episode_seed", "episode_seeds", "make_episode_env"]

EpisodeVectorEnv = VectorEnv[Any, Any, Any]
_UNPLAYED = -1

# Spawn keys no other stream has: training's are (stream, i) with small numbers.
_SEEDS_KEY = 0x45564C53
_CHANCE_KEY = 0x45564C43


def episode_seed(seed: int, index: int) -> int:
    """Seed of an episode of an evaluation; it is of no stream that training uses.

    Args:
        seed: The evaluation's.
        index: The episode's number, from 0.

    Raises:
        ValueError: The seed is negative.
    """
    child = np.random.SeedSequence(seed, spawn_key=(_SEEDS_KEY, index))
    return int(child.generate_state(1, np.uint64)[0] >> np.uint64(1))


def episode_seeds(seed: int, count: int) -> list[int]:
    """Seeds of the first `count` episodes of an evaluation."""
    return [episode_seed(seed, index) for index in range(count)]


def episode_chance(seed: int) -> np.random.Generator:
    """The random numbers of the player of an episode, apart from those of its environment."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_CHANCE_KEY,)))


def make_episode_env(
    game: Game, num_envs: int, options: Mapping[str, Any], num_threads: int | None = None
) -> SpectrumVectorEnv:
    """A vector environment as `Tester` needs it: nothing begins before it is asked to.

    Args:
        game: The game.
        num_envs: How many machines.
        options: Keyword arguments of `SpectrumVectorEnv`.
        num_threads: Emulation threads; None is one a processor.
    """
    return SpectrumVectorEnv(
        game, num_envs, num_threads=num_threads, autoreset_mode=AutoresetMode.DISABLED, **dict(options)
    )


class Tester:
    """Plays whole episodes on environments of its own, so that judging never disturbs training.

    Every episode starts from its own seed, and each counts exactly once: no episode is favoured for being short, as it
    would be if the first N to finish were taken. What comes out does not depend on `num_envs`.

    Args:
        make_env: Makes a vector environment of the given size in autoreset mode DISABLED.
        variables: Names of the info entries that are kept of each episode's last step.
        num_envs: How many episodes are played at once, at most.

    Raises:
        ValueError: ``num_envs`` is below 1.
    """

    def __init__(
        self, make_env: Callable[[int], EpisodeVectorEnv], *, variables: Sequence[str] = (), num_envs: int = 16
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs must be at least 1, got {num_envs}")
        self._make_env = make_env
        self._variables = tuple(variables)
        self._num_envs = num_envs
        self._env: EpisodeVectorEnv | None = None

    def run(
        self,
        model: PPOModel,
        seeds: Sequence[int],
        *,
        greedy: bool = True,
        on_episode: Callable[[int], None] | None = None,
    ) -> EvaluationResult:
        """Lets a model play one episode for each seed.

        Args:
            model: The weights; they are not changed, and training mode is restored afterwards.
            seeds: One an episode.
            greedy: Takes the most probable action; otherwise samples.
            on_episode: Called with the number of finished episodes, for a progress display.

        Raises:
            ValueError: There is no seed, or the environment resets by itself.
        """
        was_training = model.training
        model.eval()
        try:
            return self.play(ModelPlayer(model, greedy=greedy), seeds, on_episode=on_episode)
        finally:
            model.train(was_training)

    def play(
        self, player: Player, seeds: Sequence[int], *, on_episode: Callable[[int], None] | None = None
    ) -> EvaluationResult:
        """Lets anybody play one episode for each seed.

        Args:
            player: Who plays.
            seeds: One an episode.
            on_episode: Called with the number of finished episodes, for a progress display.

        Returns:
            The episodes in the order of ``seeds``.

        Raises:
            ValueError: There is no seed, or the environment resets by itself.
        """
        if not seeds:
            raise ValueError("an evaluation needs at least one episode")
        env = self._environment(len(seeds))
        return EvaluationResult(tuple(self._play(env, player, list(seeds), on_episode)))

    def close(self) -> None:
        """Closes the environments."""
        if self._env is not None:
            self._env.close()
            self._env = None

    def _environment(self, episodes: int) -> EpisodeVectorEnv:
        wanted = min(self._num_envs, episodes)
        if self._env is None or self._env.num_envs != wanted:
            self.close()
            self._env = self._make_env(wanted)
            mode = self._env.metadata.get("autoreset_mode")
            if mode is not AutoresetMode.DISABLED:
                raise ValueError(f"whole episodes need an environment in autoreset mode DISABLED, got {mode}")
        return self._env

    def _play(
        self, env: EpisodeVectorEnv, player: Player, seeds: list[int], on_episode: Callable[[int], None] | None
    ) -> list[EpisodeResult]:
        """Plays each next episode on whichever environment is free; one without work plays on uncounted."""
        N = env.num_envs
        playing = np.arange(N)  # which episode each environment plays
        following = N
        chance = [episode_chance(seed) for seed in seeds[:N]]
        tally = _Tally(N, self._variables)
        results: dict[int, EpisodeResult] = {}
        first: Any = seeds[:N]  # VectorEnv annotates int alone; environments take lists
        observations, infos = env.reset(seed=first)
        masks = state_masks(infos)
        player.begin(np.ones(N, dtype=np.bool_))
        while len(results) < len(seeds):
            actions = player.choose(observations, chance, masks)
            observations, rewards, terminated, truncated, infos = env.step(actions)
            masks = state_masks(infos, masks)
            tally.add(rewards, infos)
            ended = np.asarray(terminated | truncated)
            if not ended.any():
                continue
            restart: Any = [None] * N  # None where the mask is False: those environments keep their streams
            for i in np.flatnonzero(ended):
                episode = int(playing[i])
                if episode != _UNPLAYED:
                    results[episode] = tally.result(int(i), seeds[episode], infos)
                    if on_episode is not None:
                        on_episode(len(results))
                playing[i] = following if following < len(seeds) else _UNPLAYED
                restart[i] = seeds[playing[i]] if playing[i] != _UNPLAYED else seeds[0]
                chance[i] = episode_chance(restart[i])
                following += 1
            tally.clear(ended)
            if len(results) < len(seeds):
                observations, infos = env.reset(seed=restart, options={"reset_mask": ended})
                masks = state_masks(infos, masks)
                player.begin(ended)
        return [results[episode] for episode in range(len(seeds))]


class _Tally:
    """Adds up the episodes that N environments are playing."""

    def __init__(self, num_envs: int, variables: Sequence[str]) -> None:
        self._variables = variables
        self._returns = np.zeros(num_envs)
        self._lengths = np.zeros(num_envs, dtype=np.int64)
        self._parts: dict[str, NDArray[np.float64]] = {}

    def add(self, rewards: NDArray[np.float64], infos: Mapping[str, Any]) -> None:
        """Takes in a step of all environments."""
        self._returns += rewards
        self._lengths += 1
        for name, part in reward_parts(infos).items():
            self._parts[name] = self._parts.get(name, 0.0) + part

    def clear(self, ended: NDArray[np.bool_]) -> None:
        """Begins anew where episodes ended, (N,)."""
        for sums in (self._returns, self._lengths, *self._parts.values()):
            sums[ended] = 0

    def result(self, i: int, seed: int, infos: Mapping[str, Any]) -> EpisodeResult:
        """What the episode of environment i, which the last step ended, came to."""
        return EpisodeResult(
            seed=seed,
            episode_return=float(self._returns[i]),
            length=int(self._lengths[i]),
            outcome=str(infos["outcome"][i]),
            variables={name: int(infos[name][i]) for name in self._variables},
            reward_parts={name: float(sums[i]) for name, sums in self._parts.items()},
        )
