# SPDX-License-Identifier: GPL-3.0-or-later
"""From imitation to PPO on a lock that was cloned to over 90%: what was learnt from others is not lost."""

from pathlib import Path

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from lock import SIZE, SYMBOLS, LockVectorEnv, openings

from oakemu_rl.evaluation import EvaluationResult, tester
from oakemu_rl.imitation import (
    Cloner,
    CloningDataset,
    CriticCalibration,
    ImitationCompanion,
    ImitationConfiguration,
    make_sampler,
)
from oakemu_rl.ppo import (
    PPOActor,
    PPOConfiguration,
    PPOLearner,
    PPOModel,
    PPOModelConfiguration,
    RolloutBuffer,
    RolloutFinalizer,
)
from oakemu_rl.training.budget import Budget
from oakemu_rl.training.experiment import ExperimentParts, Pace, PPOExperiment
from oakemu_rl.training.json_lines import JsonLinesWriter, read_json_lines
from oakemu_rl.training.records import WriterGroup
from oakemu_rl.training.run_folder import RunFolder
from oakemu_rl.training.run_state import TrainedParts

pytestmark = pytest.mark.learning

SEED = 2
NUM_ENVS = 16
PPO = PPOConfiguration(lr=(6e-3, 3e-4), rollout_length=64)


def win_rates(folder: Path, imitation: ImitationConfiguration, *, updates: int, clone_before: int = 0) -> list[float]:
    """The greedy agent's share of 100 locks before the first update (if it was cloned before) and after each."""
    torch.manual_seed(SEED)
    env = LockVectorEnv(NUM_ENVS)
    network = PPOModelConfiguration(conv_filters=[], fcnet_hiddens=[64, 64])
    model = PPOModel((SIZE,), SYMBOLS, network)
    storage = {"observation_shape": (SIZE,), "observation_dtype": np.dtype(np.float32)}
    dataset = CloningDataset(openings(100, 1000), num_actions=SYMBOLS, **storage)
    sampler = make_sampler(dataset, imitation, (), torch.Generator().manual_seed(1))
    cloner = Cloner(model, imitation)
    critic = CriticCalibration(model, imitation, num_minibatches=4, generator=torch.Generator().manual_seed(2))
    judge = tester.Tester(lambda n: LockVectorEnv(n, AutoresetMode.DISABLED), num_envs=100)

    def evaluate(judged: PPOModel) -> EvaluationResult:
        return judge.run(judged, range(100))

    for _ in range(clone_before):
        cloner.step(dataset.batch(sampler.draw(), "cpu"))
    rates = [evaluate(model).returns.mean] if clone_before else []
    parts = ExperimentParts(
        trained=TrainedParts(
            env, model, PPOActor(env, model, gamma=PPO.gamma, seed=SEED), PPOLearner(model, PPO, seed=SEED)
        ),
        finalizer=RolloutFinalizer(model, gamma=PPO.gamma, gae_lambda=PPO.gae_lambda),
        rollout_buffer=RolloutBuffer(PPO.rollout_length, NUM_ENVS, (SIZE,), np.dtype(np.float32)),
        evaluate=evaluate,
        description={"game": "Lock"},
        companions=[ImitationCompanion(imitation, critic, cloner, dataset, sampler)],
    )
    steps = NUM_ENVS * PPO.rollout_length
    run = RunFolder.create(folder / "run", "toy: true\n")
    writers = WriterGroup([JsonLinesWriter(run.metrics, "evaluation")], pytest.fail)
    PPOExperiment(parts, Pace(Budget(updates * steps, None), eval_every=steps), run, writers).run()
    return rates + [float(line["eval/mean_reward"]) for line in read_json_lines(run.metrics)]


def test_the_greedy_agent_loses_no_more_than_ten_points_after_the_hand_over(tmp_path: Path) -> None:
    # Nine updates of bootstrap; PPO comes slowly, cloning goes slowly, and the last updates are PPO alone.
    imitation = ImitationConfiguration(
        steps=64, bc_weight=((0.0, 1.0), (0.3, 1.0), (0.9, 0.0)), ppo_weight=((0.0, 0.0), (0.3, 0.0), (0.9, 1.0))
    )
    rates = win_rates(tmp_path, imitation, updates=30)
    handed_over, after = rates[9], rates[10:]
    assert handed_over > 0.9
    assert len(after) == 20
    assert min(after) >= handed_over - 0.1


def test_without_a_bootstrap_it_loses_far_more(tmp_path: Path) -> None:
    rates = win_rates(tmp_path, ImitationConfiguration(), updates=10, clone_before=700)
    assert rates[0] > 0.9
    assert min(rates[1:]) < rates[0] - 0.2
