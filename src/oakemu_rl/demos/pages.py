# SPDX-License-Identifier: GPL-3.0-or-later
"""Saved machines of one episode in little space: pages that they have in common are kept once."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["join_states", "split_states"]

_PAGE = 256


def split_states(states: Sequence[bytes]) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """The pages of saved machines of one length.

    Args:
        states: n states.

    Returns:
        The different pages (P, 256), the last of a state filled up with zeros, and which make up each state,
        (n, pages of a state).
    """
    numbers: dict[bytes, int] = {}
    index = []
    for state in states:
        padded = state + bytes(-len(state) % _PAGE)
        pages = [padded[place : place + _PAGE] for place in range(0, len(padded), _PAGE)]
        index.append([numbers.setdefault(page, len(numbers)) for page in pages])
    return np.frombuffer(b"".join(numbers), np.uint8).reshape(-1, _PAGE), np.array(index, np.uint32)


def join_states(pages: NDArray[np.uint8], index: NDArray[np.uint32], nbytes: int) -> list[bytes]:
    """Undoes `split_states`.

    Args:
        pages: (P, 256).
        index: (n, pages of a state).
        nbytes: Of each state.

    Raises:
        IndexError: A state has a page that is not there.
    """
    return [pages[row].tobytes()[:nbytes] for row in index]
