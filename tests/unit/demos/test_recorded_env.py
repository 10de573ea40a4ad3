# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes of many environments: every episode that ends is one that a machine plays again, bit for bit."""

import numpy as np
import pytest
from counting_game import write_game
from gymnasium.vector import AutoresetMode

from oakemu_rl.demos import EpisodeNotes, RecordedVectorEnv, replay
from oakemu_rl.demos import recorded_env as module
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import Game, load_game


@pytest.fixture(scope="module")
def chancy(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """The counting game with its no-op frames and random bytes."""
    return load_game(write_game(tmp_path_factory.mktemp("chancy")))


def noted(
    game: Game, mode: AutoresetMode, steps: int, **options: object
) -> tuple[SpectrumVectorEnv, list[EpisodeNotes]]:
    """What is kept of a random play of 3 environments."""
    found: list[EpisodeNotes] = []
    inner = SpectrumVectorEnv(game, 3, num_threads=1, autoreset_mode=mode, copy=False, **options)  # type: ignore[arg-type] # any options
    env = RecordedVectorEnv(inner, found.append)
    env.reset(seed=7)
    chance = np.random.default_rng(3)
    for _ in range(steps):
        _, _, terminated, truncated, _ = env.step(chance.integers(0, 2, 3))
        ended = terminated | truncated
        if mode is AutoresetMode.DISABLED and ended.any():
            env.reset(options={"reset_mask": ended})
    return inner, found


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.DISABLED])
def test_every_episode_replays(chancy: Game, mode: AutoresetMode) -> None:
    env, found = noted(chancy, mode, 130, frameskip=(1, 3), repeat_action_probability=0.3)
    assert len(found) >= 9
    assert {each.env_id for each in found} == {0, 1, 2}
    for notes in found:
        demo = notes.as_demo(chancy, env.options)
        machine = replay(demo, chancy)
        assert chancy.read(machine.visible_ram())["score"] == notes.episode_return
        assert (notes.outcome == "win") == (notes.episode_return >= 30)
        assert demo.steps == len(notes.actions) == len(notes.step_frames)
        assert demo.steps == 40 or notes.outcome == "win"


def test_both_modes_note_the_same(chancy: Game) -> None:
    _, one = noted(chancy, AutoresetMode.SAME_STEP, 100)
    _, other = noted(chancy, AutoresetMode.DISABLED, 100)
    assert [each.start for each in one] == [each.start for each in other]
    assert [each.actions.tolist() for each in one] == [each.actions.tolist() for each in other]
    assert [each.episode_return for each in one] == [each.episode_return for each in other]


def test_seeds_are_those_that_were_given(chancy: Game) -> None:
    _, found = noted(chancy, AutoresetMode.SAME_STEP, 100)
    first = {}
    for each in found:
        first.setdefault(each.env_id, each)
    assert [first[i].seed for i in range(3)] == [7, 8, 9]
    assert {each.seed for each in found if each is not first[each.env_id]} == {None}


def test_an_episode_that_a_reset_breaks_off_is_truncated(chancy: Game) -> None:
    found: list[EpisodeNotes] = []
    env = RecordedVectorEnv(
        SpectrumVectorEnv(chancy, 2, num_threads=1, autoreset_mode="disabled", noop_max=0), found.append
    )
    env.reset(seed=[1, None])
    for _ in range(3):
        env.step(np.array([1, 0]))
    env.reset(seed=[5, None], options={"reset_mask": np.array([True, False])})
    assert [(each.env_id, each.seed, each.outcome, len(each.actions)) for each in found] == [(0, 1, "truncated", 3)]
    assert found[0].episode_return == 5  # the first frame is what is left of the one in which the start script stopped
    env.reset(options={"reset_mask": np.array([True, False])})
    assert len(found) == 1  # nothing was played


def test_an_episode_from_a_state_begins_there(chancy: Game) -> None:
    found: list[EpisodeNotes] = []
    inner = SpectrumVectorEnv(chancy, 1, num_threads=1, autoreset_mode="disabled")
    env = RecordedVectorEnv(inner, found.append)
    env.reset(seed=1)
    for _ in range(10):
        env.step(np.array([1]))
    state, machine = inner.get_state(0), inner.machine_state(0)
    for _ in range(2):
        env.step(np.array([1]))
    env.reset(options={"states": [state]})
    for _ in range(5):
        _, _, terminated, _, _ = env.step(np.array([1]))
        if terminated.any():
            break
    assert found[-1].start == machine
    assert set(found[-1].step_frames.tolist()) == {2}
    assert [each.whole for each in found] == [True, False]
    assert found[-1].outcome == "win"
    assert replay(found[-1].as_demo(chancy, inner.options), chancy).frame
    assert found[-1].episode_return == 2 * len(found[-1].actions)


def test_nothing_is_noted_of_what_was_put_in_between(chancy: Game) -> None:
    found: list[EpisodeNotes] = []
    inner = SpectrumVectorEnv(chancy, 1, num_threads=1, autoreset_mode="same_step")
    env = RecordedVectorEnv(inner, found.append)
    env.reset(seed=1)
    env.step(np.array([1]))
    env.set_state(0, env.get_state(0))
    while not env.step(np.array([1]))[2].any():
        pass
    assert not found
    while not env.step(np.array([1]))[2].any():
        pass
    assert len(found) == 1


def test_what_nobody_needs_is_forgotten(chancy: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TRIM_EVERY", 16)
    env, found = noted(chancy, AutoresetMode.SAME_STEP, 500)
    monkeypatch.undo()
    _, wanted = noted(chancy, AutoresetMode.SAME_STEP, 500)
    assert [each.actions.tolist() for each in found] == [each.actions.tolist() for each in wanted]
    recorded = RecordedVectorEnv(env, found.append)
    monkeypatch.setattr(module, "_TRIM_EVERY", 16)
    recorded.reset(seed=1)
    for _ in range(400):
        recorded.step(np.array([1, 1, 1]))
    assert len(recorded._actions) < 64


def test_endless_episodes_need_no_endless_memory(chancy: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_TRIM_EVERY", 16)
    monkeypatch.setattr(module, "_MOST_STEPS", 100)
    found: list[EpisodeNotes] = []
    env = RecordedVectorEnv(
        SpectrumVectorEnv(chancy, 1, num_threads=1, autoreset_mode="same_step", max_episode_steps=0), found.append
    )
    env.reset(seed=1)
    for _ in range(300):
        env.step(np.array([0]))
    assert len(env._actions) < 64
    while not env.step(np.array([1]))[2].any():
        pass
    assert not found


def test_a_mode_that_loses_steps_is_refused(chancy: Game) -> None:
    with pytest.raises(ValueError, match="SAME_STEP or DISABLED"):
        RecordedVectorEnv(SpectrumVectorEnv(chancy, 1), lambda _: None)
