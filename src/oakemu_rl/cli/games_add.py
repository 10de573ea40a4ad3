# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games add FILE`: keeps a program of the user's for the game that it is, or a definition of theirs."""

import shlex
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.emulator.container import Content, open_content
from oakemu_rl.emulator.detection import SNAPSHOTS, TAPES
from oakemu_rl.emulator.snapshots import parse_snapshot
from oakemu_rl.emulator.tapes import parse_tape
from oakemu_rl.errors import UserError
from oakemu_rl.games import Definition, Game, find_definition, list_games, load_game
from oakemu_rl.games.catalogue import users_files
from oakemu_rl.games.files import hashes_of
from oakemu_rl.games.library import Library
from oakemu_rl.games.matching import games_of_program
from oakemu_rl.games.registry import YAML_SUFFIXES, is_shipped

__all__ = ["run"]

_SIMILAR = 0.5  # of SequenceMatcher's ratio
_NAMES_SHOWN = 3


class _AddArguments(BaseModel):
    """Keep a tape or snapshot of yours for the game that it is, or a definition of yours.

    Games know their programs by SHA-256. A file that is not known can be kept for a game all the same, with --game. A
    definition (.yaml) is kept with its program, and is then known by its name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field(
        description="The file; FILE.zip:MEMBER for one of several in an archive.",
        json_schema_extra={"positional": True, "metavar": "FILE"},
    )
    game: str | None = Field(
        None, description="The game that it is, if it is not recognised.", json_schema_extra={"metavar": "GAME"}
    )


def run(args: Sequence[str]) -> int:
    """Keeps a file and says what can be done with it; returns the exit code.

    Raises:
        OSError: The file cannot be read, or not be kept.
        UserError: It is no program, a broken one, or one that no game knows.
    """
    if not args:
        raise UserError("name a file to add: oakemu-rl games add FILE")
    arguments = parse_flags(_AddArguments, args, prog="oakemu-rl games add")
    console = Console(soft_wrap=True, highlight=False, markup=False)
    if arguments.file.lower().endswith(YAML_SUFFIXES):
        _add_definition(Path(arguments.file), arguments, console)
        return 0
    content = open_content(arguments.file)
    _check(content)
    known = games_of_program(hashes_of(content.data, content.name))
    if arguments.game is None and not known:
        raise UserError(f"{content.name} is the program of no game that is known{_hint(content)}")
    game = find_definition(known[0] if arguments.game is None else arguments.game)
    if game.program.bundled is not None:
        console.print(f"{game.title} ships with its program: oakemu-rl play {game.name.lower()}")
        return 0
    stored = Library().add(content.data, name=Path(content.name).name, game=game.id)
    console.print(f"{content.name} is kept for {game.title} (SHA-256 {stored.sha256})")
    if game.id not in known:
        console.print("it is not one of the programs that its definition knows, so addresses may differ")
    load_game(game.id).start_state()  # says in time what does not work
    console.print(f"next: oakemu-rl play {game.name.lower()}, oakemu-rl train {game.name.lower()}")
    return 0


def _add_definition(path: Path, arguments: _AddArguments, console: Console) -> None:
    """Keeps a definition that works, with its program."""
    if arguments.game is not None:
        raise UserError("--game says what game a program is; a definition says so itself")
    game = load_game(path)
    if is_shipped(game.id):
        raise UserError(f"{path}: {game.id} is the id of a game that ships; take another name or version")
    for start in game.start_names:
        game.start_state(start)  # says in time what does not work
    source = game.definition.program
    beside = {**game.files} if source.bundled is None else {**game.files, source.bundled: game.program}
    library = Library()
    if source.bundled is None:
        library.add(game.program, name=f"{game.definition.name} ({path.name})", game=game.id)
    kept = _keep(library, path, game, beside)
    name = game.definition.name.lower()
    console.print(f"{game.id} is kept as {kept}; later changes belong there, or add it again")
    console.print(f"next: oakemu-rl games lint {name}, oakemu-rl train {name}")


def _keep(library: Library, path: Path, game: Game, beside: Mapping[str, bytes]) -> Path:
    """Puts a definition into the library, in place of one with its id; if it does not work there, nothing changes."""
    old = users_files().get(game.id)
    before = None if old is None else old.read_bytes()
    name = game.id.rpartition("/")[2].lower() if old is None else old.stem
    kept = library.add_definition(path.read_bytes(), name=name, files=beside)
    try:
        load_game(kept)
    except UserError as error:  # it reads other files beside it
        if before is None:
            kept.unlink()
        else:
            kept.write_bytes(before)
        raise UserError(f"{path} works where it is, but not in {kept.parent}: {error}") from error
    return kept


def _check(content: Content) -> None:
    if content.kind in SNAPSHOTS:
        parse_snapshot(content.data, content.name)
    elif content.kind in TAPES:
        parse_tape(content.data, content.name)
    else:
        raise UserError(f"{content.name} is neither a tape nor a snapshot; oakemu-rl games check says what it is")


def _hint(content: Content) -> str:
    """The games whose names are like the file's, and what to do."""
    name = Path(content.name.rpartition(":")[2]).stem
    new = f"oakemu-rl games new {shlex.quote(content.name)} begins a definition of it"
    needy = [game for game in map(find_definition, list_games()) if game.program.bundled is None]
    similar = sorted(needy, key=lambda game: _likeness(name, game), reverse=True)[:_NAMES_SHOWN]
    nearest = [game for game in similar if _likeness(name, game) >= _SIMILAR]
    if not nearest:
        return f"; {new}, --game NAME says which game it is"
    names = " or ".join(f"--game {game.name.lower()}" for game in nearest)
    return f"; if it is {' or '.join(game.title for game in nearest)}, add {names}; if it is another game, {new}"


def _likeness(name: str, game: Definition) -> float:
    def plain(text: str) -> str:
        return "".join(character for character in text.lower() if character.isalnum())

    return max(SequenceMatcher(None, plain(name), plain(other)).ratio() for other in (game.title, game.name))
