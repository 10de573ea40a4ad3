# SPDX-License-Identifier: GPL-3.0-or-later
"""A diagnosis as a page for people: Markdown and two pictures."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter

from oakemu_rl.training.diagnosis import NetworkFigures, layers_of
from oakemu_rl.training.diagnostics import RATIO_BINS
from oakemu_rl.training.drawing import as_png, empty_figure, trim
from oakemu_rl.training.findings import Finding

__all__ = ["HISTORY_PICTURE", "NETWORK_PICTURE", "draw_history", "draw_network", "write_page"]

HISTORY_PICTURE = "history.png"
NETWORK_PICTURE = "network.png"

_HISTORY = {
    "rollout/ep_rew_mean": "return of an episode",
    "train/explained_variance": "explained variance",
    "train/entropy": "entropy",
    "train/approx_kl": "KL of an update",
    "diagnostics/effective_rank": "effective rank",
    "diagnostics/dormant": "idle units, the worst layer",
}
_LEARNT = {
    "explained_variance": "explained variance",
    "approx_kl": "approximate KL",
    "clip_fraction": "clipped",
    "entropy": "entropy",
    "grad_norm": "gradient norm",
    "value_loss": "value loss",
}
_COLOURS = {"trained": "tab:blue", "fresh": "0.75"}


def write_page(
    title: str, about: Sequence[str], findings: Sequence[Finding], trained: NetworkFigures, fresh: NetworkFigures
) -> str:
    """The page in Markdown.

    Args:
        title: What was looked at.
        about: Sentences on how.
        findings: What was found.
        trained: Figures of the run's network.
        fresh: Figures of its twin.
    """
    return "\n".join(_page(title, about, findings, trained, fresh)) + "\n"


def _page(
    title: str, about: Sequence[str], findings: Sequence[Finding], trained: NetworkFigures, fresh: NetworkFigures
) -> Iterator[str]:
    yield from (f"# {title}", "", " ".join(about), "")
    bad = [finding for finding in findings if not finding.healthy]
    yield from ("## What does not look healthy", "")
    yield from (f"- **{finding.text}.** Try: {finding.advice}." for finding in bad)
    if not bad:
        yield "Nothing."
    yield from ("", "## What looks healthy", "")
    yield from (f"- {finding.text}" for finding in findings if finding.healthy)
    yield from ("", "## Layer by layer", "", "Each cell: trained / fresh.", "")
    yield from _layers(trained, fresh)
    yield from ("", "## One update", "", "| | trained | fresh |", "|---|---|---|")
    for name, text in _LEARNT.items():
        yield f"| {text} | {trained.learnt[name]:.3g} | {fresh.learnt[name]:.3g} |"
    for tag, text in (("effective_rank", "effective rank"), ("features", "features")):
        one, other = (each.seen.get(f"diagnostics/{tag}", 0.0) for each in (trained, fresh))
        yield f"| {text} | {one:.0f} | {other:.0f} |"
    yield from ("", "## Pictures", "", f"![how it went]({HISTORY_PICTURE})", "")
    yield f"![the network beside a fresh one]({NETWORK_PICTURE})"


def _layers(trained: NetworkFigures, fresh: NetworkFigures) -> Iterator[str]:
    columns = {
        "dead": ("dead units", "{:.0%}"),
        "dormant": ("idle units", "{:.0%}"),
        "weight_norm": ("weight norm", "{:.3g}"),
        "gradient_norm": ("gradient norm", "{:.3g}"),
    }
    yield "| layer | " + " | ".join(name for name, _ in columns.values()) + " |"
    yield "|---" * (len(columns) + 1) + "|"
    for layer in layers_of(trained, "weight_norm"):
        cells = []
        for kind, (_, form) in columns.items():
            pair = [layers_of(each, kind).get(layer) for each in (trained, fresh)]
            cells.append(" / ".join("-" if value is None else form.format(value) for value in pair))
        yield f"| {layer} | " + " | ".join(cells) + " |"


def draw_history(lines: Sequence[Mapping[str, Any]]) -> bytes:
    """How the figures went over the run, as a PNG; panels of figures that were never taken stay empty.

    Args:
        lines: Of metrics.jsonl.
    """
    figure = empty_figure(11, 6, dpi=110)
    for axes, (tag, title) in zip(figure.subplots(2, 3, sharex=True).flat, _HISTORY.items(), strict=True):
        points = [(line["step"], value) for line in lines if (value := _value_of(line, tag)) is not None]
        if points:
            axes.plot(*zip(*points, strict=True), color=_COLOURS["trained"], linewidth=1)
        _titled(axes, title)
        axes.xaxis.set_major_formatter(EngFormatter(sep=""))
        axes.set_xlabel("agent steps")
    return as_png(figure)


def _value_of(line: Mapping[str, Any], tag: str) -> float | None:
    """A line's figure; of figures by layer, the highest."""
    values = [value for name, value in line.items() if name == tag or name.startswith(f"{tag}/")]
    numbers = [float(value) for value in values if isinstance(value, (int, float))]
    return max(numbers, default=None)


def draw_network(trained: NetworkFigures, fresh: NetworkFigures) -> bytes:
    """Layers and probability ratios of both networks, as a PNG."""
    figure = empty_figure(11, 6, dpi=110)
    kinds = {
        "dormant": "idle units (share)",
        "weight_norm": "norm of the weights",
        "gradient_norm": "norm of the gradient",
        "ratio": "probability after an update / before (share)",
    }
    for axes, (kind, title) in zip(figure.subplots(2, 2).flat, kinds.items(), strict=True):
        names = list(RATIO_BINS) if kind == "ratio" else list(layers_of(trained, kind))
        for offset, (label, figures) in zip((-0.2, 0.2), (("trained", trained), ("fresh", fresh)), strict=True):
            values = layers_of(figures, kind)
            places = [place + offset for place in range(len(names))]
            heights = [values.get(name, 0.0) for name in names]
            axes.bar(places, heights, width=0.4, color=_COLOURS[label], label=label)
        axes.set_xticks(range(len(names)), names, rotation=30, ha="right", fontsize=8)
        if kind.endswith("norm"):
            axes.set_yscale("log")
        _titled(axes, title)
        axes.legend(frameon=False, fontsize=8)
    return as_png(figure)


def _titled(axes: Axes, title: str) -> None:
    axes.set_title(title, fontsize=10)
    axes.set_axisbelow(True)
    trim(axes)
