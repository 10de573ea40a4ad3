# SPDX-License-Identifier: GPL-3.0-or-later
"""Self-imitation: what once succeeded is cloned, so that rare successes are not forgotten before they become habits.

Source: Oh et al., 2018, "Self-Imitation Learning", which weighs past steps by how much better they came out than the
critic thought. Here a step is worth imitating if its episode did as well as the recording of which it is to learn.
"""

from collections import deque
from collections.abc import Mapping
from typing import Any

import torch

from oakemu_rl.curricula.episode_tap import EpisodeTap
from oakemu_rl.curricula.success_memory import SuccessMemory
from oakemu_rl.imitation.cloner import Cloner
from oakemu_rl.ppo import RolloutBuffer, Schedule, schedule_value

__all__ = ["SelfImitation"]


class SelfImitation:
    """Clones the newest successes once an update; a companion of PPO.

    Args:
        cloner: Of the network, which remembers nothing.
        memory: Of successes.
        num_envs: N.
        weight: Factor of the cloner's learning rate; successes are kept only while it is above 0.
        steps: Gradient steps in an update.
        batch_size: Steps of the agent in each.
        generator: Of what is drawn, on the CPU.
    """

    def __init__(
        self,
        cloner: Cloner,
        memory: SuccessMemory,
        *,
        num_envs: int,
        weight: Schedule,
        steps: int,
        batch_size: int,
        generator: torch.Generator,
    ) -> None:
        self._cloner = cloner
        self._memory = memory
        self._weight = weight
        self._steps = steps
        self._batch_size = batch_size
        self._generator = generator
        self._tap = EpisodeTap(num_envs)
        # Of the episodes that have ended since the last rollout was taken in, the oldest first.
        self._results: list[deque[tuple[int, bool]]] = [deque() for _ in range(num_envs)]

    def note(self, env_id: int, bucket: int, success: bool) -> None:  # noqa: FBT001  # as `on_result` tells it
        """How an episode ended; told of every episode, in the order in which they end in an environment."""
        self._results[env_id].append((bucket, success))

    def ppo_weight(self, progress: float) -> float:  # noqa: ARG002  # it only adds
        """See `Companion.ppo_weight`."""
        return 1.0

    def learn(self, rollout_buffer: RolloutBuffer | None, progress: float) -> Mapping[str, float]:
        """See `Companion.learn`."""
        weight = schedule_value(self._weight, progress)
        if rollout_buffer is not None:
            for episode in self._tap.take(rollout_buffer):
                bucket, success = self._results[episode.env_id].popleft()
                # What a policy did that has yet to be cloned from people is not worth keeping.
                if success and weight > 0.0:
                    self._memory.add(bucket, episode.observations, episode.actions)
        figures = {"curriculum/imitated/memory": float(len(self._memory))}
        for _ in range(self._steps if weight > 0.0 else 0):
            batch = self._memory.draw(self._batch_size, self._generator, self._cloner.device)
            if batch is None:
                break
            learnt = self._cloner.step(batch, weight)
            figures |= {f"curriculum/imitated/{name}": value for name, value in learnt.items()}
        return figures

    def state_dict(self) -> dict[str, Any]:
        """Everything but the network's weights, as plain values and tensors."""
        return {
            "cloner": self._cloner.state_dict(),
            "memory": self._memory.state_dict(),
            "tap": self._tap.state_dict(),
            "results": [[list(result) for result in results] for results in self._results],
            "generator": self._generator.get_state(),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood.

        Raises:
            ValueError: It is of other settings.
        """
        self._cloner.load_state_dict(state["cloner"])
        self._memory.load_state_dict(state["memory"])
        self._tap.load_state_dict(state["tap"], self._memory.observation_shape, self._memory.observation_dtype)
        self._results = [deque((int(bucket), bool(success)) for bucket, success in each) for each in state["results"]]
        self._generator.set_state(state["generator"])
