# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings in training environments, on the won game of Caverns that ships."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box

from oakemu_rl.demos import load_demo
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.errors import UserError
from oakemu_rl.games import load_game
from oakemu_rl.imitation import CloningConfiguration, Focus
from oakemu_rl.ppo import PPOModel, PPOModelConfiguration
from oakemu_rl.ppo.env_contract import storage_of
from oakemu_rl.training.assembly import assemble
from oakemu_rl.training.checkpoint import Checkpoint, write_checkpoint
from oakemu_rl.training.configuration import EnvironmentOptions, PPOExperimentConfiguration
from oakemu_rl.training.imitation_parts import Storage, dataset_of, find_focuses, watch_recordings
from oakemu_rl.training.warm_start import begin_with

CAVERNS = Path("caverns")
TINY = {"conv_filters": [(4, 8, 8)], "fcnet_hiddens": [8]}


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> None:
    torch.set_num_threads(1)


def configuration(**changes: Any) -> PPOExperimentConfiguration:
    given = {
        "game": "ZXSpectrum/Caverns-v0",
        "num_envs": 2,
        "num_threads": 1,
        "model": TINY,
        "eval_every": 0,
        "ppo": {"rollout_length": 8, "num_minibatches": 2},
        **changes,
    }
    return PPOExperimentConfiguration.model_validate(given)


def test_recordings_are_seen_as_the_environments_show_them() -> None:
    game, demo = load_game("caverns"), load_demo(CAVERNS)
    options = EnvironmentOptions(stack_num=3, max_episode_steps=50, obs_type="ink")  # a limit that ends no recording
    (episode,) = watch_recordings([CAVERNS], game, options)
    assert isinstance(episode.observations, np.ndarray)
    assert len(episode.actions) == demo.steps
    env = SpectrumVectorEnv(game, 1, num_threads=1, stack_num=3, obs_type="ink", noop_max=0)
    assert isinstance(env.single_observation_space, Box)
    shown, _ = env.reset(seed=0)
    for step, action in enumerate(episode.actions[:60]):
        np.testing.assert_array_equal(shown[0], episode.observations[step])
        shown = env.step(np.array([action]))[0]
    env.close()


def test_a_recording_shorter_than_a_batch_is_refused() -> None:
    episodes = watch_recordings([CAVERNS], load_game("caverns"), EnvironmentOptions())
    model = PPOModel((2, 44, 64), 6, PPOModelConfiguration.model_validate(TINY))
    with pytest.raises(UserError, match="the recordings have 1099 steps to learn from, fewer than a batch of 1100"):
        dataset_of(episodes, Storage((2, 44, 64), np.dtype(np.uint8)), model, 1100)


def test_focuses_are_markers_and_steps() -> None:
    demo = load_demo(CAVERNS)
    assert demo.markers[:2] == ((0, "room 1"), (708, "room 2"))
    around = CloningConfiguration(focus=("room 2", "1098", "room 1"), focus_before=3, focus_after=2)
    # Four frames a step: frame 708 is step 177.
    assert sorted(find_focuses([CAVERNS, CAVERNS], around), key=lambda each: (each.episode, each.begin)) == [
        Focus(episode, step - 3, step + 3) for episode in (0, 1) for step in (0, 177, 1098)
    ]
    assert find_focuses([CAVERNS], CloningConfiguration()) == []


@pytest.mark.parametrize("name", ["room2", "1099"])
def test_a_focus_that_is_nowhere_is_refused(name: str) -> None:
    with pytest.raises(UserError, match=f"no recording has a marker or a step '{name}'.*there are room 1, room 2"):
        find_focuses([CAVERNS], CloningConfiguration(focus=(name,)))


def test_a_run_imitates_what_it_is_told_to() -> None:
    weights = {"bc_weight": 1.0, "ppo_weight": [[0.0, 0.0], [1.0, 1.0]], "steps": 2, "batch_size": 64}
    parts = assemble(configuration(demos=[CAVERNS], imitation=weights), load_game("caverns"))
    (companion,) = parts.companions
    assert companion.ppo_weight(0.5) == 0.5
    figures = companion.learn(None, 0.0)
    assert figures["imitation/bc_loss"] == pytest.approx(np.log(6), abs=0.1)
    assert assemble(configuration(), load_game("caverns")).companions == ()


def test_cloning_without_recordings_is_refused() -> None:
    with pytest.raises(ValueError, match="there is nothing to clone: give recordings"):
        configuration(imitation={"bc_weight": [0.0, 1.0]})


def test_a_run_begins_with_the_weights_of_another(tmp_path: Path) -> None:
    game = load_game("caverns")
    first = assemble(configuration(seed=1), game)
    write_checkpoint(tmp_path / "first", Checkpoint(first.description, {"model": first.trained.model.state_dict()}))
    own = configuration(seed=2, initial=tmp_path / "first")
    second = assemble(own, game).trained.model.state_dict()
    resumed = assemble(own, game, resumed=True).trained.model.state_dict()
    for name, tensor in first.trained.model.state_dict().items():
        assert torch.equal(second[name], tensor)
    assert not torch.equal(resumed["policy_head.weight"], second["policy_head.weight"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": {**TINY, "fcnet_hiddens": [9]}}, "of another network: fc.0.weight has shape"),
        ({"env": {"stack_num": 3}}, r"sees uint8 \(2, 44, 64\); this run sees uint8 \(3, 44, 64\)"),
        ({"env": {"full_action_space": True}}, "has the actions stay, .*; this run has "),
    ],
)
def test_weights_of_another_network_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    game = load_game("caverns")
    first = assemble(configuration(), game)
    write_checkpoint(tmp_path / "first", Checkpoint(first.description, {"model": first.trained.model.state_dict()}))
    with pytest.raises(UserError, match=f"^initial: .*first.*{message}"):
        assemble(configuration(initial=tmp_path / "first", **changes), game)


def test_what_is_no_agent_is_refused(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "other", Checkpoint({"step": 1}, {}))
    model = PPOModel((2, 44, 64), 6, PPOModelConfiguration.model_validate(TINY))
    with pytest.raises(UserError, match="other is not an agent's checkpoint"):
        begin_with(model, tmp_path / "other", {}, [])
    with pytest.raises(UserError, match="no checkpoint or run folder"):
        begin_with(model, tmp_path / "nothing", {}, [])


def test_storage_is_that_of_rollouts() -> None:
    env = SpectrumVectorEnv(load_game("caverns"), 1, num_threads=1)
    assert Storage(*storage_of(env.single_observation_space)) == Storage((2, 44, 64), np.dtype(np.uint8))
    env.close()
