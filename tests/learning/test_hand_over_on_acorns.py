# SPDX-License-Identifier: GPL-3.0-or-later
"""From imitation to PPO on a game of the Spectrum that was cloned to over 90%: what was learnt from others stays.

Five acorns without losing a life are a win. Rewards and discount are those of Acorns and its preset.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from torch import Tensor

from oakemu_rl.demos import DemoSteps, EpisodeNotes, RecordedVectorEnv, demo_steps
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.evaluation import EvaluationResult, make_episode_env, tester
from oakemu_rl.games import Game, load_game
from oakemu_rl.imitation import (
    Cloner,
    CloningDataset,
    CriticCalibration,
    ImitationCompanion,
    ImitationConfiguration,
    make_sampler,
)
from oakemu_rl.ppo import PPOModel
from oakemu_rl.ppo.env_contract import storage_of
from oakemu_rl.training.assembly import assemble
from oakemu_rl.training.budget import Budget
from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.experiment import ExperimentParts, Pace, PPOExperiment
from oakemu_rl.training.records import WriterGroup
from oakemu_rl.training.run_folder import RunFolder

pytestmark = pytest.mark.learning

DEFINITION = """\
extends: acorns
id: ZXSpectrum/FiveAcorns-v0
title: Five acorns
win: score >= 5
loss: lives < 5
reward: delta(score) - (delta(lives) < 0)
"""
SIGHT = {"stack_num": 1}
NUM_ENVS, ROLLOUT_LENGTH = 32, 64
BOOTSTRAP, AFTER = 6, 20  # updates
STAY, LEFT, RIGHT = 0, 1, 2
HALF_A_STEP = 6  # pixels
BASKET_TO_ACORN = 8  # from one's left edge to that of the other in its middle


def catch(infos: Mapping[str, Any]) -> NDArray[np.int64]:
    """What a script that reads the memory does: goes where the next good acorn lands, and waits out rotten ones."""
    way = infos["next_x"].astype(np.int64) - infos["basket_x"] - BASKET_TO_ACORN
    towards = np.where(way > HALF_A_STEP, RIGHT, np.where(way < -HALF_A_STEP, LEFT, STAY))
    return np.where(infos["next_kind"] == 1, towards, STAY)


def recordings(game: Game, count: int) -> list[DemoSteps]:
    """Episodes that the script played."""
    notes: list[EpisodeNotes] = []
    env = SpectrumVectorEnv(game, 50, num_threads=1, autoreset_mode=AutoresetMode.SAME_STEP)
    recorded = RecordedVectorEnv(env, notes.append)
    infos = recorded.reset(seed=0)[1]
    while len(notes) < count:
        infos = recorded.step(catch(infos))[-1]
    assert {each.outcome for each in notes} == {"win"}
    return [demo_steps(each.as_demo(game, env.options), game, SIGHT) for each in notes[:count]]


def parts_of(game: Game, definition: Path) -> ExperimentParts:
    """What `oakemu-rl train` would make: network, discount and falling learning rate of the presets."""
    settings = {
        "game": str(definition),
        "num_envs": NUM_ENVS,
        "num_threads": 1,
        "torch_threads": 1,
        "device": "cpu",
        "env": SIGHT,
        "ppo": {"lr": (8e-4, 8e-5), "gamma": 0.9, "rollout_length": ROLLOUT_LENGTH, "ppo_epochs": 3},
        "model": {"conv_filters": [[16, 8, 8], [32, 3, 2]], "conv_padding": "same", "fcnet_hiddens": [128]},
        "eval_every": 0,
        "keep_demos": 0,
    }
    return assemble(PPOExperimentConfiguration.model_validate(settings), game)


@dataclass(frozen=True)
class Clone:
    """The game, its recordings, and what a network learnt of them."""

    definition: Path
    game: Game
    dataset: CloningDataset
    judge: tester.Tester
    weights: dict[str, Tensor]
    win_rate: float


def win_rate(result: EvaluationResult) -> float:
    return float(np.mean([episode.outcome == "win" for episode in result.episodes]))


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    definition = tmp_path_factory.mktemp("game") / "five_acorns.yaml"
    definition.write_text(DEFINITION)
    game = load_game(definition)
    trained = parts_of(game, definition).trained
    shape, dtype = storage_of(trained.env.single_observation_space)
    dataset = CloningDataset(
        recordings(game, 300),
        observation_shape=shape,
        observation_dtype=dtype,
        num_actions=len(game.definition.actions),
    )
    configuration = ImitationConfiguration()
    sampler = make_sampler(dataset, configuration, (), torch.Generator().manual_seed(1))
    cloner = Cloner(trained.model, configuration)
    for _ in range(1200):
        cloner.step(dataset.batch(sampler.draw(), "cpu"))
    judge = tester.Tester(lambda n: make_episode_env(game, n, SIGHT, 1), num_envs=100)
    weights = {name: value.clone() for name, value in trained.model.state_dict().items()}
    return Clone(definition, game, dataset, judge, weights, win_rate(judge.run(trained.model, range(100))))


def companion_of(clone: Clone, model: PPOModel, imitation: ImitationConfiguration) -> ImitationCompanion:
    generators = [torch.Generator().manual_seed(seed) for seed in (2, 3)]
    return ImitationCompanion(
        imitation,
        CriticCalibration(model, imitation, num_minibatches=4, generator=generators[0]),
        Cloner(model, imitation),
        clone.dataset,
        make_sampler(clone.dataset, imitation, (), generators[1]),
    )


def win_rates(clone: Clone, folder: Path, imitation: ImitationConfiguration, *, updates: int) -> list[float]:
    """The greedy agent's share of 100 episodes that it wins, after each update of a run that begins with the clone."""
    rates: list[float] = []

    def evaluate(model: PPOModel) -> EvaluationResult:
        result = clone.judge.run(model, range(100))
        rates.append(win_rate(result))
        return result

    parts = parts_of(clone.game, clone.definition)
    model = parts.trained.model
    model.load_state_dict(clone.weights)
    parts = replace(parts, evaluate=evaluate, companions=[companion_of(clone, model, imitation)])
    steps = NUM_ENVS * ROLLOUT_LENGTH
    pace = Pace(Budget(updates * steps, None), eval_every=steps)
    PPOExperiment(parts, pace, RunFolder.create(folder / "run", "toy: true\n"), WriterGroup([], pytest.fail)).run()
    return rates


def test_the_greedy_agent_loses_no_more_than_ten_points_after_the_hand_over(clone: Clone, tmp_path: Path) -> None:
    updates = BOOTSTRAP + AFTER
    begin = BOOTSTRAP / updates
    # PPO comes slowly, cloning goes slowly, and the last updates are PPO alone.
    bootstrap = ImitationConfiguration(
        bc_weight=((0.0, 1.0), (begin, 1.0), (0.8, 0.0)), ppo_weight=((0.0, 0.0), (begin, 0.0), (2 * begin, 1.0))
    )
    rates = win_rates(clone, tmp_path, bootstrap, updates=updates)
    handed_over, after = rates[BOOTSTRAP - 1], rates[BOOTSTRAP:]
    assert handed_over > 0.9
    assert len(after) == AFTER
    assert min(after) >= handed_over - 0.1


def test_without_a_bootstrap_it_loses_more_than_ten_points_at_once(clone: Clone, tmp_path: Path) -> None:
    rates = win_rates(clone, tmp_path, ImitationConfiguration(), updates=5)
    assert clone.win_rate > 0.9
    assert min(rates) < clone.win_rate - 0.1
