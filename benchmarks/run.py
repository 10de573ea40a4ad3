# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs every benchmark in one go: `python benchmarks/run.py [--readme]`."""

import argparse
import json
import platform
from pathlib import Path
from typing import Any

import core
import vector_env
from _pages import put

_HERE = Path(__file__).parent
_README = _HERE.parent / "README.md"
_PAGE = _HERE.parent / "docs" / "speed.md"
_RESULTS = _HERE.parent / "build" / "benchmarks.json"
_COMMITTED = _HERE / "results.json"


def _processor() -> str:
    """Name of the processor where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} x {names[0]}" if names else platform.machine()


def _environments(vector: dict[str, Any]) -> list[str]:
    """The vector environment's table and what follows from it."""
    lines = ["| 32 environments, frameskip 4, 84x84 grey x4 | steps/s |", "|---|---:|"]
    lines += [f"| {row['name']} | {row['per_second']:,} |" for row in vector["rows"]]
    against = ", ".join(f"{times} times ({name})" for name, times in vector["against_ale"].items())
    summary = (
        f"Observation, reward and bookkeeping take {vector['overhead']:.1%} on top of pure emulation; two threads make "
        f"{vector['two_threads']} times the steps of one. Against ALE on as many threads: {against}."
    )
    return [*lines, "", summary]


def _long(results: dict[str, Any]) -> str:
    """Everything, for docs/speed.md."""
    emulators = results["core"]
    states = ", ".join(f"{name} {value} us" for name, value in emulators["microseconds"].items())
    memory = ", ".join(f"{name} {value / 1024:.0f} KiB" for name, value in emulators["bytes"].items())
    lines = [
        *core.table(emulators),
        "",
        f"A 48K machine's state: {states}. Memory: {memory}.",
        "",
        *_environments(results["vector_env"]),
        "",
        f"Measured on {results['processor']} (shared, noisy): medians of rounds in which the candidates take turns.",
    ]
    return "\n".join(lines)


def _short(results: dict[str, Any]) -> str:
    """What it comes to, for the README."""
    lines = [
        "| exact contention, one thread | frames/s | against zx, core only | against SkoolKit's C, contended |",
        "|---|---:|---:|---:|",
    ]
    for row in results["core"]["programs"]:
        ours, times = row["per_second"]["exact"], row["exact_is"]
        lines.append(f"| {row['program']} | {ours:,} | {times['zx']:.1f}x | {times['SkoolKit contended']:.1f}x |")
    lines += ["", *_environments(results["vector_env"]), "", f"Measured on {results['processor']} (shared, noisy)."]
    return "\n".join(lines)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="how often each candidate is timed (default: 9)")
    parser.add_argument("--readme", action="store_true", help="put the tables into README.md and docs/speed.md")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds must be at least 1, got {arguments.rounds}")
    results = {
        "processor": _processor(),
        "core": core.measure(arguments.rounds),
        "vector_env": vector_env.measure(arguments.rounds),
    }
    print(_long(results))
    text = json.dumps(results, indent=2) + "\n"
    _RESULTS.parent.mkdir(exist_ok=True)
    _RESULTS.write_text(text, encoding="utf-8")
    print(f"\nwritten to {_RESULTS}")
    if arguments.readme:
        put(_README, "bench", _short(results))
        put(_PAGE, "bench", _long(results))
        _COMMITTED.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _main()
