# SPDX-License-Identifier: GPL-3.0-or-later
"""Recurrent networks play episodes from the beginning of each, and remember no other."""

from functools import partial
from itertools import chain

import numpy as np
import pytest
import torch

from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.evaluation import ModelPlayer, episode_seeds, make_episode_env, play_episode
from oakemu_rl.evaluation.tester import Tester as EpisodeTester
from oakemu_rl.games import Game
from oakemu_rl.ppo import PPOModel, PPOModelConfiguration

SHORT = {"max_episode_steps": 40}


@pytest.fixture(scope="module", params=["gru", "lstm"])
def recurrent(request: pytest.FixtureRequest) -> PPOModel:
    torch.manual_seed(4)
    configuration = PPOModelConfiguration(
        conv_filters=[(4, 8, 8)], fcnet_hiddens=[8], recurrent=request.param, recurrent_size=12
    )
    model = PPOModel((2, 44, 64), 3, configuration)
    with torch.no_grad():
        model.policy_head.weight.normal_(std=3.0)
        for parameter in model.core.parameters():
            parameter.normal_(std=4.0)  # so that opinions swing, and differ from episode to episode
    return model.eval()


def by_hand(game: Game, model: PPOModel, seed: int) -> list[int]:
    """The greedy actions of an episode, one step after the other."""
    env = SpectrumEnv(game, **SHORT)
    observation, info = env.reset(seed=seed)
    state, actions, ended = torch.zeros(1, model.state_size), [], False
    while not ended:
        with torch.inference_mode():
            logits, _, state = model.step(torch.from_numpy(observation[np.newaxis]), state)
        actions.append(int(logits.argmax()))
        observation, _, terminated, truncated, info = env.step(actions[-1])
        ended = terminated or truncated
    assert info["episode_length"] == len(actions)
    return actions


class Recorder(ModelPlayer):
    """Notes what is chosen in the first environment."""

    def __init__(self, model: PPOModel) -> None:
        super().__init__(model)
        self.actions: list[int] = []

    def choose(self, *args):
        actions = super().choose(*args)
        self.actions.append(int(actions[0]))
        return actions


def test_whoever_asks_the_episode_is_the_same(acorns, recurrent):
    seeds = episode_seeds(1, 3)
    expected = [by_hand(acorns, recurrent, seed) for seed in seeds]
    assert len({tuple(actions) for actions in expected}) > 1
    player = Recorder(recurrent)
    tester = EpisodeTester(partial(make_episode_env, acorns, options=SHORT, num_threads=1), num_envs=1)
    tester.play(player, seeds)  # one after the other, by the same player
    assert player.actions == list(chain(*expected))
    player.actions.clear()
    for _ in play_episode(SpectrumEnv(acorns, **SHORT), player, seeds[1]):
        pass
    assert player.actions == expected[1]


def test_the_number_of_environments_changes_nothing(acorns, recurrent):
    seeds = episode_seeds(0, 5)
    results = [
        EpisodeTester(
            partial(make_episode_env, acorns, options=SHORT, num_threads=1),
            num_envs=num_envs,
            variables=acorns.variable_names,
        ).run(recurrent, seeds, greedy=False)
        for num_envs in (1, 2, 5)
    ]
    assert results[0].episodes == results[1].episodes == results[2].episodes


def test_what_was_seen_before_decides(recurrent):
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 256, size=(2, 20, 2, 44, 64), dtype=np.uint8)
    player = ModelPlayer(recurrent)
    player.begin(np.ones(20, dtype=bool))
    player.choose(pictures[0], [])
    remembering = player._logits(pictures[1])
    player.begin(np.arange(20) < 10)
    mixed = player._logits(pictures[1])
    fresh = ModelPlayer(recurrent)._logits(pictures[1])
    assert np.array_equal(mixed[:10], fresh[:10])
    assert not np.isclose(remembering, fresh).all(axis=1).any()
    assert not np.isclose(mixed[10:], remembering[10:]).all(axis=1).any()
