# SPDX-License-Identifier: GPL-3.0-or-later
"""A film of how a route was learnt: the places where the episodes of each leg begin, as they move back."""

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.evaluation.film import FilmFrame
from oakemu_rl.training.route_progress import RouteProgress

__all__ = ["route_frames"]

Picture = NDArray[np.uint8]

_MOMENTS = 100
_FRAMES_A_MOMENT = 6
_LAST_MOMENT = 100
_SHRINK = 3  # every third column and row: the colours stay the Spectrum's own
_BAR = 6  # rows: success, and a gap
_MOST_COLUMNS = 7
_GREEN, _BLUE = (0, 255, 0), (0, 0, 205)


def route_frames(progress: RouteProgress, picture_of: Callable[[int], Picture]) -> Iterator[FilmFrame]:
    """Yields the frames of the film: a small picture for each leg, and a bar below it of how many episodes succeed.

    Args:
        progress: Of a run.
        picture_of: Shows the game before a step of the recording, (240, 320, 3).
    """
    moments = np.unique(np.linspace(0, len(progress.steps) - 1, _MOMENTS).round().astype(np.int64)).tolist()
    legs = progress.starts.shape[1]
    columns = min(_MOST_COLUMNS, math.ceil(math.sqrt(legs)))
    small: dict[int, Picture] = {}
    for moment in moments:
        tiles = []
        for start, success in zip(progress.starts[moment], progress.success[moment], strict=True):
            step = int(start)
            if step not in small:
                small[step] = picture_of(step)[::_SHRINK, ::_SHRINK]
            tiles.append(_tile(small[step], float(success)))
        frame = FilmFrame(_grid(tiles, columns))
        yield from [frame] * (_FRAMES_A_MOMENT if moment != moments[-1] else _LAST_MOMENT)


def _tile(picture: Picture, success: float) -> Picture:
    height, width, _ = picture.shape
    tile = np.zeros((height + _BAR, width, 3), np.uint8)
    tile[:height] = picture
    tile[height + 1 : -1] = _BLUE
    tile[height + 1 : -1, : round(success * width)] = _GREEN
    return tile


def _grid(tiles: list[Picture], columns: int) -> Picture:
    """The tiles in rows; sides are even, as films want them."""
    height, width, _ = tiles[0].shape
    rows = math.ceil(len(tiles) / columns)
    grid = np.zeros((rows * height + rows * height % 2, columns * width + columns * width % 2, 3), np.uint8)
    for number, tile in enumerate(tiles):
        row, column = divmod(number, columns)
        grid[row * height : (row + 1) * height, column * width : (column + 1) * width] = tile
    return grid
