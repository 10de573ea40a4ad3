# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person plays with an agent's controls, as a recording."""

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos.demo import Demo
from oakemu_rl.demos.recorder import DemoRecorder
from oakemu_rl.demos.rzx.mapping import map_keys
from oakemu_rl.envs import EnvOptions, SpectrumEnv
from oakemu_rl.games import Game

__all__ = ["HandTake"]

_FRAMES = 6 * 60 * 60 * 50
_ROW_BYTES = 9


class HandTake:
    """Lets a person play as an agent does: one of the game's actions at a time, for all frames of a step.

    So an agent can do the same to the frame. What the person holds when a step begins, and what was pressed and let go
    during the step before, decides about the step's action: the one that differs in the fewest keys.

    The recording is of the first episode that was played to its end; where a state was loaded, it begins there.

    Args:
        game: The game.
        start: The machine when play begins, as `Spectrum.save_state` gives it.
        frames: How many frames are noted at most.
    """

    def __init__(self, game: Game, start: bytes, *, frames: int = _FRAMES) -> None:
        self._game = game
        self._options = EnvOptions.resolve(game, {})
        low, high = self._options.frameskip
        self._frameskip = (low + high) // 2
        self._starts = [(0, start)]  # where the machine became another: number of the entry after that, and the machine
        self._notes: list[bytes] = []
        self._most = frames
        self._raw = np.zeros(_ROW_BYTES, np.uint8)
        self._fresh = np.zeros(_ROW_BYTES, np.uint8)  # pressed since the step began
        self._chosen: dict[bytes, NDArray[np.uint8]] = {}

    @property
    def length(self) -> int:
        """How many entries there are."""
        return len(self._notes)

    @property
    def full(self) -> bool:
        """Whether no more is noted, until it is cut."""
        return len(self._notes) >= self._most

    def held(self, row: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """What the machine is to hold in the next frame, (9,), where a person holds `row`, (9,)."""
        self._fresh |= row & ~self._raw
        self._raw = row.copy()
        if (self.length - self._starts[-1][0]) % self._frameskip:
            return np.frombuffer(self._notes[-1], np.uint8)
        wanted = row | self._fresh
        self._fresh[:] = 0
        return self._nearest(wanted)

    def add_frame(self, row: NDArray[np.uint8]) -> None:
        """A frame in which the machine held this, (9,)."""
        if not self.full:
            self._notes.append(row.tobytes())

    def add_state(self, state: bytes) -> None:
        """The machine has become another, as `Spectrum.save_state` gives it."""
        if not self.full:
            self._notes.append(b"")
            self._starts.append((self.length, state))

    def cut(self, length: int) -> None:
        """Forgets all entries but the first ones."""
        del self._notes[length:]
        while self._starts[-1][0] > length:
            self._starts.pop()

    def settle(self, length: int) -> None:
        """Nothing has to be done for entries that stay: notes are small."""

    def finish(self) -> Demo | None:
        """The recording of the episode; None if there is no whole step of it.

        Raises:
            DesyncError: The environment does something else than the machine did.
        """
        begin, start = self._starts[-1]
        rows = np.frombuffer(b"".join(self._notes[begin:]), np.uint8).reshape(-1, _ROW_BYTES)
        table = self._game.action_table
        steps = [int((table == row).all(axis=1).argmax()) for row in rows[:: self._frameskip]]
        recorder = DemoRecorder(self._game, self._options, start, source="hand")
        env = SpectrumEnv(self._game, frameskip=self._frameskip, max_episode_steps=0, stall_steps=0)
        try:
            _, info = env.reset(options={"machine": start})
            for action in steps[: len(rows) // self._frameskip]:
                after = env.step(action)[4]
                if after["action_taken"] != action:  # the game does not allow it then: an agent could not have gone on
                    break
                info = after
                recorder.add_step(action, self._frameskip)
                if info["outcome"] != "running":
                    break
        finally:
            env.close()
        return recorder.finish(info["outcome"], info["episode_return"]) if recorder.frames else None

    def _nearest(self, wanted: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """What the action that is nearest to these keys holds."""
        key = wanted.tobytes()
        if key not in self._chosen:
            mapped = map_keys(wanted[np.newaxis], self._game.action_table, self._game.definition.noop_action)
            self._chosen[key] = self._game.action_table[mapped.actions[0]]
        return self._chosen[key]
