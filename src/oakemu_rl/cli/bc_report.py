# SPDX-License-Identifier: GPL-3.0-or-later
"""What cloning came to, for people."""

import sys
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from oakemu_rl.imitation import Epoch, Judgement
from oakemu_rl.training.cloning_run import CloningOutcome
from oakemu_rl.training.ending import what_next
from oakemu_rl.training.run_folder import RunFolder

__all__ = ["describe_epoch", "print_outcome"]


def describe_epoch(epoch: Epoch) -> str:
    """An epoch in one line."""
    parts = [f"epoch {epoch.index}", f"loss {epoch.training.loss:.4f}", f"accuracy {epoch.training.accuracy:.1%}"]
    if epoch.validation is not None:
        parts += [f"held out: loss {epoch.validation.loss:.4f}", f"accuracy {epoch.validation.accuracy:.1%}"]
    return "  ".join(parts) + ("  (the best so far)" if epoch.is_best else "")


def print_outcome(outcome: CloningOutcome, actions: Sequence[str], folder: RunFolder) -> None:
    """Prints how well each action is found again, where everything is, and what to do next."""
    console = Console(file=sys.stdout)
    best = outcome.best
    judged, whose = (best.training, "learnt from") if best.validation is None else (best.validation, "held out")
    console.print(
        f"\nbest after epoch {best.index} of {outcome.epochs}: accuracy {judged.accuracy:.1%} on the "
        f"{judged.steps:,} steps {whose}\n",
        highlight=False,
    )
    console.print(_by_action(judged, actions), highlight=False)
    console.print(f"\nputting batches together took {outcome.data_share:.1%} of the time", highlight=False)
    console.print(f"run folder {folder.path}\n", highlight=False, soft_wrap=True)
    after = f"train --config {folder.config} --initial {folder.path} --imitation.ppo-weight 0:0 0.05:0 0.1:1"
    commands = {
        "see it play": f"watch {folder.path}",
        "judge it over 100 episodes": f"evaluate {folder.path}",
        "go on by PPO": after,
    }
    for line in what_next(commands):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _by_action(judged: Judgement, actions: Sequence[str]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("action")
    table.add_column("steps", justify="right")
    table.add_column("found", justify="right")
    table.add_column("most often taken for")
    for action, name in enumerate(actions):
        count = int(judged.counts[action])
        taken = judged.most_taken_for(action) if count else None
        other = "" if taken is None else f"{actions[taken[0]]} ({taken[1]:.1%})"
        table.add_row(name, f"{count:,}", f"{judged.share_found(action):.1%}" if count else "-", other)
    return table
