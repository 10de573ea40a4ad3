# SPDX-License-Identifier: GPL-3.0-or-later
"""Kills training runs at chosen moments, resumes them, and prints what came of each as JSON.

Usage: kill_driver.py FOLDER MOMENT...; a moment is one of

    3:5       the fifth event on the disk of the third save
    0:40      the fortieth event on the disk of the run, its logs included
    12ms      so much time after the start, wherever that may be
"""

import io
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "training"))

import torch
from toy_run import STEPS_PER_UPDATE, ToyRun, make_parts, new_run, pace

from oakemu_rl.errors import UserError
from oakemu_rl.training.checkpoint import read_checkpoint
from oakemu_rl.training.checkpoint_store import CheckpointStore
from oakemu_rl.training.experiment import PPOExperiment
from oakemu_rl.training.json_lines import read_json_lines
from oakemu_rl.training.run_folder import RunFolder
from oakemu_rl.training.safety import SafetySettings
from oakemu_rl.training.safety_configuration import AlarmConfiguration, RollbackConfiguration

UPDATES = 6
PACE = pace(UPDATES, eval_every=2 * STEPS_PER_UPDATE, checkpoint_every=STEPS_PER_UPDATE)
SAFETY = SafetySettings(
    RollbackConfiguration(drop=1e-6, metric="eval/mean_reward", window=0),
    AlarmConfiguration(stall=STEPS_PER_UPDATE, entropy=0.99, kl=1e-9),
    diagnostics_every=2,
)


class _Countdown:
    """Ends the process, as a power cut would, at the n-th event of a checkpoint's saving: before or after each call.

    With a save of 0 it counts from the start, and all that the run writes.
    """

    def __init__(self, save: int, event: int) -> None:
        self._saves_left = save
        self._events_left = event
        self._armed = save == 0

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self._tick()
            result = function(*args, **kwargs)
            self._tick()
            return result

        return call

    def around_save(self, save: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self._saves_left -= 1
            its_turn = self._saves_left == 0
            self._armed = self._armed or its_turn
            result = save(*args, **kwargs)
            if its_turn:  # the event lies after the end of this save: before the next update
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return call

    def _tick(self) -> None:
        if self._armed:
            self._events_left -= 1
            if self._events_left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def _train_until_killed(folder: Path, moment: str) -> bool:
    """Whether the kill came before the end."""
    child = os.fork()
    if child == 0:
        timed = moment.endswith("ms")
        countdown = _Countdown(-1, 0) if timed else _Countdown(*(int(part) for part in moment.split(":")))
        if timed:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)  # which ends the process without a word, as SIGKILL does
            signal.setitimer(signal.ITIMER_REAL, float(moment.removesuffix("ms")) / 1000)
        for module, name in ((os, "fsync"), (os, "mkdir"), (os, "rename"), (os, "unlink"), (os, "rmdir"), (io, "open")):
            setattr(module, name, countdown.around(getattr(module, name)))
        PPOExperiment._save = countdown.around_save(PPOExperiment._save)  # type: ignore[method-assign] # on purpose
        new_run(folder, pace=PACE, safety=SAFETY).train()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    return os.WIFSIGNALED(status)


def _is_whole(folder: Path) -> bool:
    try:
        read_checkpoint(folder)
    except UserError:
        return False
    return True


def _resume(folder: Path) -> ToyRun:
    if not (folder / "config.yaml").exists():  # killed before the run folder was there: the command begins it again
        toy = new_run(folder, pace=PACE, safety=SAFETY)
    elif not CheckpointStore(folder / "checkpoints").paths():  # killed before the first checkpoint: the same
        toy = ToyRun(RunFolder.open(folder, for_writing=True), pace=PACE, safety=SAFETY)
    else:
        toy = ToyRun(RunFolder.open(folder, for_writing=True), pace=PACE, parts=make_parts(seed=99), safety=SAFETY)
        toy.experiment.resume(CheckpointStore(toy.run.checkpoints).load_last()[1])
    toy.train()
    return toy


def _result(toy: ToyRun) -> dict[str, Any]:
    weights = {name: tensor.tolist() for name, tensor in toy.parts.trained.model.state_dict().items()}
    lines = [
        {key: value for key, value in line.items() if not key.startswith("time/")}
        for path in (toy.run.metrics, toy.run.episodes)
        for line in read_json_lines(path)
    ]
    best = CheckpointStore(toy.run.best).load_last()[1].info["step"]
    leftovers = [path.name for path in toy.run.path.rglob(".*")]
    return {"weights": weights, "lines": lines, "best": best, "leftovers": leftovers}


def main(folder: Path, moments: list[str]) -> None:
    torch.set_num_threads(1)  # a fork has only the thread that called it
    results: dict[str, Any] = {}
    for moment in moments:
        path = folder / moment
        killed = _train_until_killed(path, moment)
        found = [_is_whole(each) for each in CheckpointStore(path / "checkpoints").paths()]
        results[moment] = {"killed": killed, "whole": found, **_result(_resume(path))}
    straight = new_run(folder / "straight", pace=PACE, safety=SAFETY)
    straight.train()
    sys.stdout.write(json.dumps({"straight": _result(straight), "moments": results}))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
