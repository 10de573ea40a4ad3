# SPDX-License-Identifier: GPL-3.0-or-later
"""Playing whole episodes with fixed weights."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from oakemu_rl.evaluation.result import EpisodeResult, EvaluationResult
from oakemu_rl.ppo import PPOModel

__all__ = ["EpisodeVectorEnv", "Tester", "choose_actions"]

EpisodeVectorEnv = VectorEnv[Any, Any, Any]
_UNPLAYED = -1


def choose_actions(
    model: PPOModel, observations: NDArray[Any], generator: torch.Generator | None = None
) -> NDArray[np.int64]:
    r"""The model's actions on a batch of observations.

    Args:
        model: Fixed weights.
        observations: Shape (B, \*observation_shape), the environment's dtype.
        generator: Where samples are drawn from; None takes the most probable action of each row.

    Returns:
        Action indices, shape (B,).
    """
    device = next(model.parameters()).device
    with torch.inference_mode():
        logits = model.get_logits(torch.from_numpy(observations).to(device)).float().cpu()
        if generator is None:
            actions = logits.argmax(dim=-1)
        else:
            actions = torch.multinomial(logits.softmax(dim=-1), 1, generator=generator).squeeze(-1)
    return actions.numpy()


class Tester:
    """Plays whole episodes on environments of its own, so that judging never disturbs training.

    Every episode starts from its own seed, and each counts exactly once: no episode is favoured for being short, as it
    would be if the first N to finish were taken.

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
        """Plays one episode for each seed.

        Args:
            model: The weights; they are not changed, and training mode is restored afterwards.
            seeds: One a episode.
            greedy: Takes the most probable action; otherwise samples (from a stream that the first seed starts).
            on_episode: Called with the number of finished episodes, for a progress display.

        Returns:
            The episodes in the order of ``seeds``.

        Raises:
            ValueError: There is no seed, or the environment resets by itself.
        """
        if not seeds:
            raise ValueError("an evaluation needs at least one episode")
        env = self._environment(len(seeds))
        generator = None if greedy else torch.Generator().manual_seed(seeds[0])
        was_training = model.training
        model.eval()
        try:
            episodes = self._play(env, model, list(seeds), generator, on_episode)
        finally:
            model.train(was_training)
        return EvaluationResult(tuple(episodes), greedy)

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
        self,
        env: EpisodeVectorEnv,
        model: PPOModel,
        seeds: list[int],
        generator: torch.Generator | None,
        on_episode: Callable[[int], None] | None,
    ) -> list[EpisodeResult]:
        """Plays each next episode on whichever environment is free; one without work plays on uncounted."""
        N = env.num_envs
        playing = np.arange(N)  # which episode each environment plays
        following = N
        returns = np.zeros(N)
        lengths = np.zeros(N, dtype=np.int64)
        results: dict[int, EpisodeResult] = {}
        observations, _ = env.reset(seed=[seeds[episode] for episode in playing])
        while len(results) < len(seeds):
            observations, rewards, terminated, truncated, infos = env.step(
                choose_actions(model, observations, generator)
            )
            returns += rewards
            lengths += 1
            ended = np.asarray(terminated | truncated)
            if not ended.any():
                continue
            restart: list[int | None] = [None] * N
            for i in np.flatnonzero(ended):
                episode = int(playing[i])
                if episode != _UNPLAYED:
                    results[episode] = self._result(seeds[episode], float(returns[i]), int(lengths[i]), infos, int(i))
                    if on_episode is not None:
                        on_episode(len(results))
                playing[i] = following if following < len(seeds) else _UNPLAYED
                restart[i] = seeds[playing[i]] if playing[i] != _UNPLAYED else seeds[0]
                following += 1
            returns[ended] = 0.0
            lengths[ended] = 0
            # A seed list holds None where the mask is False: those environments keep their streams.
            observations, _ = env.reset(seed=restart, options={"reset_mask": ended})
        return [results[episode] for episode in range(len(seeds))]

    def _result(self, seed: int, episode_return: float, length: int, infos: dict[str, Any], i: int) -> EpisodeResult:
        variables = {name: int(infos[name][i]) for name in self._variables}
        return EpisodeResult(seed, episode_return, length, str(infos["outcome"][i]), variables)
