# SPDX-License-Identifier: GPL-3.0-or-later
import json
from functools import partial

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv
from oakemu_rl.evaluation import ModelPlayer, RandomPlayer, episode_seeds, make_episode_env
from oakemu_rl.evaluation.tester import Tester as EpisodeTester
from oakemu_rl.evaluation.tester import episode_chance
from oakemu_rl.ppo.seeding import derive_seed

SHORT = {"max_episode_steps": 120}


def judge(game, num_envs=4, **options):
    return EpisodeTester(
        partial(_env, game, {**SHORT, **options}),
        variables=game.variable_names,
        num_envs=num_envs,
    )


def _env(game, options, num_envs):
    return make_episode_env(game, num_envs, options, num_threads=1)


def by_hand(game, player, seed, **options):
    """One episode, on the single environment."""
    env = SpectrumEnv(game, **SHORT, **options)
    observation, info = env.reset(seed=seed)
    chance = [episode_chance(seed)]
    total, ended = 0.0, False
    while not ended:
        action = player.choose(observation[np.newaxis], chance)[0]
        observation, reward, terminated, truncated, info = env.step(action)
        total += reward
        ended = terminated or truncated
    return total, info


@pytest.mark.parametrize("greedy", [True, False])
def test_episodes_are_those_of_their_seeds(acorns, model, greedy):
    seeds = episode_seeds(5, 3)
    result = judge(acorns, 2).run(model, seeds, greedy=greedy)
    assert [episode.seed for episode in result.episodes] == seeds
    for episode in result.episodes:
        total, info = by_hand(acorns, ModelPlayer(model, greedy=greedy), episode.seed)
        assert episode.episode_return == total
        assert episode.length == info["episode_length"]
        assert episode.outcome == info["outcome"]
        assert dict(episode.variables) == {name: info[name] for name in acorns.variable_names}


@pytest.mark.parametrize("greedy", [True, False])
def test_the_number_of_environments_changes_nothing(acorns, model, greedy):
    seeds = episode_seeds(0, 7)
    results = [
        judge(acorns, num_envs, repeat_action_probability=0.2).run(model, seeds, greedy=greedy)
        for num_envs in (1, 3, 20)
    ]
    assert results[0] == results[1] == results[2]
    assert len({episode.length for episode in results[0].episodes}) > 1


def test_a_tester_repeats_itself(acorns, model):
    again = judge(acorns)
    assert again.run(model, [3, 1, 2]) == again.run(model, [3, 1, 2])
    assert [e.seed for e in again.run(model, [2]).episodes] == [2]
    again.close()
    again.close()


def test_sampling_differs_from_greed_and_by_seed(acorns, model):
    greedy = judge(acorns).run(model, [1, 2], greedy=True)
    sampled = judge(acorns).run(model, [1, 2], greedy=False)
    assert greedy != sampled


def test_training_mode_is_put_back(acorns, model):
    model.train()
    judge(acorns, max_episode_steps=2).run(model, [1])
    assert model.training
    model.eval()
    judge(acorns, max_episode_steps=2).run(model, [1])
    assert not model.training


def test_progress_counts_every_episode_once(acorns):
    done = []
    judge(acorns, max_episode_steps=5).play(RandomPlayer(3), range(6), on_episode=done.append)
    assert done == [1, 2, 3, 4, 5, 6]


def test_limits_truncate(acorns):
    result = judge(acorns, max_episode_steps=5).play(RandomPlayer(3), range(3))
    assert result.outcomes == {"truncated": 3}
    assert result.lengths.mean == 5


def test_random_player_uses_every_action_and_its_own_chance():
    player = RandomPlayer(3)
    observations = np.zeros((2, 1), np.uint8)
    both = np.array([player.choose(observations, [np.random.default_rng(1), np.random.default_rng(2)])])
    alone = player.choose(observations[:1], [np.random.default_rng(2)])
    assert both[0, 1] == alone[0]
    rng = [np.random.default_rng(3)]
    counts = np.bincount([player.choose(observations[:1], rng)[0] for _ in range(300)], minlength=3)
    assert counts.min() > 70


def test_what_a_model_chooses_does_not_depend_on_its_neighbours(model):
    rng = np.random.default_rng(0)
    observations = rng.integers(0, 256, size=(37, 2, 44, 64), dtype=np.uint8)
    player = ModelPlayer(model)
    logits = player._logits(observations)
    for i in (0, 15, 16, 36):
        assert np.array_equal(player._logits(observations[i : i + 1])[0], logits[i])
    assert len(set(player.choose(observations, []))) > 1


def test_a_sampling_player_follows_the_probabilities(model):
    observation = np.random.default_rng(6).integers(0, 256, size=(1, 2, 44, 64), dtype=np.uint8)
    player = ModelPlayer(model, greedy=False)
    player._logits = lambda _: np.log(np.array([[0.7, 0.2, 0.1]], np.float32))
    rng = [np.random.default_rng(0)]
    counts = np.bincount([player.choose(observation, rng)[0] for _ in range(3000)], minlength=3)
    assert np.allclose(counts / 3000, [0.7, 0.2, 0.1], atol=0.03)


def test_seeds_are_of_no_training_stream():
    seeds = episode_seeds(7, 50)
    assert seeds == episode_seeds(7, 60)[:50]
    assert len(set(seeds) | set(episode_seeds(8, 50))) == 100
    training = {derive_seed(7, 3, 1, i) for i in range(50)} | {7 + i for i in range(50)}
    assert not training & set(seeds)
    assert all(0 <= seed < 2**63 for seed in seeds)


def test_shares_and_figures(acorns):
    result = judge(acorns, max_episode_steps=130).play(RandomPlayer(3), range(8))
    caught = sum(episode.variables["caught"] for episode in result.episodes)
    missed = sum(episode.variables["missed"] for episode in result.episodes)
    share = result.share("caught", "missed")
    assert (share.hits, share.total) == (caught, caught + missed)
    assert share.low <= share.share <= share.high
    assert result.variable("caught").mean * 8 == caught
    assert json.loads(json.dumps(result.as_dict()))["episodes"][7]["seed"] == 7
    with pytest.raises(KeyError):
        result.variable("other")


def test_bad_use(acorns, model):
    with pytest.raises(ValueError, match="at least one episode"):
        judge(acorns).run(model, [])
    with pytest.raises(ValueError, match="num_envs must be at least 1"):
        EpisodeTester(lambda _: None, num_envs=0)
    resets = EpisodeTester(lambda n: SpectrumVectorEnv(acorns, n, autoreset_mode=AutoresetMode.NEXT_STEP))
    with pytest.raises(ValueError, match="autoreset mode DISABLED"):
        resets.run(model, [1])


def test_a_random_player_keeps_to_the_mask():
    player = RandomPlayer(4)
    masks = np.array([[True, False, True, False], [False, False, False, True]])
    rng = [np.random.default_rng(1), np.random.default_rng(2)]
    chosen = np.array([player.choose(np.zeros((2, 1)), rng, masks) for _ in range(50)])
    assert set(chosen[:, 0]) == {0, 2}
    assert set(chosen[:, 1]) == {3}


@pytest.mark.parametrize("greedy", [True, False])
def test_a_model_keeps_to_the_mask(model, greedy):
    player = ModelPlayer(model, greedy=greedy)
    player._logits = lambda _: np.array([[9.0, 1.0, 0.0]], np.float32)
    mask = np.array([[False, True, True]])
    rng = [np.random.default_rng(0)]
    chosen = [player.choose(np.zeros((1, 2)), rng, mask)[0] for _ in range(60)]
    assert set(chosen) == ({1} if greedy else {1, 2})
