# SPDX-License-Identifier: GPL-3.0-or-later
"""What an agent saw and did in its own successful episodes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
import zstandard
from numpy.typing import NDArray

from oakemu_rl.imitation.dataset import CloningBatch
from oakemu_rl.ppo.layout import empty_observations, pick_observations
from oakemu_rl.ppo.observation_parts import map_observations
from oakemu_rl.ppo.plain_bytes import as_bytes, as_tensor

__all__ = ["SuccessMemory"]


@dataclass
class _Ring:
    """Steps of one kind of episodes, of which a new one takes the place of the oldest."""

    observations: NDArray[Any]
    actions: NDArray[np.int64]
    count: int = 0

    @property
    def filled(self) -> int:
        return min(self.count, len(self.actions))


class SuccessMemory:
    r"""Keeps the newest steps of successful episodes, as many of each bucket as of any other.

    Args:
        capacity: Steps that a bucket keeps.
        observation_shape: As rollout buffers keep observations (`env_contract.storage_of`).
        observation_dtype: The same.

    Raises:
        ValueError: It is to keep nothing.
    """

    def __init__(self, capacity: int, observation_shape: tuple[int, ...], observation_dtype: np.dtype[Any]) -> None:
        if capacity < 1:
            raise ValueError(f"a memory keeps at least one step, got {capacity}")
        self._capacity = capacity
        self.observation_shape = observation_shape
        self.observation_dtype = observation_dtype
        self._rings: dict[int, _Ring] = {}

    def __len__(self) -> int:
        return sum(ring.filled for ring in self._rings.values())

    def add(self, bucket: int, observations: NDArray[Any], actions: NDArray[np.int64]) -> None:
        r"""Takes an episode in.

        Args:
            bucket: Where it belongs.
            observations: Before each of its L steps, (L, \*observation_shape).
            actions: What was done, (L,).
        """
        ring = self._rings.setdefault(bucket, self._empty())
        observations, actions = observations[-self._capacity :], actions[-self._capacity :]
        places = (ring.count + np.arange(len(actions))) % self._capacity
        ring.observations[places, 0] = observations
        ring.actions[places] = actions
        ring.count += len(actions)

    def draw(self, count: int, generator: torch.Generator, device: torch.device | str) -> CloningBatch | None:
        """Draws steps, as many of each bucket; None if there are none.

        Args:
            count: How many; rounded down to a multiple of the buckets, and at least one of each.
            generator: On the CPU.
            device: Where the batch is wanted.
        """
        rings = [self._rings[bucket] for bucket in sorted(self._rings)]
        if not rings:
            return None
        each = max(1, count // len(rings))
        seen, done = [], []
        for ring in rings:
            indices = torch.randint(ring.filled, (each,), generator=generator)
            seen.append(pick_observations(ring.observations, indices))
            done.append(torch.from_numpy(ring.actions)[indices])
        observations = _joined(seen)
        return CloningBatch(map_observations(lambda part: part.to(device), observations), torch.cat(done).to(device))

    def state_dict(self) -> dict[str, Any]:
        """All steps, packed: pictures of one game have much in common."""
        packer = zstandard.ZstdCompressor(level=1)
        return {
            str(bucket): {
                "observations": as_tensor(packer.compress(np.ascontiguousarray(ring.observations[: ring.filled]).data)),
                "actions": torch.from_numpy(ring.actions[: ring.filled].copy()),
                "count": ring.count,
            }
            for bucket, ring in self._rings.items()
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood.

        Raises:
            ValueError: It is of a memory of another size.
        """
        self._rings = {}
        for bucket, saved in state.items():
            ring = self._rings[int(bucket)] = self._empty()
            filled = len(saved["actions"])
            if filled != min(int(saved["count"]), self._capacity):
                raise ValueError(f"the saved memory holds {filled} steps of a bucket, this one {self._capacity}")
            raw = zstandard.ZstdDecompressor().decompress(as_bytes(saved["observations"]))
            ring.observations[:filled] = np.frombuffer(raw, self.observation_dtype).reshape(
                filled, 1, *self.observation_shape
            )
            ring.actions[:filled] = saved["actions"].numpy()
            ring.count = int(saved["count"])

    def _empty(self) -> _Ring:
        observations = empty_observations((self._capacity, 1), self.observation_shape, self.observation_dtype)
        return _Ring(observations, np.zeros(self._capacity, np.int64))


def _joined(parts: list[Any]) -> Any:  # noqa: ANN401  # tensors, or mappings of them by the names of their parts
    if isinstance(parts[0], Mapping):
        return {name: torch.cat([part[name] for part in parts]) for name in parts[0]}
    return torch.cat(parts)
