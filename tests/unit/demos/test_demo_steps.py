# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording in an environment: what an agent would have seen, and states from which it could go on."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counting_game import SCORE, STAY, write_game
from demo_making import record

from oakemu_rl.demos import Demo, DemoRecorder, DesyncError, cut_demo, demo_steps, load_demo
from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game


def test_the_steps_are_those_of_the_environment(counted: Demo, game: Game) -> None:
    options: dict[str, Any] = {"img_width": 16, "img_height": 12, "stack_num": 3, "reward_clipping": True}
    steps = demo_steps(counted, game, options)
    env = SpectrumEnv(game, **options)
    observation, info = env.reset(seed=99)
    assert np.array_equal(steps.observations[0], observation)
    assert counted.actions is not None
    for number, action in enumerate(counted.actions.tolist(), start=1):
        observation, reward, _, _, info = env.step(action)
        assert np.array_equal(steps.observations[number], observation)
        assert steps.rewards[number - 1] == reward
        assert steps.variables["score"][number] == info["score"]
    assert (steps.outcome, steps.action_masks) == ("win", None)
    assert steps.observations.shape == (35, 3, 12, 16)
    assert steps.rewards.max() == 1.0  # clipped; a step scores twice
    assert steps.game_rewards.max() == 2.0
    assert np.array_equal(steps.game_rewards, demo_steps(counted, game, {}).rewards)


def test_an_episode_goes_on_from_any_step(counted: Demo, game: Game) -> None:
    steps = demo_steps(counted, game, {})
    env = SpectrumVectorEnv(game, 2, num_threads=1, autoreset_mode="disabled")
    for step in (0, 7, 33):
        observations, infos = env.reset(seed=4, options={"states": [steps.states[step], None]})
        assert np.array_equal(observations[0], steps.observations[step])
        for number in range(step, 34):
            _, rewards, _, _, infos = env.step(np.array([steps.actions[number], STAY]))
            assert rewards[0] == steps.rewards[number]
        assert infos["outcome"][0] == "win"


def test_states_fit_environments_with_no_op_frames_and_sticky_actions(counted: Demo, game: Game) -> None:
    options: dict[str, Any] = {"noop_max": 3, "repeat_action_probability": 0.2}
    steps = demo_steps(counted, game, options)
    envs = SpectrumVectorEnv(game, 1, num_threads=1, **options)
    for step in (0, 20):
        observations, infos = envs.reset(seed=[5], options={"states": [steps.states[step]]})
        assert infos["score"] == steps.variables["score"][step]
        assert (observations[0] == steps.observations[step]).all()
    envs.close()


def test_several_observations_come_as_a_dictionary(counted: Demo, game: Game) -> None:
    steps = demo_steps(counted, game, {"obs_type": ["ink", "variables"]})
    assert isinstance(steps.observations, dict)
    assert steps.observations["ink"].shape == (35, 2, 48, 64)
    assert np.array_equal(steps.observations["score"][:, 0], steps.variables["score"])


@pytest.mark.parametrize("options", [{"repeat_action_probability": 0.6}, {"frameskip": (1, 3)}])
def test_chance_does_what_was_recorded(counted: Demo, game: Game, options: dict[str, Any]) -> None:
    steps, plain = demo_steps(counted, game, options), demo_steps(counted, game, {})
    assert np.array_equal(steps.observations, plain.observations)
    assert np.array_equal(steps.rewards, plain.rewards)
    env = SpectrumEnv(game, **options)
    env.reset(options={"state": steps.states[12]})  # a state of such an environment
    assert env.step(STAY)[4]["episode_length"] == 13


def test_a_recording_with_chance_is_played_without(game: Game) -> None:
    demo = record(SpectrumEnv(game, repeat_action_probability=0.5), [STAY, SCORE] * 6)
    steps = demo_steps(demo, game, {})
    assert np.array_equal(steps.actions, demo.actions)
    assert steps.variables["score"][-1] == 2 * int((demo.actions == SCORE).sum())


def test_actions_are_found_by_what_they_hold(counted: Demo, game: Game) -> None:
    full = demo_steps(counted, game, {"full_action_space": True})
    assert np.array_equal(full.actions, counted.actions)
    narrow = replace(counted, action_meanings=("a", "b", "c"))
    assert np.array_equal(demo_steps(narrow, game, {}).actions, counted.actions)


def test_an_action_that_there_is_not_is_named(counted: Demo, game: Game) -> None:
    both = record(SpectrumEnv(game, full_action_space=True), [STAY, STAY, 3])
    assert both.action_meanings[3] == "o+p"
    with pytest.raises(UserError, match=r"step 3 of the recording plays o\+p, which is none of the environment's"):
        demo_steps(both, game, {})


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"frameskip": 3}, "step 1 of the recording has 2 frames; the environment's frameskip is 3"),
        ({"frameskip": (3, 5)}, "frameskip is 3 to 5"),
        ({"max_episode_steps": 20}, r"ends the episode \(truncated\) after step 20 of the recording's 34"),
        ({"action_type": "multibinary"}, "action_type='discrete' alone"),
        ({"frame_skip": 2}, "unknown option 'frame_skip'"),
    ],
)
def test_steps_that_the_environment_cannot_take(
    counted: Demo, game: Game, options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(UserError, match=complaint):
        demo_steps(counted, game, options)


def test_a_person_may_change_keys_within_steps(game: Game) -> None:
    held, nothing = game.action_table[SCORE], game.action_table[STAY]
    recorder = DemoRecorder(game, SpectrumEnv(game).options, game.start_state(), source="rzx")
    recorder.add_step(STAY, 2)
    for rows in ((held, nothing), (nothing, held), (held, held)):
        recorder.add_held_step(SCORE, np.array(rows))
    demo = recorder.finish()
    steps = demo_steps(demo, game, {"frameskip": (1, 2), "repeat_action_probability": 0.5})
    assert steps.actions.tolist() == [STAY, SCORE, SCORE, SCORE]
    assert steps.variables["score"].tolist() == [0, 0, 1, 2, 4]
    assert steps.rewards.tolist() == [0, 1, 1, 2]
    assert not steps.exact


def test_steps_are_exact_where_actions_alone_do_the_same(counted: Demo, game: Game) -> None:
    assert demo_steps(counted, game, {}).exact
    keys = counted.keys.copy()
    keys[11, 5] ^= 2
    with pytest.raises(DesyncError, match="after step 10 "):
        demo_steps(replace(counted, keys=keys), game, {})


def test_what_comes_after_the_end_is_named(game: Game) -> None:
    recorder = DemoRecorder(game, SpectrumEnv(game).options, game.start_state())
    for _ in range(40):
        recorder.add_step(SCORE, 2)
    longer = recorder.finish()
    with pytest.raises(UserError, match=r"ends the episode \(win\) after step 16 of the recording's 40; .* trim cuts"):
        demo_steps(longer, game, {})


def test_a_desync_is_named(counted: Demo, game: Game) -> None:
    checks = counted.checks.copy()
    checks[2] += np.uint64(1)
    with pytest.raises(DesyncError, match=r"after step 15 \(frame 30\) the RAM is not what was recorded"):
        demo_steps(replace(counted, checks=checks), game, {})


def test_other_games_are_refused(counted: Demo) -> None:
    with pytest.raises(UserError, match="not of ZXSpectrum/Caverns-v0"):
        demo_steps(counted, load_game("caverns"), {})


def test_caverns_is_won_in_the_environment_of_training(caverns: Demo) -> None:
    steps = demo_steps(caverns, load_game("caverns"), {"obs_type": "variables"})
    assert (steps.outcome, steps.rewards.sum(), len(steps.actions)) == ("win", 50.0, 1099)
    assert caverns.markers[3] == (4 * int(np.argmax(steps.variables["room"] == 4)), "room 4")


def test_a_recording_may_begin_in_the_middle(caverns: Demo) -> None:
    options: dict[str, Any] = {"obs_type": "variables"}
    game = load_game("caverns")
    whole, part = demo_steps(caverns, game, options), demo_steps(cut_demo(caverns, 2160, 2964), game, options)
    assert part.variables["room"].tolist() == whole.variables["room"][540:742].tolist()
    assert part.rewards.tolist() == whole.rewards[540:741].tolist()
    env = SpectrumEnv(game, **options)
    _, info = env.reset(options={"state": part.states[3]})
    assert (info["episode_length"], info["room"]) == (3, 4)


def test_masks_are_reported(tmp_path: Path) -> None:
    text = (write_game(tmp_path)).read_text().replace("reward:", "allow: {die: lives > 1}\nreward:")
    text = text.replace("reset: {noops: [0, 3], randomize: {seed: u16}}\n", "")
    (tmp_path / "masked.yaml").write_text(text)
    game = load_game(tmp_path / "masked.yaml")
    demo = record(SpectrumEnv(game, frameskip=1), [2, 2, 2, 0])
    steps = demo_steps(demo, game, {"frameskip": 1})
    assert steps.action_masks is not None
    assert steps.action_masks.tolist() == [[True, True, True]] * 3 + [[True, True, False]] * 2


@pytest.mark.parametrize(("name", "middle"), [("caverns", 2160), ("forest_ride", 1000), ("night_raid", 1000)])
def test_a_recording_says_whether_it_begins_where_the_game_does(name: str, middle: int) -> None:
    game, demo = load_game(name), load_demo(name)
    assert demo_steps(cut_demo(demo, 0, 40), game, {}).opens
    assert not demo_steps(cut_demo(demo, middle, middle + 40), game, {}).opens
