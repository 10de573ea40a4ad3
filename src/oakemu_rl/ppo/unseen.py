# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a picture convolutions leave out."""

import numpy as np
from numpy.typing import NDArray
from torch import nn

from oakemu_rl.ppo.model import PPOModel
from oakemu_rl.ppo.observation_parts import ObservationParts

__all__ = ["describe_unseen", "unseen_lines"]


def unseen_lines(convolutions: nn.Sequential, size: int, axis: int) -> list[int]:
    """The rows or columns of a picture on which no output of the convolutions depends, whatever the weights.

    Without zeros around, a stride that does not come out even leaves the last lines of its input under no kernel; a
    stride above the kernel leaves lines between two of them, too.

    Args:
        convolutions: The layers; all but convolutions leave the picture's lines where they are.
        size: Of the picture along the axis.
        axis: 0 for rows, 1 for columns.
    """
    layers = [layer for layer in convolutions if isinstance(layer, nn.Conv2d)]
    if not layers:
        return []
    sizes = [size]
    for layer in layers:
        kernel, stride, zeros = _along(layer, axis)
        sizes.append((sizes[-1] + 2 * zeros - kernel) // stride + 1)
    seen: NDArray[np.bool_] = np.ones(sizes[-1], dtype=np.bool_)
    for layer, below in zip(reversed(layers), reversed(sizes[:-1]), strict=True):
        kernel, stride, zeros = _along(layer, axis)
        padded = np.zeros(below + 2 * zeros, dtype=np.bool_)
        for first in stride * np.flatnonzero(seen):
            padded[first : first + kernel] = True
        seen = padded[zeros : zeros + below]
    return [int(line) for line in np.flatnonzero(~seen)]


def describe_unseen(model: PPOModel) -> str | None:
    """Says which rows and columns of its pictures a network never sees; None if it sees them all, or none at all."""
    form = model.observation_shape
    shape = form if not isinstance(form, ObservationParts) else () if form.picture is None else form.picture.shape
    if len(shape) != 3 or model.model_config.network != "conv":  # impala lays zeros around everything
        return None
    parts = []
    for axis, (what, size) in enumerate(zip(("rows", "columns"), shape[1:], strict=True)):
        lines = unseen_lines(model.conv, size, axis)
        if lines:
            parts.append(f"{what} {_ranges(lines)} of {size}")
    if not parts:
        return None
    return (
        f"the network does not see {' and '.join(parts)} of its pictures; "
        "--model.conv-padding same, or kernels and strides that come out even, show it all"
    )


def _along(layer: nn.Conv2d, axis: int) -> tuple[int, int, int]:
    """Kernel, stride and zeros on each side."""
    return layer.kernel_size[axis], layer.stride[axis], int(layer.padding[axis])


def _ranges(lines: list[int]) -> str:
    """Lines in a row as ``first-last``."""
    breaks = np.flatnonzero(np.diff(lines) > 1) + 1
    runs = np.split(np.asarray(lines), breaks)
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
