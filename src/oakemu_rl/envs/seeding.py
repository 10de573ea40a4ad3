# SPDX-License-Identifier: GPL-3.0-or-later
"""How the seeds that users give become the random streams of the core's environments."""

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from oakemu_rl.errors import UserError

__all__ = ["checked_seed", "each_seed", "spare_seed", "stream_seed", "stream_seeds"]


def stream_seed(seed: int) -> np.uint64:
    """The seed of an environment's stream in the core, for the seed of a reset."""
    return np.uint64(stream_seeds(seed, 1)[0])


def stream_seeds(seed: int, count: int) -> npt.NDArray[np.uint64]:
    """Seeds of `count` independent streams, (count,) uint64."""
    return np.random.SeedSequence(seed).generate_state(count, np.uint64).astype(np.uint64, copy=False)


def each_seed(seed: int | Sequence[int | None] | None, num_envs: int) -> list[int | None]:
    """One seed an environment, as Gymnasium means them: an integer is the first one's, the next ones count on.

    Args:
        seed: What was given to ``reset``; None keeps an environment's stream.
        num_envs: Number of environments.

    Raises:
        UserError: The number of seeds is wrong, or one is not a whole number of at least 0.
    """
    if seed is None:
        return [None] * num_envs
    if not isinstance(seed, Iterable):
        first = checked_seed(seed)
        return [first + i for i in range(num_envs)]
    seeds = [None if each is None else checked_seed(each) for each in seed]
    if len(seeds) != num_envs:
        raise UserError(f"{len(seeds)} seeds were given for {num_envs} environments")
    return seeds


def checked_seed(seed: object) -> int:
    """The seed as an int.

    Raises:
        UserError: It is not a whole number of at least 0.
    """
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or seed < 0:
        raise UserError(f"a seed must be a whole number of at least 0, not {seed!r}")
    return int(seed)


def spare_seed(seed: int | None, generator: np.random.Generator) -> int:
    """A seed for environments that were never given one.

    Args:
        seed: That of Gymnasium's generator; -1 or None if the user has put a generator of theirs there.
        generator: Which one is drawn from then.
    """
    return seed if seed is not None and seed >= 0 else int(generator.integers(2**63))
