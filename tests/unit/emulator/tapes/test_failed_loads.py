# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of loads that go wrong, and what is left of them."""

import pytest
from custom_loaders import DONE, turbo_loader
from loading_cases import loaded, turbo_file, with_loader
from tape_maker import program_blocks, text, tone, tzx

from oakemu_rl.emulator import Spectrum, Tape, TapeBlock, load_tape, parse_tape
from oakemu_rl.errors import UserError


def test_time_outs_say_what_the_program_is_doing() -> None:
    keyboard = bytes([0xFB, 0x76, 0xAF, 0xDB, 0xFE, 0x18, 0xFA])  # EI; HALT; XOR A; IN A,(FE); JR halt
    more = TapeBlock.from_data(0xFF, b"more")
    with pytest.raises(UserError) as caught:
        load_tape(Spectrum(), Tape("t.tap", (*program_blocks(keyboard), more)), max_frames=60)
    message = str(caught.value)
    assert message.startswith(
        "t.tap: the program has not asked for block 5 of 5 within 60 frames, it is at address 0x800"
    )
    assert "waits for interrupts (HALT)" in message
    assert (
        "reads the keyboard port 1" in message or "reads the keyboard port 9" in message
    )  # the ROM's interrupt reads 8 more
    assert "standard data, 6 bytes" in message
    halted = bytes([0xF3, 0x76])
    with pytest.raises(UserError, match=r"has halted for good \(DI, HALT\), does not read the keyboard"):
        load_tape(Spectrum(), Tape("t.tap", (*program_blocks(halted), more)), max_frames=60)
    basic = Tape("t.tap", (*program_blocks(b"\xc9")[:3], more, more))  # a code block that is too short: error R
    with pytest.raises(
        UserError, match=r"the ROM reports a tape loading error after block 4 of 5 \(standard data, 6 bytes\)"
    ):
        load_tape(Spectrum(), basic, max_frames=60)


def test_a_program_that_returns_to_basic_is_known_by_the_lower_screen() -> None:
    more = TapeBlock.from_data(0xFF, b"more")
    with pytest.raises(UserError, match="the lower screen says '0 OK, 10:3'"):
        load_tape(Spectrum(), Tape("t.tap", (*program_blocks(b"\xc9"), more)), max_frames=100)


def test_a_loader_that_wants_more_is_told_from_one_that_is_done() -> None:
    with pytest.raises(UserError, match="the tape has ended, but the program still listens to it"):
        loaded(with_loader(turbo_loader(50), tone(1500, 300)), fast=True)


def test_bytes_in_a_wrong_speed_are_no_silent_load() -> None:
    spectrum = loaded(turbo_file(zero=800, one=800), fast=True)  # 701 bytes of 0xFF
    assert spectrum.run_until(DONE, 5) is None


def test_tapes_that_cannot_be_loaded() -> None:
    with pytest.raises(UserError, match="t: there is nothing to be heard on the tape"):
        load_tape(Spectrum(), parse_tape(tzx(text(b"only this")), "t"))
    with pytest.raises(UserError, match="max_frames is a number of frames, 1 or more, not 0"):
        load_tape(Spectrum(), parse_tape(turbo_file()), max_frames=0)


def test_the_tape_is_taken_out_again() -> None:
    spectrum = Spectrum()
    load_tape(spectrum, Tape("t.tap", program_blocks(b"\xf3\x18\xfe")))
    assert not spectrum._machine.has_tape
    with pytest.raises(UserError):
        load_tape(spectrum, parse_tape(tzx(tone(1, 1)), "t"), max_frames=5)
    assert not spectrum._machine.has_tape
