# SPDX-License-Identifier: GPL-3.0-or-later
"""An episode that begins where another one came is told from the beginning of the game on."""

import numpy as np
import pytest
from counting_game import write_game

from oakemu_rl.demos import EpisodeNotes, RecordedVectorEnv, Ways, replay
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import Game, load_game


def notes(actions: list[int], *, earned: float = 0.0, markers: tuple[tuple[int, str], ...] = ()) -> EpisodeNotes:
    return EpisodeNotes(
        0,
        7 + len(actions),
        bytes(actions),
        np.array(actions),
        np.full(len(actions), 2),
        "running",
        earned,
        markers=markers,
    )


@pytest.fixture(scope="module")
def chancy(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """The counting game with its no-op frames and random bytes."""
    return load_game(write_game(tmp_path_factory.mktemp("chancy")))


def test_each_bucket_keeps_its_newest_ways() -> None:
    ways, first = Ways(2), notes([1])
    ways.add(1, b"a", first)
    ways.add(2, b"b", notes([2]))
    ways.add(1, b"c", notes([3]))
    assert ways.find(b"a") is first
    ways.add(1, b"d", notes([4]))
    assert ways.find(b"a") is None
    assert [ways.find(state) is not None for state in (b"b", b"c", b"d", b"e")] == [True, True, True, False]
    assert len(ways) == 3


def test_the_same_state_again_takes_no_room() -> None:
    ways, first = Ways(2), notes([1])
    for _ in range(5):
        ways.add(1, b"a", first)
    ways.add(1, b"b", notes([2]))
    assert ways.find(b"a") is first


def test_a_bucket_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one way, got 0"):
        Ways(0)


def test_notes_are_joined_in_the_order_in_which_they_were_played() -> None:
    before = notes([1, 0, 1], earned=2.0, markers=((2, "hall"),))
    joined = notes([0, 1], earned=5.0, markers=((1, "cellar"),)).after(before)
    assert joined.actions.tolist() == [1, 0, 1, 0, 1]
    assert joined.step_frames.tolist() == [2] * 5
    assert (joined.start, joined.seed, joined.episode_return) == (before.start, before.seed, 7.0)
    assert joined.steps_before == 3
    assert joined.markers == ((2, "hall"), (4, "cellar"))


def test_a_game_that_three_environments_played_is_one_recording(chancy: Game) -> None:
    found: list[EpisodeNotes] = []
    options = {"frameskip": (1, 3), "repeat_action_probability": 0.3, "max_episode_steps": 0}
    inner = SpectrumVectorEnv(chancy, 3, num_threads=1, autoreset_mode="disabled", **options)  # type: ignore[arg-type] # any options
    env = RecordedVectorEnv(inner, found.append, Ways(4))
    chance = np.random.default_rng(2)
    env.reset(seed=[1, 2, 3])
    first = inner.machine_state(0)

    def play(steps: int) -> None:
        for _ in range(steps):
            assert not env.step(chance.integers(0, 2, 3))[2][player]

    state = b""
    for player, steps, name in ((0, 4, "hall"), (1, 3, "cellar")):
        if state:
            env.reset(seed=[None, 9, None], options={"reset_mask": np.arange(3) == player, "states": [state] * 3})
        play(steps)
        state = env.get_state(player)
        env.remember(player, 1, state, name)
    env.reset(seed=[None, None, 8], options={"reset_mask": np.arange(3) == 2, "states": [state] * 3})
    ended = np.zeros(3, np.bool_)
    while not ended[2]:
        if ended.any():
            env.reset(options={"reset_mask": ended})
        ended = env.step(np.ones(3, np.int64))[2]
    won = next(each for each in found if (each.env_id, each.outcome) == (2, "win"))
    assert (won.whole, won.steps_before, won.start, won.seed, won.outcome) == (True, 7, first, 1, "win")
    demo = won.as_demo(chancy, inner.options)
    assert chancy.read(replay(demo, chancy).visible_ram())["score"] == won.episode_return >= 30
    edges = np.cumsum(demo.step_frames)
    assert demo.markers == ((edges[3], "hall"), (edges[6], "cellar"))


def test_where_the_way_is_not_known_an_episode_is_a_part(chancy: Game) -> None:
    found: list[EpisodeNotes] = []
    inner = SpectrumVectorEnv(chancy, 1, num_threads=1, autoreset_mode="disabled")
    env = RecordedVectorEnv(inner, found.append, Ways(4))
    env.reset(seed=1)
    env.step(np.array([1]))
    state = env.get_state(0)
    env.reset(options={"states": [state]})
    env.step(np.array([1]))
    env.remember(0, 1, env.get_state(0), "nowhere")  # from where nobody knows how it was reached
    env.reset(options={"states": [env.get_state(0)]})
    env.step(np.array([1]))
    env.reset()
    assert [(each.whole, len(each.actions)) for each in found] == [(True, 1), (False, 1), (False, 1)]
