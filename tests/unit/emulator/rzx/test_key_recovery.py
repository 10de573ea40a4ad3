# SPDX-License-Identifier: GPL-3.0-or-later
"""Which keys were held, worked out from what a program reads."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.keyboard import held_matrix
from oakemu_rl.emulator.rzx import FrameInputs, Rzx, RzxPart, RzxPlayer, RzxRecorder
from oakemu_rl.emulator.rzx.machines import snapshot_of

Table = NDArray[np.uint8]
NOTHING = 0xBF


def played(*frames: list[tuple[int, int]]) -> tuple[Table, Table]:
    """Held and known after frames in which a program reads ports: pairs of port and value."""
    program: list[int] = []
    inputs = []
    for frame in frames:
        for port, _ in frame:
            program += [0x01, port & 0xFF, port >> 8, 0xED, 0x78]  # LD BC,port; IN A,(C)
        inputs.append((3 * len(frame) + 1, bytes(value for _, value in frame)))
        program.append(0x00)
    spectrum = Spectrum()
    spectrum.write_block(0x8000, bytes(program))
    spectrum.registers.pc = 0x8000
    part = RzxPart(snapshot_of(spectrum, "szx", "made"), FrameInputs.from_frames(inputs))
    keys = RzxPlayer(Rzx("made", (part,))).run_frames()
    return keys.held, keys.known


def rows(**bits: int) -> list[int]:
    """Nine bytes with some of them set: r0 to r7, and j for the joystick."""
    return [*(bits.get(f"r{row}", 0) for row in range(8)), bits.get("j", 0)]


@pytest.mark.parametrize("row", range(8))
def test_a_row_that_is_read_alone_is_certain(row: int) -> None:
    port = (0xFF & ~(1 << row)) << 8 | 0xFE
    held, known = played([(port, NOTHING & ~0b01001)])
    assert held.tolist() == [rows(**{f"r{row}": 0b01001})]
    assert known.tolist() == [rows(**{f"r{row}": 0x1F})]


def test_any_even_port_is_the_keyboard() -> None:
    held, known = played([(0xFE7E, NOTHING & ~1), (0xFDFF, 0)])
    assert held.tolist() == [rows(r0=1)]
    assert known.tolist() == [rows(r0=0x1F)]


def test_other_bits_of_the_port_are_no_keys() -> None:
    held, _ = played([(0xFEFE, 0x1F)])
    assert held.tolist() == [rows()]


def test_the_last_of_several_reads_counts() -> None:
    held, _ = played([(0xFEFE, NOTHING & ~1), (0xFEFE, NOTHING & ~2)])
    assert held.tolist() == [rows(r0=2)]


def test_what_is_not_read_stays_and_is_not_known() -> None:
    held, known = played([(0xFEFE, NOTHING & ~1)], [(0xFDFE, NOTHING & ~4)], [])
    assert held.tolist() == [rows(r0=1), rows(r0=1, r1=4), rows(r0=1, r1=4)]
    assert known.tolist() == [rows(r0=0x1F), rows(r1=0x1F), rows()]


def test_keys_that_are_up_in_rows_together_are_up_in_each() -> None:
    held, known = played([(0x00FE, NOTHING & ~8)])
    assert (held[0, :8] & ~np.uint8(8)).tolist() == [0] * 8
    assert known.tolist() == [[0x1F & ~8] * 8 + [0]]


def test_one_of_several_rows_fits_what_was_read() -> None:
    held, _ = played([(0xF5FE, NOTHING & ~8)])
    # Rows 1 and 3: nobody can know which, the first is taken.
    assert held.tolist() == [rows(r1=8)]
    again, _ = played([(0xF7FE, NOTHING & ~8)], [(0xF5FE, NOTHING & ~8)])
    # Row 3 was held before.
    assert again.tolist() == [rows(r3=8), rows(r3=8)]


@pytest.mark.parametrize("order", [1, -1])
def test_one_of_several_rows_is_certain_if_the_others_are_up(order: int) -> None:
    held, known = played([(0xF5FE, NOTHING & ~8), (0xFDFE, NOTHING)][::order])
    assert held.tolist() == [rows(r3=8)]
    assert known.tolist() == [rows(r1=0x1F, r3=0x1F)]


def test_one_of_several_rows_says_nothing_new_if_one_is_down() -> None:
    held, known = played([(0xFDFE, NOTHING & ~8), (0xF5FE, NOTHING & ~8)])
    assert held.tolist() == [rows(r1=8)]
    assert known.tolist() == [rows(r1=0x1F, r3=0x17)]


def test_a_read_of_no_row_says_nothing() -> None:
    held, known = played([(0xFEFE, NOTHING & ~1)], [(0xFFFE, NOTHING)])
    assert held.tolist() == [rows(r0=1)] * 2
    assert known[1].tolist() == rows()


@pytest.mark.parametrize("port", [0x001F, 0xFF1F, 0x5507])
def test_a_joystick(port: int) -> None:
    held, known = played([(port, 0b10010)])
    assert held.tolist() == [rows(j=0b10010)]
    assert known.tolist() == [rows(j=0x1F)]


@pytest.mark.parametrize("value", [0xFF, 0x38, 0b00011, 0b01100])
def test_where_no_joystick_is_fitted(value: int) -> None:
    held, known = played([(0x001F, 0b10000)], [(0x001F, value)])
    assert held.tolist() == [rows(j=0b10000)] * 2
    assert known[1].tolist() == rows()


def test_keys_that_a_person_types_into_basic(ready: Spectrum, read_text: Callable[[Spectrum], list[str]]) -> None:
    held: list[Table] = []
    with RzxRecorder(ready) as recorder:
        for keys in [("p",), (), ("shift", "5"), (), ("2",), (), ("enter",), ()]:
            ready.release_all()
            ready.press(*keys)
            ready.run_frames(8)
            held += [held_matrix(keys)] * 8
    player = RzxPlayer(recorder.recording())
    keys_played = player.run_frames()
    # The first frame is the rest of one, without the interrupt in which the ROM looks at the keys.
    assert (keys_played.known[0] == 0).all()
    assert keys_played.held[1:, :8].tolist() == [row.tolist() for row in held[1:]]
    assert (keys_played.known[1:, :8] == 0x1F).all()
    assert read_text(player.spectrum) == read_text(ready)
