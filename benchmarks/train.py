# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole training steps against Stable-Baselines3 and a plain script: `python benchmarks/train.py`.

The same environments, network and hyper-parameters; each trainer has a process of its own, and they take turns. Judged
by processor time, which leaves out what others do on the machine meanwhile.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, Self

from _pages import put
from _train_setups import SETUPS, Setup

__all__ = ["measure", "table"]

_WORKER = Path(__file__).with_name("_train_worker.py")
_RESULTS = Path(__file__).parents[1] / "build" / "train.json"
_PAGE = Path(__file__).parents[1] / "docs" / "speed.md"
_OURS = "ours"
_TITLES = {
    _OURS: "OakEmu-RL",
    "sb3": "Stable-Baselines3",
    "sb3 tuned": "the same with our memory settings",
    "plain": "plain script",
}
_TIMES = ("environment", "inference", "learning")


class _Worker:
    """A trainer in a process of its own."""

    def __init__(self, trainer: str, setup: str, threads: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(_WORKER), trainer, setup, str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def ask(self, line: str) -> dict[str, float]:
        """One line there, one back."""
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: S101, PT018 - both are pipes
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"a trainer ended early: {self._process.args!r}")
        parsed: dict[str, float] = json.loads(answer)
        return parsed

    def __exit__(self, *_: object) -> None:
        self._process.communicate()


def measure(setup_name: str, *, rounds: int, threads: int, trainers: Sequence[str] = tuple(_TITLES)) -> dict[str, Any]:
    """Steps a second of each trainer, by processor and by wall, and where the time goes.

    Args:
        setup_name: One of `SETUPS`.
        rounds: How often each trainer is timed, after one round that is not.
        threads: Of torch and of the emulation; processor time is added up over them.
        trainers: Which.
    """
    setup = SETUPS[setup_name]
    answers: dict[str, list[dict[str, float]]] = {name: [] for name in trainers}
    for number in range(rounds + 1):
        if number == 0:
            workers = {name: _Worker(name, setup_name, threads) for name in trainers}
        for name, worker in workers.items():
            answer = worker.ask(str(setup.updates))
            if number > 0:
                answers[name].append(answer)
    for worker in workers.values():
        with worker:
            pass
    return {
        "setup": setup_name,
        "title": setup.title,
        "threads": threads,
        "rows": [_row(name, answers[name], answers[_OURS], setup) for name in trainers],
    }


def _row(
    name: str, answers: Sequence[dict[str, float]], ours: Sequence[dict[str, float]], setup: Setup
) -> dict[str, Any]:
    steps = setup.updates * setup.steps_per_update
    wall = sum(answer["wall"] for answer in answers)
    split = {part: round(sum(answer[part] for answer in answers) / wall, 3) for part in _TIMES}
    pairs = list(zip(answers, ours, strict=True))
    return {
        "name": name,
        "per_processor_second": round(steps / median(answer["processor"] for answer in answers), 1),
        "per_second": round(steps / median(answer["wall"] for answer in answers), 1),
        "ours_is": round(median(theirs["processor"] / own["processor"] for theirs, own in pairs), 2),
        "ours_is_by_wall": round(median(theirs["wall"] / own["wall"] for theirs, own in pairs), 2),
        "split": {**split, "other": round(1.0 - sum(split.values()), 3)},
        "resident_mb": round(answers[-1]["resident"] / 2**20),
        "growth_mb": round((answers[-1]["resident"] - answers[0]["resident"]) / 2**20, 1),
    }


def table(result: dict[str, Any]) -> list[str]:
    """As lines of Markdown."""
    headings = (
        f"{result['title']}; {result['threads']} thread{'s' * (result['threads'] > 1)}",
        "steps per processor second",
        "steps/s",
        "ours against it, by processor (by wall)",
        "environment, inference, learning, other",
        "memory (growth since the first round)",
    )
    lines = [f"| {' | '.join(headings)} |", "|---|---:|---:|---:|---|---:|"]
    for row in result["rows"]:
        shares = ", ".join(f"{share:.0%}" for share in row["split"].values())
        times = "" if row["name"] == _OURS else f"{row['ours_is']:.2f}x ({row['ours_is_by_wall']:.2f}x)"
        lines.append(
            f"| {_TITLES[row['name']]} | {row['per_processor_second']:,.0f} | {row['per_second']:,.0f} | {times} "
            f"| {shares} | {row['resident_mb']} MB ({row['growth_mb']:+}) |"
        )
    return lines


def _time_to_score(setup_name: str, score: float, limit: float, *, threads: int) -> dict[str, Any]:
    """How long each trainer takes, one after the other, until its last hundred training episodes are as good."""
    steps = SETUPS[setup_name].steps_per_update
    rows = []
    for name in (_OURS, "sb3", "plain"):
        with _Worker(name, setup_name, threads) as worker:
            answer = worker.ask(f"score {score} {limit}")
        reached = answer["mean_return"] >= score
        rows.append({"name": name, "reached": reached, "steps": round(answer["updates"]) * steps, **answer})
    return {"setup": setup_name, "score": score, "limit": limit, "threads": threads, "rows": rows}


def _score_lines(result: dict[str, Any]) -> list[str]:
    title = f"{SETUPS[result['setup']].title}; {result['threads']} thread{'s' * (result['threads'] > 1)}"
    work = f"until the last 100 episodes return {result['score']:g}; {title}"
    lines = [f"| {work} | processor seconds | seconds | agent steps |", "|---|---:|---:|---:|"]
    for row in result["rows"]:
        missed = "" if row["reached"] else f" (not reached: {row['mean_return']:.1f})"
        lines.append(
            f"| {_TITLES[row['name']]}{missed} | {row['processor']:.0f} | {row['wall']:.0f} | {row['steps']:,} |"
        )
    return lines


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--setups", nargs="+", choices=SETUPS, default=list(SETUPS), help="default: all")
    parser.add_argument("--rounds", type=int, default=5, help="how often each trainer is timed (default: 5)")
    processors = sorted({1, os.cpu_count() or 1})
    parser.add_argument(
        "--threads", type=int, nargs="+", default=processors, help="of torch and of the emulation (default: 1 and all)"
    )
    parser.add_argument("--score", type=float, help="measure the time to this mean return, too (preset, one thread)")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds after which --score is given up")
    parser.add_argument("--readme", action="store_true", help="put the tables into docs/speed.md")
    arguments = parser.parse_args()
    if min(arguments.rounds, *arguments.threads) < 1:
        parser.error("--rounds and --threads must be at least 1")
    results, lines, scores = [], [], None
    for threads in arguments.threads:
        for name in arguments.setups:
            results.append(measure(name, rounds=arguments.rounds, threads=threads))
            lines += [*table(results[-1]), ""]
            print("\n".join(table(results[-1])), end="\n\n", flush=True)
    if arguments.score is not None:
        scores = _time_to_score("preset", arguments.score, arguments.limit, threads=1)
        print("\n".join(_score_lines(scores)), end="\n\n")
    _RESULTS.parent.mkdir(exist_ok=True)
    _RESULTS.write_text(json.dumps({"speed": results, "score": scores}, indent=2) + "\n", encoding="utf-8")
    print(f"written to {_RESULTS}")
    if arguments.readme:
        put(_PAGE, "train", "\n".join(lines).rstrip())
        if scores is not None:
            put(_PAGE, "score", "\n".join(_score_lines(scores)))


if __name__ == "__main__":
    _main()
