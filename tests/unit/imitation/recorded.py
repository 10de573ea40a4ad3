# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded episodes and networks for the tests of imitation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from oakemu_rl.imitation import CloningDataset
from oakemu_rl.ppo import PPOModel, PPOModelConfiguration

SYMBOLS = 4


@dataclass(frozen=True)
class Recorded:
    observations: Any
    actions: NDArray[np.int64]


def shown(symbols: Sequence[int], actions: Sequence[int] | None = None) -> Recorded:
    """An episode that shows symbols, one-hot, and one more observation at its end; the action names the symbol."""
    observations = np.eye(SYMBOLS, dtype=np.float32)[[*symbols, 0]]
    return Recorded(observations, np.array(symbols if actions is None else actions, dtype=np.int64))


def dataset_of(*episodes: Recorded, state_size: int = 0) -> CloningDataset:
    return CloningDataset(
        episodes,
        observation_shape=(SYMBOLS,),
        observation_dtype=np.dtype(np.float32),
        num_actions=SYMBOLS,
        state_size=state_size,
    )


def model_of(seed: int = 1, **changes: Any) -> PPOModel:
    torch.manual_seed(seed)
    settings = {"conv_filters": [], "fcnet_hiddens": [16], "fcnet_activation": "tanh", **changes}
    return PPOModel((SYMBOLS,), SYMBOLS, PPOModelConfiguration.model_validate(settings))
