# SPDX-License-Identifier: GPL-3.0-or-later
"""Play Forest Ride by reading its memory, and write a game that wins to tests/golden/forest_ride_win.json.

    python programs/find_forest_ride_win.py        about a minute

The player knows where every tree in view stands. At each step of four frames it rides some hundreds of plans in its
head, keeps those that hit nothing, and takes the one that leaves most room and ends nearest to the line of fire. The
same program gives the same game; it is to be run again whenever the rules have changed.
"""

from __future__ import annotations

import itertools
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator import Spectrum
from oakemu_rl.games import load_game

ROOT = Path(__file__).resolve().parents[1]
RECORDING = ROOT / "tests" / "golden" / "forest_ride_win.json"
GAME = load_game("forestride")
FRAMESKIP, TURNS_PER_STEP = 4, 2
PLAYING, SECTORS = 1, 8

# The rules that the player counts with; programs/forest_ride/constants.asm.
STEER_STEP, STEER_MOST = 5, 25
TREE_HIT, RIDER_HIT, BOLT_SPEED = 4, 6, 6
TREES, TREE_RING, RIDERS, SLOT_SIZE = 0x8480, 32, 0x8440, 8
RIDE, TREE_FIRST, TREE_COUNT, BOLT_Z, RELOAD, CRUISE = 0x8421, 0x8425, 0x8426, 0x8429, 0x842A, 0x8435
STEER, SPEED, PLAYER_X = 0x840A, 0x840B, 0x8408

LOOK_AHEAD = 72  # turns
ROOM = 3.0  # units beside a trunk that are as good as more


def _plans() -> NDArray[np.int64]:
    """Directions (-1, 0, 1), shape (plans, LOOK_AHEAD): one way for a while, then another one, then straight on."""
    plans = {(0,) * LOOK_AHEAD}
    for first, second in itertools.product((-1, 0, 1), repeat=2):
        for length, more in itertools.product(range(1, 13), range(0, 13, 2)):
            steps = [first] * length + [second] * more
            turns = [way for way in steps for _ in range(TURNS_PER_STEP)]
            plans.add(tuple((turns + [0] * LOOK_AHEAD)[:LOOK_AHEAD]))
    return np.array(sorted(plans))


PLANS = _plans()


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def _wrapped(difference: NDArray[np.int64]) -> NDArray[np.int64]:
    """A difference of places in 1/256 units, the shorter way round."""
    return (difference + 32768) % 65536 - 32768


@dataclass(frozen=True)
class Rider:
    """A rider ahead: place aside in 1/256 units, distance, 1/16 units aside a turn."""

    x: int
    z: int
    vx: int


class Player:
    """Plays from memory.

    Args:
        machine: In a game, between two turns.
    """

    def __init__(self, machine: Spectrum) -> None:
        self._machine = machine

    def action(self) -> str:
        """What to hold for the next four frames."""
        peek = self._machine.peek
        if peek(0x8406) != PLAYING:
            return "stay"
        paths, room = self._ride()
        rider = self._rider()
        goal = np.abs(_wrapped(paths[:, 10] - self._lead(rider))) / 256 if rider is not None else 0.0
        cost = np.where(room > 0, 0.0, 1000.0 - room) - 4 * np.minimum(room, ROOM) + 0.25 * goal
        cost = cost + 0.02 * np.abs(PLANS).sum(axis=1) / TURNS_PER_STEP
        best = int(np.argmin(cost))
        way = ("left", "stay", "right")[int(PLANS[best, 0]) + 1]
        if rider is not None and self._on_target(rider):
            return "fire" if way == "stay" else f"{way}_fire"
        return way

    def _ride(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Rides all plans: places in 1/256 units, shape (plans, turns), and the units left beside the nearest trunk."""
        peek, word = self._machine.peek, self._machine.read_word
        steer = np.full(len(PLANS), _signed(peek(STEER)))
        place = np.full(len(PLANS), word(PLAYER_X))
        paths = np.empty(PLANS.shape, dtype=np.int64)
        for turn in range(LOOK_AHEAD):
            way = PLANS[:, turn]
            upright = np.where(steer > 0, np.maximum(steer - STEER_STEP, 0), np.minimum(steer + STEER_STEP, 0))
            steer = np.where(way == 0, upright, np.clip(steer + STEER_STEP * way, -STEER_MOST, STEER_MOST))
            place = place + 16 * steer
            paths[:, turn] = place
        speed, cruise = peek(SPEED), peek(CRUISE)
        ride, ridden = word(RIDE), []
        start = ride >> 8
        for _ in range(LOOK_AHEAD):
            speed = min(speed + 1, cruise)
            ride += 4 * speed
            ridden.append((ride >> 8) - start)
        room = np.full(len(PLANS), 64.0)
        for number in range(peek(TREE_COUNT)):
            at = TREES + (peek(TREE_FIRST) - (TREES & 255) + 2 * number) % (2 * TREE_RING)
            ahead = (peek(at + 1) - start) % 256
            passed = int(np.searchsorted(ridden, ahead, side="right"))
            if passed == LOOK_AHEAD:
                break
            aside = np.abs(_wrapped(peek(at) * 256 - paths[:, passed])) / 256
            room = np.minimum(room, aside - TREE_HIT - 0.01)
        return paths, room

    def _rider(self) -> Rider | None:
        """The nearest rider that is not hit yet."""
        peek = self._machine.peek
        slots = [[peek(RIDERS + SLOT_SIZE * slot + field) for field in range(SLOT_SIZE)] for slot in range(2)]
        riders = [Rider(s[1] + 256 * s[2], s[3], _signed(s[5])) for s in slots if s[0] in {1, 3}]
        return min(riders, key=lambda rider: rider.z, default=None)

    def _lead(self, rider: Rider) -> int:
        """Where it will be when a bolt gets there."""
        return rider.x + 16 * rider.vx * max(1, rider.z // BOLT_SPEED)

    def _on_target(self, rider: Rider) -> bool:
        peek = self._machine.peek
        if peek(BOLT_Z) or peek(RELOAD) > 1:
            return False
        place = self._machine.read_word(PLAYER_X) + 16 * _signed(peek(STEER))
        return abs(int(_wrapped(np.array(place - self._lead(rider))))) < 256 * (RIDER_HIT - 2)


def play(machine: Spectrum, *, limit: int = 4500) -> list[str]:
    """Plays until the game ends, or a life is lost.

    Returns:
        The action of each step.
    """
    player = Player(machine)
    actions: list[str] = []
    while machine.peek(0x8404) == 3 and machine.peek(0x8411) < SECTORS and len(actions) < limit:
        actions.append(player.action())
        machine.release_all()
        machine.press(*GAME.definition.actions[actions[-1]])
        machine.run_frames(FRAMESKIP)
    return actions


def main() -> int:
    """Play with one seed after another until a game is won, and write it."""
    for seed in range(1, 50):
        machine = Spectrum()
        machine.load_state(GAME.start_state())
        machine.write_block(GAME.definition.variables["seed"].at, seed.to_bytes(2, "little"))
        actions = play(machine)
        won = machine.peek(GAME.definition.variables["won"].at)
        sectors, kills = machine.peek(GAME.definition.variables["sectors_done"].at), machine.peek(0x840F)
        print(
            f"seed {seed}: {len(actions)} steps, {sectors} sectors, {kills} riders{', won' if won else ''}", flush=True
        )
        if won:
            runs = [[action, len(list(group))] for action, group in itertools.groupby(actions)]
            recording = {"game": GAME.id, "frameskip": FRAMESKIP, "seed": seed, "actions": runs}
            text = json.dumps(recording).replace(', "actions"', ',\n"actions"').replace("], [", "],\n[")
            RECORDING.write_text(text + "\n", encoding="utf-8")
            return 0
    print("error: no game was won", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
