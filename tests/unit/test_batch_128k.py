# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches of 128K machines: the same game, with paging, the screen of bank 7, and variables in paged memory."""

from typing import Any

import numpy as np
import pytest
from batch_game import FRAMES, KEYS, ROM, BatchGame, settings, start_state, variable

from oakemu_rl import _core

ROMS = ROM + ROM
BANK_5, BANK_7 = 0x0000, 7 * 0x4000  # where they lie in a machine's RAM


def start_128k(*, port_7ffd: int = 0, fill: dict[int, tuple[int, list[int]]] | None = None) -> bytes:
    """The game's start on a 128K machine; `fill` puts bytes into banks: number -> (offset, bytes)."""
    machine = _core.Machine(ROMS, model="128k")
    small = _core.Machine(ROM)
    small.restore(start_state())
    machine.ram[:49152] = small.ram
    machine.port_7ffd = port_7ffd
    for name in ("pc", "sp", "im", "iff1", "iff2", "halted"):
        machine.set_register(name, small.get_register(name))
    for number, (offset, data) in (fill or {}).items():
        machine.bank(number)[offset : offset + len(data)] = data
    return machine.save()


def paged_game(**changes: Any) -> BatchGame:
    return BatchGame(**({"rom": ROMS, "start_states": [start_128k()]} | changes))


def test_the_game_plays_as_on_a_48k_machine() -> None:
    games = [BatchGame(num_envs=2), paged_game(num_envs=2)]
    for game in games:
        game.reset()
        for action in (1, 2, 0, 1):
            game.step(action)
    assert all(np.array_equal(games[0][name], games[1][name]) for name in games[0].arrays)
    assert games[1]["variables"].tolist() == [[4, 4], [4, 4]]


def test_variables_are_read_as_the_cpu_sees_them() -> None:
    variables = [
        variable(0xC000),
        variable(0xBFFF, "u16le"),
        variable(0xBFFE, "bcd", 4),
        variable(0x7FFF, "u24"),
    ]
    for bank in (0, 1, 6):
        fill = {bank: (0, [0x56, 0x78]), 2: (0x3FFE, [0x12, 0x34]), 5: (0x3FFF, [0x99])}
        game = paged_game(variables=variables, start_states=[start_128k(port_7ffd=bank, fill=fill)])
        game.reset()
        # 0x8000 holds HALT (0x76), 0x8001 LD HL (0x21).
        assert game["variables"].tolist() == [[0x56, 0x5634, 12345678, 0x217699]]


def test_random_pokes_reach_the_paged_bank() -> None:
    game = paged_game(start_states=[start_128k(port_7ffd=3)], random_pokes=[(0xC000, 64)])
    game.reset()
    machine = _core.Machine(ROMS, model="128k")
    machine.restore(game.batch.machine_state(0))
    assert machine.bank(3)[:64].any()
    assert not machine.bank(0)[:64].any()


def test_the_ram_that_can_be_seen_is_paged() -> None:
    fill = {5: (0x3FFF, [5]), 2: (0x3FFF, [2]), 0: (0, [100]), 3: (0, [103])}
    for bank in (0, 3):
        game = paged_game(start_states=[start_128k(port_7ffd=bank, fill=fill)])
        game.reset()
        assert game["ram"].shape == (1, 49152)
        assert game["ram"][0, [0x3FFF, 0x7FFF, 0x8000]].tolist() == [5, 2, 100 + bank]


def test_the_screen_of_bank_7_is_what_the_agent_sees() -> None:
    shown = {7: (0, [0xFF] * 0x1800 + [0x07] * 0x300), 5: (0, [0] * 0x1B00)}
    for port, level in ((0x00, 0), (0x08, 0xCD)):
        game = paged_game(start_states=[start_128k(port_7ffd=port, fill=shown)])
        game.reset()
        assert set(np.unique(game["observations"])) == {level}
        assert game.batch.render(0)[120, 160].tolist() == [level] * 3


def test_states_carry_on_in_another_batch() -> None:
    source, target = paged_game(), paged_game(num_envs=3)
    source.reset(), target.reset()
    source.step(1), source.step(2)
    target.batch.set_state(2, source.batch.get_state(0))
    source.step(1), target.step(1)
    for name in ("observations", "variables", "episode_length", "frame_number"):
        assert np.array_equal(source[name][0], target[name][2]), name
    assert target.batch.ram(2).shape == (131072,)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rom": ROM}, "rom: 16384 bytes given, a 128K ROM has 32768"),
        ({"start_states": [start_128k(), start_state()]}, "start_states: item 1 is of another model than item 0"),
    ],
)
def test_models_are_not_mixed(changes: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        _core.Batch(**(settings(rom=ROMS, start_states=[start_128k()]) | changes))


def test_hooks_are_counted() -> None:
    game = paged_game(hooks=[0x8040], rewards=[[("called", 0.0)]], frameskip=(3, 3))
    game.reset()
    game.step(0)
    assert game["rewards"].tolist() == [3.0]
    assert (FRAMES, KEYS) == (0x9000, 0x9001)
