# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl evaluate`: plays seeded episodes and says how good an agent is."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, PositiveInt
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from oakemu_rl.cli.agent_arguments import AgentArguments, open_agent
from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.files import write_text
from oakemu_rl.errors import UserError, nearest

if TYPE_CHECKING:  # they bring torch, which is imported once the arguments are known to be sound
    from oakemu_rl.evaluation import EvaluationResult, Summary
    from oakemu_rl.training.agent import Agent

__all__ = ["run"]


class _EvaluateArguments(AgentArguments):
    """Play whole episodes, each from its own seed, and sum them up."""

    episodes: PositiveInt = Field(
        100, description="How many.", json_schema_extra={"aliases": ["-n", "--eval-episodes"]}
    )
    seed: int = Field(0, ge=0, lt=2**63, description="The seeds of the episodes follow from it.")
    sample: bool = Field(default=False, description="Sample actions instead of taking the most probable one.")
    variables: bool = Field(default=False, description="Show every variable of the game, not the score alone.")
    share: tuple[str, str] | None = Field(
        None,
        description="Two variables: also show the first one's part in the sum of both (caught missed).",
        json_schema_extra={"metavar": "HITS MISSES"},
    )
    num_envs: PositiveInt = Field(16, description="How many are played at once.")
    num_threads: PositiveInt | None = Field(None, description="Emulation threads; None is one a processor.")
    json_file: Path | None = Field(
        None,
        description="Also write everything, each episode too, as JSON.",
        json_schema_extra={"aliases": ["--json"], "metavar": "FILE"},
    )
    quiet: bool = Field(default=False, description="Print nothing but errors.")


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_EvaluateArguments, args, prog="oakemu-rl evaluate")
    agent = open_agent(arguments)
    for name in arguments.share or ():
        if name not in agent.game.variable_names:
            known = agent.game.variable_names
            raise UserError(f"--share: no variable {name!r}{nearest(name, known)}; there are {', '.join(known)}")
    result = _evaluate(agent, arguments)
    if arguments.json_file is not None:
        about = {"agent": str(agent.checkpoint), "game": agent.game.id, "step": agent.step, "seed": arguments.seed}
        write_text(arguments.json_file, json.dumps({**about, **result.as_dict()}, indent=1) + "\n")
    if not arguments.quiet:
        how = "sampled" if arguments.sample else "greedy"
        sys.stdout.write(f"{agent.game.id}: {arguments.episodes} {how} episodes of {agent.checkpoint}\n")
        Console().print(_table(_rows(agent, result, everything=arguments.variables)))
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(result.outcomes.items()))
        sys.stdout.write(f"outcomes: {outcomes}\n")
        if arguments.share is not None:
            part = result.share(*arguments.share)
            hits, misses = arguments.share
            sys.stdout.write(
                f"{hits}: {part.hits} of {part.total} ({hits} + {misses}), "
                f"{part.share:.2%}, 95% interval {part.low:.2%} to {part.high:.2%}\n"
            )
    return 0


def _evaluate(agent: "Agent", arguments: _EvaluateArguments) -> "EvaluationResult":
    from oakemu_rl.evaluation import Tester, episode_seeds, make_episode_env

    tester = Tester(
        lambda num_envs: make_episode_env(agent.game, num_envs, agent.env_options, arguments.num_threads),
        variables=agent.game.variable_names,
        num_envs=arguments.num_envs,
    )
    seeds = episode_seeds(arguments.seed, arguments.episodes)
    console = Console(stderr=True)
    hidden = arguments.quiet or not console.is_terminal
    with Progress(console=console, transient=True, disable=hidden) as progress:
        task = progress.add_task("episodes", total=arguments.episodes)
        try:
            return tester.run(
                agent.model,
                seeds,
                greedy=not arguments.sample,
                on_episode=lambda done: progress.update(task, completed=done),
            )
        finally:
            tester.close()


def _table(rows: Iterable[tuple[str, "Summary"]]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for heading in ("mean", "95% interval", "median", "IQM", "lowest", "highest"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, summary in rows:
        interval = f"{summary.low:.2f} to {summary.high:.2f}"
        figures = (summary.median, summary.iqm, summary.minimum, summary.maximum)
        table.add_row(name, f"{summary.mean:.2f}", interval, *(f"{figure:.2f}" for figure in figures))
    return table


def _rows(agent: "Agent", result: "EvaluationResult", *, everything: bool) -> Iterator[tuple[str, "Summary"]]:
    yield "return", result.returns
    yield "length (steps)", result.lengths
    score = agent.game.definition.score_variable
    if score is not None:
        yield score, result.variable(score)
    for name in result.variable_names:
        if everything and name != score:
            yield name, result.variable(name)
