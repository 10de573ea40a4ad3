# SPDX-License-Identifier: GPL-3.0-or-later
"""Definitions of games that the user brings, held against made-up memories: what is where, what is rewarded, what ends.

The figures below come from the public disassemblies, written down a second time by hand and in decimal.
"""

from dataclasses import dataclass, field

import numpy as np
import pytest
from batch_game import make_arrays

from oakemu_rl import _core
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, find_definition, list_games, load_game

OPTIONS = {
    "num_envs": 1, "num_threads": 1, "contention": True, "frameskip": (1, 1), "repeat_action_probability": 0.0,
    "noops": (0, 0), "max_steps": 0, "max_frames": 0, "size": (8, 8), "colour": "grey", "stack": 1, "maxpool": False,
    "episodic_life": False, "reward_clipping": False, "autoreset": "disabled",
}  # fmt: skip


@dataclass(frozen=True)
class Classic:
    """What a game's memory holds (address -> bytes), and what that means."""

    memory: dict[int, bytes]
    variables: dict[str, int]
    scores: dict[int, bytes] = field(default_factory=dict)  # a later memory in which points have come
    reward: float = 0.0  # for that
    loses_life: dict[int, bytes] = field(default_factory=dict)  # a later memory with a life less


CLASSICS = {
    "ManicMiner": Classic(
        {33833: b"004210", 33879: b"\x02", 33799: b"\x03", 32956: b"\x3f", 33882: b"\x00", 32872: b"\xd0"},
        {"score": 4210, "lives": 2, "cavern": 3, "air": 63, "mode": 0, "miner_y": 208},
        {33833: b"004310"}, 1.0, {33879: b"\x01"},
    ),
    "JetSetWilly": Classic(
        {34172: b"012", 34252: b"\x07", 33824: b"\x21", 34271: b"\x00", 34255: b"\x68"},
        {"items": 12, "lives": 7, "room": 33, "mode": 0, "willy_y": 104},
        {34172: b"013"}, 1.0, {34252: b"\x06"},
    ),
    "ChuckieEgg": Classic(
        {28360: bytes([0, 9, 9, 2, 8, 0]), 28400: b"\x05",
         28395: b"\x06", 28390: b"\x0c", 29506: bytes([8, 8, 8]), 29503: bytes([1, 0, 0])},
        {"score": 99280, "lives": 5, "level": 6, "eggs": 12, "time": 888, "bonus": 100},
        {28360: bytes([0, 9, 9, 3, 8, 0])}, 1.0, {28400: b"\x04"},
    ),
    "Jetpac": Classic(
        {23796: bytes([0x01, 0x23, 0x45]), 24049: b"\x04", 24048: b"\x02"},
        {"score": 12345, "lives": 4, "level": 2},
        {23796: bytes([0x01, 0x24, 0x45])}, 1.0, {24049: b"\x03"},
    ),
    "Cookie": Classic(
        {24334: bytes([0x00, 0x10, 0x05]), 24366: b"\x03", 24365: b"\x01"},
        {"score": 1005, "lives": 3, "level": 1},
        {24334: bytes([0x00, 0x11, 0x05])}, 1.0, {24366: b"\x02"},
    ),
    "Pssst": Classic(
        {24069: bytes([0x99, 0x98, 0x97]), 24120: b"\x04", 24119: b"\x00"},
        {"score": 999897, "lives": 4, "level": 0},
        {24069: bytes([0x99, 0x99, 0x97])}, 1.0, {24120: b"\x03"},
    ),
    "LunarJetman": Classic(
        {24159: bytes([0x00, 0x25, 0x50]), 24225: b"\x04", 24224: b"\x01", 24718: b"\xff"},
        {"score": 2550, "lives": 4, "level": 1, "fuel": 255},
        {24159: bytes([0x00, 0x26, 0x50])}, 1.0, {24225: b"\x03"},
    ),
    "SabreWulf": Classic(
        {38552: bytes([0x00, 0x07, 0x65]), 38589: b"\x05", 38562: b"\x40"},
        {"score": 765, "lives": 5, "room": 64},
        {38552: bytes([0x00, 0x08, 0x65])}, 1.0, {38589: b"\x04"},
    ),
    "AticAtac": Classic(
        {24106: bytes([0x00, 0x15, 0x00]), 24097: b"\x03", 24104: b"\xf0", 60049: b"\x95"},
        {"score": 1500, "lives": 3, "energy": 240, "room": 149},
        {24106: bytes([0x00, 0x16, 0x00])}, 1.0, {24097: b"\x02"},
    ),
    "KnightLore": Classic(
        {23482: b"\x05", 23481: b"\x12", 23483: b"\x03"},
        {"lives": 5, "days": 12, "brewed": 3},
        {23483: b"\x04"}, 10.0, {23482: b"\x04"},
    ),
    "HungryHorace": Classic(
        {31859: bytes([0x10, 0x27]), 31864: b"\x02", 31843: b"\x01", 27403: b"\x01"},
        {"score": 10000, "lives": 2, "maze": 1, "mode": 1},
        {31859: bytes([0x1A, 0x27])}, 1.0, {31864: b"\x01"},
    ),
    "Deathchase": Classic(
        {27597: b"001250", 27015: b"3", 23728: bytes([0x34, 0x12])},
        {"score": 1250, "lives": 3, "seed": 0x1234},
        {27597: b"001350"}, 1.0, {27015: b"2"},
    ),
}  # fmt: skip


# A later memory in which the game is over; the others end by a routine, or by what follows the last life.
OVER = {
    "ChuckieEgg": {28400: b"\x00"},
    "Jetpac": {24049: b"\x00"},
    "Cookie": {24366: b"\x00"},
    "Pssst": {24120: b"\x00"},
    "LunarJetman": {24225: b"\x00"},
    "SabreWulf": {38589: b"\x00"},
    "AticAtac": {24097: b"\x00"},
    "KnightLore": {23482: b"\x00"},
    "HungryHorace": {27403: b"\x00"},
}


def rom_that_writes(memory: dict[int, bytes]) -> bytes:
    """A ROM that waits for one interrupt, writes the bytes, and waits for ever."""
    writes = [(address + i, byte) for address, data in memory.items() for i, byte in enumerate(data)]
    code = [0x76]  # HALT
    for address, byte in writes:
        code += [0x3E, byte, 0x32, address & 0xFF, address >> 8]  # LD A,byte; LD (address),A
    code += [0x76, 0x18, 0xFD]  # HALT; JR to it
    assert len(code) <= 0x38
    return bytes(code).ljust(0x38, b"\0") + bytes([0xFB, 0xC9]).ljust(16384 - 0x38, b"\0")  # EI; RET


class Memory(Game):
    """The game, started from a saved machine instead of its program."""

    def start_state(self, _name: str = "default") -> bytes:
        return self.program


class Played:
    """A classic in a made-up memory, which becomes `after` in the second step."""

    def __init__(self, name: str, before: dict[int, bytes], after: dict[int, bytes] | None = None) -> None:
        rom = rom_that_writes(after or {})
        machine = _core.Machine(rom, kempston=True)
        for address, data in before.items():
            machine.ram[address - 0x4000 : address - 0x4000 + len(data)] = np.frombuffer(data, np.uint8)
        for register, value in {"sp": 0xFF00, "im": 1, "iff1": 1, "iff2": 1}.items():
            machine.set_register(register, value)
        machine.t = 1000
        game = Memory(find_definition(name), machine.save())
        arguments = game.batch_arguments()
        arguments["rom"] = rom
        arguments["random_pokes"] = []
        self.names = game.variable_names
        self.batch = _core.Batch(**arguments, **OPTIONS)
        self.arrays = make_arrays(self.batch)
        self._outputs = _core.Outputs(**self.arrays)
        self.batch.reset(None, self._outputs)

    def variables(self) -> dict[str, int]:
        return dict(zip(self.names, self.arrays["variables"][0].tolist(), strict=True))

    def step(self) -> float:
        self.batch.step(np.zeros(1, np.int64), self._outputs)
        return float(self.arrays["rewards"][0])

    @property
    def terminated(self) -> bool:
        return bool(self.arrays["terminated"][0])


def test_every_classic_is_here() -> None:
    brought = {find_definition(game).name for game in list_games() if find_definition(game).program.bundled is None}
    assert brought == set(CLASSICS)


@pytest.mark.parametrize("name", CLASSICS)
def test_the_variables_are_where_the_disassembly_says(name: str) -> None:
    assert Played(name, CLASSICS[name].memory).variables() == CLASSICS[name].variables


@pytest.mark.parametrize("name", CLASSICS)
def test_points_are_rewarded(name: str) -> None:
    game = Played(name, CLASSICS[name].memory, CLASSICS[name].scores)
    assert game.step() == 0.0, "nothing has happened yet"
    assert game.step() == pytest.approx(CLASSICS[name].reward)
    assert not game.terminated


@pytest.mark.parametrize("name", CLASSICS)
def test_a_lost_life_costs(name: str) -> None:
    game = Played(name, CLASSICS[name].memory, CLASSICS[name].loses_life)
    assert game.step() == 0.0
    assert game.step() < 0.0
    assert not game.terminated


@pytest.mark.parametrize("name", OVER)
def test_it_ends(name: str) -> None:
    game = Played(name, CLASSICS[name].memory, OVER[name])
    game.step()
    assert not game.terminated
    game.step()
    assert game.terminated


@pytest.mark.parametrize("name", CLASSICS)
def test_it_waits_for_the_users_file(name: str) -> None:
    definition = find_definition(name)
    assert (definition.verified, definition.program.sha256) == (False, [])
    with pytest.raises(UserError, match=f"is a file that you bring .*games add FILE --game {definition.name}"):
        load_game(name)
