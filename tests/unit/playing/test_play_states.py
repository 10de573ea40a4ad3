# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path

import numpy as np
import pytest

from oakemu_rl.emulator import Spectrum, from_machine, read_snapshot, write_snapshot
from oakemu_rl.errors import UserError
from oakemu_rl.playing.identity import Identity
from oakemu_rl.playing.states import StateFiles

GAME = Identity("ZXSpectrum/Mine-v0", "ab" * 32)


@pytest.fixture
def spectrum() -> Spectrum:
    spectrum = Spectrum()
    spectrum.run_frames(100)
    return spectrum


@pytest.fixture
def files(tmp_path: Path) -> StateFiles:
    return StateFiles(tmp_path / "states", GAME, "48k")


def loaded(state: bytes) -> Spectrum:
    spectrum = Spectrum()
    spectrum.load_state(state)
    return spectrum


def test_a_state_comes_back(files: StateFiles, spectrum: Spectrum) -> None:
    spectrum.press("p")
    spectrum.run_frames(7)
    files.write(files.slot(3), spectrum)
    again = loaded(files.read(files.slot(3)))
    assert np.array_equal(again.memory, spectrum.memory)
    assert again.registers.as_dict() == spectrum.registers.as_dict()
    assert again.held_keys == ()
    for each in (again, spectrum):
        each.release_all()
        each.run_frames(50)
    assert np.array_equal(again.memory, spectrum.memory)


def test_other_emulators_may_read_it(files: StateFiles, spectrum: Spectrum) -> None:
    files.write(files.slot(1), spectrum)
    snapshot = read_snapshot(files.slot(1))
    assert snapshot.format == ".szx version 1.5"
    assert snapshot.warnings == ()
    assert Identity.of_note(snapshot.note) == GAME


def test_of_another_game(files: StateFiles, spectrum: Spectrum, tmp_path: Path) -> None:
    files.write(files.slot(1), spectrum)
    other = StateFiles(tmp_path / "states", Identity("ZXSpectrum/Other-v0", "cd" * 32), "48k")
    path = other.slot(1)
    with pytest.raises(UserError) as error:
        other.read(path)
    assert str(error.value) == f"{path}: this is a state of ZXSpectrum/Mine-v0, not of ZXSpectrum/Other-v0"
    again = StateFiles(tmp_path / "states", Identity("ZXSpectrum/Mine-v0", "cd" * 32), "48k")
    with pytest.raises(
        UserError, match=r"another program of ZXSpectrum/Mine-v0 \(SHA-256 abababab..., this one is cdcd"
    ):
        again.read(path)
    renamed = StateFiles(tmp_path / "states", Identity("ZXSpectrum/Mine-v1", "ab" * 32), "48k")
    renamed.read(path)


def test_a_snapshot_of_no_known_game_will_do(files: StateFiles, spectrum: Spectrum, tmp_path: Path) -> None:
    write_snapshot(from_machine(spectrum), tmp_path / "plain.z80")
    assert np.array_equal(loaded(files.read(tmp_path / "plain.z80")).memory, spectrum.memory)


def test_of_another_machine(files: StateFiles, tmp_path: Path) -> None:
    write_snapshot(from_machine(Spectrum("128k")), tmp_path / "plain.z80")
    with pytest.raises(UserError, match=r"plain.z80: the state is of a 128k machine, the game runs on a 48k"):
        files.read(tmp_path / "plain.z80")


@pytest.mark.parametrize(
    ("content", "message"), [(None, "cannot be read: No such file"), (b"ZXST", "header"), (b"", "empty")]
)
def test_what_is_no_state(files: StateFiles, tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "x.szx"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UserError, match=message) as error:
        files.read(path)
    assert str(error.value).startswith(str(path))


def test_a_joystick_is_fitted_whatever_the_state_says(spectrum: Spectrum, files: StateFiles, tmp_path: Path) -> None:
    files.write(files.slot(1), spectrum)
    fitting = StateFiles(tmp_path / "states", GAME, "48k", kempston=True)
    assert from_machine(loaded(fitting.read(fitting.slot(1)))).kempston
    assert not from_machine(loaded(files.read(files.slot(1)))).kempston


@pytest.mark.parametrize("note", [b"", b"{}", b"[1]", b'{"game": "x"}', b"\xff"])
def test_other_notes_say_nothing(note: bytes) -> None:
    assert Identity.of_note(note) is None
