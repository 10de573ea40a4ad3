# SPDX-License-Identifier: GPL-3.0-or-later
"""Observations of several named parts: what a dictionary space shows, as buffers and networks need it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Dict
from numpy.typing import NDArray

from oakemu_rl.errors import UserError

__all__ = [
    "ObservationForm",
    "ObservationPart",
    "ObservationParts",
    "Observations",
    "alone",
    "first_axis",
    "map_observations",
]

Observations: TypeAlias = NDArray[Any] | Mapping[str, NDArray[Any]]
"""Of N environments: an array (N, ...), or one for each part; also N cells of a structured array."""


@dataclass(frozen=True)
class ObservationPart:
    """One entry of a dictionary of observations.

    Attributes:
        name: Its key.
        shape: Of one observation of it.
        dtype: Numpy's name of its type.
        limits: Its least and greatest number; None where it has none.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    limits: tuple[float, float] | None

    @property
    def is_picture(self) -> bool:
        """Whether it is (channels, height, width), and not numbers in a row."""
        return len(self.shape) == 3


@dataclass(frozen=True)
class ObservationParts:
    """What observations of a dictionary space consist of, in the space's order.

    Attributes:
        parts: At least one, of which at most one is a picture.

    Raises:
        UserError: There is none, or more than one picture.
    """

    parts: tuple[ObservationPart, ...]

    def __post_init__(self) -> None:
        pictures = [part.name for part in self.parts if part.is_picture]
        if not self.parts or len(pictures) > 1:
            raise UserError(
                f"a network takes observations of at least one part and at most one picture, got {len(self.parts)} "
                f"parts with the pictures {', '.join(pictures) or 'none'}"
            )

    @classmethod
    def of_space(cls, space: Dict) -> Self:
        """The parts of a dictionary space.

        Raises:
            UserError: An entry is no box of numbers, or the entries are such as no network takes.
        """
        parts = []
        for name, entry in space.items():
            if not isinstance(entry, Box):
                raise UserError(f"a network takes dictionaries of boxes of numbers; {name!r} is {entry}")
            low, high = entry.low.min(), entry.high.max()
            bounded = bool(np.isfinite(low) and np.isfinite(high))
            limits = (low.item(), high.item()) if bounded else None
            parts.append(ObservationPart(name, tuple(entry.shape), np.dtype(entry.dtype).name, limits))
        return cls(tuple(parts))

    @classmethod
    def of_plain(cls, plain: list[dict[str, Any]]) -> Self:
        """The inverse of `as_plain`."""
        return cls(
            tuple(
                ObservationPart(
                    str(each["name"]),
                    tuple(each["shape"]),
                    np.dtype(each["dtype"]).name,
                    None if each["limits"] is None else (each["limits"][0], each["limits"][1]),
                )
                for each in plain
            )
        )

    def as_plain(self) -> list[dict[str, Any]]:
        """As plain values, for checkpoints and exported files."""
        return [
            {
                "name": part.name,
                "shape": list(part.shape),
                "dtype": part.dtype,
                "limits": None if part.limits is None else list(part.limits),
            }
            for part in self.parts
        ]

    @property
    def picture(self) -> ObservationPart | None:
        """The picture, if there is one."""
        return next((part for part in self.parts if part.is_picture), None)

    @property
    def numbers(self) -> tuple[ObservationPart, ...]:
        """The parts that are no picture."""
        return tuple(part for part in self.parts if not part.is_picture)

    @property
    def dtype(self) -> np.dtype[Any]:
        """All parts of one observation side by side, as rollout buffers keep them with the shape ().

        A picture lies channels last in it; `layout.fields_of` gives views in the shapes of the parts.
        """
        fields = []
        for part in self.parts:
            channels, *rest = part.shape if part.is_picture else (0,)
            fields.append((part.name, part.dtype, (*rest, channels) if part.is_picture else part.shape))
        return np.dtype(fields, align=True)

    def __str__(self) -> str:
        return ", ".join(f"{part.name} {part.dtype} {part.shape}" for part in self.parts)


ObservationForm: TypeAlias = tuple[int, ...] | ObservationParts
"""The shape of one observation, or what its parts are."""


def map_observations(function: Callable[[Any], Any], observations: Any) -> Any:  # noqa: ANN401  # arrays or tensors
    """The function of an array, or of each array of a dictionary, under its key; None stays."""
    if observations is None:
        return None
    if isinstance(observations, Mapping):
        return {name: function(array) for name, array in observations.items()}
    return function(observations)


def alone(observation: Observations) -> Any:  # noqa: ANN401  # as `map_observations`
    """One observation as a batch of one."""
    return map_observations(lambda array: array[np.newaxis], observation)


def first_axis(observations: Observations) -> int:
    """How many observations these are."""
    return len(next(iter(observations.values()))) if isinstance(observations, Mapping) else len(observations)
