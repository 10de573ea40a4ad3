# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from counting_game import DEFINITION, DIE, SCORE, STAY, write_game

from oakemu_rl.emulator import Spectrum
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.errors import UserError
from oakemu_rl.games import load_game

KEYS = {
    *("frames", "score", "lives", "seed", "frame_number", "episode_frame_number", "episode_return", "episode_length"),
    *("outcome", "is_success", "action_taken", "seeds"),
}


def starts(env: SpectrumEnv, seed: int | None, count: int) -> list[tuple[int, int]]:
    """What differs between episodes: the random bytes and the no-op frames."""
    infos = [env.reset(seed=seed)[1], *(env.reset()[1] for _ in range(count - 1))]
    return [(info["seed"], info["frames"]) for info in infos]


def test_step_returns_plain_python_values(counting: Path) -> None:
    env = SpectrumEnv(counting)
    observation, info = env.reset(seed=1)
    assert observation.shape == (2, 48, 64)
    assert observation.dtype == np.uint8
    observation, reward, terminated, truncated, info = env.step(SCORE)
    assert observation in env.observation_space
    assert [type(value) for value in (reward, terminated, truncated)] == [float, bool, bool]
    assert reward == 2.0
    plain = {key: type(value) for key, value in info.items() if key != "seeds"}
    assert set(plain.values()) == {int, float, bool, str}


def test_info_has_the_same_keys_from_reset_to_the_end(counting: Path) -> None:
    env = SpectrumEnv(counting)
    _, info = env.reset(seed=1)
    assert info.keys() == KEYS
    for _ in range(2):
        *_, terminated, truncated, info = env.step(DIE)
        assert info.keys() == KEYS
    assert terminated
    assert not truncated


def test_figures_of_an_episode(counting: Path) -> None:
    env = SpectrumEnv(counting)
    _, start = env.reset(seed=1)
    assert (start["outcome"], start["action_taken"], start["episode_return"]) == ("running", -1, 0.0)
    for _ in range(3):
        *_, info = env.step(SCORE)
    assert (info["score"], info["episode_return"], info["episode_length"]) == (6, 6.0, 3)
    assert (info["episode_frame_number"], info["frame_number"] - start["frame_number"]) == (6, 6)
    assert info["action_taken"] == SCORE


@pytest.mark.parametrize(
    ("action", "steps", "ends", "outcome"),
    [
        (SCORE, 15, (True, False), "win"),  # 30 points at 2 a step
        (DIE, 2, (True, False), "loss"),  # 3 lives at 2 a step
        (STAY, 40, (False, True), "truncated"),  # the definition's limit
    ],
)
def test_ends(counting: Path, action: int, steps: int, ends: tuple[bool, bool], outcome: str) -> None:
    env = SpectrumEnv(counting)
    env.reset(seed=1)
    for _ in range(steps - 1):
        assert env.step(action)[2:4] == (False, False)
    *_, terminated, truncated, info = env.step(action)
    assert (terminated, truncated) == ends
    assert (info["outcome"], info["is_success"]) == (outcome, outcome == "win")
    with pytest.raises(RuntimeError, match="has ended its episode; reset it"):
        env.step(action)


def test_a_seed_gives_the_whole_sequence_of_episodes(counting: Path) -> None:  # B14
    env = SpectrumEnv(counting)
    first, again, other = starts(env, 1, 4), starts(env, 1, 4), starts(env, 2, 4)
    assert first == again == starts(SpectrumEnv(counting), 1, 4)
    assert first != other
    assert len(set(first)) == 4


def test_unseeded_environments_differ(counting: Path) -> None:
    assert starts(SpectrumEnv(counting), None, 4) != starts(SpectrumEnv(counting), None, 4)


def test_observations_are_never_changed_afterwards(counting: Path) -> None:  # B15
    env = SpectrumEnv(counting)
    kept = [env.reset(seed=1)[0]]
    copies = [kept[0].copy()]
    for action in (SCORE, STAY, SCORE, DIE):
        kept.append(env.step(action)[0])
        copies.append(kept[-1].copy())
    env.reset()
    assert all(np.array_equal(*pair) for pair in zip(kept, copies, strict=True))
    assert not np.array_equal(kept[1], kept[2])


def test_a_reset_restarts_the_limit(counting: Path) -> None:  # B17
    env = SpectrumEnv(counting, max_episode_steps=20)
    for _ in range(2):
        env.reset(seed=1)
        for step in range(1, 13):
            *_, truncated, info = env.step(STAY)
            assert not truncated
            assert info["episode_length"] == step
            assert info["episode_frame_number"] == 2 * step


def test_a_limit_of_frames_cuts_the_last_step_short(counting: Path) -> None:
    env = SpectrumEnv(counting, frameskip=4, max_num_frames_per_episode=10)
    env.reset(seed=1)
    scores = [env.step(SCORE) for _ in range(3)]
    assert [reward for _, reward, *_ in scores] == [4.0, 4.0, 2.0]
    assert scores[-1][3]
    assert scores[-1][4]["episode_frame_number"] == 10


def test_all_keys_are_up_after_a_reset(counting: Path) -> None:  # B18
    used, fresh = SpectrumEnv(counting, frameskip=1), SpectrumEnv(counting, frameskip=1)
    used.reset(seed=5)
    for _ in range(3):
        used.step(SCORE)
    used.reset(seed=7)
    fresh.reset(seed=7)
    for _ in range(30):
        from_used, from_fresh = used.step(STAY), fresh.step(STAY)
        assert np.array_equal(from_used[0], from_fresh[0])
    assert np.array_equal(used.get_ram(), fresh.get_ram())
    assert from_used[4]["score"] == 0


def test_scores_sum_up_to_the_score_in_ram(counting: Path) -> None:  # B34
    env = SpectrumEnv(counting, frameskip=(2, 5), stack_num=4, maxpool=True, repeat_action_probability=0.25)
    env.reset(seed=3)
    total, ended = 0.0, False
    while not ended:
        _, reward, terminated, truncated, info = env.step(SCORE)
        total += reward
        ended = terminated or truncated
    ram = env.get_ram()
    assert total == info["score"] == info["episode_return"] == int(ram[0x5002]) + 256 * int(ram[0x5003])


def test_reward_clipping_leaves_the_statistics_alone(counting: Path) -> None:
    env = SpectrumEnv(counting, frameskip=5, reward_clipping=True)
    env.reset(seed=1)
    rewards = [env.step(action)[1] for action in (SCORE, STAY, SCORE)]
    *_, info = env.step(STAY)
    assert rewards == [1.0, 0.0, 1.0]
    assert info["episode_return"] == 10.0


def test_sticky_actions(counting: Path) -> None:
    env = SpectrumEnv(counting, frameskip=1, repeat_action_probability=0.5, max_episode_steps=0)
    _, info = env.reset(seed=1)
    previous, repeated, total = STAY, 0, 0
    wanted = [SCORE, STAY] * 14
    for action in wanted:
        *_, info = env.step(action)
        taken = info["action_taken"]
        assert taken in (action, previous)
        total += taken == SCORE
        repeated += taken != action
        previous = taken
        assert info["score"] == total  # the machine holds what is reported
    assert 3 <= repeated <= 25
    env.reset(seed=1)
    assert [env.step(action)[4]["action_taken"] for action in wanted][-1] == previous


def test_noops_are_frames_without_a_key(counting: Path) -> None:
    env = SpectrumEnv(counting, noop_max=6)
    frames = {env.reset(seed=seed)[1]["frames"] for seed in range(60)}
    assert frames == set(range(6))  # the first frame only reaches the loop
    env = SpectrumEnv(counting, noop_max=0)
    assert {env.reset(seed=seed)[1]["frame_number"] for seed in range(1)} == {0}


def test_random_frameskip_stays_in_its_range(counting: Path) -> None:
    env = SpectrumEnv(counting, frameskip=(2, 4), max_episode_steps=0)
    env.reset(seed=1)
    frames = [env.step(STAY)[4]["episode_frame_number"] for _ in range(40)]
    assert set(np.diff(frames)) == {2, 3, 4}


def test_frames_are_stacked_oldest_first(counting: Path) -> None:
    env = SpectrumEnv(counting, stack_num=3)
    pictures = [env.reset(seed=1)[0]]
    assert all(np.array_equal(pictures[0][i], pictures[0][0]) for i in range(3))
    pictures += [env.step(STAY)[0] for _ in range(3)]
    assert np.array_equal(pictures[3][:2], pictures[2][1:])
    assert np.array_equal(pictures[3][0], pictures[1][2])
    assert not np.array_equal(pictures[3][2], pictures[3][1])


def test_the_picture_shows_the_display(counting: Path) -> None:
    env = SpectrumEnv(counting)
    env.reset(seed=1)
    observation, *_, info = env.step(STAY)
    # The game writes the frame counter and the seed's low byte at the top left; ink is 255.
    bits = np.unpackbits(np.array([info["frames"], info["seed"] & 255], np.uint8))
    assert np.array_equal(observation[1, 0, :16], bits * 255)


@pytest.mark.parametrize(
    ("options", "shape"),
    [
        ({"obs_type": "grayscale", "img_width": 21, "img_height": 16, "stack_num": 1}, (1, 16, 21)),
        ({"obs_type": "rgb"}, (6, 48, 64)),
        ({"obs_type": "ink", "stack_num": 4}, (4, 48, 64)),
        ({"obs_type": "ram"}, (49152,)),
    ],
)
def test_shapes(counting: Path, options: dict[str, Any], shape: tuple[int, ...]) -> None:
    env = SpectrumEnv(counting, **options)
    observation, _ = env.reset(seed=1)
    assert observation.shape == shape == env.observation_space.shape
    assert env.step(STAY)[0].shape == shape


def test_ram_observations(counting: Path) -> None:
    env = SpectrumEnv(counting, obs_type="ram")
    env.reset(seed=1)
    observation, *_, info = env.step(SCORE)
    assert observation[0x5002] == info["score"] == 2
    assert np.array_equal(observation, env.get_ram())
    observation[:] = 0
    assert env.get_ram()[0x5002] == 2


def test_episodic_life(counting: Path) -> None:
    env = SpectrumEnv(counting, frameskip=1, episodic_life=True)
    _, start = env.reset(seed=1)
    *_, terminated, _, info = env.step(DIE)
    assert terminated
    assert (info["outcome"], info["lives"]) == ("life_lost", 2)
    _, info = env.reset()
    assert (info["lives"], info["seed"], info["episode_length"]) == (2, start["seed"], 0)
    _, info = env.reset(seed=1)
    assert info["lives"] == 2 + 1  # a seed begins a game


def test_episode_stats(counting: Path) -> None:
    env = SpectrumEnv(counting, episode_stats=True, reward_clipping=True)
    env.reset(seed=1)
    assert "episode" not in env.step(SCORE)[4]
    env.step(DIE)
    info = env.step(DIE)[4]
    assert (info["episode"]["r"], info["episode"]["l"]) == (2.0, 3)
    assert info["episode"]["t"] >= 0.0


def test_options_of_reset_hold_once(counting: Path) -> None:  # B28
    env = SpectrumEnv(counting)
    env.reset(seed=1)
    for _ in range(3):
        kept, *_, before = env.step(SCORE)
    state = env.get_state()
    env.step(DIE)
    observation, info = env.reset(options={"state": state})
    assert np.array_equal(observation, kept)
    assert (info["score"], info["episode_length"]) == (6, 3) == (before["score"], before["episode_length"])
    assert env.reset()[1]["score"] == 0
    with pytest.raises(UserError, match=r"unknown option of reset 'stat' \(did you mean 'state'\?\)"):
        env.reset(options={"stat": state})


def test_metadata_is_the_instances_own(counting: Path) -> None:  # B30
    env = SpectrumEnv(counting)
    env.metadata["render_modes"].append("mine")
    env.metadata["render_fps"] = 1
    assert SpectrumEnv.metadata == {"render_modes": ["human", "rgb_array"], "render_fps": 50}
    assert SpectrumEnv(counting, frameskip=1).metadata["render_fps"] == 50
    assert SpectrumEnv(counting, frameskip=4).metadata["render_fps"] == 13


def test_masks_and_machine(counting: Path) -> None:
    env = SpectrumEnv(counting)
    env.reset(seed=1)
    assert env.action_masks().tolist() == [True] * 3
    machine = Spectrum()
    machine.load_state(env.machine_state())
    assert np.array_equal(machine.memory, env.get_ram())


def test_a_game_may_be_given_in_any_form(counting: Path) -> None:
    game = load_game(counting)
    assert SpectrumEnv(game).game == SpectrumEnv(str(counting)).game == game
    assert SpectrumEnv("acorns").game.id == "ZXSpectrum/Acorns-v0"


def test_lives_by_another_name(tmp_path: Path) -> None:
    path = write_game(tmp_path, DEFINITION.replace("lives", "hearts") + "lives: hearts\n")
    env = SpectrumEnv(path)
    env.reset(seed=1)
    info = env.step(DIE)[4]
    assert info["lives"] == info["hearts"] == 1
