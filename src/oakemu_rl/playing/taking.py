# SPDX-License-Identifier: GPL-3.0-or-later
"""What a session needs of whoever takes down what is played."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

__all__ = ["Taking"]


class Taking(Protocol):
    """Notes what happens to a machine, entry by entry, and can be cut back."""

    @property
    def length(self) -> int:
        """How many entries there are."""
        ...

    @property
    def full(self) -> bool:
        """Whether no more is noted, until it is cut."""
        ...

    def held(self, row: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """What the machine is to hold in the next frame, (9,), where a person holds `row`, (9,)."""
        ...

    def add_frame(self, row: npt.NDArray[np.uint8]) -> None:
        """A frame in which the machine held this, (9,) as of `KeyInput.hold_row`."""
        ...

    def add_state(self, state: bytes) -> None:
        """The machine has become another, as `Spectrum.save_state` gives it."""
        ...

    def cut(self, length: int) -> None:
        """Forgets all entries but the first ones."""
        ...

    def settle(self, length: int) -> None:
        """No cut will leave fewer entries than this."""
        ...
