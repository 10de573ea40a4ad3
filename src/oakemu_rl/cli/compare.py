# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl compare`: runs side by side, as curves, as a table, and in the same episodes."""

import itertools
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt
from rich.console import Console
from rich.table import Table

from oakemu_rl import __version__
from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.files import check_writable, write_bytes, write_text
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game

if TYPE_CHECKING:  # they bring torch, which is imported once the arguments are known to be sound
    from oakemu_rl.evaluation import EpisodeVectorEnv
    from oakemu_rl.training.methods import Method

__all__ = ["run"]

_Returns = NDArray[np.float64]


class _CompareArguments(BaseModel):
    """Compare runs of one game: learning curves, and with --episodes the best models in the same episodes.

    Runs that differ in nothing but the seed are one method: their curve is an interquartile mean, and whether one
    method is better than another is told by drawing runs as well as episodes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    runs: list[Path] = Field(
        default_factory=list,
        description="Run folders.",
        json_schema_extra={"positional": True, "repeated": True, "metavar": "RUN..."},
    )
    curve: Literal["evaluation", "training"] = Field("evaluation", description="Of which episodes the curves are.")
    picture: Path | None = Field(
        Path("compare.png"),
        description="Where the curves are drawn; None draws none.",
        json_schema_extra={"metavar": "PNG"},
    )
    episodes: NonNegativeInt = Field(
        0,
        description="Let each run's best model play so many episodes, all the same ones.",
        json_schema_extra={"aliases": ["-n"]},
    )
    seed: int = Field(0, ge=0, lt=2**63, description="The seeds of the episodes follow from it.")
    sticky: float | None = Field(
        None,
        ge=0,
        lt=1,
        description="How often the previous action is taken again; None is as in training.",
        json_schema_extra={"metavar": "PROBABILITY"},
    )
    num_threads: PositiveInt | None = Field(None, description="Emulation threads; None is one a processor.")
    json_file: Path | None = Field(
        None, description="Also write everything as JSON.", json_schema_extra={"aliases": ["--json"], "metavar": "FILE"}
    )
    quiet: bool = Field(default=False, description="Print nothing but errors.")


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_CompareArguments, args, prog="oakemu-rl compare")
    if not arguments.runs:
        raise UserError("compare needs run folders, as in: oakemu-rl compare runs/a runs/b")
    for path in (arguments.picture, arguments.json_file):
        if path is not None:
            check_writable(path)
    from oakemu_rl.training.methods import methods_of, read_run
    from oakemu_rl.training.methods_picture import draw_methods

    methods = methods_of([read_run(path, arguments.curve) for path in arguments.runs])
    returns = [_play(method, arguments) for method in methods] if arguments.episodes else []
    game_id = methods[0].runs[0].game_id
    if arguments.picture is not None:
        write_bytes(arguments.picture, draw_methods(methods, arguments.curve, game_id))
    if arguments.json_file is not None:
        write_text(arguments.json_file, json.dumps(_as_dict(methods, returns, arguments), indent=1) + "\n")
    if not arguments.quiet:
        _print(methods, returns, arguments)
    return 0


def _play(method: "Method", arguments: _CompareArguments) -> _Returns:
    """Returns of each run's best model, (runs, episodes); the episodes are the same for all."""
    from oakemu_rl.evaluation import ModelPlayer, Tester, episode_seeds
    from oakemu_rl.training.agent import load_agent

    rows = []
    for run in method.runs:
        agent = load_agent(run.path)
        options = dict(agent.env_options)
        if arguments.sticky is not None:
            options["repeat_action_probability"] = arguments.sticky
        tester = Tester(partial(_make_env, agent.game, options, arguments.num_threads))
        try:
            result = tester.play(ModelPlayer(agent.model), episode_seeds(arguments.seed, arguments.episodes))
        finally:
            tester.close()
        rows.append([episode.episode_return for episode in result.episodes])
    return np.array(rows)


def _make_env(game: Game, options: Mapping[str, Any], num_threads: int | None, num_envs: int) -> "EpisodeVectorEnv":
    from oakemu_rl.evaluation import make_episode_env

    return make_episode_env(game, num_envs, options, num_threads)


def _print(methods: "Sequence[Method]", returns: Sequence[_Returns], arguments: _CompareArguments) -> None:
    from oakemu_rl.evaluation import figures_of_runs

    console = Console()
    console.print(_table(methods), highlight=False)
    if returns:
        console.print(f"\nbest models in the same {arguments.episodes} episodes:", highlight=False)
        for method, played in zip(methods, returns, strict=True):
            figures = figures_of_runs(played)
            interval = f"95%: {figures.low:.2f} to {figures.high:.2f}"
            console.print(f"  {method.name}: IQM {figures.iqm:.2f} ({interval})", highlight=False)
    for (one, first), (other, second) in itertools.combinations(zip(methods, returns, strict=bool(returns)), 2):
        console.print(f"  {one.name} against {other.name}: {_verdict(first, second)}", highlight=False, soft_wrap=True)
    if arguments.picture is not None:
        sys.stdout.write(f"\ncurves in {arguments.picture}\n")


def _table(methods: "Sequence[Method]") -> Table:
    from oakemu_rl.training.methods import curve_of

    table = Table(box=None, pad_edge=False)
    table.add_column("")
    table.add_column("settings that differ" if len(methods) > 1 else "game")
    for heading in ("runs", "steps", "at the end", "lowest, highest run", "best"):
        table.add_column(heading, justify="right")
    for method in methods:
        curve = curve_of(method)
        table.add_row(
            method.name,
            method.label,
            str(len(method.runs)),
            f"{curve.steps[-1]:,.0f}",
            f"{curve.iqm[-1]:.2f}",
            f"{curve.low[-1]:.2f}, {curve.high[-1]:.2f}",
            f"{max(run.returns.max() for run in method.runs):.2f}",
        )
    return table


def _verdict(first: _Returns, second: _Returns) -> str:
    """What the same episodes say about two methods, in a sentence."""
    from oakemu_rl.evaluation import compare_methods, compare_returns

    if len(first) == len(second) == 1:
        pair = compare_returns(first[0], second[0])
        how = "significant" if pair.significant else "may be chance"
        interval = f"95%: {pair.low:+.2f} to {pair.high:+.2f}"
        return (
            f"{pair.difference:+.2f} an episode ({interval}; p = {pair.p_value:.4f}, {how}), "
            f"better in {pair.better:.0%} of them; it tells of these two models, not of methods: those want more seeds"
        )
    runs = compare_methods(first, second)
    how = "significant" if runs.significant else "may be chance"
    return (
        f"IQM {runs.difference:+.2f} (95%: {runs.low:+.2f} to {runs.high:+.2f}; {how}), "
        f"a run of the first is better with a probability of {runs.better:.0%}"
    )


def _as_dict(methods: "Sequence[Method]", returns: Sequence[_Returns], arguments: _CompareArguments) -> dict[str, Any]:
    from oakemu_rl.evaluation import compare_methods, compare_returns, figures_of_runs
    from oakemu_rl.training.methods import curve_of

    entries: list[dict[str, Any]] = []
    for index, method in enumerate(methods):
        curve = {name: values.tolist() for name, values in vars(curve_of(method)).items()}
        entry: dict[str, Any] = {
            "name": method.name,
            "label": method.label,
            "runs": [str(run.path) for run in method.runs],
            "seeds": [run.configuration.seed for run in method.runs],
            "curve": curve,
        }
        if returns:
            entry |= {"best_models": asdict(figures_of_runs(returns[index])), "returns": returns[index].tolist()}
        entries.append(entry)
    pairs: list[dict[str, Any]] = []
    for one, other in itertools.combinations(range(len(returns)), 2):
        first, second = returns[one], returns[other]
        pair: dict[str, Any] = {"first": one, "second": other}
        if len(first) == len(second) == 1:
            result = compare_returns(first[0], second[0])
            pair |= {**asdict(result), "significant": result.significant}
        else:
            methods_result = compare_methods(first, second)
            pair |= {**asdict(methods_result), "significant": methods_result.significant}
        pairs.append(pair)
    return {
        "version": __version__,
        "game": methods[0].runs[0].game_id,
        "curve": arguments.curve,
        "episodes": arguments.episodes,
        "seed": arguments.seed,
        "methods": entries,
        "comparisons": pairs,
    }
