# SPDX-License-Identifier: GPL-3.0-or-later
"""A person at the keyboard: a game frame by frame, and the keys that do more than play."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from oakemu_rl.cli.pictures import save_picture
from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.caption import Line, caption
from oakemu_rl.emulator.host_keys import HOST_KEYS
from oakemu_rl.emulator.speaker import Speaker
from oakemu_rl.emulator.window import Window
from oakemu_rl.games import Game
from oakemu_rl.games.keys import split_held
from oakemu_rl.games.loading import load_program

__all__ = ["PlaySession", "host_keys_of"]

_WHITE = (255, 255, 255)
_CYAN = (0, 255, 255)
_YELLOW = (255, 255, 0)
_HELP = "F5 reset F6 save F7 load F12 photo Esc"
_NOTICE_FRAMES = 100
_ARROWS = ("left", "right", "up", "down")
_FIRE_KEYS = ("left alt", "right alt")


def host_keys_of(game: Game) -> dict[str, tuple[str, ...]]:
    """What each key of a modern keyboard holds in a game: keys of the Spectrum, and directions of its joystick.

    The arrow keys, and Alt for fire, do what the game's actions of these names do.
    """
    actions = game.definition.actions
    mapping = dict(HOST_KEYS)
    mapping.update({name: tuple(actions[name]) for name in _ARROWS if name in actions})
    if "fire" in actions:
        mapping.update(dict.fromkeys(_FIRE_KEYS, tuple(actions["fire"])))
    return mapping


class PlaySession:
    """One game in one window.

    Args:
        game: The game.
        window: Shows it and tells the keys.
        speaker: Lets it be heard; None for silence.
        from_start_state: Begin where an agent's episodes begin, rather than with what the loaded tape shows.
        pictures: Folder for pictures.
    """

    def __init__(
        self,
        game: Game,
        window: Window,
        *,
        speaker: Speaker | None = None,
        from_start_state: bool = False,
        pictures: Path,
    ) -> None:
        definition = game.definition
        self._game = game
        self._window = window
        self._speaker = speaker
        self._pictures = pictures
        self._host_keys: Mapping[str, tuple[str, ...]] = host_keys_of(game)
        self._machine = Spectrum(definition.machine, kempston=definition.joystick == "kempston")
        self._first = game.start_state() if from_start_state else _loaded(game)
        self._machine.load_state(self._first)
        self._watcher = self._machine.watch(sound=speaker is not None)
        self._rate = self._machine.clock / self._machine.frame_tstates
        self._shown = self._machine.screen()
        self._kept: bytes | None = None
        self._notice = ""
        self._notice_left = 0

    @property
    def machine(self) -> Spectrum:
        """The machine that is played on."""
        return self._machine

    def run(self) -> None:
        """Plays until the window is closed or Esc is pressed."""
        while self.step():
            pass

    def step(self) -> bool:
        """Plays one frame; false when the person has had enough."""
        for key in self._window.poll():
            if key == "escape":
                return False
            self._command(key)
        if self._window.closed:
            return False
        self._hold(self._window.held)
        frame = self._watcher.run_frame()
        self._shown = frame.picture
        if self._speaker is not None:
            self._speaker.play(frame.samples)
        self._window.set_title(self._title())
        self._window.show(caption(self._shown, self._lines()), self._rate)
        return True

    def _command(self, key: str) -> None:
        if key == "f5":
            self._machine.load_state(self._first)
            self._say("reset")
        elif key == "f6":
            self._kept = self._machine.save_state()
            self._say("state saved; F7 goes back to it")
        elif key == "f7" and self._kept is None:
            self._say("no state has been saved; F6 does")
        elif key == "f7" and self._kept is not None:
            self._machine.load_state(self._kept)
            self._say("back at the saved state")
        elif key == "f12":
            path = save_picture(self._pictures, self._game.definition.name.lower(), self._shown)
            self._say(f"picture {path.name}")

    def _hold(self, host_keys: Iterable[str]) -> None:
        held = dict.fromkeys(name for key in host_keys for name in self._host_keys.get(key, ()))
        keys, directions = split_held(held, self._game.definition.joystick)
        self._machine.release_all()
        self._machine.press(*keys)
        if directions:
            self._machine.joystick(**dict.fromkeys(directions, True))

    def _say(self, text: str) -> None:
        self._notice, self._notice_left = text, _NOTICE_FRAMES

    def _lines(self) -> list[list[Line]]:
        second: Line = (_HELP, _CYAN)
        if self._notice_left > 0:
            self._notice_left -= 1
            second = (self._notice, _YELLOW)
        return [[(_controls(self._game), _WHITE)], [second]]

    def _title(self) -> str:
        definition = self._game.definition
        names = dict.fromkeys(filter(None, (definition.score_variable, definition.lives_variable)))
        figures = [f"{name} {definition.variables[name].read(self._machine.visible_ram())}" for name in names]
        return f"{definition.title}: {', '.join(figures)}" if figures else definition.title


def _controls(game: Game) -> str:
    definition = game.definition
    if definition.controls:
        pairs = list(definition.controls.items())
    else:
        pairs = [("+".join(keys), name) for name, keys in definition.actions.items() if keys]
    return "  ".join(f"{key.upper()} {what}" for key, what in pairs)


def _loaded(game: Game) -> bytes:
    machine = load_program(game.definition, game.program)
    machine.release_all()
    return machine.save_state()
