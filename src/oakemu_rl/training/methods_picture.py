# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture of several methods' learning curves."""

import io
from collections.abc import Sequence
from textwrap import fill

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

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
    figure = Figure(figsize=(9, 5), dpi=120, layout="constrained")
    FigureCanvasAgg(figure)
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
    axes.grid(visible=True, color="0.92")
    axes.legend(loc="best", frameon=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()
