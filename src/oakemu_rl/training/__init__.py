# SPDX-License-Identifier: GPL-3.0-or-later
"""The experiment loop and what surrounds it: configuration, run folder, checkpoints, metrics writers.

A whole run in Python, as `oakemu-rl train` does it::

    configuration = PPOExperimentConfiguration(steps=200_000)
    game = load_game(configuration.game)
    parts = assemble(configuration, game)
    run = RunFolder.create(Path("runs/mine"), dump_configuration(configuration))
    outcome = train(parts, configuration, game, run, SilentProgress())
"""

from oakemu_rl.training.agent import Agent, load_agent
from oakemu_rl.training.assembly import assemble
from oakemu_rl.training.checkpoint import Checkpoint
from oakemu_rl.training.checkpoint_store import CheckpointStore, find_checkpoint
from oakemu_rl.training.configuration import EnvironmentOptions, PPOExperimentConfiguration
from oakemu_rl.training.configuration_file import dump_configuration
from oakemu_rl.training.console import PlainProgress, SilentProgress
from oakemu_rl.training.experiment import ExperimentParts, Pace, PPOExperiment, RunOutcome
from oakemu_rl.training.live_progress import LiveProgress
from oakemu_rl.training.records import MetricsWriter, Record
from oakemu_rl.training.run_folder import RunFolder
from oakemu_rl.training.session import train

__all__ = [
    "Agent",
    "Checkpoint",
    "CheckpointStore",
    "EnvironmentOptions",
    "ExperimentParts",
    "LiveProgress",
    "MetricsWriter",
    "PPOExperiment",
    "PPOExperimentConfiguration",
    "Pace",
    "PlainProgress",
    "Record",
    "RunFolder",
    "RunOutcome",
    "SilentProgress",
    "assemble",
    "dump_configuration",
    "find_checkpoint",
    "load_agent",
    "train",
]
