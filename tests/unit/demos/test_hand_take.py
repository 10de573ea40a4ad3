# SPDX-License-Identifier: GPL-3.0-or-later
"""A person with an agent's controls: whole steps of the game's own actions, however keys are pressed."""

from pathlib import Path

import numpy as np
import pytest
from counting_game import DEFINITION, DIE, SCORE, STAY, write_game
from numpy.typing import NDArray

from oakemu_rl.demos import Demo, HandTake, demo_steps, replay
from oakemu_rl.emulator import Spectrum
from oakemu_rl.games import Game, load_game

O, P, Q = 2, 1, 0  # noqa: E741 - keys of the game: bits of the half row of Y to P; Q is of another


def row(*bits: int, q: bool = False) -> NDArray[np.uint8]:
    keys = np.zeros(9, np.uint8)
    keys[5] = sum(bits)
    keys[2] = q
    return keys


class Player:
    """Plays on a machine what a take lets through."""

    def __init__(self, game: Game) -> None:
        self.take = HandTake(game, game.start_state())
        self.machine = Spectrum()
        self.machine.load_state(game.start_state())
        self.held: list[int] = []

    def hold(self, keys: NDArray[np.uint8], frames: int = 1) -> None:
        for _ in range(frames):
            held = self.take.held(keys)
            self.machine.hold_row(held)
            self.machine.run_frames(1)
            self.take.add_frame(held)
            self.held.append(int(held[5]))

    def finish(self) -> Demo:
        demo = self.take.finish()
        assert demo is not None
        return demo


@pytest.fixture
def player(game: Game) -> Player:
    return Player(game)


def test_keys_are_held_for_whole_steps(player: Player, game: Game) -> None:
    player.hold(row())
    player.hold(row(O), 4)  # pressed in the second frame of a step: it counts from the next one on
    player.hold(row())
    player.hold(row(), 2)
    assert player.held == [0, 0, O, O, O, O, 0, 0]
    demo = player.finish()
    assert (demo.source, demo.outcome, demo.steps, demo.frames) == ("hand", "running", 4, 8)
    assert demo.actions.tolist() == [STAY, SCORE, SCORE, STAY]
    assert replay(demo, game).save_state() == player.machine.save_state()
    assert demo.episode_return == 4
    assert demo_steps(demo, game, {}).variables["score"].tolist() == [0, 0, 2, 4, 4]


def test_a_short_press_is_not_lost(player: Player) -> None:
    player.hold(row(), 2)
    player.hold(row(O))  # in the first frame of a step: at once
    player.hold(row())
    player.hold(row())
    player.hold(row(O))  # in its last: in the next step
    player.hold(row(), 4)
    assert player.held == [0, 0, O, O, 0, 0, O, O, 0, 0]


def test_a_key_that_stays_down_is_not_counted_twice(player: Player) -> None:
    player.hold(row(O), 3)
    player.hold(row(), 5)
    assert player.held == [O, O, O, O, 0, 0, 0, 0]


def test_keys_that_no_action_holds_say_nothing(player: Player) -> None:
    player.hold(row(q=True), 2)
    player.hold(row(O, q=True), 2)
    assert player.held == [0, 0, O, O]
    assert player.finish().actions.tolist() == [STAY, SCORE]


def test_the_episode_ends_where_it_ends(player: Player, game: Game) -> None:
    player.hold(row(P), 2)
    player.hold(row(P), 40)
    demo = player.finish()
    assert demo.outcome == "loss"
    assert demo.steps == 2  # three lives; in the first step the game sees one frame of it
    assert demo.actions.tolist() == [DIE, DIE]
    assert game.read(replay(demo, game).visible_ram())["lives"] == 0


def test_what_is_taken_back_is_not_there(player: Player) -> None:
    player.hold(row(O), 7)
    player.take.cut(3)
    machine = player.held[:3]
    player.held = machine
    player.hold(row(), 3)  # the first of them belongs to the step that had begun
    assert player.held == [O, O, O, O, 0, 0]
    assert player.finish().actions.tolist() == [SCORE, SCORE, STAY]


def test_half_a_step_is_no_step(player: Player) -> None:
    player.hold(row(O), 5)
    assert player.finish().frames == 4
    player.take.cut(1)
    assert player.take.finish() is None


def test_it_begins_where_a_state_was_loaded(player: Player, game: Game) -> None:
    player.hold(row(O), 3)
    state = player.machine.save_state()
    player.hold(row(P), 2)
    player.take.add_state(state)
    player.machine.load_state(state)
    player.hold(row(O), 4)
    demo = player.finish()
    assert demo.actions.tolist() == [SCORE, SCORE]
    assert demo.start == state
    assert replay(demo, game).save_state() == player.machine.save_state()
    player.take.cut(5)  # back to before it was loaded
    assert player.finish().start == game.start_state()


def test_there_is_an_end_to_notes(game: Game) -> None:
    take = HandTake(game, game.start_state(), frames=5)
    for _ in range(9):
        take.add_frame(take.held(row(O)))
    take.add_state(game.start_state())
    assert (take.length, take.full) == (5, True)
    take.cut(4)
    assert not take.full
    assert take.finish().frames == 4


def test_an_action_that_is_not_allowed_ends_it(tmp_path: Path) -> None:
    text = DEFINITION.replace("reset: {noops: [0, 3], randomize: {seed: u16}}\n", "")
    game = load_game(write_game(tmp_path, text.replace("reward:", "allow: {score: score < 4}\nreward:")))
    player = Player(game)
    player.hold(row(O), 10)
    demo = player.finish()
    assert (demo.steps, demo.outcome) == (3, "running")  # three frames of the first two steps count, and two more
    assert replay(demo, game).frame
