# SPDX-License-Identifier: GPL-3.0-or-later
"""What single frames of a machine come to, by the rules of a game, whoever plays it: a person or a recording."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.cli.glance import Glance, glance_of
from oakemu_rl.emulator.rzx import RzxPlayer
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.games import Definition, Game
from oakemu_rl.games.settings import Limits, Reset

__all__ = ["Moments", "RecordedMoments"]


@dataclass(frozen=True, repr=False)
class _MomentGame(Game):
    """A game whose episodes begin at some moment, and whose second action is what is held in it."""

    state: bytes = b""
    row: NDArray[np.uint8] | None = None

    __hash__ = Game.__hash__

    def start_state(self, name: str = "default") -> bytes:  # noqa: ARG002 - there is this one alone
        return self.state

    @property
    def action_table(self) -> NDArray[np.uint8]:
        return np.stack([np.zeros(9, np.uint8), np.asarray(self.row, np.uint8)])


class Moments:
    """Plays single frames again in an environment, which knows what they are worth.

    Emulation is deterministic: from the same state, with the same keys, the environment's machine does what the
    person's does.

    Args:
        game: The game.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self._definition = _plain(game.definition)

    def look(self, state: bytes, row: NDArray[np.uint8], *, frame: int) -> tuple[Glance, Glance]:
        """The moment before a frame and the one after it.

        Args:
            state: The machine before it, as `Spectrum.save_state` gives it.
            row: What is held in it, (9,) as of `KeyInput.hold_row`.
            frame: Its number, from 1 on.
        """
        game = _MomentGame(self._definition, self._game.program, state=state, row=row)
        env = SpectrumEnv(game, obs_type="ram", frameskip=1, noop_max=0)
        try:
            _, info = env.reset(seed=0)
            before = glance_of(self._game, info, frame=max(frame - 1, 0), reward=0.0, begins=True)
            info = env.step(1)[-1]
            return before, glance_of(self._game, info, frame=frame, reward=float(info["episode_return"]))
        finally:
            env.close()


class RecordedMoments:
    """The frames of a recording.

    What is held in a frame is known of a recording, but not to the T-state; where the same keys lead another way, the
    reward of that frame is not known and counts as 0.

    Args:
        game: The game.
        player: Plays the recording.
    """

    def __init__(self, game: Game, player: RzxPlayer) -> None:
        self._game = game
        self._moments = Moments(game)
        self._player = player
        self.unknown = 0
        """How many frames there were whose reward is not known."""

    def __iter__(self) -> Iterator[Glance]:
        """Plays what is left of the recording."""
        player = self._player
        while player.frame < player.frames:
            state = player.spectrum.save_state()
            keys = player.run_frames(1)
            before, after = self._moments.look(state, keys.held[0], frame=player.frame)
            if player.frame == 1:
                yield before
            yield self._checked(after)

    def _checked(self, expected: Glance) -> Glance:
        seen = self._game.read(self._player.spectrum.visible_ram())
        # Derived variables may depend on what has changed, which the memory at one moment does not tell.
        plain = [name for name in self._game.definition.variables if name in seen]
        if all(expected.variables[name] == seen[name] for name in plain):
            return expected
        self.unknown += 1
        return Glance(expected.frame, seen, 0.0, dict.fromkeys(expected.parts, 0.0), "running")


def _plain(definition: Definition) -> Definition:
    """The definition without what is decided at the beginnings of episodes, and with two actions."""
    wanted = {
        "actions": {"nothing": [], "held": []},
        "allow": {},
        "starts": {},
        "reset": Reset(),
        "default_weight": None,
        "limits": Limits(),
    }
    return definition.model_copy(update=wanted)
