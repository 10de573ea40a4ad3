# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of several methods' learning curves."""

from collections.abc import Sequence
from textwrap import fill

from matplotlib.ticker import EngFormatter

from oakemu_rl.training.drawing import as_png, empty_figure, trim
from oakemu_rl.training.methods import CurveKind, Method, curve_of

__all__ = ["draw_methods"]

_AXIS: dict[CurveKind, str] = {
    "evaluation": "mean return of greedy evaluation episodes",
    "training": "mean return of training episodes",
}


def draw_methods(methods: Sequence[Method], kind: CurveKind, title: str) -> bytes:
    """Draws the learning curves of methods.

    Args:
        methods: One line each; a band from the lowest run to the highest where there are several.
        kind: What the curves are of.
        title: What stands above.

    Returns:
        The PNG file.
    """
    figure = empty_figure(9, 5)
    axes = figure.add_subplot()
    for method in methods:
        curve = curve_of(method)
        count = len(method.runs)
        marker = "o" if len(curve.steps) == 1 else ""
        runs = f" (IQM of {count} runs, lowest to highest)" if count > 1 else ""
        label = fill(f"{method.name}: {method.label}{runs}", 90)
        (line,) = axes.plot(curve.steps, curve.iqm, marker=marker, label=label)
        if count > 1:
            axes.fill_between(curve.steps, curve.low, curve.high, color=line.get_color(), alpha=0.15, linewidth=0)
    axes.set_xlabel("agent steps, all environments together")
    axes.set_ylabel(_AXIS[kind])
    axes.set_title(title)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    axes.legend(loc="best", frameon=False)
    trim(axes)
    return as_png(figure)
