# SPDX-License-Identifier: GPL-3.0-or-later
"""Find a game of Caverns that wins, and write its actions to tests/golden/caverns_win.json.

    python programs/find_caverns_route.py        a few minutes

Each room is a list of stages by hand, in `caverns_stages.json`: where to stand next, or which key to have. Between two
stages a beam search forks the emulator itself, so what it finds is true by construction. Time runs in steps of four
frames, as in the preset. To be run again whenever a room or the rules of movement have changed; the same program gives
the same game.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

from oakemu_rl.emulator import Spectrum
from oakemu_rl.games import load_game

ROOT = Path(__file__).resolve().parents[1]
STAGES = Path(__file__).with_name("caverns_stages.json")
RECORDING = ROOT / "tests" / "golden" / "caverns_win.json"
GAME = load_game("caverns")
ACTIONS = GAME.definition.actions
FRAMESKIP = 4
PLAYING, LEAVING = 1, 5
COMMITTED = range(1, 23)  # steps of a jump in which keys change nothing; later it may end on a ledge
KEY_CELLS, CELLS, CELL_COUNT = 0x8430, 0xDB00, 768
EXIT_X, EXIT_Y = 0x8426, 0x8427


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


def act(node: Node, action: str) -> Node:
    """Hold an action for a step, and let go while a jump cannot be changed anyway."""
    machine = node.machine.fork()
    taken: list[str] = []
    while True:
        machine.release_all()
        machine.press(*ACTIONS[action])
        machine.run_frames(FRAMESKIP)
        taken.append(action)
        node_now = Node(node.step + len(taken), node.actions + tuple(taken), machine)
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


def reach(starts: list[Node], stage: Stage | None, *, beam: int = 100, limit: int = 120) -> list[Node]:
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
            after = act(node, action)
            if not arrived(after, stage) and after.get("mode") != PLAYING:
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


def find_room(machine: Spectrum, stages: list[Stage]) -> Node:
    """The first state in the door of the room in which the machine is.

    Raises:
        OSError: A stage is not reached.
    """
    nodes = [Node(0, (), machine)]
    for stage in [*stages, None]:
        nodes = reach(nodes, stage)
        if not nodes:
            raise OSError(f"no way to {stage or 'the door'}; change the stages in {STAGES.name}")
    return nodes[0]


def main() -> int:
    """Search room after room and write the recording."""
    machine = Spectrum()
    machine.load_state(GAME.start_state())
    actions: list[str] = []
    rooms = [[Stage(**stage) for stage in room] for room in json.loads(STAGES.read_text(encoding="utf-8"))]
    for number, stages in enumerate(rooms, 1):
        node = find_room(machine, stages)
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
    recording = {"game": GAME.id, "frameskip": FRAMESKIP, "actions": runs}
    text = json.dumps(recording).replace(', "actions"', ',\n"actions"').replace("], [", "],\n[")
    RECORDING.parent.mkdir(exist_ok=True)
    RECORDING.write_text(text + "\n", encoding="utf-8")
    print(f"{RECORDING.name}: {len(actions)} steps")
    return 0


if __name__ == "__main__":
    sys.exit(main())
