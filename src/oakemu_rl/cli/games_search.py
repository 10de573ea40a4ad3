# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games search GAME`: finds where a game keeps its score, its lives and everything else."""

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.hand_play import play_by_hand
from oakemu_rl.cli.recordings import is_recording
from oakemu_rl.cli.search_driver import Driver, MachineDriver, RecordingDriver
from oakemu_rl.cli.search_report import counted
from oakemu_rl.cli.search_session import SearchSession
from oakemu_rl.emulator.window import NoDisplayError
from oakemu_rl.errors import UserError
from oakemu_rl.games.registry import YAML_SUFFIXES
from oakemu_rl.games.search import Search
from oakemu_rl.games.search_store import SearchStore
from oakemu_rl.playing.playable import means_file, open_playable

__all__ = ["run"]

_HELP = ("F1 snap F2 more F3 less F4 same F5 other", "F6 digits F9 undo Esc back")


class _SearchArguments(BaseModel):
    """Find where a game keeps its score, its lives and everything else.

    Let something happen, then say what has become of the number: increased, decreased, unchanged, equals 10, digits
    (it is a number that the display shows). Each command drops what does not fit, of all addresses and types; list
    shows what is left. help at the prompt lists the commands. What is left is remembered for the next time.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str = Field(
        description="A game's id, name or definition file, or a tape, snapshot or recording.",
        json_schema_extra={"positional": True, "metavar": "GAME"},
    )
    do: list[str] = Field(
        default=[],
        description="A command, as typed at the prompt; may be given many times.",
        json_schema_extra={"repeated": True, "metavar": "COMMAND"},
    )
    script: Path | None = Field(
        None,
        description="A file of commands, one a line, run before those of --do.",
        json_schema_extra={"metavar": "FILE"},
    )
    fresh: bool = Field(default=False, description="Forget what was found before.")
    start: str | None = Field(
        None, description="The start state of the game to begin in.", json_schema_extra={"metavar": "NAME"}
    )
    machine: str = Field(
        "48k", description="What a tape is loaded on: 48k, 128k or plus2.", json_schema_extra={"metavar": "MACHINE"}
    )


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    if not args:
        raise UserError("name what to search: oakemu-rl games search GAME")
    arguments = parse_flags(_SearchArguments, args, prog="oakemu-rl games search")
    commands = list(_script(arguments))
    driver = _open(arguments)
    store = SearchStore(driver.program)
    search = None if arguments.fresh else store.load()
    if search is not None:
        _say(f"going on with {counted(search)}, after {', '.join(search.steps)} (reset begins anew)")
    said = [""]  # the last line, which the window shows as well

    def report(line: str) -> None:
        said[0] = line
        _say(line)

    session = SearchSession(
        driver,
        search or Search(),
        report=report,
        play=lambda frame, on_key: _play(driver, said, frame, on_key),
        definition_file=Path(arguments.game) if arguments.game.lower().endswith(YAML_SUFFIXES) else None,
    )
    try:
        if arguments.script is not None or arguments.do:
            _run_all(session, commands)
        elif sys.stdin.isatty():
            _say(f"{driver.title}: help lists the commands")
            _prompt(session)
        else:
            _run_all(session, ((f"line {number}", line) for number, line in enumerate(sys.stdin, 1)))
    finally:
        store.save(session.search)
    return 0


def _open(arguments: _SearchArguments) -> Driver:
    """A game begins where its episodes do, a tape or a snapshot with what it shows once it is loaded."""
    path = Path(arguments.game)
    is_file = means_file(arguments.game)
    if is_file and is_recording(path):
        if arguments.start is not None:
            raise UserError(f"--start: {path} is a recording, which has a start of its own")
        return RecordingDriver(path)
    return MachineDriver(
        open_playable(arguments.game, machine=arguments.machine, at_start=not is_file, start=arguments.start)
    )


def _script(arguments: _SearchArguments) -> Iterator[tuple[str, str]]:
    """Commands, and where each stands."""
    if arguments.script is not None:
        try:
            lines = arguments.script.read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError as error:
            raise UserError(f"--script: {arguments.script} is no text: {error.reason}") from error
        yield from ((f"{arguments.script}:{number}", line) for number, line in enumerate(lines, 1))
    yield from ((f"--do {line!r}", line) for line in arguments.do)


def _run_all(session: SearchSession, commands: Iterable[tuple[str, str]]) -> None:
    for where, line in commands:
        try:
            if not session.do(line):
                return
        except UserError as error:
            raise UserError(f"{where}: {error}") from error


def _prompt(session: SearchSession) -> None:
    with contextlib.suppress(ImportError):  # it is not on every system; then lines cannot be edited
        import readline  # noqa: F401 - to be imported is all it needs
    while True:
        try:
            line = input("search> ")
        except EOFError:
            _say("")
            return
        try:
            if not session.do(line):
                return
        except (UserError, OSError) as error:
            _say(f"error: {error}")


def _play(
    driver: Driver,
    said: list[str],
    frame: Callable[[NDArray[np.uint8]], object],
    on_key: Callable[[str], None],
) -> None:
    said[0] = ""
    try:
        play_by_hand(
            lambda: driver.machine,
            driver.definition,
            driver.title,
            frame,
            on_key=on_key,
            text=lambda: (_HELP[0], said[0] or _HELP[1]),
        )
    except NoDisplayError as error:
        raise UserError(f"play: {error}; run N and hold KEYS N let time pass without a window") from error


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
