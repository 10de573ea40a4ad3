# SPDX-License-Identifier: GPL-3.0-or-later
"""One trainer in a process of its own, which trains when it is told to: `train.py` starts it.

Each line on its input is a number of updates, or ``score S T``: train until the last hundred episodes come to a mean
return of S, or for T seconds. Each is answered by a line of JSON.
"""

import json
import math
import sys
import time
from dataclasses import asdict
from typing import Any

from _resident import resident

__all__: list[str] = []


def _trainer(name: str, setup_name: str, threads: int) -> Any:  # noqa: ANN401 - a _train_setups.Trainer
    if name in ("ours", "sb3 tuned"):
        from oakemu_rl.cli.process import tune_for_learning

        tune_for_learning()  # before torch, as the command does
    from _train_setups import SETUPS

    setup = SETUPS[setup_name]
    if name == "ours":
        from _train_ours import OurTrainer

        return OurTrainer(setup, threads)
    if name == "plain":
        from _train_plain import PlainTrainer

        return PlainTrainer(setup, threads)
    from _train_sb3 import StableBaselinesTrainer

    return StableBaselinesTrainer(setup, threads)


def _timed(trainer: Any, updates: int) -> dict[str, float]:  # noqa: ANN401 - as above
    wall, processor = time.perf_counter(), time.process_time()
    seconds = trainer.train(updates)
    return {
        "wall": time.perf_counter() - wall,
        "processor": time.process_time() - processor,
        "resident": resident(),
        **asdict(seconds),
    }


def _until(trainer: Any, score: float, limit: float) -> dict[str, float]:  # noqa: ANN401 - as above
    wall, processor, updates = time.perf_counter(), time.process_time(), 0
    while not trainer.mean_return >= score and time.perf_counter() - wall < limit:
        trainer.train(1)
        updates += 1
    return {
        "wall": time.perf_counter() - wall,
        "processor": time.process_time() - processor,
        "updates": updates,
        "mean_return": -math.inf if math.isnan(trainer.mean_return) else trainer.mean_return,
    }


def _main() -> None:
    name, setup_name, threads = sys.argv[1:]
    trainer = _trainer(name, setup_name, int(threads))
    for line in sys.stdin:
        words = line.split()
        answer = _until(trainer, float(words[1]), float(words[2])) if len(words) == 3 else _timed(trainer, int(line))
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    _main()
