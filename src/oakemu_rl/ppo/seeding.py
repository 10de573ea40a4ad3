# SPDX-License-Identifier: GPL-3.0-or-later
"""Independent random streams from one seed."""

import numpy as np
import torch

__all__ = ["derive_generator", "derive_seed"]


def derive_seed(seed: int, *key: int) -> int:
    """A 31-bit seed for the stream that `key` names; streams of different keys are independent (numpy's SeedSequence).

    Raises:
        ValueError: The seed is negative.
    """
    if seed < 0:
        raise ValueError(f"a seed must be at least 0, got {seed}")
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1)[0] >> 1)


def derive_generator(seed: int, *key: int, device: torch.device | str = "cpu") -> torch.Generator:
    """A torch generator on `device` for the stream that `key` names."""
    return torch.Generator(device=device).manual_seed(derive_seed(seed, *key))
