# SPDX-License-Identifier: GPL-3.0-or-later
"""The metrics writers that a configuration asks for."""

import os
from collections.abc import Callable
from typing import Any

from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.configuration_file import dump_configuration
from oakemu_rl.training.records import OpenedWriter, WriterGroup
from oakemu_rl.training.run_folder import RunFolder

__all__ = ["open_writers"]

_PROJECT = "oakemu-rl"


def open_writers(
    writers: WriterGroup,
    configuration: PPOExperimentConfiguration,
    run: RunFolder,
    resumed_at: int | None,
    say: Callable[[str], None],
) -> None:
    """Opens TensorBoard and the tracking service, as far as they are asked for.

    Args:
        writers: Gets them; a writer that cannot be opened is reported and left out.
        configuration: The run's.
        run: Its folder.
        resumed_at: The step that the run goes on from, None for a new one.
        say: Takes a line for the person who waits.
    """
    # Imported in here: each takes a while, and runs without it need not have it installed.
    if configuration.tensorboard:
        from oakemu_rl.training.tensorboard_writer import TensorBoardWriter

        text, films = dump_configuration(configuration), configuration.tensorboard_films
        writers.open("TensorBoard", lambda: TensorBoardWriter(run.path, text, resumed_at, films=films))
    settings = configuration.model_dump(mode="json", exclude={"run_folder"})
    if configuration.track == "wandb":
        writers.open("Weights & Biases", lambda: _wandb(run, configuration.track_project, settings, say))
    elif configuration.track == "mlflow":
        writers.open("MLflow", lambda: _mlflow(run, configuration.track_project, settings, say))


def _wandb(run: RunFolder, project: str | None, settings: dict[str, Any], say: Callable[[str], None]) -> OpenedWriter:
    from oakemu_rl.training.wandb_writer import WandbWriter

    return WandbWriter(run, project or os.environ.get("WANDB_PROJECT", _PROJECT), settings, say)


def _mlflow(
    run: RunFolder, experiment: str | None, settings: dict[str, Any], say: Callable[[str], None]
) -> OpenedWriter:
    from oakemu_rl.training.mlflow_writer import MlflowWriter

    return MlflowWriter(run, experiment or os.environ.get("MLFLOW_EXPERIMENT_NAME", _PROJECT), settings, say)
