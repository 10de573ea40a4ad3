# SPDX-License-Identifier: GPL-3.0-or-later
"""A person who plays: from keys to pictures and sound, one picture at a time, without a window or a clock."""

import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator import Spectrum
from oakemu_rl.errors import UserError
from oakemu_rl.games.interpreter import Reader
from oakemu_rl.playing.hotkeys import Hotkey, Hotkeys
from oakemu_rl.playing.key_map import KeyMap
from oakemu_rl.playing.playable import Playable
from oakemu_rl.playing.rewinding import Rewinder
from oakemu_rl.playing.speed import Speed, stretched
from oakemu_rl.playing.states import SLOTS, StateFiles
from oakemu_rl.playing.taking import Taking
from oakemu_rl.playing.tape_deck import TapeDeck
from oakemu_rl.playing.view import controls_of, with_help, with_lines

__all__ = ["PlaySession", "Shown"]

_NOTICE_PICTURES = 100
_ACCELERATION = 50  # pictures after which rewinding doubles its pace
_FASTEST_REWIND = 8
_FOLDERS = re.compile(r"(?<!\S)\S*[/\\](?=\S)")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a person sees and hears next."""

    picture: NDArray[np.uint8]
    """RGB, (height, 320, 3): the screen with its border, and lines of text beneath it."""
    samples: NDArray[np.int16] | None
    """(n,), 48,000 a second; None for silence."""
    rate: float
    """Pictures a second; infinity for as fast as it goes."""
    title: str
    """What the window is called."""


class PlaySession:
    """A game that is played. Each call of `advance` takes the keys that are down and gives a picture.

    Args:
        playable: The game.
        keys: What the keys hold in it.
        hotkeys: What other keys do.
        states: Where states are saved.
        screenshot: Writes a picture, and returns where.
        snapshot: A free path for a snapshot.
        take: Takes down what is played; None if nothing shall be recorded.
        rewinder: Remembers the last minutes.
        sound: Whether anybody listens.
    """

    def __init__(
        self,
        playable: Playable,
        keys: KeyMap,
        hotkeys: Hotkeys,
        states: StateFiles,
        *,
        screenshot: Callable[[NDArray[np.uint8]], Path],
        snapshot: Callable[[], Path],
        take: Taking | None = None,
        rewinder: Rewinder | None = None,
        sound: bool = True,
    ) -> None:
        self._playable = playable
        self._keys = keys
        self._hotkeys = hotkeys
        self._states = states
        self._write_screenshot = screenshot
        self._snapshot_path = snapshot
        self._take = take
        self._rewinder = rewinder or Rewinder()
        self._sound = sound
        self._machine = Spectrum(playable.machine)
        self._machine.load_state(playable.state)
        self._frame_rate = self._machine.clock / self._machine.frame_tstates
        self._watcher = self._machine.watch(sound=sound)
        self._picture = self._machine.screen()
        self._rewinder.add(self._machine, self._mark)
        definition = playable.definition
        self._reader = None if definition is None else Reader(definition.variables, definition.formulas().derived)
        self._tape = None if playable.tape is None else TapeDeck(playable.tape, playable.tape_played)
        self._speed = Speed()
        self._slot = 1
        self._muted = self._paused = self._help = self._step = self._said_full = False
        self._rewinding = 0
        self._notice = ""
        self._notice_left = 0

    @property
    def machine(self) -> Spectrum:
        """The machine that is played on; to look at."""
        return self._machine

    @property
    def _mark(self) -> int:
        return 0 if self._take is None else self._take.length

    def load(self, state: bytes) -> None:
        """Goes on with another state, as `Spectrum.save_state` gives it. Rewinding leads back to where one was.

        Raises:
            UserError: It is none, or of another machine; then nothing has changed.
        """
        self._machine.load_state(state)
        if self._take is not None:
            self._take.add_state(state)
        self._rewinder.add(self._machine, self._mark)
        self._picture = self._machine.screen()

    def advance(self, pressed: Sequence[str], held: Collection[str]) -> Shown | None:
        """What comes next; None when the person has had enough.

        Args:
            pressed: Keys that went down since the last call, in their order.
            held: Keys that are down.
        """
        self._step = False
        for key in pressed:
            hotkey = self._hotkeys.find(key)
            if hotkey is Hotkey.QUIT:
                return None
            if hotkey is not None:
                self._do(hotkey)
        self._speed.turbo(on=self._hotkeys.held(Hotkey.TURBO, held))
        samples = None
        if self._hotkeys.held(Hotkey.REWIND, held):
            self._rewind()
        else:
            self._rewinding = 0
            if self._step or not (self._paused or self._help):
                samples = self._play(1 if self._step else self._speed.frames, held)
        return Shown(self._drawn(), samples, self._picture_rate(), self._title())

    def _play(self, frames: int, held: Collection[str]) -> NDArray[np.int16] | None:
        wanted = self._keys.row(key for key in held if self._hotkeys.find(key) is None)
        heard = self._sound and not self._muted and not math.isinf(self._speed.factor)
        samples = []
        for number in range(frames):
            row = wanted if self._take is None else self._take.held(wanted)
            self._machine.hold_row(row)
            if heard or number == frames - 1:
                frame = self._watcher.run_frame()
                self._picture = frame.picture
                samples += [frame.samples] if heard else []
            else:
                self._machine.run_frames(1)
            if self._take is not None:
                self._take.add_frame(row)
            self._rewinder.add(self._machine, self._mark)
        if self._take is not None:
            self._take.settle(self._rewinder.oldest_mark)
            if self._take.full and not self._said_full:
                self._said_full = True
                self._say("the recording is full and ends here")
        return stretched(np.concatenate(samples), self._speed.factor) if samples else None

    def _rewind(self) -> None:
        frames = min(1 << self._rewinding // _ACCELERATION, _FASTEST_REWIND)
        self._rewinding += 1
        if not self._rewinder.frames:
            self._say("this is as far back as it goes")
            return
        mark = self._rewinder.back(self._machine, frames)
        if self._take is not None:
            self._take.cut(mark)
            self._said_full = self._take.full
        # What the beam drew is not remembered: the frame that follows, on another machine, looks the same.
        self._picture = self._machine.fork().watch(sound=False).run_frame().picture

    def _do(self, hotkey: Hotkey) -> None:
        actions: dict[Hotkey, Callable[[], None]] = {
            Hotkey.HELP: self._toggle_help,
            Hotkey.SNAPSHOT: self._save_file,
            Hotkey.MUTE: self._toggle_sound,
            Hotkey.RESET: self._reset,
            Hotkey.SAVE: self._save_slot,
            Hotkey.LOAD: self._load_slot,
            Hotkey.SLOT: self._next_slot,
            Hotkey.PAUSE: self._toggle_pause,
            Hotkey.STEP: self._step_on,
            Hotkey.TAPE: self._play_tape,
            Hotkey.SCREENSHOT: self._screenshot,
            Hotkey.FASTER: lambda: self._speed.change(1),
            Hotkey.SLOWER: lambda: self._speed.change(-1),
            Hotkey.NORMAL: self._speed.normal,
        }
        action = actions.get(hotkey)
        if action is None:  # it counts while it is held
            return
        try:
            action()
        except UserError as error:  # the person plays on, and reads why; there is little room
            self._say(_FOLDERS.sub("", str(error)))

    def _toggle_help(self) -> None:
        self._help = not self._help

    def _toggle_sound(self) -> None:
        self._muted = not self._muted
        self._say("sound off" if self._muted else "sound on")

    def _toggle_pause(self) -> None:
        self._paused = not self._paused

    def _step_on(self) -> None:
        self._paused = self._step = True

    def _reset(self) -> None:
        self.load(self._playable.state)
        self._say("reset")

    def _save_slot(self) -> None:
        self._states.write(self._states.slot(self._slot), self._machine)
        self._say(f"saved in slot {self._slot}")

    def _load_slot(self) -> None:
        path = self._states.slot(self._slot)
        if not path.exists():
            self._say(f"nothing has been saved in slot {self._slot}")
            return
        self.load(self._states.read(path))
        self._say(f"back at slot {self._slot}")

    def _next_slot(self) -> None:
        self._slot = (self._slot + 1) % len(SLOTS)
        used = self._states.slot(self._slot).exists()
        self._say(f"slot {self._slot}{'' if used else ' (empty)'}")

    def _save_file(self) -> None:
        path = self._snapshot_path()
        self._states.write(path, self._machine)
        self._say(f"saved as {path.name}")

    def _play_tape(self) -> None:
        if self._tape is None:
            self._say("there is no tape")
            return
        self.load(self._tape.play(self._machine))
        self._say(f"tape: {self._tape.text}")

    def _screenshot(self) -> None:
        self._say(f"picture {self._write_screenshot(self._picture).name}")

    def _say(self, text: str) -> None:
        self._notice, self._notice_left = text, _NOTICE_PICTURES

    def _picture_rate(self) -> float:
        idle = self._paused or self._help or self._rewinding
        return self._frame_rate if idle else self._speed.rate(self._frame_rate)

    def _drawn(self) -> NDArray[np.uint8]:
        controls = controls_of(self._playable.definition)
        picture = self._picture
        if self._help:
            picture = with_help(picture, self._playable.title, self._hotkeys, controls, self._keys.special)
        notice = self._notice if self._notice_left else ""
        self._notice_left = max(self._notice_left - 1, 0)
        return with_lines(picture, controls or self._playable.title, self._status(), notice)

    def _status(self) -> str:
        seconds = self._rewinder.frames / self._frame_rate
        what = f"rewind: {seconds:.1f} s left" if self._rewinding else "paused" if self._paused else self._speed.text
        recording = "" if self._take is None else "not recording" if self._take.full else "recording"
        parts = (f"{self._hotkeys.key(Hotkey.HELP).upper()} help", what, f"slot {self._slot}", recording)
        return "  ".join(filter(None, parts))

    def _title(self) -> str:
        definition = self._playable.definition
        if definition is None or self._reader is None:
            return self._playable.title
        names = dict.fromkeys(filter(None, (definition.score_variable, definition.lives_variable)))
        values = self._reader.read(self._machine.visible_ram())
        figures = [f"{name} {values[name]}" for name in names]
        return f"{definition.title}: {', '.join(figures)}" if figures else definition.title
