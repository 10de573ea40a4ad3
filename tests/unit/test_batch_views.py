# SPDX-License-Identifier: GPL-3.0-or-later
"""What a batch shows besides pictures: RAM, and the colours of character cells."""

import pytest
from batch_game import FRAMES, KEYS, BatchGame, start_state
from numpy.testing import assert_array_equal

from oakemu_rl import _core


def test_ram_is_what_can_be_seen() -> None:
    game = BatchGame(num_envs=3, num_threads=2, autoreset="same_step", max_steps=2)
    game.reset()
    first = game["ram"].copy()
    game.step(0, 1, 2)
    for env in range(3):
        assert_array_equal(game["ram"][env], game.batch.ram(env))
    assert game["ram"][:, KEYS - 0x4000].tolist() == [0, 1, 2]
    game.step(0, 1, 2)
    assert_array_equal(game["ram"], first)
    assert game["final_ram"][:, KEYS - 0x4000].tolist() == [0, 2, 4]
    assert game["final_ram"][:, FRAMES - 0x4000].tolist() == [2, 2, 2]
    game["ram"][:] = 0
    game.batch.observe(None, game.outputs)
    assert_array_equal(game["ram"], first)


@pytest.mark.parametrize(
    ("area", "shape"),
    [((0, 0, 256, 192), (24, 32)), ((8, 16, 8, 8), (1, 1)), ((7, 15, 2, 2), (2, 2)), ((255, 191, 1, 1), (1, 1))],
)
def test_attributes_have_the_grid_of_the_cells(area: tuple[int, int, int, int], shape: tuple[int, int]) -> None:
    game = BatchGame(colour="attributes", area=area, size=(5, 7), stack=3)
    assert game.batch.observation_shape == (6, *shape)


def test_attributes_are_ink_and_paper_as_shown() -> None:
    machine = _core.Machine(bytes(16384))
    machine.restore(start_state())
    # Red on cyan; the same bright; the same flashing.
    machine.ram[0x1800:0x1803] = [0x2A, 0x6A, 0xAA]
    red, cyan, bright_red, bright_cyan = 61, 144, 76, 179
    game = BatchGame(
        start_states=[machine.save()], colour="attributes", area=(0, 0, 24, 8), stack=2, frameskip=(16, 16)
    )
    game.reset()
    calm = [[[red, bright_red, red]], [[cyan, bright_cyan, cyan]]]
    swapped = [[[red, bright_red, cyan]], [[cyan, bright_cyan, red]]]
    assert game["observations"][0].tolist() == calm + calm
    game.step(0)
    assert game["observations"][0].tolist() == calm + swapped
    game.step(0)
    assert game["observations"][0].tolist() == swapped + calm
