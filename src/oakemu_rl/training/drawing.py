# SPDX-License-Identifier: GPL-3.0-or-later
"""What all plots of a run have in common."""

import io

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

__all__ = ["as_png", "empty_figure", "trim"]


def empty_figure(width: float, height: float, *, dpi: int = 120) -> Figure:
    """A figure of so many inches that needs no display and belongs to nobody else."""
    figure = Figure(figsize=(width, height), dpi=dpi, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def trim(axes: Axes) -> None:
    """Leaves a pale grid and two sides."""
    axes.grid(visible=True, color="0.92")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def as_png(figure: Figure) -> bytes:
    """The PNG file."""
    file = io.BytesIO()
    figure.savefig(file, format="png")
    return file.getvalue()
