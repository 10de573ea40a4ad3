# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes RZX recordings of somebody who plays our games, as another emulator would."""

from collections.abc import Iterable

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.rzx import Rzx, RzxRecorder, parse_rzx, rzx_bytes
from oakemu_rl.games import Game
from oakemu_rl.games.loading import load_program

__all__ = ["Player", "at_start", "at_title"]

Held = tuple[int, str]
"""For how many frames which keys are held: ``(10, "o space")``."""


def at_title(game: Game) -> Spectrum:
    """The game, loaded, and its title drawn."""
    machine = load_program(game.definition, game.program, script=game.definition.start)
    machine.run_frames(100)
    return machine


def at_start(game: Game) -> Spectrum:
    """The game in its first playable frame."""
    machine = Spectrum(game.definition.machine)
    machine.load_state(game.start_state())
    return machine


class Player:
    """Plays on a machine, and is recorded.

    Attributes:
        machine: Where it plays.
        seen: The game's variables after each frame that was played.
    """

    def __init__(self, game: Game, machine: Spectrum) -> None:
        self._game = game
        self.machine = machine
        self.seen = [game.read(machine.visible_ram())]
        self._recorder = RzxRecorder(machine)
        self._recorder.start()

    def play(self, *held: Held) -> None:
        """Holds keys, then lets them go."""
        for frames, keys in held:
            self.machine.release_all()
            self.machine.press(*keys.split())
            for _ in range(frames):
                self.machine.run_frames(1)
                self.seen.append(self._game.read(self.machine.visible_ram()))
        self.machine.release_all()

    def play_until(self, name: str, value: int, presses: Iterable[Held]) -> None:
        """Plays on until a variable has a value."""
        for frames, keys in presses:
            if self.seen[-1][name] == value:
                return
            self.play((frames, keys))
        raise AssertionError(f"{name} has not become {value}")

    def recording(self, name: str = "played.rzx") -> Rzx:
        """What was recorded, read from its bytes."""
        self._recorder.stop()
        return parse_rzx(rzx_bytes(self._recorder.recording(name)), name)
