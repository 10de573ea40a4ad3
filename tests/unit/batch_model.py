# SPDX-License-Identifier: GPL-3.0-or-later
"""A second implementation of one environment of a batch, in plain Python around the emulator of one machine.

Its game moves memory: each frame the bytes behind ``BELT`` come one place forward, and ``ROUTINE`` is called once.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from batch_game import ROM, ROUTINE
from numpy.typing import NDArray
from program_model import Program, Stream, evaluate, read, saturated, whole

from oakemu_rl import _core

BELT, BELT_LENGTH = 0x9100, 0x180
Row = dict[str, Any]

_CODE = bytes.fromhex(
    "76"  # loop: HALT
    "210191 110091 017F01 EDB0"  # LD HL,BELT+1; LD DE,BELT; LD BC,0x17F; LDIR
    "CD4080 18EF"  # CALL ROUTINE; JR loop
)


def belt_start(seed: int, *, border: int = 7) -> bytes:
    """Halted, with the first interrupt about to come; what lies on the belt and on the display is random."""
    machine = _core.Machine(ROM)
    rng = np.random.default_rng(seed)
    machine.ram[0x4000 : 0x4000 + len(_CODE)] = np.frombuffer(_CODE, np.uint8)
    machine.ram[ROUTINE - 0x4000] = 0xC9  # RET
    machine.ram[BELT - 0x4000 : BELT - 0x4000 + BELT_LENGTH] = rng.integers(0, 256, BELT_LENGTH, np.uint8)
    machine.ram[:6912] = rng.integers(0, 256, 6912, np.uint8)
    for name, value in {"pc": 0x8001, "sp": 0xFF00, "im": 1, "iff1": 1, "iff2": 1, "halted": 1}.items():
        machine.set_register(name, value)
    machine.border = border
    return machine.save()


def cell_levels(machine: _core.Machine, area: tuple[int, int, int, int]) -> NDArray[np.uint8]:
    """(2, rows, columns): luminance of ink and paper of the cells that the area touches."""
    x, y, width, height = area
    rows, columns = range(y // 8, (y + height - 1) // 8 + 1), range(x // 8, (x + width - 1) // 8 + 1)
    levels = np.zeros((2, len(rows), len(columns)), np.uint8)
    for i, row in enumerate(rows):
        for j, column in enumerate(columns):
            attribute = int(machine.ram[0x1800 + 32 * row + column])
            pair = [attribute & 7, attribute >> 3 & 7]
            if attribute & 0x80 and machine.frame & 16:
                pair.reverse()
            full = 255 if attribute & 0x40 else 205
            for plane, colour in enumerate(pair):
                red, green, blue = (full * (colour >> bit & 1) for bit in (1, 2, 0))
                levels[plane, i, j] = (299 * red + 587 * green + 114 * blue + 500) // 1000
    return levels


class SlotModel:
    """What environment ``seed`` of a batch with these settings does."""

    def __init__(self, settings: Mapping[str, Any], seed: int) -> None:
        self.s = settings
        self.stream = Stream(seed)
        self.machine = _core.Machine(ROM)
        self.frame_number = 0
        self.over = self.goes_on = False
        self.before: list[int] = []

    def reset(self, start: int = -1) -> Row:
        if not (self.goes_on and start == -1):
            self._put_into_start(start)
        self._hold(None)
        self.goes_on = self.over = False
        self.last_action = self.s["noop_action"]
        self.total, self.length, self.frames, self.unchanged = 0.0, 0, 0, 0
        self.calls = [0] * len(self.s["hooks"])
        plain = self._plain()
        self.now = plain + [0] * len(self.s["derived"])
        before = list(self.now)
        for i, program in enumerate(self.s["derived"]):
            place = len(plain) + i
            self.now[place] = before[place] = whole(evaluate(program, self.now, before, self.calls))
        self.before = before
        self._judge_masks_and_stall(is_start=True)
        self.pictures = [cell_levels(self.machine, self.s["area"])] * self.s["stack"]
        row = self._shown()
        row |= {"rewards": 0.0, "reward_parts": [0.0] * len(self.s["rewards"])}
        return row | {"terminated": False, "truncated": False, "outcome": 0, "actions_taken": -1} | self._figures()

    def step(self, action: int) -> Row:
        if self.over and self.s["autoreset"] == "next_step":
            return self.reset()
        s = self.s
        if s["repeat_action_probability"] > 0 and self.stream.uniform() < s["repeat_action_probability"]:
            action = self.last_action
        if not self.allowed[action]:
            action = s["noop_action"]
        self.last_action = action
        count = self.stream.between(*s["frameskip"])
        if s["max_frames"]:
            count = min(count, s["max_frames"] - self.frames)
        self._hold(action)
        self._run(count)
        self.before, self.now = self.now, self._plain()
        self.calls = [count if hook == ROUTINE else 0 for hook in s["hooks"]]
        for program in s["derived"]:
            self.now.append(whole(evaluate(program, self.now, self.before, self.calls)))
        parts = [self._value(program) for program in s["rewards"]]
        reward = 0.0
        for part in parts:
            reward = saturated(reward + part)
        self.total = saturated(self.total + reward)
        self.length, self.frames = self.length + 1, self.frames + count
        self._judge_masks_and_stall(is_start=False)
        outcome = self._outcome()
        self.over, self.goes_on = outcome != 0, outcome == 4
        row = {"rewards": float(np.sign(reward)) if s["reward_clipping"] else reward, "reward_parts": parts}
        row |= {"terminated": outcome in (1, 2, 4), "truncated": outcome == 3, "outcome": outcome}
        row |= {"actions_taken": action} | self._figures()
        self.pictures = [*self.pictures[1:], cell_levels(self.machine, s["area"])]
        shown = self._shown()
        if outcome and s["autoreset"] == "same_step":
            last = {f"final_{name}": shown[name] for name in ("variables", "ram", "observations")}
            fresh = self.reset()
            shown = {name: fresh[name] for name in [*shown, "frame_number"]} | last
        return row | shown

    def _put_into_start(self, start: int) -> None:
        s = self.s
        self.start = (
            start if start != -1 else self.stream.weighted(s["start_weights"] or [1.0] * len(s["start_states"]))
        )
        self.machine.restore(s["start_states"][self.start])
        for address, num_bytes in s["random_pokes"]:
            for i in range(num_bytes):
                self.machine.write(address + i, self.stream.next() >> 56)
        self._hold(s["noop_action"])
        self._run(self.stream.between(*s["noops"]))

    def _hold(self, action: int | None) -> None:
        self.machine.keys[:] = 0 if action is None else self.s["actions"][action][:8]

    def _run(self, count: int) -> None:
        if count:
            self.machine.run_frames(count)
        self.frame_number += count

    def _plain(self) -> list[int]:
        return [read(self.machine.ram, variable) for variable in self.s["variables"]]

    def _value(self, program: Program) -> float:
        return evaluate(program, self.now, self.before, self.calls)

    def _judge_masks_and_stall(self, *, is_start: bool) -> None:
        s = self.s
        self.allowed = [True] * len(s["actions"])
        for i, program in enumerate(s["masks"]):
            self.allowed[i] = i == s["noop_action"] or not program or self._value(program) != 0
        if s["stall_steps"]:
            value = self._value(s["stall_value"])
            self.unchanged = 0 if is_start or value != self.stalled_at else self.unchanged + 1
            self.stalled_at = value

    def _outcome(self) -> int:
        s = self.s
        for number, name in ((1, "win"), (2, "loss")):
            if s[name] and self._value(s[name]):
                return number
        lives = s["lives_variable"]
        if s["episodic_life"] and self.now[lives] < self.before[lives]:
            return 4
        limits = ((self.length, s["max_steps"]), (self.frames, s["max_frames"]), (self.unchanged, s["stall_steps"]))
        return 3 if any(limit and count >= limit for count, limit in limits) else 0

    def _shown(self) -> Row:
        return {
            "observations": np.concatenate(self.pictures),
            "variables": list(self.now),
            "action_masks": list(self.allowed),
            "start": self.start,
            "ram": self.machine.ram.copy(),
        }

    def _figures(self) -> Row:
        return {
            "episode_return": self.total,
            "episode_length": self.length,
            "episode_frame_number": self.frames,
            "frame_number": self.frame_number,
        }
