# SPDX-License-Identifier: GPL-3.0-or-later
"""The tape of Acorns is made from its sources, and what is written about its memory is true."""

import re
from pathlib import Path

import pytest
from acorns_machine import AcornsMachine, built
from game_machine import ROOT, load_script

from oakemu_rl.games import load_game

TAPE = ROOT / "src" / "oakemu_rl" / "games" / "programs" / "acorns.tap"
PAGE = ROOT / "docs" / "games" / "acorns.md"

# Where the definition's names differ from the program's: `lives` and the like are the same in both.
LABELS = {
    "caught": "caught_count",
    "missed": "missed_count",
    "rotten_caught": "rotten_count",
    "next_kind": "lowest_kind",
    "next_x": "lowest_x",
    "next_y": "lowest_y",
    "acorn_caught": "caught",
    "acorn_missed": "missed",
    "rotten_acorn_caught": "caught_rotten",
}


def test_sources_give_the_committed_tape_byte_for_byte() -> None:
    assert built().tape == TAPE.read_bytes()


def test_a_second_build_gives_the_same_bytes() -> None:
    assert load_script("build").build("acorns").tape == built().tape


def run_script(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["build.py", *arguments])
    return int(load_script("build")._main())


def test_check_tells_a_stale_tape(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(load_script("build"), "TAPES", tmp_path)
    monkeypatch.setattr(load_script("build"), "build", {"acorns": built()}.get)
    assert run_script(monkeypatch, "acorns", "--check") == 1
    assert run_script(monkeypatch, "acorns") == 0
    assert run_script(monkeypatch, "acorns", "--check") == 0
    tape = bytearray((tmp_path / "acorns.tap").read_bytes())
    tape[100] ^= 1
    (tmp_path / "acorns.tap").write_bytes(tape)
    assert run_script(monkeypatch, "acorns", "--check") == 1
    assert "does not match its sources" in capsys.readouterr().err
    assert (tmp_path / "acorns.tap").read_bytes() == tape, "--check writes nothing"


def test_definition_names_the_real_addresses() -> None:
    definition = load_game("acorns").definition
    labels = built().labels
    named = {name: variable.at for name, variable in definition.variables.items()} | definition.routines
    assert named == {name: labels[LABELS.get(name, name)] for name in named}


def test_page_lists_the_real_addresses() -> None:
    labels = built().labels
    rows = re.findall(r"^\| `0x([0-9A-F]{4})` \| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) >= 30
    assert [(name, int(address, 16)) for address, name in rows] == [(name, labels[name]) for _, name in rows]


def test_variables_lie_where_definitions_expect_them() -> None:
    # A moved variable would silently change every saved definition and experiment.
    labels = built().labels
    assert [labels[name] for name in ("main_loop", "score", "lives", "seed", "acorns")] == [
        0x8100,
        0x8400,
        0x8404,
        0x8415,
        0x8440,
    ]


def xorshift(x: int) -> int:
    x ^= x << 7 & 0xFFFF
    x ^= x >> 9
    x ^= x << 8 & 0xFFFF
    return x


def test_random_numbers_run_through_every_seed() -> None:
    x, steps = xorshift(1), 1
    while x != 1:
        x, steps = xorshift(x), steps + 1
    assert steps == 65535


@pytest.mark.parametrize("seed", [1, 2, 0x00FF, 0x0100, 0x8000, 0xFFFF, 0x1234, 0xBEEF])
def test_random_routine_is_that_xorshift(seed: int) -> None:
    machine = AcornsMachine(seed)
    for _ in range(50):
        seed = xorshift(seed)
        machine.call("random")
        assert machine.word("seed") == seed
        assert machine.spectrum.registers.a == seed >> 8


def test_seed_0_is_as_good_as_another() -> None:
    machine = AcornsMachine(0)
    machine.call("random")
    assert machine.word("seed") == xorshift(0x0A4B)


def test_basket_images_are_the_drawing_shifted() -> None:
    drawing = built().code[built().labels["picture_basket"] - 0x8000 :][:64]
    memory = AcornsMachine().spectrum.memory
    for shift in range(8):
        for row in range(16):
            wanted = int.from_bytes(drawing[4 * row : 4 * row + 4], "big") << 8 >> shift
            start = 0xC000 - 0x4000 + 80 * shift + 5 * row
            assert int.from_bytes(bytes(memory[start : start + 5]), "big") == wanted
