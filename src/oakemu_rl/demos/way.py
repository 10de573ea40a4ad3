# SPDX-License-Identifier: GPL-3.0-or-later
"""A way to a moment of a game, part by part: what was played, after what, from where."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Origin", "Way"]


@dataclass(frozen=True, eq=False, slots=True)
class Origin:
    """Where ways begin.

    Attributes:
        packed: The machine; see `Ways.origin`.
        seed: Which the environment was given at the reset; None if its stream went on.
        whole: Whether that is an episode's beginning, and not in the middle of one.
    """

    packed: bytes
    seed: int | None
    whole: bool


@dataclass(frozen=True, eq=False, slots=True)
class Way:
    """The last part of a way, and the way before it, which other ways may share.

    Attributes:
        origin: Where the first part begins.
        before: What led to this part's beginning; None if that is the origin.
        actions: What was played in this part, (S,).
        step_frames: For how many frames, (S,).
        earned: What that brought.
        markers: Moments with a name: the steps of this part before each, and the name.
        held: Keys in the part's frames, (F, 9), where a person's change within steps.
        recorded: Which recording this part is the beginning of, and how many steps of it; None where it was played.
        steps: Of all parts; counted.
    """

    origin: Origin
    before: "Way | None"
    actions: NDArray[np.uint16]
    step_frames: NDArray[np.uint16]
    earned: float
    markers: tuple[tuple[int, str], ...] = ()
    held: NDArray[np.uint8] | None = None
    recorded: tuple[int, int] | None = None
    steps: int = field(init=False)

    def __post_init__(self) -> None:
        before = 0 if self.before is None else self.before.steps
        object.__setattr__(self, "steps", before + len(self.actions))

    def parts(self) -> list["Way"]:
        """From the first part to this one."""
        found = [self]
        while found[-1].before is not None:
            found.append(found[-1].before)
        return found[::-1]
