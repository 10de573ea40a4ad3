# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games check FILE`: what a definition, snapshot, tape or recording is, and what is wrong with it."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console
from rich.table import Table

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.container import Content, open_content
from oakemu_rl.emulator.detection import RECORDINGS, TAPES
from oakemu_rl.emulator.rzx import describe_rzx, parse_rzx
from oakemu_rl.emulator.snapshots import Snapshot, parse_snapshot
from oakemu_rl.emulator.tapes import Tape, parse_tape
from oakemu_rl.emulator.tapes.describe import describe_block
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game
from oakemu_rl.games.matching import games_of_program
from oakemu_rl.games.registry import YAML_SUFFIXES

__all__ = ["run"]

_MACHINES = {"48k": "ZX Spectrum 48K", "128k": "ZX Spectrum 128K", "plus2": "ZX Spectrum +2"}


class _CheckArguments(BaseModel):
    """What a definition, a snapshot, a tape or a recording is, and what is wrong with it.

    A definition (.yaml) is read, its program is loaded, and its start script is played to its end. Snapshots are .sna,
    .z80 and .szx, tapes .tap, .tzx and .pzx, recordings .rzx, all of them also inside of a .zip or .gz. What these are
    called does not matter. A recording is played, to find out whether it gets to its end.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field(
        description="The file; FILE.zip:MEMBER for one of several in an archive.",
        json_schema_extra={"positional": True, "metavar": "FILE"},
    )


def run(args: Sequence[str]) -> int:
    """Prints what a file is; returns the exit code.

    Raises:
        OSError: It cannot be read.
        UserError: It is no definition, snapshot, tape or recording, or a broken one.
    """
    if not args:
        raise UserError("name a file to check: oakemu-rl games check FILE")
    arguments = parse_flags(_CheckArguments, args, prog="oakemu-rl games check")
    definition = arguments.file.lower().endswith(YAML_SUFFIXES)
    rows = _definition_rows(arguments.file) if definition else _content_rows(arguments.file)
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, text in rows.items():
        table.add_row(name, text)
    Console().print(table, markup=False, highlight=False)
    return 0


def _definition_rows(path: str) -> dict[str, str]:
    game = load_game(Path(path))
    definition = game.definition
    return {
        "file": path,
        "format": "definition" + ("" if definition.extends is None else f", extends {definition.extends}"),
        "game": definition.id + ("" if definition.verified else ", not verified on the real program yet"),
        "program": definition.program.bundled or hashlib.sha256(game.program).hexdigest(),
        **{f"start {name}" if len(game.start_names) > 1 else "start": _start(game, name) for name in game.start_names},
        "actions": ", ".join(definition.actions),
        "problems": "none",
    }


def _start(game: Game, name: str) -> str:
    machine = Spectrum(game.definition.machine)
    machine.load_state(game.start_state(name))
    values = ", ".join(f"{variable} {value}" for variable, value in game.read(machine.visible_ram()).items())
    reached = f"reached after {machine.frame} frames, at 0x{machine.registers.pc:04X}"
    return f"{reached}: {values}" if values else f"{reached}; there are no variables"


def _content_rows(path: str) -> dict[str, str]:
    content = open_content(path)
    if content.kind in RECORDINGS:
        rows = describe_rzx(parse_rzx(content.data, content.name, folder=Path(path).parent))
    elif content.kind in TAPES or (
        content.kind is None and content.name.lower().endswith(tuple(f".{kind}" for kind in TAPES))
    ):
        rows = _tape_rows(parse_tape(content.data, content.name))
    else:
        rows = _snapshot_rows(parse_snapshot(content.data, content.name))
    return {"file": content.name, **rows, **_identity(path, content)}


def _snapshot_rows(snapshot: Snapshot) -> dict[str, str]:
    registers = snapshot.registers
    interrupts = "enabled" if registers["iff1"] else "disabled"
    late = ", late timing" if snapshot.late else ""
    rows = {
        "format": snapshot.format,
        "machine": _MACHINES[snapshot.machine] + late + (", issue 2 keyboard" if snapshot.issue2 else ""),
        "PC": f"0x{registers['pc']:04X}" + (", waiting in the HALT before it" if snapshot.halted else ""),
        "SP": f"0x{registers['sp']:04X}",
        "interrupts": f"{interrupts}, mode {registers['im']}" + (", after EI" if snapshot.after_ei else ""),
        "border": str(snapshot.border),
        "T": "not in this format" if snapshot.t is None else str(snapshot.t),
    }
    if snapshot.machine != "48k":
        rows["port 0x7FFD"] = _paging(snapshot.port_7ffd)
        known = snapshot.ay is not None and snapshot.ay_selected is not None
        rows["AY"] = (
            f"{bytes(snapshot.ay or b'').hex(' ').upper()}, register {snapshot.ay_selected}"
            if known
            else "not in the file"
        )
    if snapshot.kempston:
        rows["joystick"] = "Kempston"
    return {**rows, "problems": "\n".join(snapshot.warnings) or "none"}


def _paging(value: int) -> str:
    locked = ", locked" if value & 0x20 else ""
    screen = 7 if value & 8 else 5
    return f"0x{value:02X}: bank {value & 7} at 0xC000, screen of bank {screen}, ROM {value >> 4 & 1}{locked}"


def _tape_rows(tape: Tape) -> dict[str, str]:
    blocks = [f"{number:3} {describe_block(block)}" for number, block in enumerate(tape.blocks, start=1)]
    return {"format": f".{tape.format}", "blocks": "\n".join(blocks)}


def _identity(path: str, content: Content) -> dict[str, str]:
    """SHA-256 and the game that it is known for; of a packed file, both what is in it and itself."""
    hashes = {"SHA-256": hashlib.sha256(content.data).hexdigest()}
    if Path(path).is_file():  # else it names a member of an archive
        hashes["SHA-256 packed"] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        if hashes["SHA-256 packed"] == hashes["SHA-256"]:
            del hashes["SHA-256 packed"]
    games = games_of_program(hashes.values())
    return {**hashes, "game": ", ".join(games) or "no known game"}
