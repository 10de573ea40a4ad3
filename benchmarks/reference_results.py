# SPDX-License-Identifier: GPL-3.0-or-later
"""Trains PPO on each game that ships, with its preset and several seeds, and writes table and curves.

    .venv/bin/python benchmarks/reference_results.py                      every game, three seeds
    .venv/bin/python benchmarks/reference_results.py --games acorns --seeds 5 --steps 400k

Runs that are finished are not made again, so that it can be stopped and started at any time. It writes
docs/results.md between its markers, docs/images/results-GAME.png, and benchmarks/reference_results.json.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter
from numpy.typing import NDArray

from oakemu_rl.evaluation import figures_of_runs, interquartile_mean
from oakemu_rl.games import list_games, load_game
from oakemu_rl.training.json_lines import read_json_lines

from _pages import put

_ROOT = Path(__file__).parents[1]
_PAGE = _ROOT / "docs" / "results.md"
_IMAGES = _ROOT / "docs" / "images"
_JSON = _ROOT / "benchmarks" / "reference_results.json"
_EPISODES = 100
_POINTS = 60  # of a curve


def _oakemu(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "oakemu_rl.cli.main", *arguments], check=True)


def _judge(run: str, target: Path, *flags: str) -> dict[str, Any]:
    if not target.exists():
        _oakemu("evaluate", run, "--episodes", str(_EPISODES), "--quiet", "--json", str(target), *flags)
    result: dict[str, Any] = json.loads(target.read_text(encoding="utf-8"))
    return result


def _train(game: str, seed: int, steps: str | None, threads: int, folder: Path) -> Path:
    run = folder / f"{load_game(game).definition.name}-{seed}"
    done = run / "finished"
    if not done.exists():
        resume = ["--resume", str(run)] if (run / "config.yaml").exists() else [game, "--run-folder", str(run)]
        length = [] if steps is None else ["--steps", steps]
        pace = ["--time", "24h", "--num-threads", str(threads), "--torch-threads", str(threads)]
        _oakemu("train", "--no-film", *resume, "--seed", str(seed), "--quiet", *pace, *length)
        done.touch()
    return run


def _returns(judged: Sequence[dict[str, Any]]) -> NDArray[np.float64]:
    return np.array([[episode["episode_return"] for episode in result["episodes"]] for result in judged])


def _won(judged: Sequence[dict[str, Any]]) -> float:
    return float(np.mean([episode["outcome"] == "win" for result in judged for episode in result["episodes"]]))


def _measure(game: str, runs: Sequence[Path], folder: Path) -> dict[str, Any]:
    name = load_game(game).definition.name
    judged = [_judge(str(run), run / "judged.json") for run in runs]
    chance = [_judge(game, folder / f"{name}-random.json", "--random")]
    return {
        "game": load_game(game).id,
        "seeds": len(runs),
        "steps": max(line["step"] for run in runs for line in read_json_lines(run / "metrics.jsonl")),
        "trained": asdict(figures_of_runs(_returns(judged))),
        "per_seed": interquartile_mean(_returns(judged), axis=1).tolist(),
        "random": asdict(figures_of_runs(_returns(chance))),
        "won": _won(judged),
        "random_won": _won(chance),
        "curve": _curve(runs),
    }


def _curve(runs: Sequence[Path]) -> dict[str, list[float]]:
    """Mean return of the last 100 training episodes at equal steps: IQM over seeds, lowest and highest seed."""
    series: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
    for run in runs:
        lines = [line for line in read_json_lines(run / "metrics.jsonl") if "rollout/ep_rew_mean" in line]
        series.append((np.array([x["step"] for x in lines]), np.array([x["rollout/ep_rew_mean"] for x in lines])))
    first, last = max(x[0] for x, _ in series), min(x[-1] for x, _ in series)
    steps = np.linspace(first, last, _POINTS)
    values = np.stack([np.interp(steps, x, y) for x, y in series])
    return {
        "steps": steps.tolist(),
        "iqm": interquartile_mean(values, axis=0).tolist(),
        "low": values.min(axis=0).tolist(),
        "high": values.max(axis=0).tolist(),
    }


def _draw(result: dict[str, Any], picture: Path) -> None:
    figure = Figure(figsize=(7, 3.5), dpi=100, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    curve = result["curve"]
    axes.fill_between(curve["steps"], curve["low"], curve["high"], alpha=0.2, label="lowest and highest seed")
    axes.plot(curve["steps"], curve["iqm"], label=f"interquartile mean of {result['seeds']} seeds")
    if load_game(result["game"]).definition.evaluation is None:  # else games are judged by another reward than taught
        axes.axhline(result["random"]["iqm"], color="0.5", linestyle="--", label="random keys")
    axes.set(title=result["game"], xlabel="agent steps", ylabel="return of training episodes")
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.legend()
    figure.savefig(picture)


def _table(results: Sequence[dict[str, Any]]) -> str:
    headings = [
        "game",
        "agent steps",
        "seeds",
        "return, IQM (95% interval)",
        "each seed",
        "won",
        "random keys: return, won",
    ]
    rows = [headings, ["---", "---:", "---:", "---:", "---", "---:", "---:"]]
    for r in results:
        trained, chance = r["trained"], r["random"]
        rows.append(
            [
                r["game"],
                f"{r['steps']:,}",
                str(r["seeds"]),
                f"{trained['iqm']:.1f} ({trained['low']:.1f} to {trained['high']:.1f})",
                ", ".join(f"{value:.1f}" for value in r["per_seed"]),
                f"{r['won']:.0%}",
                f"{chance['iqm']:z.1f}, {r['random_won']:.0%}",
            ]
        )
    lines = [f"| {' | '.join(row)} |" for row in rows]
    for r in results:
        name = load_game(r["game"]).definition.name
        lines += ["", f"![{name}: training curves](images/results-{name.lower()}.png)"]
    return "\n".join(lines)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", nargs="+", help="default: every game that ships with its program")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--steps", help="agent steps; default: the game's preset")
    parser.add_argument("--jobs", type=int, default=1, help="runs side by side, which share the processors")
    parser.add_argument("--folder", type=Path, default=_ROOT / "runs" / "reference")
    arguments = parser.parse_args()
    games = arguments.games or [g for g in list_games() if load_game(g).definition.program.bundled]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    threads = max(1, (os.cpu_count() or 1) // arguments.jobs)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        started = {
            game: [
                pool.submit(_train, game, seed, arguments.steps, threads, arguments.folder)
                for seed in range(1, arguments.seeds + 1)
            ]
            for game in games
        }
        runs = {game: [run.result() for run in futures] for game, futures in started.items()}
    results = []
    for game in games:
        results.append(_measure(game, runs[game], arguments.folder))
        _draw(results[-1], _IMAGES / f"results-{load_game(game).definition.name.lower()}.png")
    put(_PAGE, "results", _table(results))
    _JSON.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    _main()
