# SPDX-License-Identifier: GPL-3.0-or-later
"""An episode that begins where another one came is told from the beginning of the game on."""

import numpy as np
import pytest
from counting_game import write_game

from oakemu_rl.demos import (
    EpisodeNotes,
    RecordedRoute,
    RecordedVectorEnv,
    Ways,
    WayTable,
    demo_steps,
    read_ways,
    replay,
)
from oakemu_rl.demos.way import Way
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import Game, load_game

CHANCE = {"frameskip": (1, 3), "repeat_action_probability": 0.3, "max_episode_steps": 0}


def way(ways: Ways, actions: list[int], before: Way | None = None, name: str = "here") -> Way:
    played = np.array(actions, np.uint16)
    origin = ways.origin(bytes(actions), 7, whole=True) if before is None else before.origin
    return Way(origin, before, played, np.full(len(actions), 2, np.uint16), 2.0, ((len(actions), name),))


@pytest.fixture(scope="module")
def chancy(tmp_path_factory: pytest.TempPathFactory) -> Game:
    """The counting game with its no-op frames and random bytes."""
    return load_game(write_game(tmp_path_factory.mktemp("chancy")))


class Played:
    """A game that several environments play, each from where the one before came."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.found: list[EpisodeNotes] = []
        self.inner = SpectrumVectorEnv(game, 3, num_threads=1, autoreset_mode="disabled", **CHANCE)  # type: ignore[arg-type] # any options
        self.ways = Ways(4, game.start_state())
        self.env = RecordedVectorEnv(self.inner, self.found.append, self.ways)
        self.chance = np.random.default_rng(2)
        self.env.reset(seed=[1, 2, 3])

    def begin(self, player: int, state: bytes) -> None:
        self.env.reset(
            seed=[9 if i == player else None for i in range(3)],
            options={"reset_mask": np.arange(3) == player, "states": [state] * 3},
        )

    def play(self, player: int, steps: int) -> None:
        for _ in range(steps):
            assert not self.env.step(self.chance.integers(0, 2, 3))[2][player]

    def remember(self, player: int, name: str) -> bytes:
        state = self.env.get_state(player)
        self.env.remember(player, 1, state, name)
        return state

    def win(self, player: int) -> EpisodeNotes:
        ended = np.zeros(3, np.bool_)
        while not ended[player]:
            if ended.any():
                self.env.reset(options={"reset_mask": ended})
            ended = self.env.step(np.ones(3, np.int64))[2]
        return next(each for each in reversed(self.found) if (each.env_id, each.outcome) == (player, "win"))


def test_each_bucket_keeps_its_newest_ways() -> None:
    ways = Ways(2)
    first = way(ways, [1])
    ways.add(1, b"a", first)
    ways.add(2, b"b", way(ways, [2]))
    ways.add(1, b"c", way(ways, [3]))
    assert ways.find(b"a") is first
    ways.add(1, b"d", way(ways, [4]))
    assert ways.find(b"a") is None
    assert [ways.find(state) is not None for state in (b"b", b"c", b"d", b"e")] == [True, True, True, False]
    assert len(ways) == 3


def test_the_same_state_again_takes_no_room() -> None:
    ways = Ways(2)
    first = way(ways, [1])
    for _ in range(5):
        ways.add(1, b"a", first)
    ways.add(1, b"b", way(ways, [2]))
    assert ways.find(b"a") is first


def test_a_bucket_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one way, got 0"):
        Ways(0)


def test_parts_are_joined_in_the_order_in_which_they_were_played() -> None:
    ways = Ways(2)
    led = way(ways, [0, 1], way(ways, [1, 0, 1], name="hall"), "cellar")
    last = EpisodeNotes(1, 5, b"x", np.array([1]), np.array([3]), "win", 5.0, markers=((1, "out"),))
    joined = ways.joined(led, last)
    assert joined.actions.tolist() == [1, 0, 1, 0, 1, 1]
    assert joined.step_frames.tolist() == [2] * 5 + [3]
    assert (joined.start, joined.seed, joined.episode_return) == (bytes([1, 0, 1]), 7, 9.0)
    assert (joined.outcome, joined.steps_before, joined.shown_steps) == ("win", 5, 0)
    assert joined.markers == ((3, "hall"), (5, "cellar"), (6, "out"))


def test_a_game_that_three_environments_played_is_one_recording(chancy: Game) -> None:
    played = Played(chancy)
    first = played.inner.machine_state(0)
    played.play(0, 4)
    hall = played.remember(0, "hall")
    played.begin(1, hall)
    played.play(1, 3)
    cellar = played.remember(1, "cellar")
    played.begin(2, cellar)
    won = played.win(2)
    assert (won.whole, won.steps_before, won.start, won.seed, won.outcome) == (True, 7, first, 1, "win")
    demo = won.as_demo(chancy, played.inner.options)
    assert demo.source == "agent"
    assert chancy.read(replay(demo, chancy).visible_ram())["score"] == won.episode_return >= 30
    edges = np.cumsum(demo.step_frames)
    assert demo.markers == ((edges[3], "hall"), (edges[6], "cellar"))


def test_an_episode_that_was_remembered_on_its_way_is_whole(chancy: Game) -> None:
    played = Played(chancy)
    played.play(0, 2)
    played.remember(0, "hall")
    played.play(0, 2)
    played.remember(0, "cellar")
    won = played.win(0)
    assert (won.steps_before, won.whole, len(won.markers)) == (0, True, 2)
    assert chancy.read(replay(won.as_demo(chancy, played.inner.options), chancy).visible_ram())["score"] == (
        won.episode_return
    )


@pytest.mark.parametrize("by_hand", [False, True], ids=["by the agent", "by a person"])
def test_the_states_of_a_recording_are_reached_as_it_shows(chancy: Game, *, by_hand: bool) -> None:
    recorded = Played(chancy)
    won = recorded.win(0)
    demo = won.as_demo(chancy, recorded.inner.options)
    steps = demo_steps(demo, chancy, CHANCE)
    route = RecordedRoute.of(steps, "lives")
    if by_hand:
        route = RecordedRoute(route.states, _replaced(route.notes, demo.keys), route.rewards)
    played = Played(chancy)
    played.ways.add_route(route)
    played.begin(2, steps.states[5])
    again = played.win(2)
    assert (again.steps_before, again.shown_steps, again.start, again.whole) == (5, 5, demo.start, True)
    assert again.markers == ((5, "agent"),)
    told = again.as_demo(chancy, played.inner.options)
    assert chancy.read(replay(told, chancy).visible_ram())["score"] == again.episode_return >= 30


def _replaced(notes: EpisodeNotes, keys: object) -> EpisodeNotes:
    """As if the actions said nothing, and the keys all."""
    values = {**vars(notes), "held": keys, "actions": np.zeros_like(notes.actions)}
    return EpisodeNotes(**values)


def test_what_is_noted_goes_on_where_it_was_saved(chancy: Game) -> None:
    played = Played(chancy)
    played.play(0, 4)
    hall = played.remember(0, "hall")
    played.begin(1, hall)
    played.play(1, 3)
    table = WayTable()
    running, kept = played.env.state_dict(table), played.ways.state_dict(table)
    packed, slots = table.packed(), [played.env.get_state(i) for i in range(3)]
    again = Played(chancy)
    for i, slot in enumerate(slots):
        again.env.set_state(i, slot)
    ways = read_ways(packed, again.ways.part)
    again.ways.load_state_dict(kept, ways)
    again.env.load_state_dict(running, ways)
    one, other = played.win(1), again.win(1)
    assert (one.start, one.actions.tolist(), one.step_frames.tolist()) == (
        other.start,
        other.actions.tolist(),
        other.step_frames.tolist(),
    )
    assert (one.episode_return, one.steps_before, one.markers, one.seed) == (
        other.episode_return,
        other.steps_before,
        other.markers,
        other.seed,
    )
    known, restored = played.ways.find(hall), again.ways.find(hall)
    assert known is not None
    assert restored is not None
    assert (known.actions.tolist(), known.markers) == (restored.actions.tolist(), restored.markers)


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
