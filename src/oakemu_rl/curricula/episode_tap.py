# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole episodes out of rollouts, which cut them anywhere."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from oakemu_rl.ppo import RolloutBuffer
from oakemu_rl.ppo.plain_bytes import as_bytes, as_tensor

__all__ = ["EpisodeTap", "PlayedEpisode"]


class PlayedEpisode(NamedTuple):
    r"""An episode of the policy that has ended, or the end of one that it took over.

    Attributes:
        env_id: Where it was played.
        observations: Before each of its L steps, (L, \*observation_shape).
        actions: What the policy chose, (L,) int64.
    """

    env_id: int
    observations: NDArray[Any]
    actions: NDArray[np.int64]


class EpisodeTap:
    """Puts the pieces of episodes together, rollout after rollout.

    Args:
        num_envs: N.
    """

    def __init__(self, num_envs: int) -> None:
        self._pieces: list[list[tuple[NDArray[Any], NDArray[np.int64]]]] = [[] for _ in range(num_envs)]

    def take(self, rollout_buffer: RolloutBuffer) -> list[PlayedEpisode]:
        """Takes a full rollout in; steps from which nothing is learnt are left out.

        Returns:
            The episodes whose last step is in it, of each environment in the order in which they ended.
        """
        ended = []
        for env_id, pieces in enumerate(self._pieces):
            learnt = rollout_buffer.trainable[:, env_id]
            observations, actions = (
                rows if learnt.all() else rows[learnt]
                for rows in (rollout_buffer.observations[:, env_id], rollout_buffer.actions[:, env_id])
            )
            begin = 0
            for last in np.flatnonzero(rollout_buffer.dones[learnt, env_id]).tolist():
                pieces.append((observations[begin : last + 1], actions[begin : last + 1]))
                seen, done = zip(*pieces, strict=True)
                ended.append(PlayedEpisode(env_id, np.concatenate(seen), np.concatenate(done)))
                pieces.clear()
                begin = last + 1
            if begin < len(actions):
                # The buffer is filled anew, while this episode goes on.
                pieces.append((observations[begin:].copy(), actions[begin:].copy()))
        return ended

    def state_dict(self) -> dict[str, Any]:
        """What there is of the running episodes, as tensors."""
        return {
            str(env_id): [(as_tensor(seen.tobytes()), torch.from_numpy(done.copy())) for seen, done in pieces]
            for env_id, pieces in enumerate(self._pieces)
        }

    def load_state_dict(
        self, state: Mapping[str, Any], observation_shape: tuple[int, ...], observation_dtype: np.dtype[Any]
    ) -> None:
        """Takes up where `state_dict` stood."""
        for env_id, pieces in enumerate(self._pieces):
            pieces[:] = [
                (
                    np.frombuffer(as_bytes(seen), observation_dtype).reshape(len(done), *observation_shape),
                    done.numpy().copy(),
                )
                for seen, done in state[str(env_id)]
            ]
