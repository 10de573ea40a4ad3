# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games lint GAME`: plays a game for some seconds and says what looks wrong."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console
from rich.table import Table
from rich.text import Text

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.files import check_writable, write_text
from oakemu_rl.games import load_game
from oakemu_rl.lint import Finding, LintReport, lint_game
from oakemu_rl.lint.play import Played

__all__ = ["run"]

_FOUND_ERRORS = 1
_STYLES = {"error": "red", "warning": "yellow"}


class _LintArguments(BaseModel):
    """Play a game for some seconds, by chance and with each action held, and say what looks wrong.

    Whether there are rewards and of what size, variables that never change, episodes that never end, actions without
    effect, a joystick that is read and not attached, whether seeds repeat, and how fast it is. Exits with 0 if there
    are no errors (warnings may be meant), with 1 if there are, and with 2 if the game cannot be played at all.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str = Field(
        description="Game id, name or definition file.",
        json_schema_extra={"positional": True, "metavar": "GAME"},
    )
    seed: int = Field(0, ge=0, lt=2**63, description="What chance does follows from it.")
    strict: bool = Field(default=False, description="Exit with 1 for warnings, too.")
    json_file: Path | None = Field(
        None,
        description="Also write everything as JSON; - writes it to the standard output instead of the table.",
        json_schema_extra={"aliases": ["--json"], "metavar": "FILE"},
    )


def run(args: Sequence[str]) -> int:
    """Prints what was found; returns the exit code.

    Raises:
        UserError: There is no such game, or it cannot be played.
    """
    arguments = parse_flags(_LintArguments, args, prog="oakemu-rl games lint")
    to_stdout = arguments.json_file == Path("-")
    if arguments.json_file is not None and not to_stdout:
        check_writable(arguments.json_file)
    game = load_game(arguments.game)
    status = Console(stderr=True)
    with status.status("playing") as spinner:
        report = lint_game(game, seed=arguments.seed, progress=lambda text: spinner.update(f"playing: {text}"))
    text = json.dumps(report.as_dict(), indent=1) + "\n"
    if to_stdout:
        sys.stdout.write(text)
    else:
        _print(Console(highlight=False), report)
        if arguments.json_file is not None:
            write_text(arguments.json_file, text)
    return _FOUND_ERRORS if report.errors or (arguments.strict and report.findings) else 0


def _print(console: Console, report: LintReport) -> None:
    console.print(f"{report.game}\n", style="bold")
    console.print(_figures(report))
    console.print()
    if report.findings:
        console.print(_findings(report.findings))
        console.print()
    warnings = len(report.findings) - report.errors
    console.print(f"{_count(report.errors, 'error')}, {_count(warnings, 'warning')}", style="bold")


def _figures(report: LintReport) -> Table:
    table = Table(box=None, pad_edge=False)
    for name, justify in (("", "left"), ("random", "right"), ("each action held", "right")):
        table.add_column(name, justify=justify)  # type: ignore[arg-type]  # a literal, as far as rich is concerned
    rows = [_column(report.random), _column(report.held)]
    for name in rows[0]:
        table.add_row(name, *(row[name] for row in rows))
    table.add_row("frames a second", f"{report.frames_per_second:,.0f}", "")
    return table


def _column(played: Played) -> dict[str, str]:
    episodes = len(played.returns)
    parts = {f"  {name}": f"{100 * count / played.steps:.1f}%" for name, count in played.seen_parts.items()}
    return {
        "steps": f"{played.steps:,}",
        "steps with a reward": f"{100 * played.rewarded / played.steps:.1f}%",
        **parts,
        "reward of a step": f"{played.smallest:g} to {played.largest:g}" if played.rewarded else "none",
        "episodes that ended": f"{episodes:,}",
        "without any reward": f"{100 * played.zero_episodes / episodes:.0f}%" if episodes else "-",
        "mean return": f"{sum(played.returns) / episodes:.2f}" if episodes else "-",
        "mean length": f"{sum(played.lengths) / episodes:,.0f}" if episodes else "-",
        "ended by": ", ".join(f"{name} {count}" for name, count in sorted(played.outcomes.items())) or "-",
    }


def _findings(findings: Sequence[Finding]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for finding in findings:
        what = Text.assemble(finding.text, "\n", (finding.hint, "dim"))  # brackets in it are no markup
        table.add_row(Text(finding.level, _STYLES[finding.level]), finding.check, what)
    return table


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
