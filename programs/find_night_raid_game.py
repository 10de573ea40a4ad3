# SPDX-License-Identifier: GPL-3.0-or-later
"""Play Night Raid by looking at its memory, and write a game that wins to tests/golden/night_raid_win.json.

    python programs/find_night_raid_game.py        some seconds

To be run again whenever the rules have changed; the same program gives the same game. The tests play by this
player, too.
"""

from __future__ import annotations

import itertools
import json
import sys
from pathlib import Path
from typing import NamedTuple

from oakemu_rl.emulator import Spectrum
from oakemu_rl.games import load_game

ROOT = Path(__file__).resolve().parents[1]
RECORDING = ROOT / "tests" / "golden" / "night_raid_win.json"
FRAMESKIP = 4
MOST_STEPS = 6000
PLAYING, DYING = 1, 4
CROSSING, BOSS = 1, 2
BURST = 5

# Variables that the definition does not name (programs/night_raid/ram.asm).
BOMBS, BOMB_SPEED, DIVER_DX, SHIP_DX = 0x8422, 0x8513, 0x842F, 0x8435
RAIDERS, MARCHING, MARCH_DX, WAVE_MOVES, DIVE_SPEED = 0x8440, 0x8520, 0x8521, 0x8511, 0x8515
BOMB_COUNT, RAIDER_COUNT = 5, 28

GUN_TOP, GUN_MIDDLE, GUN_MIN, GUN_MAX = 164, 7, 10, 230
STEERS_UNTIL = 116
STEP = 8  # pixels that the gun moves in a step
MOVES = {"stay": 0, "left": -STEP, "right": STEP}
FIRES = {"stay": "fire", "left": "left_fire", "right": "right_fire"}


class Figure(NamedTuple):
    """Something in the sky: its left edge, its top row and how it moves sideways, in pixels a frame."""

    x: int
    y: int
    dx: float


def signed(byte: int) -> int:
    """A byte as a number from -128 to 127."""
    return byte - 256 if byte > 127 else byte


class Player:
    """Keeps out of the way of what falls, and else goes below what can be shot soonest."""

    def __init__(self, machine: Spectrum) -> None:
        self._machine = machine
        self._addresses = {name: variable.at for name, variable in load_game("nightraid").definition.variables.items()}

    def get(self, name: str) -> int:
        """A variable of the definition, of one byte."""
        return self._machine.peek(self._addresses[name])

    def playing(self) -> bool:
        """Whether the game goes on."""
        return self.get("mode") in {PLAYING, DYING}

    def choose(self) -> str:
        """The action for the next step of four frames."""
        gun = self.get("player_x")
        target = self._target(gun)

        def cost(move: str) -> float:
            soon, later = (self._danger(_within(gun + steps * MOVES[move])) for steps in (1, 3))
            return 50 * soon + 20 * later + (0 if target is None else abs(_within(gun + MOVES[move]) - target))

        move = min(MOVES, key=cost)
        aims = target is not None and abs(gun - target) <= STEP
        return FIRES[move] if aims and self.get("shot_y") == 0 else move

    def _danger(self, gun: float) -> float:
        """How much falls on a gun at a column: the nearer and the sooner, the worse."""
        danger = 0.0
        peek = self._machine.peek
        for slot in range(BOMB_COUNT):
            x, y = peek(BOMBS + 2 * slot), peek(BOMBS + 2 * slot + 1)
            frames = (GUN_TOP - 8 - y) / max(1, peek(BOMB_SPEED))
            if y and -8 <= frames <= 26:
                danger += max(0, 16 - abs(x + 2 - gun - GUN_MIDDLE)) * (30 - max(frames, 0))
        if self._diver_flies() and self.get("diver_y") >= 100:
            y = self.get("diver_y")
            frames = (GUN_TOP - y) / peek(DIVE_SPEED)
            lands = self.get("diver_x") + (signed(peek(DIVER_DX)) * frames / 2 if y >= STEERS_UNTIL else 0)
            danger += max(0, 24 - abs(lands + 8 - gun - GUN_MIDDLE)) * (60 - frames)
        return danger

    def _diver_flies(self) -> bool:
        return self.get("diver") not in {0, BURST}

    def _raiders(self) -> list[Figure]:
        """Those on the march."""
        peek = self._machine.peek
        marching = max(1, peek(MARCHING))
        speed = signed(peek(MARCH_DX)) * min(peek(WAVE_MOVES), (marching + 1) // 2) / marching
        slots = [RAIDERS + 4 * slot for slot in range(RAIDER_COUNT)]
        return [Figure(peek(slot + 1), peek(slot + 2), speed) for slot in slots if peek(slot)]

    def _target(self, gun: int) -> float | None:
        """Where the gun should be to hit something."""
        raiders = self._raiders()
        ship = self.get("ship")
        if ship == CROSSING or (ship == BOSS and not raiders and not self._diver_flies()):
            speed = signed(self._machine.peek(SHIP_DX)) * (2 if ship == BOSS and self.get("ship_hits") < 8 else 1)
            return _within(2 * self.get("ship_x") - 32 + 9 + 22 * speed)
        if self._diver_flies() and self.get("diver_y") < 130:
            return self.get("diver_x") + 1
        if not raiders:
            return None

        def meets(raider: Figure) -> float:
            frames = (GUN_TOP - 8 - raider.y) / 6 + abs(raider.x - gun) / 4
            return _within(raider.x + 1 + raider.dx * frames)

        return meets(min(raiders, key=lambda raider: abs(meets(raider) - gun) - 0.6 * raider.y))


def _within(x: float) -> float:
    return min(max(x, GUN_MIN), GUN_MAX)


def play(machine: Spectrum) -> list[str]:
    """Play a game to its end.

    Returns:
        The action of each step of four frames.
    """
    actions = load_game("nightraid").definition.actions
    player = Player(machine)
    chosen: list[str] = []
    while player.playing() and len(chosen) < MOST_STEPS:
        chosen.append(player.choose())
        machine.release_all()
        machine.press(*actions[chosen[-1]])
        machine.run_frames(FRAMESKIP)
    return chosen


def main() -> int:
    """Play the game of the start state and write the recording if it wins."""
    game = load_game("nightraid")
    machine = Spectrum()
    machine.load_state(game.start_state())
    actions = play(machine)
    if not Player(machine).get("won"):
        print("error: the player has lost; it must get better", file=sys.stderr)
        return 1
    runs = [[action, len(list(group))] for action, group in itertools.groupby(actions)]
    recording = {"game": game.id, "frameskip": FRAMESKIP, "actions": runs}
    text = json.dumps(recording).replace(', "actions"', ',\n"actions"').replace("], [", "],\n[")
    RECORDING.write_text(text + "\n", encoding="utf-8")
    print(f"{RECORDING.name}: {len(actions)} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
