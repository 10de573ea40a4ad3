# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs every benchmark in one go: `python benchmarks/run.py [--readme]`."""

import argparse
import json
import platform
from pathlib import Path
from typing import Any

import core
import vector_env

_HERE = Path(__file__).parent
_README = _HERE.parent / "README.md"
_RESULTS = _HERE.parent / "build" / "benchmarks.json"
_COMMITTED = _HERE / "results.json"
_BEGIN, _END = "<!-- bench:begin -->", "<!-- bench:end -->"


def _processor() -> str:
    """Name of the processor where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} x {names[0]}" if names else platform.machine()


def _table(results: dict[str, Any]) -> str:
    """The results as Markdown."""
    emulators, vector = results["core"], results["vector_env"]
    lines = [
        "| busy machine code, one thread | frames/s | OakEmu-RL is |",
        "|---|---:|---:|",
    ]
    for row in emulators["rows"]:
        times = "" if row["ours_is"] == 1 else f"{row['ours_is']} times as fast"
        lines.append(f"| {row['name']} | {row['per_second']:,} | {times} |")
    lines += ["", "| 32 environments, frameskip 4, 84x84 grey x4 | steps/s |", "|---|---:|"]
    lines += [f"| {row['name']} | {row['per_second']:,} |" for row in vector["rows"]]
    summary = (
        f"Observation, reward and bookkeeping take {vector['overhead']:.1%} on top of pure emulation; two threads make "
        f"{vector['two_threads']} times the steps of one. Measured on {results['processor']} (shared, noisy): medians "
        "of rounds in which the candidates take turns."
    )
    lines += ["", summary]
    return "\n".join(lines)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9, help="how often each candidate is timed (default: 9)")
    parser.add_argument("--readme", action="store_true", help="put the table into the README as well")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds must be at least 1, got {arguments.rounds}")
    results = {
        "processor": _processor(),
        "core": core.measure(arguments.rounds),
        "vector_env": vector_env.measure(arguments.rounds),
    }
    print(_table(results))
    text = json.dumps(results, indent=2) + "\n"
    _RESULTS.parent.mkdir(exist_ok=True)
    _RESULTS.write_text(text, encoding="utf-8")
    print(f"\nwritten to {_RESULTS}")
    if arguments.readme:
        head, _, rest = _README.read_text(encoding="utf-8").partition(_BEGIN)
        _, _, tail = rest.partition(_END)
        _README.write_text(f"{head}{_BEGIN}\n{_table(results)}\n{_END}{tail}", encoding="utf-8")
        _COMMITTED.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _main()
