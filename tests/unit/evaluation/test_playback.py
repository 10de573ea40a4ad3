# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest

from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.evaluation import ModelPlayer, RandomPlayer, captioned, make_episode_env, play_episode
from oakemu_rl.evaluation.playback import Moment, Twin
from oakemu_rl.evaluation.tester import Tester as EpisodeTester
from oakemu_rl.games import Game

DEVICES = [
    {},
    {"frameskip": (2, 5)},
    {"repeat_action_probability": 0.5},
    {"full_action_space": True, "contention": False},
]


def with_joystick(game: Game) -> Game:
    changes = {"joystick": "kempston", "actions": {"stay": [], "left": ["left", "o"], "fire": ["fire", "up"]}}
    return Game(game.definition.model_copy(update=changes), game.program)


def check_twin(env: SpectrumEnv, steps: int) -> None:
    """After each step, the twin's whole state is that of the environment's machine."""
    twin = Twin(env)
    _, info = env.reset(seed=8)
    rng = np.random.default_rng(2)
    for _ in range(steps):
        frames_before, before = info["episode_frame_number"], env.machine_state()
        twin.begin(before)
        *_, terminated, truncated, info = env.step(rng.integers(env.action_space.n))
        twin.hold(info["action_taken"])
        twin.machine.run_frames(info["episode_frame_number"] - frames_before)
        assert np.array_equal(twin.machine.memory, env.get_ram())
        assert twin.machine.save_state() == env.machine_state()
        assert twin.machine.save_state() != before
        assert not terminated
        assert not truncated


@pytest.mark.parametrize("options", DEVICES)
def test_the_twin_does_what_the_machine_does(acorns, options):
    env = SpectrumEnv(acorns, **options)
    check_twin(env, 60)


def test_the_twin_has_the_joystick(acorns):
    env = SpectrumEnv(with_joystick(acorns))
    check_twin(env, 30)


@pytest.mark.parametrize("sticky", [0.0, 0.5])
def test_every_frame_is_shown(acorns, model, sticky):
    env = SpectrumEnv(acorns, render_mode="rgb_array", max_episode_steps=40, repeat_action_probability=sticky)
    moments: list[Moment] = []
    for moment in play_episode(env, ModelPlayer(model, greedy=False), seed=11):
        moments.append(moment)
        if len(moments) % 4 == 0:  # the last frame of a step
            assert np.array_equal(moment.picture, env.render())
    assert len(moments) == 160
    assert [moment.step for moment in moments] == [step for step in range(1, 41) for _ in range(4)]
    assert [moment.ended for moment in moments] == [False] * 156 + [True] * 4
    assert {moment.action for moment in moments} <= set(acorns.action_names)
    between = [moments[i].picture for i in (100, 101, 102, 103)]
    assert len({picture.tobytes() for picture in between}) > 1


def test_it_is_the_tester_s_episode(acorns):
    player = RandomPlayer(3)
    tester = EpisodeTester(lambda n: make_episode_env(acorns, n, {}), variables=acorns.variable_names)
    (episode,) = tester.play(player, [77]).episodes
    *_, last = play_episode(SpectrumEnv(acorns), player, 77)
    assert (last.episode_return, last.step) == (episode.episode_return, episode.length)
    assert {name: last.info[name] for name in acorns.variable_names} == dict(episode.variables)
    tester.close()


def test_the_epilogue_goes_on_without_keys(acorns):
    env = SpectrumEnv(acorns, max_episode_steps=3, noop_max=0)
    moments = list(play_episode(env, RandomPlayer(3), 1, epilogue=10))
    assert len(moments) == 3 * 4 + 10
    assert all(moment.ended and moment.action == "" for moment in moments[12:])
    assert all(moment.step == 3 for moment in moments[12:])


def test_the_caption_tells_score_return_step_and_action(acorns):
    env = SpectrumEnv(acorns, max_episode_steps=2)
    first, *_, last = play_episode(env, RandomPlayer(3), 1)
    with_score, without = captioned(first, "score"), captioned(first, None)
    assert with_score.shape == (266, 320, 3)
    assert np.array_equal(with_score[:240], first.picture)
    assert not np.array_equal(with_score, without)
    assert with_score[240:].any()
    assert not np.array_equal(captioned(last, "score")[240:], with_score[240:])
