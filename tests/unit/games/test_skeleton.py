# SPDX-License-Identifier: GPL-3.0-or-later
"""Definitions to fill in: what is written is a definition, and says what was found."""

import hashlib
from importlib import resources
from pathlib import Path

import pytest
from small_game import CODE, tape

from oakemu_rl.emulator import Spectrum, Tape, TapeBlock, from_machine, write_snapshot
from oakemu_rl.emulator.container import Content, open_content
from oakemu_rl.errors import UserError
from oakemu_rl.games import Definition, Game, beginning
from oakemu_rl.games.skeleton import Skeleton, make_skeleton, name_of
from oakemu_rl.yaml_source import parse_yaml, validate


def shipped(name: str) -> Content:
    return Content(f"{name}.tap", (resources.files("oakemu_rl.games") / "programs" / f"{name}.tap").read_bytes())


def make(content: Content) -> tuple[Skeleton, Definition]:
    skeleton = make_skeleton(content, game_id="ZXSpectrum/New-v3", file="new.yaml")
    return skeleton, validate(Definition, parse_yaml(skeleton.text, name="new.yaml"))


def test_a_tape() -> None:
    skeleton, definition = make(shipped("caverns"))
    assert definition.id == "ZXSpectrum/New-v3"
    assert definition.title == "Caverns"
    assert definition.machine == "48k"
    assert definition.program.sha256 == [hashlib.sha256(shipped("caverns").data).hexdigest()]
    assert tuple(definition.start) == skeleton.beginning.steps
    assert definition.actions == {"stay": [], "left": ["o"], "right": ["p"], "space": ["space"]}
    assert definition.area == skeleton.found.area
    assert all(len(line) <= 120 for line in skeleton.text.splitlines())


def test_a_commented_key_is_a_key(tmp_path: Path) -> None:
    """What the comments suggest can be uncommented as it stands."""
    skeleton, _ = make(shipped("acorns"))
    text = skeleton.text
    for line in ("variables:", "  score: {at", "  lives: {at", "loss: ", "win: "):
        assert f"\n# {line}" in text, line
        text = text.replace(f"\n# {line}", f"\n{line}")
    definition = validate(Definition, parse_yaml(text, name="new.yaml"))
    assert set(definition.variables) == {"score", "lives"}
    assert definition.loss == "lives == 0"


@pytest.mark.parametrize("kind", ["szx", "z80", "sna"])
@pytest.mark.parametrize("machine", ["48k", "128k"])
def test_a_snapshot_goes_on_where_it_was_taken(kind: str, machine: str, tmp_path: Path) -> None:
    spectrum = Spectrum(machine)
    spectrum.run_frames(150)
    path = tmp_path / f"a game.{kind}"
    write_snapshot(from_machine(spectrum), path)
    skeleton, definition = make(open_content(path))
    assert skeleton.beginning.steps == ()
    assert definition.start == []
    assert definition.machine == machine
    assert definition.title == "A game"


def test_a_program_that_shows_nothing_makes_a_definition_too() -> None:
    skeleton, definition = make(Content("small.tap", tape()))
    assert definition.actions == {"stay": []}
    assert "No key was seen to do something" in skeleton.text


def test_a_tape_that_loads_on_a_128k_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def picky(spectrum: Spectrum, tape: Tape) -> None:
        if spectrum.machine == "48k":
            raise UserError("it does not fit")
        spectrum.run_frames(150)

    monkeypatch.setattr(beginning, "load_tape", picky)
    skeleton, definition = make(shipped("acorns"))
    assert definition.machine == "128k"
    assert skeleton.beginning.wrong_machine == "it does not fit"


def test_a_tape_with_more_on_it_than_the_game_asks_for() -> None:
    """As on tapes with levels, or with a second program behind the first."""
    data = with_another_block(tape())
    skeleton, definition = make(Content("small.tap", data))
    assert definition.start[0].until is not None
    place = definition.routines["running"]
    assert 0x8004 <= place <= 0x8008  # its loop that waits for SPACE
    game = Game(definition, data)
    machine = Spectrum()
    machine.load_state(game.start_state())
    assert machine.visible_ram()[:8192].tobytes() == skeleton.beginning.spectrum.visible_ram()[:8192].tobytes()
    assert machine.frame == skeleton.beginning.spectrum.frame


def test_a_loader_that_never_gets_what_it_waits_for_is_no_game() -> None:
    """It runs in RAM, too, and again and again; but it listens."""
    loop = bytes([0xF3, 0xDB, 0xFE, 0xE6, 0x40, 0x18, 0xFA])  # 8000 DI; 8001 IN A,(FE); AND 40; JR 8001
    code = loop + CODE[len(loop) :]
    data = tape().replace(TapeBlock.from_data(255, CODE).content, TapeBlock.from_data(255, code).content)
    with pytest.raises(UserError, match=r"small.tap: the tape has ended, but the program still listens to it"):
        make(Content("small.tap", with_another_block(data)))


def with_another_block(data: bytes) -> bytes:
    content = TapeBlock.from_data(255, bytes(range(200))).content
    return data + len(content).to_bytes(2, "little") + content


def test_a_tape_that_loads_nowhere_is_refused_as_the_first_machine_does() -> None:
    with pytest.raises(UserError, match=r"x.tap: the last block, 1, has 0 bytes"):
        make(Content("x.tap", b"\x02\x00\x00\x00"))


def test_what_is_no_program_is_refused() -> None:
    with pytest.raises(UserError, match="neither a tape nor a snapshot"):
        make(Content("x.txt", b"hello"))


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("plums.tap", "Plums"),
        ("games/jet fighter_2.tzx", "JetFighter2"),
        ("games.zip:in here/3D Thing.tap", "Game3DThing"),
        ("---.tap", "Game"),
    ],
)
def test_names(file: str, name: str) -> None:
    assert name_of(file) == name
