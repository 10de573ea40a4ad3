# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole experiment on the corridor, as the tests need it."""

from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from corridor import LENGTH, CorridorVectorEnv
from gymnasium.vector import AutoresetMode

from oakemu_rl.evaluation.result import EvaluationResult
from oakemu_rl.evaluation.tester import Tester
from oakemu_rl.ppo import (
    EpisodeDirector,
    PPOActor,
    PPOConfiguration,
    PPOLearner,
    PPOModel,
    PPOModelConfiguration,
    RolloutBuffer,
    RolloutFinalizer,
)
from oakemu_rl.training.budget import Budget
from oakemu_rl.training.experiment import ExperimentParts, Pace, PPOExperiment, RunOutcome
from oakemu_rl.training.json_lines import JsonLinesWriter
from oakemu_rl.training.records import MetricsWriter, WriterGroup
from oakemu_rl.training.rollouts import Overlap
from oakemu_rl.training.run_folder import RunFolder
from oakemu_rl.training.run_state import TrainedParts
from oakemu_rl.training.safety import SafetySettings

PPO = PPOConfiguration(rollout_length=16, ppo_epochs=2, num_minibatches=2, lr=3e-3)
NUM_ENVS = 4
STEPS_PER_UPDATE = PPO.rollout_length * NUM_ENVS


def make_buffer(*, lagging: bool = False) -> RolloutBuffer:
    return RolloutBuffer(PPO.rollout_length, NUM_ENVS, (LENGTH,), np.dtype(np.uint8), lagging=lagging)


def make_parts(
    seed: int = 3,
    hidden: int = 16,
    *,
    overlap: bool = False,
    env: CorridorVectorEnv | None = None,
    director: EpisodeDirector | None = None,
) -> ExperimentParts:
    torch.manual_seed(seed)
    env = CorridorVectorEnv(NUM_ENVS) if env is None else env
    model = PPOModel((LENGTH,), 2, PPOModelConfiguration(conv_filters=[], fcnet_hiddens=[hidden]))
    acting = deepcopy(model) if overlap else model
    actor = PPOActor(env, acting, gamma=PPO.gamma, seed=seed, director=director)
    learner = PPOLearner(model, PPO, seed=seed)
    tester = Tester(lambda n: CorridorVectorEnv(n, AutoresetMode.DISABLED), variables=("cell",))

    def evaluate(judged: PPOModel) -> EvaluationResult:
        return tester.run(judged, range(100, 105))

    return ExperimentParts(
        trained=TrainedParts(env, model, actor, learner),
        finalizer=RolloutFinalizer(acting, gamma=PPO.gamma, gae_lambda=PPO.gae_lambda),
        rollout_buffer=make_buffer(lagging=overlap),
        evaluate=evaluate,
        description={"game": "Corridor"},
        overlap=Overlap(acting, make_buffer(lagging=True), 1) if overlap else None,
    )


@dataclass
class ToyRun:
    """A run folder and what trains into it."""

    run: RunFolder
    pace: Pace
    parts: ExperimentParts = field(default_factory=make_parts)
    writers: list[MetricsWriter] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)
    safety: SafetySettings = field(default_factory=SafetySettings)

    def __post_init__(self) -> None:
        files = [
            JsonLinesWriter(self.run.metrics, "metrics", "evaluation", "notice"),
            JsonLinesWriter(self.run.episodes, "episode"),
        ]
        self.experiment = PPOExperiment(
            self.parts, self.pace, self.run, WriterGroup([*files, *self.writers], self.complaints.append), self.safety
        )

    def train(self) -> RunOutcome:
        return self.experiment.run()


def pace(updates: int, *, eval_every: int = 0, checkpoint_every: int = 0) -> Pace:
    """A budget of so many updates."""
    return Pace(Budget(updates * STEPS_PER_UPDATE, None), eval_every, checkpoint_every)


def new_run(folder: Path, **kwargs: Any) -> ToyRun:
    return ToyRun(RunFolder.create(folder, "toy: true\n"), **kwargs)
