# SPDX-License-Identifier: GPL-3.0-or-later
"""RAM read as every type: compared with single variables read one by one, and with the words of the documentation."""

import re

import numpy as np
import pytest

from oakemu_rl.games.search_values import RAM_SIZE, SIZES, TYPES, last_bytes, read_all
from oakemu_rl.games.variables import Variable

START = 0x4000


def memory(seed: int) -> np.ndarray:
    """Random bytes, with digits of every kind, spaces and noughts far more often than by chance."""
    stream = np.random.default_rng(seed)
    likely = np.array([*range(10), *b"0123456789", *b"   ", 0x12, 0x99, 0, 0xFF, 0x80], np.uint8)
    ram = stream.choice(likely, RAM_SIZE)
    third = RAM_SIZE // 3
    ram[:third] = stream.integers(0, 256, third)
    ram[-third:] = stream.choice(np.frombuffer(b"0123456789  ", np.uint8), third)
    return ram


def is_number(name: str, data: bytes) -> bool:
    if name.startswith("bcd"):
        return re.fullmatch("[0-9]*", data.hex()) is not None
    if name.startswith("ascii"):
        return re.fullmatch(b"[\0-\x09]+| *[0-9]+", data) is not None
    return True


@pytest.mark.parametrize("name", TYPES)
def test_every_type_is_read_as_a_variable_of_it_is(name: str) -> None:
    ram = memory(1)
    reading = read_all(ram)
    row, size = TYPES.index(name), SIZES[name]
    assert Variable(at=START, type=name).size == size
    addresses = [*range(0, RAM_SIZE - size, 31), RAM_SIZE - size]
    valid = [is_number(name, ram[at : at + size].tobytes()) for at in addresses]
    assert any(valid)
    assert reading.valid[row, addresses].tolist() == valid
    for at, good in zip(addresses, valid, strict=True):
        if good:
            assert reading.values[row, at] == Variable(at=START + at, type=name).read(ram)


@pytest.mark.parametrize("name", TYPES)
def test_nothing_reaches_beyond_ram(name: str) -> None:
    row, size = TYPES.index(name), SIZES[name]
    valid = read_all(np.zeros(RAM_SIZE, np.uint8)).valid[row]
    assert valid[RAM_SIZE - size]
    assert not valid[RAM_SIZE - size + 1 :].any()


@pytest.mark.parametrize(
    ("name", "offset"), [("u8", 0), ("u16le", 0), ("u24", 0), ("u16be", 1), ("bcd3", 2), ("ascii6", 5)]
)
def test_the_last_byte_is_the_one_that_counts_the_ones(name: str, offset: int) -> None:
    ram = np.zeros(RAM_SIZE, np.uint8)
    at = 1000
    variable = Variable(at=START + at, type=name)
    variable.write(ram, 7)
    other = ram.copy()
    variable.write(other, 8)
    assert np.flatnonzero(ram != other).tolist() == [at + offset]
    assert last_bytes(np.array([TYPES.index(name)]), np.array([at])).tolist() == [at + offset]
