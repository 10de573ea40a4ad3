# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings to Minari datasets and back, through Minari's own interface."""

import warnings
from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from oakemu_rl.demos import Demo, DesyncError, demo_steps, replay
from oakemu_rl.demos.minari_export import export_minari
from oakemu_rl.demos.minari_import import import_minari, is_minari
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game

minari = pytest.importorskip("minari")

from minari.data_collector import EpisodeBuffer  # noqa: E402 - only where there is Minari


@pytest.fixture(autouse=True)
def _own_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "datasets"))


def short(demo: Demo, steps: int) -> Demo:
    """The first steps of a recording."""
    assert demo.actions is not None
    assert demo.step_frames is not None
    frames = int(demo.step_frames[:steps].sum())
    whole = frames // demo.check_every * demo.check_every
    assert whole == frames
    return replace(
        demo,
        keys=demo.keys[:frames],
        actions=demo.actions[:steps],
        step_frames=demo.step_frames[:steps],
        checks=demo.checks[: frames // demo.check_every],
        keyframes=(),
        markers=(),
        outcome="running",
        episode_return=None,
    )


def played(env: SpectrumEnv, seed: int, steps: int) -> EpisodeBuffer:
    """What somebody else's program makes of an episode with random actions."""
    observation, _ = env.reset(seed=seed)
    columns: dict[str, list] = {"observations": [observation]}
    env.action_space.seed(seed)
    for _ in range(steps):
        action = env.action_space.sample()
        observation, reward, terminated, truncated, _ = env.step(action)
        columns["observations"].append(observation)
        for name, value in (
            ("actions", action),
            ("rewards", reward),
            ("terminations", terminated),
            ("truncations", truncated),
        ):
            columns.setdefault(name, []).append(value)
    return EpisodeBuffer(seed=seed, **{name: np.array(values) for name, values in columns.items()})


def foreign_dataset(name: str, *buffers: EpisodeBuffer, **keywords: object) -> None:
    env = keywords.pop("env", "ZXSpectrum/Caverns-v0")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        minari.create_dataset_from_buffers(name, list(buffers), env=env, **keywords)


def test_a_dataset_has_one_observation_more_than_steps_with_stacks_as_an_agent_sees_them(caverns: Demo):
    demo = short(caverns, 30)
    export_minari([demo, demo], load_game("caverns"), "zxspectrum/caverns/script-v0")
    dataset = minari.load_dataset("zxspectrum/caverns/script-v0")
    assert (dataset.total_episodes, dataset.total_steps) == (2, 60)
    assert dataset.env_spec.kwargs["frameskip"] == 4
    assert "frameskip" not in gymnasium.spec("ZXSpectrum/Caverns-v0").kwargs
    _, episode = dataset.iterate_episodes()
    env = dataset.recover_environment().unwrapped
    observation, info = env.reset(seed=0)
    assert env.machine_state() != demo.start  # it begins with no-op frames; the recording with none
    assert episode.observations.shape == (31, *env.observation_space.shape)
    env.close()
    env = SpectrumEnv("caverns", noop_max=0)
    observation, info = env.reset(seed=0)
    for step, action in enumerate(demo.actions):
        assert np.array_equal(episode.observations[step], observation)
        assert episode.infos["player_x"][step] == info["player_x"]
        observation, reward, *_, info = env.step(action)
        assert episode.rewards[step] == reward
    assert np.array_equal(episode.observations[30], observation)
    assert len(episode.infos["player_x"]) == 31
    assert episode.actions.tolist() == demo.actions.tolist()
    env.close()


def test_an_end_is_a_termination_and_a_recording_that_stops_a_truncation(counted: Demo, game: Game):
    stopped = replace(counted, outcome="running")
    export_minari([counted], game, "zxspectrum/counting/won-v0")
    (won,) = minari.load_dataset("zxspectrum/counting/won-v0").iterate_episodes()
    assert won.terminations.tolist() == [False] * 33 + [True]
    assert not won.truncations.any()
    export_minari([short(stopped, 20)], game, "zxspectrum/counting/stopped-v0")
    (stop,) = minari.load_dataset("zxspectrum/counting/stopped-v0").iterate_episodes()
    assert stop.truncations.tolist() == [False] * 19 + [True]
    assert not stop.terminations.any()


def test_what_was_exported_comes_back_as_it_was(caverns: Demo, tmp_path: Path):
    demo = short(caverns, 30)
    folder = export_minari([demo], load_game("caverns"), "zxspectrum/caverns/script-v0")
    for given in ("zxspectrum/caverns/script-v0", str(folder), str(folder.parent)):
        assert is_minari(given)
        (back,) = import_minari(given)
        assert back.start == demo.start
        assert np.array_equal(back.keys, demo.keys)
        assert back.source == "script"


def test_episodes_of_others_are_played_again():
    env = SpectrumEnv("caverns", frameskip=2)
    buffers = [played(env, 7, 20), played(env, 8, 12)]
    spec = deepcopy(gymnasium.spec("ZXSpectrum/Caverns-v0"))
    spec.kwargs["frameskip"] = 2
    foreign_dataset("zxspectrum/caverns/random-v0", *buffers, env=spec)
    first, second = import_minari("zxspectrum/caverns/random-v0")
    assert (first.steps, second.steps) == (20, 12)
    assert (first.seed, first.source, first.settings["frameskip"]) == (7, "minari", 2)
    assert first.actions.tolist() == buffers[0].actions.tolist()
    env.reset(seed=8)
    assert second.start == env.machine_state()
    replay(second, load_game("caverns"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"observations": 3}, "episode 0: the observation after 3 steps is not the recorded one"),
        ({"rewards": 4}, "episode 0: in step 5 the reward is 0, not 9"),
    ],
)
def test_an_episode_that_plays_otherwise_is_refused(change, message):
    buffer = played(SpectrumEnv("caverns"), 7, 10)
    for name, place in change.items():
        column = getattr(buffer, name)
        column[place] = column[place] + np.ones_like(column[place]) * 9
    foreign_dataset("zxspectrum/caverns/wrong-v0", buffer)
    with pytest.raises(DesyncError, match=message):
        list(import_minari("zxspectrum/caverns/wrong-v0"))


def test_an_episode_that_goes_on_after_its_end_is_refused():
    env = SpectrumEnv("caverns", max_episode_steps=6)
    buffer = played(env, 7, 6)
    longer = {
        name: np.concatenate([getattr(buffer, name), getattr(buffer, name)[-1:]])
        for name in ("observations", "actions", "rewards", "terminations", "truncations")
    }
    spec = deepcopy(gymnasium.spec("ZXSpectrum/Caverns-v0"))
    spec.kwargs["max_episode_steps"] = 6
    foreign_dataset("zxspectrum/caverns/longer-v0", replace(buffer, **longer), env=spec)
    with pytest.raises(DesyncError, match="episode 0: it ends after step 6, not 7"):
        list(import_minari("zxspectrum/caverns/longer-v0"))


def test_high_stacks_are_no_pictures_to_be_packed_with_losses(caverns: Demo):
    demo = short(caverns, 10)
    export_minari([demo], load_game("caverns"), "zxspectrum/caverns/high-v0", options={"stack_num": 40})
    (episode,) = minari.load_dataset("zxspectrum/caverns/high-v0").iterate_episodes()
    wanted = demo_steps(demo, load_game("caverns"), {"stack_num": 40}).observations
    assert np.array_equal(episode.observations, wanted)


def test_an_episode_without_a_seed_is_refused():
    buffer = replace(played(SpectrumEnv("caverns"), 7, 5), seed=None)
    foreign_dataset("zxspectrum/caverns/seedless-v0", buffer)
    with pytest.raises(UserError, match="episode 0: it has no seed"):
        list(import_minari("zxspectrum/caverns/seedless-v0"))


def test_a_dataset_of_another_environment_is_refused():
    buffer = EpisodeBuffer(
        seed=1,
        observations=np.zeros((2, 4), np.float32),
        actions=np.zeros(1, np.int64),
        rewards=[1.0],
        terminations=[True],
        truncations=[False],
    )
    foreign_dataset("cartpole/some-v0", buffer, env="CartPole-v1")
    with pytest.raises(UserError, match="its environment CartPole-v1 is none of ours"):
        list(import_minari("cartpole/some-v0"))


def test_there_must_be_a_dataset(tmp_path: Path):
    assert not is_minari("game.rzx")
    assert not is_minari(str(tmp_path))
    assert is_minari("zxspectrum/caverns/none-v0")
    with pytest.raises(UserError, match="no Minari dataset 'zxspectrum/caverns/none-v0' here"):
        list(import_minari("zxspectrum/caverns/none-v0"))


def test_recordings_of_one_dataset_play_alike(caverns: Demo):
    other = replace(caverns, settings={**caverns.settings, "frameskip": 2})
    with pytest.raises(UserError, match="frameskip is 4 in the first one, 2 in number 2"):
        export_minari([caverns, other], load_game("caverns"), "zxspectrum/caverns/mixed-v0")


def test_a_taken_or_impossible_id_is_refused(caverns: Demo):
    demo = short(caverns, 30)
    export_minari([demo], load_game("caverns"), "zxspectrum/caverns/script-v0")
    with pytest.raises(UserError, match=r"zxspectrum/caverns/script-v0: .*already exists"):
        export_minari([demo], load_game("caverns"), "zxspectrum/caverns/script-v0")
    with pytest.raises(UserError, match="no version"):
        export_minari([demo], load_game("caverns"), "no version")
