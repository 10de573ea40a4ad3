# SPDX-License-Identifier: GPL-3.0-or-later
"""Find a game of Caverns that wins, and write its actions to tests/golden/caverns_win.json.

    python programs/find_caverns_route.py        a few minutes
    python programs/find_caverns_route.py --calm     some ten; writes tests/golden/caverns_calm.json

The first takes the first chance everywhere. The calm one plays as people do: it keeps off guardians as long as there is
such a way, and waits for it. (The calm game that is kept had its first five rooms searched side by side, each from
where the quick game begins it, so that two of them differ from what comes out here.)

Each room is a list of stages by hand, in `caverns_stages.json`: where to stand next, or which key to have. Between two
stages a beam search forks the emulator itself, so what it finds is true by construction. Time runs in steps of four
frames, as in the preset. To be run again whenever a room or the rules of movement have changed; the same program gives
the same game.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

from oakemu_rl.emulator import Spectrum
from oakemu_rl.games import load_game

ROOT = Path(__file__).resolve().parents[1]
STAGES = Path(__file__).with_name("caverns_stages.json")
GOLDEN = ROOT / "tests" / "golden"
GAME = load_game("caverns")
ACTIONS = GAME.definition.actions
FRAMESKIP = 4
PLAYING, LEAVING = 1, 5
COMMITTED = range(1, 23)  # steps of a jump in which keys change nothing; later it may end on a ledge
KEY_CELLS, CELLS, CELL_COUNT = 0x8430, 0xDB00, 768
EXIT_X, EXIT_Y = 0x8426, 0x8427
GUARDIANS, SLOTS, SLOT_SIZE, NO_GUARDIAN = 0x8440, 4, 8, 255
Distance = tuple[int, int]  # columns and rows, of which one at least has to be kept
ANYHOW: tuple[Distance, ...] = ((0, 0),)
CALM: tuple[Distance, ...] = ((20, 15), (15, 14), (12, 13), (0, 0))  # a guardian kills at less than 10 and 12
CALM_WAIT, CALM_KEEP, CALM_EACH = 24, 72, 4
BEAM, CALM_BEAM = 100, 120


@dataclass(frozen=True)
class Stage:
    """Where to get to.

    Attributes:
        columns: first and last cell that will do.
        line: of the floor to stand on, counted from the top of the cave; None if any place, the air too, will do.
        keys: keys that are left in the room then.
        wait: steps after the first arrival in which later ones are kept too: the moment counts where there is no
            waiting further on.
        keep: arrivals to go on from.
        each: of them at the same step, at most.
    """

    columns: tuple[int, int]
    line: int | None
    keys: int
    wait: int = 4
    keep: int = 24
    each: int = 8


@dataclass(frozen=True)
class Node:
    """A state on the way: the step, the actions since the room began, the machine."""

    step: int
    actions: tuple[str, ...]
    machine: Spectrum

    def get(self, name: str) -> int:
        """A variable of the definition, of one byte."""
        return self.machine.peek(GAME.definition.variables[name].at)

    def is_crowded(self, distance: Distance) -> bool:
        """Whether a guardian is nearer than that both across and upright."""
        x, y = self.get("player_x"), self.get("player_y")
        for slot in range(GUARDIANS, GUARDIANS + SLOTS * SLOT_SIZE, SLOT_SIZE):
            kind, guardian_x, guardian_y = (self.machine.peek(slot + field) for field in range(3))
            if kind != NO_GUARDIAN and abs(x - guardian_x) < distance[0] and abs(y - guardian_y) < distance[1]:
                return True
        return False

    def key(self) -> tuple[object, ...]:
        """What distinguishes states at the same time; guardians only depend on the time."""
        machine = self.machine
        jump = self.get("jump")
        return (
            self.get("player_x"),
            self.get("player_y"),
            jump,
            machine.peek(0x841A) if jump else 0,
            bytes(machine.memory[KEY_CELLS - 0x4000 : KEY_CELLS - 0x4000 + 12]),
            bytes(machine.memory[CELLS - 0x4000 : CELLS - 0x4000 + CELL_COUNT]),
        )


def act(node: Node, action: str, keep_off: Distance) -> Node | None:
    """Hold an action for a step, let go while a jump cannot be changed anyway; None if a guardian comes too near."""
    machine = node.machine.fork()
    taken: list[str] = []
    while True:
        machine.release_all()
        machine.press(*ACTIONS[action])
        machine.run_frames(FRAMESKIP)
        taken.append(action)
        node_now = Node(node.step + len(taken), node.actions + tuple(taken), machine)
        if node_now.is_crowded(keep_off):
            return None
        if node_now.get("mode") != PLAYING or node_now.get("jump") not in COMMITTED:
            return node_now
        action = "stay"


def arrived(node: Node, stage: Stage | None) -> bool:
    """Whether a state is what a stage asks for; None is the door."""
    if stage is None:
        return node.get("mode") == LEAVING
    first, last = stage.columns
    if node.get("mode") != PLAYING or node.get("keys_left") != stage.keys:
        return False
    if not first * 8 - 11 <= node.get("player_x") <= last * 8 + 3:
        return False
    return stage.line is None or (node.get("player_y") == stage.line * 8 + 8 and node.get("jump") == 0)


def distance(node: Node, stage: Stage | None) -> int:
    """Pixels to go, as the crow flies: which states a beam prefers."""
    if stage is None:
        x, y = node.machine.peek(EXIT_X), node.machine.peek(EXIT_Y)
    else:
        x, y = sum(stage.columns) * 4, node.get("player_y") if stage.line is None else stage.line * 8 + 8
    return abs(node.get("player_x") - x) + abs(node.get("player_y") - y)


def reach(starts: list[Node], stage: Stage | None, keep_off: Distance, *, beam: int, limit: int = 120) -> list[Node]:
    """The first arrivals at a stage (None: the door), in the order of time."""
    waiting: defaultdict[int, list[Node]] = defaultdict(list)
    for node in starts:
        waiting[node.step].append(node)
    begin = min(waiting)
    found: list[Node] = []
    seen: Counter[tuple[object, ...]] = Counter()
    known: set[tuple[object, ...]] = set()
    at_step: Counter[int] = Counter()
    wait, keep, each = (stage.wait, stage.keep, stage.each) if stage is not None else (0, 1, 1)
    for step in range(begin, begin + limit):
        if len(found) >= keep or (found and step >= min(node.step for node in found) + wait):
            break
        layer = sorted(waiting.pop(step, []), key=lambda node: distance(node, stage))[:beam]
        for node, action in itertools.product(layer, ACTIONS):
            after = act(node, action, keep_off)
            if after is None or (not arrived(after, stage) and after.get("mode") != PLAYING):
                continue
            key = after.key()
            if (after.step, key) in known or seen[key] >= 40:
                continue
            known.add((after.step, key))
            seen[key] += 1
            if arrived(after, stage):
                at_step[after.step] += 1
                if at_step[after.step] <= each:
                    found.append(after)
            else:
                waiting[after.step].append(after)
    return sorted(found, key=lambda node: node.step)[:keep]


def along(nodes: list[Node], stages: list[Stage | None], distances: tuple[Distance, ...], *, beam: int) -> list[Node]:
    """The arrivals behind the last stage; each is reached with the first of the distances that leads to the end."""
    if not stages:
        return nodes
    for keep_off in distances:
        after = reach(nodes, stages[0], keep_off, beam=beam)
        found = along(after, stages[1:], distances, beam=beam) if after else []
        if found:
            return found
    return []


def find_room(machine: Spectrum, stages: list[Stage], *, calm: bool) -> Node:
    """The first state in the door of the room in which the machine is.

    Raises:
        OSError: A stage is not reached.
    """
    if calm:  # whoever waits needs more arrivals to choose from
        stages = [
            replace(
                stage,
                wait=max(stage.wait, CALM_WAIT),
                keep=max(stage.keep, CALM_KEEP),
                each=min(stage.each, CALM_EACH),
            )
            for stage in stages
        ]
    begin = [Node(0, (), machine)]
    if calm:
        nodes = along(begin, [*stages, None], CALM, beam=CALM_BEAM)
    else:
        nodes = along(begin, [*stages, None], ANYHOW, beam=BEAM)
    if not nodes:
        raise OSError(f"no way to the door; change the stages in {STAGES.name}")
    return nodes[0]


def main() -> int:
    """Search room after room and write the recording."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--calm", action="store_true", help="keep off guardians")
    calm = parser.parse_args().calm
    machine = Spectrum()
    machine.load_state(GAME.start_state())
    actions: list[str] = []
    rooms = [[Stage(**stage) for stage in room] for room in json.loads(STAGES.read_text(encoding="utf-8"))]
    for number, stages in enumerate(rooms, 1):
        node = find_room(machine, stages, calm=calm)
        actions += node.actions
        print(f"room {number}: {len(node.actions)} steps, air left {node.get('air')}", flush=True)
        machine = node.machine
        while number < len(rooms) and Node(0, (), machine).get("mode") == LEAVING:
            machine.release_all()
            machine.run_frames(FRAMESKIP)
            actions.append("stay")
        while number < len(rooms) and Node(0, (), machine).get("mode") != PLAYING:
            machine.run_frames(FRAMESKIP)
            actions.append("stay")
    runs = [[action, len(list(group))] for action, group in itertools.groupby(actions)]
    game = {"game": GAME.id, "frameskip": FRAMESKIP, "actions": runs}
    text = json.dumps(game).replace(', "actions"', ',\n"actions"').replace("], [", "],\n[")
    recording = GOLDEN / ("caverns_calm.json" if calm else "caverns_win.json")
    recording.write_text(text + "\n", encoding="utf-8")
    print(f"{recording.name}: {len(actions)} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
