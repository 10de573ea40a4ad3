# SPDX-License-Identifier: GPL-3.0-or-later
"""One step of all environments, on its way from the actor into the rollout buffer."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from oakemu_rl.ppo.action_bundle import PPOActionBundle
from oakemu_rl.ppo.layout import empty_observations
from oakemu_rl.ppo.rollout_buffer import RolloutBuffer

__all__ = ["PPOActorStepBuffers"]


@dataclass
class PPOActorStepBuffers:
    r"""Arrays of one step of N environments, written anew at each step.

    Attributes:
        observations: What the environments showed before the step, (N, \*observation_shape).
        actions: Chosen actions, (N,) int64.
        log_probs: Logarithms of their probabilities, (N,) float32.
        values: Values of the observations, (N,) float32.
        rewards: What the step brought, (N,) float32.
        dones: 1 where the step ended an episode, (N,) float32.
        trainable: Rows from which the learner may learn, (N,) bool.
        action_masks: What each environment allows before the step, (N, actions) bool; None where everything always is.
        resets: Where an episode begins with this step, (N,) bool; None unless the network is recurrent.
        states: A recurrent network's before this step, (N, S) float32, where the rollout needs them; else None.

    Raises:
        ValueError: The arrays differ in N, or N is below 1.
    """

    observations: NDArray[Any]
    actions: NDArray[np.int64]
    log_probs: NDArray[np.float32]
    values: NDArray[np.float32]
    rewards: NDArray[np.float32]
    dones: NDArray[np.float32]
    trainable: NDArray[np.bool_]
    action_masks: NDArray[np.bool_] | None = None
    resets: NDArray[np.bool_] | None = None
    states: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        lengths = {name: len(array) for name, array in arrays.items() if array is not None}
        if len(set(lengths.values())) != 1 or len(self.actions) < 1:
            raise ValueError(f"step buffers need arrays of one length of at least 1, got {lengths}")

    @property
    def stores_rollout_step(self) -> bool:
        """Whether any environment in this step contributes learner data."""
        return bool(self.trainable.any())

    @classmethod
    def create(
        cls, *, num_envs: int, observation_shape: tuple[int, ...], observation_dtype: np.dtype[Any]
    ) -> "PPOActorStepBuffers":
        """Preallocates buffers for environments stepped in lockstep: all zero, all rows trainable.

        Args:
            num_envs: N.
            observation_shape: Of one observation.
            observation_dtype: Of the observations.

        Raises:
            ValueError: `num_envs` is below 1.
        """
        if num_envs < 1:
            raise ValueError(f"num_envs must be at least 1, got {num_envs}")
        return cls(
            observations=empty_observations((num_envs,), observation_shape, observation_dtype),
            actions=np.zeros(num_envs, dtype=np.int64),
            log_probs=np.zeros(num_envs, dtype=np.float32),
            values=np.zeros(num_envs, dtype=np.float32),
            rewards=np.zeros(num_envs, dtype=np.float32),
            dones=np.zeros(num_envs, dtype=np.float32),
            trainable=np.ones(num_envs, dtype=np.bool_),
        )

    def add_to_rollout_buffer(self, rollout_buffer: RolloutBuffer, *, idle: bool = False) -> None:
        """Appends this step as one row, non-trainable environments marked.

        Args:
            rollout_buffer: Receives it.
            idle: Whether it is appended even if no environment is trainable.
        """
        if not (idle or self.stores_rollout_step):
            return
        rollout_buffer.add(
            self.observations,
            self.actions,
            self.log_probs,
            self.values,
            self.rewards,
            self.dones,
            self.trainable,
            self.action_masks,
            self.resets,
            self.states,
        )

    def record_action_bundle_for_env_ids(
        self, action_bundle: PPOActionBundle, *, env_ids: list[int], trainable: list[bool]
    ) -> None:
        """Writes row i of the bundle to environment ``env_ids[i]``; the others stay as they are.

        Args:
            action_bundle: B rows, on any device; one transfer brings them to the host.
            env_ids: B different environments.
            trainable: For each row, whether the learner may learn from it.

        Raises:
            ValueError: Lengths differ, or an id is out of range or occurs twice; nothing has been written then.
        """
        rows = len(action_bundle.actions)
        if not len(env_ids) == len(trainable) == rows:
            raise ValueError(
                f"env_ids ({len(env_ids)}), trainable ({len(trainable)}) and the action bundle ({rows}) "
                "must have the same length"
            )
        if rows == 0:
            return
        for env_id in env_ids:
            self._check_env_id(env_id)
        if len(set(env_ids)) != rows:
            twice = next(env_id for env_id in env_ids if env_ids.count(env_id) > 1)
            raise ValueError(f"environment {twice} occurs more than once in env_ids")

        # Floats travel as their bits beside the integers, so that one exact transfer serves all three.
        packed = torch.stack(
            (
                action_bundle.actions.detach().to(torch.int32),
                action_bundle.log_probs.detach().to(torch.float32).view(torch.int32),
                action_bundle.values.detach().to(torch.float32).view(torch.int32),
            )
        )
        host = packed.cpu().numpy()
        self.actions[env_ids] = host[0]
        self.log_probs[env_ids] = host[1].view(np.float32)
        self.values[env_ids] = host[2].view(np.float32)
        self.trainable[env_ids] = trainable

    def record_step_result(self, env_id: int, reward: float, *, done: bool) -> None:
        """Writes one environment's result; a second call in the same step overwrites the first.

        Args:
            env_id: The environment.
            reward: What the step brought.
            done: Whether it ended the episode.

        Raises:
            ValueError: The id is out of range.
        """
        self._check_env_id(env_id)
        self.rewards[env_id] = reward
        self.dones[env_id] = done

    def record_step_results(self, rewards: NDArray[Any], dones: NDArray[np.bool_]) -> None:
        """Writes the results of all environments at once, both (N,)."""
        self.rewards[:] = rewards
        self.dones[:] = dones

    def reset_action_selection(self) -> None:
        """Clears `trainable`: a row may teach only once an action has been recorded for it in this step."""
        self.trainable.fill(False)  # noqa: FBT003  # numpy's fill takes the value by position only

    def reset_step_results(self) -> None:
        """Clears rewards and dones."""
        self.rewards.fill(0.0)
        self.dones.fill(0.0)

    def _check_env_id(self, env_id: int) -> None:
        if not 0 <= env_id < len(self.actions):
            raise ValueError(f"environment ids must lie in 0..{len(self.actions) - 1}, got {env_id}")
