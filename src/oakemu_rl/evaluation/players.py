# SPDX-License-Identifier: GPL-3.0-or-later
"""Who plays: fixed weights, greedily or sampled, or pure chance."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from oakemu_rl.ppo import PPOModel
from oakemu_rl.ppo.observation_parts import Observations, first_axis, map_observations

__all__ = ["ModelPlayer", "Player", "RandomPlayer"]

_CHUNK = 16


class Player(Protocol):
    """Chooses actions. What it chooses for an episode depends on that episode alone, never on its neighbours."""

    def begin(self, episodes: NDArray[np.bool_]) -> None:
        """Hears of new episodes.

        Args:
            episodes: (B,), where one begins with the next choice; all of them before the first.
        """
        ...

    def choose(
        self,
        observations: Observations,
        chance: Sequence[np.random.Generator],
        action_masks: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        r"""Actions for a batch.

        Args:
            observations: Shape (B, \*observation_shape); of several parts, by name.
            chance: Each episode's own random numbers, B of them.
            action_masks: What each state allows, shape (B, actions); None allows all.

        Returns:
            Action indices, shape (B,).
        """
        ...


class ModelPlayer:
    """Fixed weights.

    The network always computes batches of one size, filled up if need be: sums over other sizes are rounded in another
    order, and the last bit can decide between two actions.

    Args:
        model: The weights; what it is in (training or evaluation mode) is the caller's choice.
        greedy: Take the most probable action; otherwise sample.

    A recurrent network remembers each episode from its beginning (`begin`) on.
    """

    def __init__(self, model: PPOModel, *, greedy: bool = True) -> None:
        self._model = model
        self._device = next(model.parameters()).device
        self._greedy = greedy
        self._states = torch.zeros(0, model.state_size, device=self._device)

    @torch.inference_mode()
    def begin(self, episodes: NDArray[np.bool_]) -> None:
        """See `Player.begin`."""
        if len(self._states) != len(episodes):
            self._states = torch.zeros(len(episodes), self._model.state_size, device=self._device)
        self._states[torch.from_numpy(episodes)] = 0.0

    def choose(
        self,
        observations: Observations,
        chance: Sequence[np.random.Generator],
        action_masks: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """See `Player.choose`."""
        logits = self._logits(observations)
        if action_masks is not None:
            logits = np.where(action_masks, logits, -np.inf)
        if not self._greedy:
            # Gumbel's trick: the largest of logit + noise is distributed as the softmax of the logits.
            logits = logits + np.stack([own.gumbel(size=logits.shape[1]) for own in chance])
        return np.asarray(logits.argmax(axis=1), dtype=np.int64)

    @torch.inference_mode()
    def _logits(self, observations: Observations) -> NDArray[np.float32]:
        count = first_axis(observations)
        full = -(-count // _CHUNK) * _CHUNK
        chunks = [map_observations(partial(self._chunk, start=start), observations) for start in range(0, full, _CHUNK)]
        if self._model.state_size:
            logits = self._step(chunks, count)
        else:
            logits = torch.cat([self._model.get_logits(chunk) for chunk in chunks])
        return logits.float().cpu().numpy()[:count]

    def _step(self, chunks: Sequence[Any], count: int) -> torch.Tensor:
        """Logits of a recurrent network, which goes on with what it remembers of each of `count` episodes."""
        if len(self._states) != count:
            self.begin(np.ones(count, dtype=np.bool_))
        filled = torch.cat((self._states, self._states.new_zeros(len(chunks) * _CHUNK - count, self._states.shape[1])))
        steps = [
            self._model.step(chunk, states) for chunk, states in zip(chunks, torch.split(filled, _CHUNK), strict=True)
        ]
        self._states = torch.cat([after for *_, after in steps])[:count].clone()
        return torch.cat([logits for logits, *_ in steps])

    def _chunk(self, array: NDArray[Any], start: int) -> torch.Tensor:
        """Rows of a batch from `start` on, filled up with its first row."""
        rows = array[start : start + _CHUNK]
        if len(rows) < _CHUNK:
            filling = np.broadcast_to(array[:1], (_CHUNK - len(rows), *array.shape[1:]))
            rows = np.concatenate([rows, filling])
        return torch.from_numpy(rows).to(self._device)


class RandomPlayer:
    """Every allowed action with the same probability: what an agent knows before it has learnt anything.

    Args:
        num_actions: How many there are.
    """

    def __init__(self, num_actions: int) -> None:
        self._num_actions = num_actions

    def begin(self, episodes: NDArray[np.bool_]) -> None:
        """See `Player.begin`."""

    def choose(
        self,
        observations: Observations,
        chance: Sequence[np.random.Generator],
        action_masks: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.int64]:
        """See `Player.choose`."""
        del observations
        if action_masks is None:
            return np.array([own.integers(self._num_actions) for own in chance], dtype=np.int64)
        allowed = [np.flatnonzero(mask) for mask in action_masks]
        return np.array([own.choice(some) for own, some in zip(chance, allowed, strict=True)], dtype=np.int64)
