# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl play`: a game for a person at a keyboard."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from oakemu_rl._stop_signals import StopSignals
from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.files import check_writable
from oakemu_rl.cli.pictures import free_path, save_picture
from oakemu_rl.cli.play_keys import ChosenKeys, choose_keys, print_keys
from oakemu_rl.cli.play_recording import recorded, recorded_as_demo, recorded_by_the_way
from oakemu_rl.cli.speakers import open_speaker
from oakemu_rl.demos import SUFFIX
from oakemu_rl.emulator.window import Window
from oakemu_rl.errors import UserError
from oakemu_rl.games import load_game
from oakemu_rl.games.keys import Joystick
from oakemu_rl.games.library import Library
from oakemu_rl.playing import Playable, PlaySession, open_playable, open_recording, play_in_window
from oakemu_rl.playing.states import SLOTS, StateFiles
from oakemu_rl.playing.taking import Taking

__all__ = ["run"]

_DEFAULT_GAME = "ZXSpectrum/Acorns-v0"


class _PlayArguments(BaseModel):
    """Play a game in a window, at the speed of the real machine.

    Letters, digits, space and Enter are the Spectrum's; Shift is CAPS SHIFT, Ctrl is SYMBOL SHIFT, Backspace deletes.
    The arrow keys do what the game's actions left, right, up and down do. F1 shows all other keys: rewind, save and
    load, pause, speed, screenshot. What is played is recorded. Esc quits.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str | None = Field(
        None,
        description=f"Game id, name or definition file, or a tape or snapshot; {_DEFAULT_GAME} if nothing is given.",
        json_schema_extra={"positional": True, "metavar": "GAME"},
    )
    from_start_state: bool = Field(default=False, description="Begin where an agent begins, not at the title.")
    start: str | None = Field(
        None,
        description="Begin in this start state of the game (games show GAME lists them).",
        json_schema_extra={"metavar": "NAME"},
    )
    state: str | None = Field(
        None,
        description="Begin with a saved state: the number of a slot, or a file.",
        json_schema_extra={"metavar": "SLOT|FILE"},
    )
    rzx: Path | None = Field(None, description="Go on where a recording ends.", json_schema_extra={"metavar": "FILE"})
    keys: str = Field(
        "", description="Keys and what they hold: left=o,right=p,z=shift+5.", json_schema_extra={"metavar": "KEYS"}
    )
    joystick: Joystick | None = Field(
        None,
        description="Make the arrow keys, and Alt for fire, this joystick: none, kempston, sinclair1, sinclair2, "
        "cursor.",
        json_schema_extra={"metavar": "JOYSTICK"},
    )
    show_keys: bool = Field(default=False, description="Print what the keys do, and play nothing.")
    machine: str = Field(
        "48k",
        description="Machine for a tape of which nothing is known: 48k, 128k, plus2.",
        json_schema_extra={"metavar": "MACHINE"},
    )
    record: Path | None = Field(
        None,
        description="Record into this file, rather than into one in your data folder: .rzx (all that is played), or "
        ".demo (an episode, from where an agent begins, with an agent's controls, for agents to learn from).",
        json_schema_extra={"metavar": "FILE"},
    )
    no_record: bool = Field(default=False, description="Record nothing.")
    scale: int = Field(3, ge=1, le=16, description="Size of the window; it can be resized as well.")
    mute: bool = Field(default=False, description="Without sound.", json_schema_extra={"aliases": ["--no-sound"]})


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_PlayArguments, args, prog="oakemu-rl play")
    _check(arguments)
    playable = _open(arguments)
    chosen = choose_keys(playable, arguments.keys, arguments.joystick)
    if arguments.show_keys:
        print_keys(playable, chosen)
        return 0
    if chosen.joystick == "kempston":
        if _to_demo(arguments) and playable.definition is not None and playable.definition.joystick != "kempston":
            raise UserError(f"--joystick kempston: agents have none in this game, {arguments.record} is for agents")
        playable = playable.with_kempston()
    with StopSignals() as signals, _recorded(arguments, playable) as take:
        _play(arguments, playable, chosen, take, lambda: signals.received is not None)
    if signals.received is not None:
        raise KeyboardInterrupt
    return 0


def _check(arguments: _PlayArguments) -> None:
    if arguments.no_record and arguments.record is not None:
        raise UserError("--record: give either a file or --no-record")
    if arguments.record is not None:
        check_writable(arguments.record)
    if _to_demo(arguments) and arguments.rzx is not None:
        raise UserError(f"--record {arguments.record}: a recording for agents begins where they do, not after --rzx")
    for name in ("from_start_state", "start", "state"):
        if arguments.rzx is not None and getattr(arguments, name):
            flag = name.replace("_", "-")
            raise UserError(f"--{flag}: with --rzx, play begins where {arguments.rzx} ends")


def _open(arguments: _PlayArguments) -> Playable:
    if arguments.rzx is not None:
        return open_recording(arguments.rzx, arguments.game)
    game = arguments.game or _DEFAULT_GAME
    at_start = arguments.from_start_state or _to_demo(arguments)
    return open_playable(game, machine=arguments.machine, at_start=at_start, start=arguments.start)


def _to_demo(arguments: _PlayArguments) -> bool:
    return arguments.record is not None and arguments.record.suffix == SUFFIX


def _recorded(arguments: _PlayArguments, playable: Playable) -> AbstractContextManager[Taking | None]:
    if arguments.no_record:
        return nullcontext()
    if arguments.record is not None and _to_demo(arguments):
        return recorded_as_demo(playable, load_game(arguments.game or _DEFAULT_GAME), arguments.record)
    if arguments.record is not None:
        return recorded(playable, arguments.record)
    return recorded_by_the_way(playable, _data_folder("recordings", playable))


def _data_folder(kind: str, playable: Playable) -> Path:
    return Library().folder / kind / playable.name


def _play(
    arguments: _PlayArguments, playable: Playable, chosen: ChosenKeys, take: Taking | None, stopped: Callable[[], bool]
) -> None:
    fitted = chosen.joystick == "kempston"
    folder = _data_folder("states", playable)
    states = StateFiles(folder, playable.identity, playable.machine, kempston=fitted)
    state = None if arguments.state is None else states.read(_state_path(states, arguments.state))
    window = Window(playable.title, scale=arguments.scale)
    window.check_display()
    speaker = open_speaker(mute=arguments.mute)
    try:
        session = PlaySession(
            playable,
            chosen.map,
            chosen.hotkeys,
            states,
            screenshot=lambda picture: save_picture(Path.cwd(), playable.name, picture),
            snapshot=lambda: free_path(Path.cwd(), playable.name, ".szx"),
            take=take,
            sound=speaker is not None,
        )
        if state is not None:
            session.load(state)
        play_in_window(session, window, speaker, stopped=stopped)
    finally:
        window.close()
        if speaker is not None:
            speaker.close()


def _state_path(states: StateFiles, given: str) -> Path:
    if not given.isdecimal():
        return Path(given)
    if int(given) not in SLOTS:
        raise UserError(f"--state: there is no slot {given}; slots are {SLOTS[0]} to {SLOTS[-1]}")
    path = states.slot(int(given))
    if not path.exists():
        raise UserError(f"--state: nothing has been saved in slot {given} ({path})")
    return path
