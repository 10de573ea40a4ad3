# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl train`: trains an agent into a run folder, or goes on with one."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import Field
from rich.console import Console

from oakemu_rl._stop_signals import EXIT_STOPPED
from oakemu_rl.cli.arguments import given_flags, validate_flags
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game
from oakemu_rl.ppo.unseen import describe_unseen
from oakemu_rl.training.agent import same_game
from oakemu_rl.training.assembly import assemble
from oakemu_rl.training.budget import Budget
from oakemu_rl.training.checkpoint import Checkpoint
from oakemu_rl.training.checkpoint_store import CheckpointStore
from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.configuration_file import (
    changed_settings,
    dump_configuration,
    load_layer,
    merge,
    preset_layer,
    refuse_changes,
)
from oakemu_rl.training.console import PlainProgress, Progress, SilentProgress
from oakemu_rl.training.json_lines import read_json_lines
from oakemu_rl.training.live_progress import LiveProgress
from oakemu_rl.training.records import Record
from oakemu_rl.training.run_folder import RunFolder, default_run_path
from oakemu_rl.training.session import require_packages, train

__all__ = ["run"]

_PROG = "oakemu-rl train"
_DEFAULT_GAME = "ZXSpectrum/Acorns-v0"


class _TrainArguments(PPOExperimentConfiguration):
    """Train an agent by PPO. Settings come from the game's preset, then --config, then the flags.

    Steps are agent steps, counted over all environments together.
    """

    config: Path | None = Field(None, description="YAML file of settings.", json_schema_extra={"metavar": "FILE"})
    resume: Path | None = Field(
        None, description="Go on with the run in this folder.", json_schema_extra={"metavar": "RUN"}
    )
    quiet: bool = Field(default=False, description="Print nothing but errors.")


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    shown = PPOExperimentConfiguration.model_validate(preset_layer(_DEFAULT_GAME))
    given = given_flags(_TrainArguments, args, prog=_PROG, defaults=_TrainArguments(**dict(shown)))
    extras = validate_flags(
        _TrainArguments, {key: given.pop(key) for key in ("config", "resume", "quiet") & given.keys()}
    )
    layer = merge({} if extras.config is None else load_layer(extras.config), given)
    if extras.resume is None:
        return _begin(layer, quiet=extras.quiet)
    return _go_on(extras.resume, layer, quiet=extras.quiet)


def _begin(layer: Mapping[str, Any], *, quiet: bool) -> int:
    game = load_game(str(layer.get("game", _DEFAULT_GAME)))
    name = _lasting_name(str(layer.get("game", game.id)), game)
    configuration = validate_flags(PPOExperimentConfiguration, merge(preset_layer(game.id), layer, {"game": name}))
    path = configuration.run_folder or default_run_path(game.id, configuration.seed, datetime.now())
    RunFolder.check_new(path)
    require_packages(configuration)
    parts = assemble(configuration, game)
    folder = RunFolder.create(path, dump_configuration(configuration))
    progress = _progress(configuration, game, folder, None, quiet=quiet)
    progress.message(f"training {game.definition.title} into {folder.path}")
    unseen = describe_unseen(parts.trained.model)
    if unseen is not None:
        progress.message(unseen)
    with folder.lock():
        outcome = train(parts, configuration, game, folder, progress)
    return 0 if outcome.signal is None else EXIT_STOPPED


def _go_on(path: Path, layer: dict[str, Any], *, quiet: bool) -> int:
    folder = RunFolder.open(path, for_writing=True)
    if "run_folder" in layer:
        raise UserError(f"--run-folder does not go with --resume: the run stays in {folder.path}")
    before = validate_flags(PPOExperimentConfiguration, load_layer(folder.config))
    if "game" in layer:
        layer["game"] = _lasting_name(str(layer["game"]), load_game(str(layer["game"])))
    configuration = validate_flags(PPOExperimentConfiguration, merge(before.model_dump(), layer))
    refuse_changes(before, configuration)
    require_packages(configuration)
    with folder.lock():
        return _train_on(folder, before, configuration, quiet=quiet)


def _train_on(
    folder: RunFolder, before: PPOExperimentConfiguration, configuration: PPOExperimentConfiguration, *, quiet: bool
) -> int:
    game = load_game(configuration.game)
    checkpoint, notes = _last_checkpoint(folder)
    if checkpoint is not None:
        same_game(checkpoint, game)
        # The checkpoint knows better than a file that somebody may have edited since.
        refuse_changes(PPOExperimentConfiguration.model_validate(checkpoint.info["configuration"]), configuration)
    parts = assemble(configuration, game, resumed=checkpoint is not None)
    changes = changed_settings(before, configuration)
    if changes:
        folder.write_config(dump_configuration(configuration))
    step = 0 if checkpoint is None else int(checkpoint.info["step"])
    progress = _progress(configuration, game, folder, step, quiet=quiet)
    for note in notes:
        progress.message(note)
    for name, (was, now) in changes.items():
        progress.message(f"changed: {name} is {now}, it was {was}")
    progress.message(f"going on with {folder.path} at step {step:,}")
    outcome = train(parts, configuration, game, folder, progress, resume_from=checkpoint)
    return 0 if outcome.signal is None else EXIT_STOPPED


def _last_checkpoint(folder: RunFolder) -> tuple[Checkpoint | None, list[str]]:
    """The newest whole checkpoint; None if the run was ended before its first, so that it begins again."""
    store = CheckpointStore(folder.checkpoints)
    if not store.paths():
        if folder.cloning.is_file():
            raise UserError(
                f"{folder.path} was cloned from recordings, not trained; begin a run with it: --initial {folder.path}"
            )
        return None, []
    path, checkpoint, complaints = store.load_last()
    return checkpoint, [f"{complaint}; {path} is used" for complaint in complaints]


def _lasting_name(name: str, game: Game) -> str:
    """What the saved configuration calls the game: its id, or a definition file's path that holds from anywhere."""
    return str(Path(name).resolve()) if Path(name).is_file() else game.id


def _progress(
    configuration: PPOExperimentConfiguration, game: Game, folder: RunFolder, resumed_at: int | None, *, quiet: bool
) -> Progress:
    if quiet:
        return SilentProgress()
    budget = Budget(configuration.steps, configuration.time)
    console = Console(file=sys.stdout)
    if not console.is_terminal or console.is_dumb_terminal:
        return PlainProgress(budget, console)
    title = f"{game.definition.title}, seed {configuration.seed}: {folder.path}"
    return LiveProgress(budget, console, title, [] if resumed_at is None else _history(folder, resumed_at))


def _history(folder: RunFolder, step: int) -> Iterator[Record]:
    """What the run wrote down up to the checkpoint that it goes on from."""
    for line in read_json_lines(folder.metrics):
        if line["step"] <= step and line["kind"] in ("metrics", "evaluation"):
            yield Record(line["kind"], line["step"], line)
