# SPDX-License-Identifier: GPL-3.0-or-later
"""Games that load their levels one by one."""

import numpy as np
import pytest
from custom_loaders import DONE, TARGET, turbo_loader
from level_tape import LEVEL_AT, LEVELS, level_tape
from tape_maker import program_blocks, standard, turbo, tzx

from oakemu_rl.emulator import Spectrum, Tape, TapeBlock, load_tape, parse_tape
from oakemu_rl.emulator.tapes import load_next_blocks
from oakemu_rl.errors import UserError


def level(spectrum: Spectrum) -> bytes:
    return spectrum.memory[LEVEL_AT - 0x4000 :][:7].tobytes()


def test_the_program_begins_where_its_last_block_ends() -> None:
    spectrum, whole = Spectrum(), Spectrum()
    tape = level_tape()
    assert load_next_blocks(spectrum, tape, max_frames=200) == 4
    load_tape(whole, Tape("game.tap", tape.blocks[:4]))
    assert spectrum.frame == whole.frame
    assert np.array_equal(spectrum.memory, whole.memory)
    assert spectrum.registers.as_dict() == whole.registers.as_dict()
    assert not spectrum._machine.has_tape


def test_levels_follow_when_they_are_asked_for() -> None:
    spectrum, tape = Spectrum(), level_tape()
    blocks = load_next_blocks(spectrum, tape, max_frames=100)
    for number, content in enumerate(LEVELS):
        spectrum.tap("q", frames=10)
        blocks = load_next_blocks(spectrum, tape, first_block=blocks, boot=False, max_frames=100)
        assert level(spectrum) == content
        assert blocks == 5 + number
    with pytest.raises(UserError, match="nothing to be heard"):
        load_next_blocks(spectrum, tape, first_block=6, boot=False)


def test_a_tape_that_is_loaded_whole() -> None:
    spectrum, whole = Spectrum(), Spectrum()
    tape = Tape("game.tap", program_blocks(b"\x18\xfe"))
    assert load_next_blocks(spectrum, tape) == 4
    load_tape(whole, tape)
    assert np.array_equal(spectrum.memory, whole.memory)


def test_a_loader_of_its_own_with_more_behind_it() -> None:
    content = bytes(range(50))
    parity = int(np.bitwise_xor.reduce(np.arange(50)))
    block = turbo(content + bytes([parity]), pilot=1500, pulses=1500, sync=(400, 500), zero=400, one=800)
    more = standard(TapeBlock.from_data(0xFF, b"more").content)
    spectrum = Spectrum()
    file = tzx(*(standard(each.content) for each in program_blocks(turbo_loader(50))), block, more)
    assert load_next_blocks(spectrum, parse_tape(file)) == 5
    assert spectrum.memory[TARGET - 0x4000 :][:50].tobytes() == content
    assert spectrum.frame < 1000  # it has not waited for 1500 frames
    assert spectrum.run_until(DONE, 5) == DONE


def test_a_program_that_asks_for_nothing() -> None:
    spectrum = Spectrum()
    with pytest.raises(UserError, match=r"levels.tap: the program has not asked for block 5 of 6 within 50 frames"):
        load_next_blocks(spectrum, level_tape(), first_block=4, boot=False, max_frames=50)


def test_a_block_that_is_wrong() -> None:
    blocks = list(program_blocks(b"\x18\xfe"))
    blocks[3] = TapeBlock(blocks[3].content[:-1] + b"\0")
    with pytest.raises(UserError, match=r"tape loading error|parity"):
        load_next_blocks(Spectrum(), Tape("wrong.tap", (*blocks, *level_tape().blocks[4:])))
