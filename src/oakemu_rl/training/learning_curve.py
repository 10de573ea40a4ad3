# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of a run: every training episode of the policy's, their running mean, and what evaluations said."""

from pathlib import Path

import numpy as np
from matplotlib.ticker import EngFormatter
from numpy.typing import NDArray

from oakemu_rl._whole_file import write_whole
from oakemu_rl.ppo import Route
from oakemu_rl.training.drawing import as_png, empty_figure, trim
from oakemu_rl.training.json_lines import read_json_lines

__all__ = ["draw_learning_curve", "running_mean"]

_WINDOW = 100  # episodes
_MOST_DOTS = 4_000


def draw_learning_curve(episodes: Path, metrics: Path, picture: Path, title: str) -> bool:
    """Draws a run's files as a PNG.

    Args:
        episodes: The run's episodes.jsonl.
        metrics: The run's metrics.jsonl, which holds the evaluations.
        picture: Where the PNG goes; it appears complete or not at all.
        title: What stands above it.

    Returns:
        Whether there was anything to draw.

    Raises:
        OSError: It cannot be written.
    """
    finished = [
        (line["step"], line["return"])
        for line in read_json_lines(episodes)
        if Route(line.get("route", Route.POLICY)).shows_policy
    ]
    judged = [
        (
            line["step"],
            line["eval/mean_reward"],
            line.get("eval/low", line["eval/mean_reward"]),
            line.get("eval/high", line["eval/mean_reward"]),
        )
        for line in read_json_lines(metrics)
        if line["kind"] == "evaluation" and line.get("eval/mean_reward") is not None
    ]
    if not finished and not judged:
        return False
    figure = empty_figure(9, 5)
    axes = figure.add_subplot()
    if finished:
        steps, returns = (np.asarray(column, dtype=np.float64) for column in zip(*finished, strict=True))
        few = slice(None, None, -(-len(steps) // _MOST_DOTS))
        last = np.append(np.diff(steps) > 0, True)  # episodes of one update share its step: one point of the line each
        axes.plot(steps[few], returns[few], ".", color="0.7", markersize=3, zorder=1, label="training episode")
        smooth = running_mean(returns, _WINDOW)[last]
        axes.plot(steps[last], smooth, color="tab:blue", zorder=2, label=f"mean of {_WINDOW} episodes")
    if judged:
        steps, means, low, high = (np.asarray(column, dtype=np.float64) for column in zip(*judged, strict=True))
        bars = np.maximum(0.0, np.stack([means - low, high - means]))
        axes.errorbar(
            steps,
            means,
            yerr=bars,
            fmt="o-",
            color="tab:orange",
            markersize=5,
            capsize=3,
            zorder=3,
            label="evaluation (greedy; 95% interval)",
        )
    axes.set_xlabel("agent steps, all environments together")
    axes.set_ylabel("return of an episode")
    axes.set_title(title)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.legend(loc="best", frameon=False)
    trim(axes)
    write_whole(picture, as_png(figure))
    return True


def running_mean(values: NDArray[np.float64], window: int) -> NDArray[np.float64]:
    """The mean of each value and those before it, `window` at most.

    Args:
        values: Shape (n,).
        window: At least 1.

    Returns:
        Shape (n,).
    """
    sums = np.concatenate([[0.0], np.cumsum(values)])
    ends = np.arange(1, len(values) + 1)
    starts = np.maximum(0, ends - window)
    return np.asarray((sums[ends] - sums[starts]) / (ends - starts))
