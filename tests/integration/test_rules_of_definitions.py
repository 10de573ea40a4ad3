# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks, parts of rewards and the reward of evaluations, from the YAML to what training and evaluation report."""

import json
from pathlib import Path

import numpy as np
import pytest
import yaml

from oakemu_rl.cli.main import main
from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv
from oakemu_rl.evaluation import RandomPlayer, make_episode_env, play_episode
from oakemu_rl.evaluation.tester import Tester as EpisodeTester
from oakemu_rl.games import load_game
from oakemu_rl.training.assembly import assemble
from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.json_lines import read_json_lines

_DEFINITION = """\
extends: acorns
id: ZXSpectrum/LeftAcorns-v0
title: Acorns, on the left
reward: {points: delta(score), lives: -(delta(lives) < 0)}
evaluation: {reward: {points: 2 * delta(score), time: "-1"}}
allow: {right: basket_x < 120, left: basket_x > 60}
"""
_LEFT, _RIGHT = 1, 2


@pytest.fixture(scope="module")
def definition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rules") / "left_acorns.yaml"
    path.write_text(_DEFINITION)
    return path


def test_the_actor_keeps_to_the_masks_and_the_learner_sees_them(definition: Path) -> None:
    tiny = {
        "game": str(definition),
        "num_envs": 6,
        "num_threads": 1,
        "device": "cpu",
        "ppo": {"rollout_length": 64, "ppo_epochs": 1, "num_minibatches": 1},
        "model": {"conv_filters": [[4, 8, 8]], "fcnet_hiddens": [8]},
        "eval_every": 0,
        "env": {"max_episode_steps": 50},
    }
    parts = assemble(PPOExperimentConfiguration.model_validate(tiny), load_game(definition))
    actor, buffer, env = parts.trained.actor, parts.rollout_buffer, parts.trained.env
    statistics = actor.collect(buffer)
    masks = buffer.action_masks
    assert masks is not None
    assert np.take_along_axis(masks, buffer.actions[..., None], axis=-1).all()
    assert not masks[..., _LEFT].all()
    assert not masks[..., _RIGHT].all()
    assert masks[..., 0].all()
    parts.finalizer.finalize(buffer, actor.observations)
    metrics = parts.trained.learner.update(buffer, 0.0)
    assert metrics["approx_kl"] == pytest.approx(0.0, abs=1e-5)  # the learner's probabilities are the actor's
    assert len(statistics.episodes) == 6
    for episode in statistics.episodes:
        assert episode.reward_parts.keys() == {"points", "lives"}
        assert sum(episode.reward_parts.values()) == episode.episode_return
    env.close()


def test_evaluations_keep_to_the_masks_and_judge_by_their_own_reward(definition: Path) -> None:
    game = load_game(definition)
    options = {"max_episode_steps": 200, "reward": "evaluation"}
    tester = EpisodeTester(
        lambda n: make_episode_env(game, n, options, num_threads=1), variables=game.variable_names, num_envs=3
    )
    result = tester.play(RandomPlayer(3), range(4))
    tester.close()
    assert result.reward_part_names == ("points", "time")
    for episode in result.episodes:
        assert episode.reward_parts == {"points": 2.0 * episode.variables["score"], "time": -float(episode.length)}
        assert episode.episode_return == sum(episode.reward_parts.values())
    assert result.as_dict()["reward_parts"]["time"]["mean"] == -result.lengths.mean
    env = SpectrumEnv(game, max_episode_steps=200, reward="evaluation", repeat_action_probability=0.0)
    moments = list(play_episode(env, RandomPlayer(3), 2))
    assert moments[-1].episode_return == result.episodes[2].episode_return
    assert {moment.action for moment in moments} == {"stay", "left", "right"}


def test_an_agents_sampled_and_greedy_choices_are_never_forbidden(definition: Path) -> None:
    envs = SpectrumVectorEnv(load_game(definition), 4, max_episode_steps=0)
    _, infos = envs.reset(seed=1)
    chance = [np.random.default_rng(i) for i in range(4)]
    for _ in range(100):
        actions = RandomPlayer(3).choose(np.zeros((4, 1)), chance, infos["action_mask"])
        *_, infos = envs.step(actions)
        assert infos["action_taken"].tolist() == actions.tolist()
    assert infos["basket_x"].max() < 120 + 8  # 2 pixels a frame


@pytest.mark.learning
def test_a_run_reports_the_parts_everywhere(
    definition: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    line = f"""train {definition} --num-envs 4 --num-threads 1 --torch-threads 1 --ppo.rollout-length 32
        --ppo.ppo-epochs 1 --model.conv-filters 4 8 8 --model.fcnet-hiddens 8 --env.max-episode-steps 60 --no-film
        --no-tensorboard --steps 512 --eval-every 256 --eval-episodes 2 --run-folder {run} --device cpu"""
    assert main(line.split()) == 0
    episode, *_ = read_json_lines(run / "episodes.jsonl")
    assert episode["reward/points"] + episode["reward/lives"] == episode["return"]
    metrics = list(read_json_lines(run / "metrics.jsonl"))
    assert any("rollout/reward/points" in each for each in metrics)
    assert any(each.get("eval/reward/time") == -60.0 for each in metrics)
    report = tmp_path / "report.json"
    assert main(["evaluate", str(run), "--episodes", "2", "--json", str(report)]) == 0
    assert json.loads(report.read_text())["reward_parts"]["time"]["mean"] == -60.0
    capsys.readouterr()
    assert main(["export", str(run)]) == 0
    assert "ZXSpectrum/LeftAcorns-v0 forbids actions by state: take the largest logit" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("obs_type", "message"),
    [
        ("variabels", "variables"),
        ("[ink, rgb]", "obs_type names the pictures ink and rgb; an observation holds one at most"),
        ("attributes", "model: conv_filters[2] (32, 3, 1)"),
    ],
)
def test_training_refuses_what_its_network_cannot_take_in_one_line(
    definition: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], obs_type: str, message: str
) -> None:
    config = tmp_path / "config.yaml"
    model = {"conv_filters": [[16, 4, 4], [32, 3, 2], [32, 3, 1]], "conv_padding": "valid"}  # too much for 22x32 cells
    config.write_text(yaml.safe_dump({"env": {"obs_type": yaml.safe_load(obs_type)}, "model": model}))
    assert main(["train", str(definition), "--config", str(config), "--run-folder", str(tmp_path / "run")]) == 2
    told = capsys.readouterr().err
    assert message in told
    assert told.count("\n") == 1


@pytest.mark.learning
@pytest.mark.parametrize(
    ("obs_type", "filters", "shape"), [("attributes", [[8, 3, 2]], (4, 22, 32)), ("ram", [], (49152,))]
)
def test_training_learns_from_cells_and_from_ram_with_a_network_to_suit(
    definition: Path, obs_type: str, filters: list[list[int]], shape: tuple[int, ...]
) -> None:
    configuration = {
        "game": str(definition),
        "num_envs": 4,
        "num_threads": 1,
        "device": "cpu",
        "ppo": {"rollout_length": 16, "ppo_epochs": 1, "num_minibatches": 1},
        "model": {"conv_filters": filters, "fcnet_hiddens": [8]},
        "eval_every": 0,
        "env": {"obs_type": obs_type, "max_episode_steps": 10},
    }
    parts = assemble(PPOExperimentConfiguration.model_validate(configuration), load_game(definition))
    statistics = parts.trained.actor.collect(parts.rollout_buffer)
    assert parts.rollout_buffer.observation_shape == shape
    assert len(statistics.episodes) == 4  # cut off after 10 steps, which needs the true last observations
    parts.finalizer.finalize(parts.rollout_buffer, parts.trained.actor.observations)
    parts.trained.learner.update(parts.rollout_buffer, 0.0)
    parts.trained.env.close()
