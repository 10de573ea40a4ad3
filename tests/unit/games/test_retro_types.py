# SPDX-License-Identifier: GPL-3.0-or-later
"""Types of stable-retro against its own rule for what bytes mean, written down here once more."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakemu_rl.errors import UserError
from oakemu_rl.games.retro_types import carry_variable
from oakemu_rl.games.variables import Variable

ADDRESS = 0x9000
ORDERS = ("<", ">", "|", "=", "<>", "><")
WHOLE = (1 << 64) - 1


def their_value(data: bytes, text: str, mask: int) -> int:
    """Each byte counts for a power of the base; which power, says the order. Half orders swap the halves."""
    order, kind, size = text[:-2], text[-2], int(text[-1])
    places = list(range(size))  # place in memory, least significant first
    half = size // 2
    if order == ">":
        places.reverse()
    elif order == "<>":
        places = places[:half][::-1] + places[half:][::-1]
    elif order == "><":
        places = places[half:] + places[:half]
    base = {"u": 256, "i": 256, "d": 100, "n": 10}[kind]
    digits = {"u": lambda b: b, "i": lambda b: b, "d": lambda b: b // 16 * 10 + b % 16, "n": lambda b: b % 16}[kind]
    value = sum(digits(data[place]) * base**power for power, place in enumerate(places))
    if kind == "i" and value >= 256**size // 2:
        value -= 256**size
    return value & mask if mask != WHOLE else value


def our_value(data: bytes, text: str, mask: int) -> int:
    carried = carry_variable("x", ADDRESS, text, mask)
    ram = np.zeros(49152, np.uint8)
    ram[ADDRESS - 0x4000 : ADDRESS - 0x4000 + len(data)] = list(data)
    values = {name: Variable(at=at, type=kind).read(ram) for name, (at, kind) in carried.variables.items()}
    return int(eval(carried.expression or "x", {}, values))  # noqa: S307 - expressions are a part of Python


def digits_only(data: bytes) -> bytes:
    return bytes(byte // 16 % 10 * 16 + byte % 16 % 10 for byte in data)


@given(st.sampled_from(ORDERS), st.sampled_from("uidn"), st.integers(1, 8), st.binary(min_size=8, max_size=8))
def test_every_type(order: str, kind: str, size: int, data: bytes) -> None:
    if (kind in "ui" and size > 6) or (len(order) == 2 and size % 2):
        return
    data = digits_only(data) if kind in "dn" else data
    text = f"{order}{kind}{size}"
    assert our_value(data, text, WHOLE) == their_value(data, text, WHOLE)


@given(st.sampled_from(ORDERS[:4]), st.integers(1, 4), st.binary(min_size=4, max_size=4), st.integers(1, 2**32 - 1))
def test_masks(order: str, size: int, data: bytes, mask: int) -> None:
    if mask & (256**size - 1) == 0:
        return
    text = f"{order}u{size}"
    assert our_value(data, text, mask) == their_value(data, text, mask)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("|u1", "u8"),
        ("=u1", "u8"),
        ("|i1", "i8"),
        ("<u2", "u16le"),
        ("=u2", "u16le"),
        (">u2", "u16be"),
        ("<u3", "u24"),
        (">d4", "bcd4"),
        ("|d1", "bcd1"),
        (">n6", "ascii6"),
    ],
)
def test_what_has_a_type_of_its_own_stays_one_variable(text: str, kind: str) -> None:
    carried = carry_variable("x", ADDRESS, text)
    assert (carried.variables, carried.expression) == ({"x": (ADDRESS, kind)}, "")


def test_bits_of_a_byte() -> None:
    assert carry_variable("x", ADDRESS, "|u1", 0x0F).variables == {"x": (ADDRESS, "bits(0,3)")}
    carried = carry_variable("x", ADDRESS, "|u1", 0x0C)
    assert (carried.variables, carried.expression) == ({"x_0": (ADDRESS, "bits(2,3)")}, "4 * x_0")


@pytest.mark.parametrize(
    ("text", "mask", "said"),
    [
        ("u1", WHOLE, "none that is known"),
        ("|f4", WHOLE, "none that is known"),
        (">=u4", WHOLE, "none that is known"),
        (">u8", WHOLE, "more than 6 bytes"),
        (">d2", 0x0F, "a mask"),
        ("|u1", 0x100, "leaves no bit"),
    ],
)
def test_what_has_no_counterpart(text: str, mask: int, said: str) -> None:
    with pytest.raises(UserError, match=said):
        carry_variable("x", ADDRESS, text, mask)
