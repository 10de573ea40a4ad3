# SPDX-License-Identifier: GPL-3.0-or-later
"""The one screen that shows a run: its parts, and which of them a terminal has room for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from oakemu_rl.quantities import format_count, format_duration, format_figure
from oakemu_rl.training.budget import Budget
from oakemu_rl.training.curve_plot import LINE_STYLE, MARK_STYLE, mark_letter, plot_curve
from oakemu_rl.training.run_figures import RunFigures

__all__ = ["Canvas", "draw_screen", "message_rows"]

_LABEL = 10  # letters in front of a line's figures
_BAR = 18
_WIDTH_WITH_BARS = 76
_NARROWEST = 40
_LOWEST = 8
_CURVE_FROM = 14  # rows of a screen that has a curve
_LEAST_CURVE, _MOST_CURVE = 4, 18
_MESSAGES_FROM = 20
_MOST_MESSAGES = 8

_OUTCOME_STYLES = {"win": "green", "loss": "red", "truncated": "yellow", "life_lost": "magenta", "terminated": "blue"}
_PHASE_STYLES = {"environment": "blue", "inference": "cyan", "learning": "magenta", "evaluation": "yellow"}
_SHORT_NAMES = {"environment": "env", "inference": "infer", "learning": "learn", "evaluation": "eval"}
_SHADES = "█▓▒░·"
_LEARNING = (  # what says most comes first: a narrow terminal leaves out the rest
    ("cloned", "imitation/bc_accuracy", "z.0%"),
    ("entropy", "train/entropy", "z.3f"),
    ("KL", "train/approx_kl", "z.4f"),
    ("clipped", "train/clip_fraction", "z.0%"),
    ("explained", "train/explained_variance", "z.2f"),
    ("lr", "train/learning_rate", ".2e"),
    ("gradient", "train/grad_norm", "z.2f"),
    ("rank", "diagnostics/effective_rank", ".0f"),
)


@dataclass(frozen=True)
class Canvas:
    """What a terminal offers.

    Attributes:
        width: Letters in a row.
        height: Rows.
        ascii_only: Whether it can show no other letters.
        colour: Whether it has colours.
    """

    width: int
    height: int
    ascii_only: bool = False
    colour: bool = True


def message_rows(canvas: Canvas) -> int:
    """How many rows a screen keeps for messages; the others belong above it."""
    if canvas.width < _NARROWEST or canvas.height < _MESSAGES_FROM:
        return 0
    return min(_MOST_MESSAGES, 2 + (canvas.height - _MESSAGES_FROM) // 3)


def draw_screen(
    title: str, figures: RunFigures, budget: Budget, messages: Sequence[Text], canvas: Canvas
) -> list[Text]:
    """Draws a run.

    Args:
        title: What is trained, and where to.
        figures: What the run has reported.
        budget: Its limits.
        messages: The last messages, in rows that fit the width; `message_rows` of them at most.
        canvas: The terminal.

    Returns:
        Rows, none wider and all together not higher than the canvas.
    """
    progress = _progress(figures, budget, canvas)
    if canvas.width < _NARROWEST or canvas.height < _LOWEST:
        rows = [progress]
    else:
        top = [Text(title, style="bold"), _bar_of_progress(figures, budget, canvas), progress]
        below = [_returns(figures, canvas), *_lines(figures, canvas)]
        kept = message_rows(canvas)
        room = canvas.height - len(top) - len(below) - kept
        spare = room > _LEAST_CURVE + 2 and canvas.height >= _CURVE_FROM
        curve: list[Text] = []
        if canvas.height >= _CURVE_FROM:
            height = min(_MOST_CURVE, room - (2 if spare else 0))
            curve = plot_curve(
                figures.training.points,
                figures.evaluation.points,
                canvas.width,
                max(_LEAST_CURVE, height),
                ascii_only=canvas.ascii_only,
            )
        gap = [Text()] if spare else []
        rows = [*top, *gap, below[0], *curve, *below[1:]]
        if kept and messages:
            rows += [*gap, *messages]
    for row in rows:
        row.no_wrap = True
        row.truncate(canvas.width, overflow="crop" if canvas.ascii_only else "ellipsis")
    return rows


def _progress(figures: RunFigures, budget: Budget, canvas: Canvas) -> Text:
    speed, elapsed = figures.newest.get("time/fps", 0.0), figures.newest.get("time/time_elapsed", 0.0)
    left = budget.left(figures.step, elapsed, speed)
    items = [
        _item(f"{format_count(figures.step)} of {format_count(budget.steps)} steps"),
        _item(f"{speed:,.0f} steps/s"),
        _item(f"{format_duration(left) if left != float('inf') else '-'} left"),
        _item(f"{format_duration(elapsed)} gone"),
    ]
    return _fit(items, canvas.width)


def _bar_of_progress(figures: RunFigures, budget: Budget, canvas: Canvas) -> Text:
    done = budget.done(figures.step, figures.newest.get("time/time_elapsed", 0.0))
    width = canvas.width - 5
    full = round(done * width)
    filled, empty = ("#", "-") if canvas.ascii_only else ("━", "─")
    return Text.assemble((filled * full, LINE_STYLE), (empty * (width - full), "dim"), f" {done:>4.0%}")


def _returns(figures: RunFigures, canvas: Canvas) -> Text:
    """The returns as figures, which also are the legend of the curve."""
    newest = figures.newest
    training, evaluation = newest.get("rollout/ep_rew_mean"), newest.get("eval/mean_reward")
    line = "-" if canvas.ascii_only else "─"
    items = [_item(f"{line} training", "no episode has ended" if training is None else format_figure(training))]
    items[0].stylize(LINE_STYLE, 0, 1)
    if evaluation is not None:
        mark = mark_letter(ascii_only=canvas.ascii_only)
        item = _item(f"{mark} evaluation", format_figure(evaluation))
        item.stylize(MARK_STYLE, 0, 1)
        best = f"{format_figure(newest['eval/best_mean_reward'])} at {format_count(newest['eval/best_timesteps'])}"
        items += [item, _item("best", best)]
    return _fit(items, canvas.width, label="return")


def _lines(figures: RunFigures, canvas: Canvas) -> list[Text]:
    """The lines below the curve, those that say something."""
    rows = []
    outcomes = figures.outcomes()
    if outcomes:
        rows.append(_shares("outcomes", outcomes, _OUTCOME_STYLES, canvas))
    rewards = figures.rewards()
    if rewards:
        items = [_item(name, format_figure(value)) for name, value in rewards.items()]
        rows.append(_fit(items, canvas.width, label="reward"))
    rows.append(_shares("time", figures.times(), _PHASE_STYLES, canvas))
    learning = [_item(name, f"{figures.newest[tag]:{form}}") for name, tag, form in _LEARNING if tag in figures.newest]
    if learning:
        rows.append(_fit(learning, canvas.width, label="learning"))
    return rows


def _shares(label: str, shares: Mapping[str, float], styles: Mapping[str, str], canvas: Canvas) -> Text:
    """A bar of parts, where there is room for it, and what they are."""
    parts = {name: share for name, share in shares.items() if share > 0}
    letters = dict(zip(shares, "#=+-." if canvas.ascii_only else "█" * 5 if canvas.colour else _SHADES, strict=False))
    bar = Text()
    if canvas.width >= _WIDTH_WITH_BARS:
        width = _BAR + (canvas.width - _WIDTH_WITH_BARS) // 3
        ends = [round(width * sum(list(parts.values())[: i + 1])) for i in range(len(parts))]
        for name, start, end in zip(parts, [0, *ends], ends, strict=False):
            bar.append(letters[name] * (end - start), style=styles[name])
        bar.append(" " * max(0, width - len(bar)))
    items = []
    for name, share in parts.items():
        shown = _SHORT_NAMES.get(name, name.replace("_", " "))
        items.append(Text.assemble((letters[name], styles[name]), f" {shown} ", (f"{share:.0%}", "bold")))
    return _fit([bar, *items] if bar else items, canvas.width, label=label)


def _item(name: str, value: str | None = None) -> Text:
    return Text(name) if value is None else Text.assemble(f"{name} ", (value, "bold"))


def _fit(items: Sequence[Text], width: int, *, label: str | None = None) -> Text:
    """As many of the items as a row has room for; none is cut, but for the first."""
    row = Text() if label is None else Text.assemble((f"{label:<{_LABEL}}", "dim"))
    for i, item in enumerate(items):
        gap = "  " if i else ""
        if i and row.cell_len + len(gap) + item.cell_len > width:
            break
        row.append(gap)
        row.append_text(item)
    return row
