# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl bc`: trains a network to do what was done in recordings."""

import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import Field, NonNegativeInt, PositiveInt

from oakemu_rl._stop_signals import EXIT_STOPPED
from oakemu_rl.cli.arguments import given_flags, validate_flags
from oakemu_rl.cli.bc_report import describe_epoch, print_outcome
from oakemu_rl.demos import load_demo
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game
from oakemu_rl.imitation import CloningConfiguration, Epoch
from oakemu_rl.ppo.model_configuration import PPOModelConfiguration
from oakemu_rl.training.cloning_run import CloningPlan, CloningRun
from oakemu_rl.training.configuration import EnvironmentOptions, PPOExperimentConfiguration
from oakemu_rl.training.configuration_file import dump_configuration, load_layer, merge, preset_layer
from oakemu_rl.training.run_folder import RunFolder, default_run_path

__all__ = ["run"]

_PROG = "oakemu-rl bc"


class _BcArguments(CloningConfiguration):
    """Clone recordings: train a network to do what was done in them, and say how well it does.

    Environment and network come from the game's preset, then --config, then the flags, as for `oakemu-rl train`.
    """

    demos: tuple[Path, ...] = Field(
        (),
        description="Recordings: files (.demo), or games of which one ships.",
        json_schema_extra={"positional": True, "repeated": True, "metavar": "DEMO..."},
    )
    game: str | None = Field(None, description="Game id or definition file; None is the recordings' own.")
    env: EnvironmentOptions = EnvironmentOptions()
    model: PPOModelConfiguration = PPOModelConfiguration()
    epochs: PositiveInt = Field(100, description="How often it goes through the recordings, at most.")
    validation: float = Field(0.1, ge=0, lt=1, description="Part of the recordings that is held out, whole episodes.")
    patience: NonNegativeInt = Field(
        10, description="Epochs without getting better on what is held out before it ends; 0 is never."
    )
    initial: Path | None = Field(
        None,
        description="Begin with the weights of this run or checkpoint; None begins with random ones.",
        json_schema_extra={"metavar": "RUN"},
    )
    seed: int = Field(1, ge=0, lt=2**63, description="Every random number of the run follows from it.")
    torch_threads: PositiveInt | None = Field(None, description="Threads of the network; None is torch's own choice.")
    device: str = Field("auto", description="Where the network computes: auto, cpu, cuda, cuda:1, mps.")
    run_folder: Path | None = Field(
        None,
        description="Where everything is written; None is runs/<env>__bc__<seed>__<time>.",
        json_schema_extra={"aliases": ["--output"], "metavar": "FOLDER"},
    )
    config: Path | None = Field(
        None,
        description="YAML file of settings as for `oakemu-rl train`; those of PPO are left aside.",
        json_schema_extra={"metavar": "FILE"},
    )
    quiet: bool = Field(default=False, description="Print nothing but errors.")


_OWN = ("epochs", "validation", "patience", "config", "quiet")
"""Arguments that are no settings of `oakemu-rl train`."""


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    given = given_flags(_BcArguments, args, prog=_PROG, defaults=_BcArguments())
    arguments = validate_flags(_BcArguments, given)
    layer = merge({} if arguments.config is None else load_layer(arguments.config), _as_settings(given))
    if not layer.get("demos"):
        raise UserError("DEMO is missing: give recordings, or the name of a game of which one ships")
    if "game" not in layer:
        layer["game"] = load_demo(layer["demos"][0]).game_id
    game = load_game(str(layer["game"]))
    layer["game"] = str(Path(layer["game"]).resolve()) if Path(str(layer["game"])).is_file() else game.id
    layer["run_folder"] = None  # that of a file is of another run, and the flag's is not for the next one
    configuration = validate_flags(PPOExperimentConfiguration, merge(preset_layer(game.id), layer))
    return _clone(configuration, game, arguments)


def _as_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """The flags as settings of `oakemu-rl train`."""
    cloning = {name: value for name, value in given.items() if name in CloningConfiguration.model_fields}
    others = {name: value for name, value in given.items() if name not in {*cloning, *_OWN}}
    return {**others, "imitation": cloning}


def _clone(configuration: PPOExperimentConfiguration, game: Game, arguments: _BcArguments) -> int:
    path = arguments.run_folder or default_run_path(game.id, configuration.seed, datetime.now(), algorithm="bc")
    RunFolder.check_new(path)
    cloning = CloningRun(configuration, CloningPlan(arguments.epochs, arguments.validation, arguments.patience), game)
    folder = RunFolder.create(path, dump_configuration(configuration))
    if not arguments.quiet:
        count, held = len(cloning.recordings), len(cloning.held_out)
        what = (
            f"{held} of {count} recordings are held out" if held else "nothing is held out, so that only epochs end it"
        )
        sys.stdout.write(f"cloning {game.definition.title} into {folder.path}; {what}\n")

    def show(epoch: Epoch) -> None:
        if not arguments.quiet:
            sys.stdout.write(f"{describe_epoch(epoch)}\n")
            sys.stdout.flush()

    with folder.lock():
        outcome = cloning.run(folder, show)
    if not arguments.quiet:
        print_outcome(outcome, cloning.actions, folder)
    return 0 if outcome.signal is None else EXIT_STOPPED
