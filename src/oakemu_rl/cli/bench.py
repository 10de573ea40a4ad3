# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl bench`: how fast this machine emulates, steps and learns. Peers are measured in benchmarks/."""

import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt
from rich.console import Console
from rich.table import Table

from oakemu_rl import __version__
from oakemu_rl._processors import usable_processors
from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.files import write_text
from oakemu_rl.emulator import Spectrum
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import Game, load_game

__all__ = ["run"]

_FRAMES_PER_CALL = 50
_FRAMES_OF_THE_ROMS_START = 100  # until the copyright message stands


class _BenchArguments(BaseModel):
    """Measure this machine: emulated frames, environment steps, and training steps a second."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str = Field(
        "ZXSpectrum/Acorns-v0",
        description="Game id, name or definition file.",
        json_schema_extra={"positional": True, "metavar": "GAME"},
    )
    seconds: PositiveFloat = Field(3.0, description="How long each measurement takes.")
    num_envs: PositiveInt = Field(32, description="Environments stepped together.")
    train: bool = Field(default=True, description="Measure training too; needs torch.")
    json_file: Path | None = Field(
        None,
        description="Also write the figures as JSON.",
        json_schema_extra={"aliases": ["--json"], "metavar": "FILE"},
    )


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_BenchArguments, args, prog="oakemu-rl bench")
    game = load_game(arguments.game)
    rows = list(_measure(game, arguments))
    table = Table(box=None, pad_edge=False)
    table.add_column("what")
    table.add_column("a second", justify="right")
    for name, rate in rows:
        table.add_row(name, f"{rate:,.0f}")
    Console().print(table)
    sys.stdout.write("one measurement of a machine that may be busy: compare within a run, not between runs\n")
    if arguments.json_file is not None:
        system = {"oakemu_rl": __version__, "machine": platform.machine(), "processors": os.cpu_count()}
        figures: dict[str, Any] = {**system, "game": game.id, "per_second": dict(rows)}
        write_text(arguments.json_file, json.dumps(figures, indent=1) + "\n")
        sys.stdout.write(f"written to {arguments.json_file}\n")
    return 0


def _measure(game: Game, arguments: _BenchArguments) -> Iterator[tuple[str, float]]:
    yield "emulated frames, one thread, busy code (the real machine: 50)", _core_frames(arguments.seconds)
    processors = usable_processors()
    for threads in sorted({1, min(2, processors), processors}):
        name = f"environment steps, {arguments.num_envs} environments, {threads} thread{'s' * (threads > 1)}"
        yield name, _env_steps(game, arguments, threads)
    if arguments.train:
        yield f"training steps, {arguments.num_envs} environments, the game's preset", _training_steps(game, arguments)


def _core_frames(seconds: float) -> float:
    """The ROM waits for a key in a loop that never halts; most games halt for a part of each frame."""
    machine = Spectrum()
    machine.run_frames(_FRAMES_OF_THE_ROMS_START)
    return _rate(lambda: machine.run_frames(_FRAMES_PER_CALL), _FRAMES_PER_CALL, seconds)


def _env_steps(game: Game, arguments: _BenchArguments, threads: int) -> float:
    env = SpectrumVectorEnv(game, arguments.num_envs, num_threads=threads)
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    actions = rng.integers(len(env.get_action_meanings()), size=(256, arguments.num_envs))
    turn = iter(range(10**12))
    try:
        return _rate(lambda: env.step(actions[next(turn) % len(actions)]), arguments.num_envs, arguments.seconds)
    finally:
        env.close()


def _training_steps(game: Game, arguments: _BenchArguments) -> float:
    from oakemu_rl.training.assembly import assemble
    from oakemu_rl.training.configuration import PPOExperimentConfiguration
    from oakemu_rl.training.configuration_file import merge, preset_layer

    layer = merge(preset_layer(game.id), {"game": game.id, "num_envs": arguments.num_envs, "eval_every": 0})
    configuration = PPOExperimentConfiguration.model_validate(layer)
    parts = assemble(configuration, game)
    trained = parts.trained

    def update() -> None:
        trained.actor.collect(parts.rollout_buffer)
        parts.finalizer.finalize(parts.rollout_buffer, trained.actor.observations, trained.actor.states)
        trained.learner.update(parts.rollout_buffer, 0.0)

    return _rate(update, configuration.steps_per_update, arguments.seconds)


def _rate(call: Callable[[], object], per_call: int, seconds: float) -> float:
    """How many things a second happen; the first call, which warms up, does not count."""
    call()
    calls, start = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds or calls == 0:
        call()
        calls += 1
    return calls * per_call / elapsed
