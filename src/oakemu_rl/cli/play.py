# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl play`: a game for a person at a keyboard."""

import sys
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.files import check_writable
from oakemu_rl.cli.playing import PlaySession
from oakemu_rl.cli.speakers import open_speaker
from oakemu_rl.emulator.rzx import RzxRecorder
from oakemu_rl.emulator.window import Window
from oakemu_rl.games import load_game

__all__ = ["run"]


class _PlayArguments(BaseModel):
    """Play a game in a window, at the speed of the real machine.

    Letters, digits, space and Enter are the Spectrum's; Shift is CAPS SHIFT, Ctrl is SYMBOL SHIFT, Backspace deletes.
    The arrow keys do what the game's actions left, right, up and down do. F5 resets, F6 saves the state in memory and
    F7 goes back to it, F12 writes a picture into the current folder, Esc quits.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str = Field(
        "ZXSpectrum/Acorns-v0",
        description="Game id, name or definition file.",
        json_schema_extra={"positional": True, "metavar": "GAME"},
    )
    from_start_state: bool = Field(default=False, description="Begin where an agent begins, not at the title.")
    scale: int = Field(3, ge=1, le=16, description="Size of the window; it can be resized as well.")
    rzx: Path | None = Field(
        None,
        description="Record what is played as an RZX file, which other emulators replay, too.",
        json_schema_extra={"metavar": "FILE"},
    )
    mute: bool = Field(default=False, description="Without sound.", json_schema_extra={"aliases": ["--no-sound"]})


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_PlayArguments, args, prog="oakemu-rl play")
    game = load_game(arguments.game)
    if arguments.rzx is not None:
        check_writable(arguments.rzx)
    window = Window(game.definition.title, scale=arguments.scale)
    window.check_display()
    speaker = open_speaker(mute=arguments.mute)
    try:
        session = PlaySession(
            game, window, speaker=speaker, from_start_state=arguments.from_start_state, pictures=Path.cwd()
        )
        if arguments.rzx is None:
            session.run()
        else:
            _record(session, arguments.rzx)
    finally:
        window.close()
        if speaker is not None:
            speaker.close()
    return 0


def _record(session: PlaySession, path: Path) -> None:
    """Plays, and writes what was played; also what was played until something went wrong."""
    with RzxRecorder(session.machine) as recorder:
        try:
            session.run()
        finally:
            if recorder.frames:
                recorder.write(path)
                seconds = recorder.frames * session.machine.frame_tstates / session.machine.clock
                sys.stdout.write(f"{path}: {seconds:.1f} s\n")
