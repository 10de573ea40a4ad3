# SPDX-License-Identifier: GPL-3.0-or-later
"""How far back along a recording a run has come: as figures, and as a plot."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from matplotlib.ticker import EngFormatter, PercentFormatter
from numpy.typing import NDArray

from oakemu_rl._whole_file import write_whole
from oakemu_rl.training.drawing import as_png, empty_figure, trim
from oakemu_rl.training.json_lines import read_json_lines

__all__ = ["RouteProgress", "draw_route"]

_LEG = "curriculum/leg_{}/{}"


@dataclass(frozen=True, eq=False)
class RouteProgress:
    """What a run's updates said about its curriculum: U updates, L legs.

    Attributes:
        steps: Agent steps, (U,).
        starts: The step of the recordings, counted one after another, where episodes of each leg begin, (U, L).
        success: How many of them succeed, (U, L), from 0 to 1.
        learnt: The part of the recording that is behind the starts, (U,).
    """

    steps: NDArray[np.float64]
    starts: NDArray[np.float64]
    success: NDArray[np.float64]
    learnt: NDArray[np.float64]

    @classmethod
    def read(cls, metrics: Path) -> Self | None:
        """From a run's metrics.jsonl; None if it tells of no curriculum."""
        lines = [line for line in read_json_lines(metrics) if line["kind"] == "metrics" and "curriculum/learnt" in line]
        if not lines:
            return None
        legs = 0
        while _LEG.format(legs + 1, "start") in lines[0]:
            legs += 1
        return cls(
            np.array([line["step"] for line in lines], np.float64),
            _table(lines, "start", legs),
            _table(lines, "success", legs),
            np.array([line["curriculum/learnt"] for line in lines], np.float64),
        )


def _table(lines: list[Mapping[str, Any]], what: str, legs: int) -> NDArray[np.float64]:
    names = [_LEG.format(leg, what) for leg in range(1, legs + 1)]
    return np.array([[line[name] for name in names] for line in lines], np.float64)


def draw_route(progress: RouteProgress, picture: Path, title: str) -> None:
    """Draws where on the recording the episodes of each leg began, and how much of it that leaves behind.

    Args:
        progress: Of a run.
        picture: Where the PNG goes; it appears complete or not at all.
        title: What stands above it.

    Raises:
        OSError: It cannot be written.
    """
    figure = empty_figure(9, 6)
    route, learnt = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    for start, success in zip(progress.starts.T, progress.success.T, strict=True):
        line = route.plot(progress.steps, start, linewidth=1.2)[0]
        # The line is as broad as its episodes are successful.
        route.fill_between(progress.steps, start, start + 6 * success, color=line.get_color(), alpha=0.35, linewidth=0)
    route.set_ylabel("step of the recording\nwhere episodes begin")
    route.set_title(title)
    learnt.plot(progress.steps, progress.learnt, color="tab:blue", label="of the recording behind the starts")
    learnt.plot(progress.steps, progress.success.mean(axis=1), color="tab:orange", label="episodes from them succeed")
    learnt.set_ylim(0.0, 1.02)
    learnt.yaxis.set_major_formatter(PercentFormatter(1.0))
    learnt.set_xlabel("agent steps, all environments together")
    learnt.xaxis.set_major_formatter(EngFormatter(sep=""))
    learnt.legend(loc="lower right", frameon=False)
    for axes in (route, learnt):
        trim(axes)
    write_whole(picture, as_png(figure))
