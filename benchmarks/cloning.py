# SPDX-License-Identifier: GPL-3.0-or-later
"""Behaviour cloning: which part of a gradient step goes into putting its batch together."""

import time
from dataclasses import dataclass
from statistics import median

import numpy as np
import torch

from oakemu_rl.imitation import Cloner, CloningConfiguration, CloningDataset, make_sampler
from oakemu_rl.ppo import PPOModel, PPOModelConfiguration
from oakemu_rl.training.configuration_file import preset_layer

_LIMIT = 0.1
_STEPS, _ACTIONS = 8000, 6


@dataclass(frozen=True)
class _Recorded:
    observations: np.ndarray
    actions: np.ndarray


def _share(shape: tuple[int, ...], network: PPOModelConfiguration, rounds: int) -> tuple[float, float]:
    """Recorded steps a second, and the part of the time that goes into batches: medians over gradient steps."""
    random = np.random.default_rng(1)
    seen = random.integers(0, 256, (_STEPS, *shape), dtype=np.uint8)
    model = PPOModel(shape, _ACTIONS, network)
    dataset = CloningDataset(
        [_Recorded(seen, random.integers(0, _ACTIONS, _STEPS))],
        observation_shape=shape,
        observation_dtype=np.dtype(np.uint8),
        num_actions=_ACTIONS,
        state_size=model.state_size,
    )
    settings = CloningConfiguration()
    cloner = Cloner(model, settings)
    sampler = make_sampler(dataset, settings, (), torch.Generator().manual_seed(1))
    batches, steps = [], []
    for _ in range(rounds + 3):
        begin = time.thread_time()  # of this thread alone, whatever else the machine does
        batch = dataset.batch(sampler.draw(), "cpu")
        drawn = time.thread_time()
        cloner.step(batch)
        batches.append(drawn - begin)
        steps.append(time.thread_time() - begin)
    return settings.batch_size / median(steps[3:]), median(batches[3:]) / median(steps[3:])


def main(rounds: int = 30) -> None:
    """Prints the table."""
    torch.set_num_threads(1)
    preset = PPOModelConfiguration.model_validate(preset_layer("")["model"])
    nature = PPOModelConfiguration()
    print(f"{'cloning, batches of 256, one thread':44}{'steps/s':>10}{'batches':>10}")
    for name, shape, network in (
        ("preset network, 64x44, 2 frames", (2, 44, 64), preset),
        ("the same with a GRU, slices of 32", (2, 44, 64), preset.model_copy(update={"recurrent": "gru"})),
        ("Nature CNN, 84x84, 4 frames", (4, 84, 84), nature),
    ):
        speed, share = _share(shape, network, rounds)
        print(f"{name:44}{speed:>10,.0f}{share:>10.1%}{'' if share < _LIMIT else '  above the limit of 10%'}")


if __name__ == "__main__":
    main()
