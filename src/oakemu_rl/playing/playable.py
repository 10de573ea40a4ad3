# SPDX-License-Identifier: GPL-3.0-or-later
"""What can be played: a known game, a tape or snapshot, or what follows upon a recording."""

import hashlib
import re
from dataclasses import dataclass, replace
from pathlib import Path

from oakemu_rl.emulator import Spectrum, Tape, from_machine, parse_snapshot, parse_tape, to_machine
from oakemu_rl.emulator.container import open_content, unpack
from oakemu_rl.emulator.detection import RECORDINGS, SNAPSHOTS
from oakemu_rl.emulator.rzx import Rzx, RzxDesync, RzxPlayer, find_playback_flags, parse_rzx
from oakemu_rl.emulator.rzx.player import LOAD_FLAG
from oakemu_rl.emulator.snapshots import Snapshot
from oakemu_rl.emulator.tapes import load_next_blocks
from oakemu_rl.errors import UserError
from oakemu_rl.games import Definition, Game, find_definition, list_games, load_game
from oakemu_rl.games.loading import load_program
from oakemu_rl.games.matching import games_of_program
from oakemu_rl.games.program_source import PROGRAM_SUFFIXES
from oakemu_rl.games.registry import YAML_SUFFIXES
from oakemu_rl.playing.identity import Identity

__all__ = ["Playable", "means_file", "open_playable", "open_recording"]

_FILE_SUFFIXES = (*PROGRAM_SUFFIXES, *(f".{kind}" for kind in RECORDINGS))


@dataclass(frozen=True)
class Playable:
    """Something to play, and where it begins."""

    title: str
    """Its name for people."""
    name: str
    """Its name for files."""
    identity: Identity
    machine: str
    """The model: ``48k``, ``128k``, ``plus2``."""
    state: bytes
    """The machine when play begins, as `Spectrum.save_state` gives it."""
    definition: Definition | None = None
    """The game's, if it is a known one."""
    tape: Tape | None = None
    """The tape out of which it came, for games that load more of it later."""
    tape_played: int = 0
    """How many blocks of it have been played."""
    before: Rzx | None = None
    """The recording that ends where play begins, if what follows can be its continuation."""

    def with_kempston(self) -> "Playable":
        """The same with a Kempston joystick, whether the game asks for it or not."""
        spectrum = Spectrum(self.machine)
        spectrum.load_state(self.state)
        snapshot = from_machine(spectrum)
        if snapshot.kempston:
            return self
        return replace(self, state=to_machine(replace(snapshot, kempston=True)).save_state())


def means_file(game: str) -> bool:
    """Whether somebody means a tape, snapshot or recording; where a file is called like a game, they mean the game.

    Args:
        game: As of `open_playable`.
    """
    lower = game.lower()
    if lower.endswith(_FILE_SUFFIXES) or ".zip:" in lower:
        return True
    if lower.endswith(YAML_SUFFIXES) or not Path(game).is_file():
        return False
    try:
        find_definition(game)
    except UserError:
        return True
    return False


def open_playable(game: str, *, machine: str = "48k", at_start: bool = False, start: str | None = None) -> Playable:
    """Finds what somebody wants to play.

    Args:
        game: A game's id, name or definition file, or a tape, snapshot or recording (also packed).
        machine: The model that a tape is loaded on, if no definition tells.
        at_start: Begin where an agent's episodes begin, rather than with what the loaded program shows.
        start: Begin in this start state of the game.

    Raises:
        UserError: There is no such game or start state, or the file is nothing to play.
        OSError: The file cannot be read.
    """
    if means_file(game):
        return _open_file(game, machine=machine, at_start=at_start, start=start)
    return _from_game(load_game(game), at_start=at_start, start=start)


def open_recording(path: Path, game: str | None = None) -> Playable:
    """Plays a recording to its end, from where a person may go on.

    Args:
        path: The recording.
        game: As of `open_playable`; by default the one that the recording says it is of.

    Raises:
        UserError: It cannot be played to its end, or is of another game.
        OSError: It cannot be read.
    """
    content = open_content(path)
    found = _continued(parse_rzx(content.data, content.name, folder=path.parent))
    if game is None:
        return found
    if means_file(game):
        raise UserError(f"{game}: with --rzx, name a known game or none; {path} brings its own program")
    wanted = load_game(game)
    identity = _identity(wanted)
    mismatch = identity.mismatch(found.identity) if found.identity.program else ""
    if mismatch:
        raise UserError(f"{path}: this is a recording {mismatch}")
    if wanted.definition.machine != found.machine:
        raise UserError(
            f"{path}: the recording is of a {found.machine} machine, {wanted.id} runs on a {wanted.definition.machine}"
        )
    return replace(
        found,
        title=wanted.definition.title,
        name=wanted.definition.name.lower(),
        identity=identity,
        definition=wanted.definition,
    )


def _from_game(game: Game, *, at_start: bool, start: str | None) -> Playable:
    definition = game.definition
    begin = start or (game.start_names[0] if at_start else None)
    if begin is not None:
        spectrum = Spectrum(definition.machine)
        spectrum.load_state(game.start_state(begin))
    else:
        spectrum = load_program(definition, game.program)
    return Playable(
        definition.title,
        definition.name.lower(),
        _identity(game),
        definition.machine,
        _state(spectrum),
        definition,
    )


def _open_file(path: str, *, machine: str, at_start: bool, start: str | None) -> Playable:
    content = open_content(path)
    if content.kind in RECORDINGS:
        return open_recording(Path(path))
    identity = Identity(Path(content.name).name, hashlib.sha256(content.data).hexdigest())
    known = games_of_program([identity.program])
    if known:
        return _from_game(Game(find_definition(known[0]), content.data), at_start=at_start, start=start)
    if at_start or start is not None:
        raise UserError(f"{path} is no known game's program, and has no start states")
    if content.kind in SNAPSHOTS:
        snapshot = parse_snapshot(content.data, content.name)
        return _described(to_machine(snapshot), Identity.of_note(snapshot.note) or identity)
    spectrum = Spectrum(machine)
    tape = parse_tape(content.data, content.name)
    played = load_next_blocks(spectrum, tape)
    return replace(_described(spectrum, identity), tape=tape, tape_played=played)


def _continued(recording: Rzx) -> Playable:
    player = RzxPlayer(recording)
    try:
        player.run_frames()
    except RzxDesync:
        player = RzxPlayer(recording, flags=find_playback_flags(recording))
        player.run_frames()
    first = _first_snapshot(recording)
    identity = Identity.of_note(first.note) or Identity(Path(recording.name).name, "")
    found = _described(player.spectrum, identity)
    # Ours are played with this flag. One that needs others could not be played in one piece with what follows.
    return replace(found, before=recording) if player.flags == LOAD_FLAG else found


def _first_snapshot(recording: Rzx) -> Snapshot:
    snapshot = recording.parts[0].snapshot
    if snapshot is None:
        raise UserError(f"{recording.name}: the recording has no snapshot to start from")
    return parse_snapshot(snapshot.data, snapshot.name)


def _described(spectrum: Spectrum, identity: Identity) -> Playable:
    """A machine with what is known about its game."""
    state = _state(spectrum)
    if identity.game in list_games():
        definition = find_definition(identity.game)
        if definition.machine == spectrum.machine:
            name = definition.name.lower()
            return Playable(definition.title, name, identity, spectrum.machine, state, definition)
    return Playable(identity.game, _slug(identity.game), identity, spectrum.machine, state)


def _identity(game: Game) -> Identity:
    program = unpack(game.program, game.id).data
    return Identity(game.id, hashlib.sha256(program).hexdigest())


def _state(spectrum: Spectrum) -> bytes:
    spectrum.release_all()
    return spectrum.save_state()


def _slug(file_name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", Path(file_name).stem.lower()).strip("-") or "game"
