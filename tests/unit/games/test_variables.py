# SPDX-License-Identifier: GPL-3.0-or-later
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from oakemu_rl.games._program import TableUse
from oakemu_rl.games.variables import Variable

TYPES = ["u8", "i8", "u16le", "u16be", "u24", "bool", "bcd1", "bcd4", "bcd9", "ascii1", "ascii6", "ascii18",
         "bits(0,0)", "bits(2,5)", "bits(0,7)"]  # fmt: skip


def ram_with(address: int, data: bytes) -> np.ndarray:
    ram = np.full(49152, 0xA5, dtype=np.uint8)
    ram[address - 0x4000 : address - 0x4000 + len(data)] = list(data)
    return ram


@pytest.mark.parametrize(
    ("kind", "data", "value"),
    [
        ("u8", b"\xfe", 254),
        ("i8", b"\xfe", -2),
        ("u16le", b"\x34\x12", 0x1234),
        ("u16be", b"\x12\x34", 0x1234),
        ("u24", b"\x56\x34\x12", 0x123456),
        ("bool", b"\x00", 0),
        ("bool", b"\x40", 1),
        ("bcd4", b"\x00\x12\x34\x56", 123456),
        ("ascii6", b"001250", 1250),
        ("ascii6", b"  1250", 1250),
        ("ascii3", b"\x01\x02\x03", 123),
        ("bits(0,3)", b"\xa6", 6),
        ("bits(4,7)", b"\xa6", 10),
        ("bits(1,1)", b"\xa6", 1),
        ("bits(3, 3)", b"\xa6", 0),
    ],
)
def test_reads(kind: str, data: bytes, value: int) -> None:
    assert Variable(at=0x8400, type=kind).read(ram_with(0x8400, data)) == value


@pytest.mark.parametrize(
    ("kind", "value", "data"),
    [
        ("i8", -2, b"\xfe"),
        ("u16le", 0x1234, b"\x34\x12"),
        ("u16be", 0x1234, b"\x12\x34"),
        ("u24", 0x123456, b"\x56\x34\x12"),
        ("bcd4", 123456, b"\x00\x12\x34\x56"),
        ("ascii6", 1250, b"001250"),
        ("bits(4,6)", 0, b"\x85"),  # the other bits of 0xA5 stay
        ("bits(1,3)", 7, b"\xaf"),
    ],
)
def test_writes(kind: str, value: int, data: bytes) -> None:
    ram = ram_with(0x8400, b"")
    Variable(at=0x8400, type=kind).write(ram, value)
    assert bytes(ram) == bytes(ram_with(0x8400, data))


@given(st.sampled_from(TYPES), st.data())
def test_reads_what_it_wrote(kind: str, data: st.DataObject) -> None:
    variable = Variable(at=0xC000, type=kind)
    value = data.draw(st.integers(*variable.limits))
    ram = ram_with(0xC000, b"")
    variable.write(ram, value)
    assert variable.read(ram) == value
    untouched = np.delete(ram, range(0x8000, 0x8000 + variable.size))
    assert (untouched == 0xA5).all()


@pytest.mark.parametrize("kind", TYPES)
def test_refuses_values_outside_its_limits(kind: str) -> None:
    variable = Variable(at=0xC000, type=kind)
    ram = ram_with(0xC000, b"")
    low, high = variable.limits
    for value in (low - 1, high + 1):
        with pytest.raises(ValueError, match=f"{value} does not fit"):
            variable.write(ram, value)
    assert (ram == 0xA5).all()


@pytest.mark.parametrize(
    ("kind", "core"),
    [
        ("u8", (0x8000, "u8", 1, 0, 7)),
        ("u24", (0x8000, "u24", 3, 0, 7)),
        ("bcd4", (0x8000, "bcd", 4, 0, 7)),
        ("ascii6", (0x8000, "digits", 6, 0, 7)),
        ("bits(2,5)", (0x8000, "bits", 1, 2, 5)),
        ("bool", (0x8000, "bool", 1, 0, 7)),
    ],
)
def test_form_for_the_core(kind: str, core: tuple[object, ...]) -> None:
    assert Variable(at=0x8000, type=kind).core == (*core, 1, 0, "", 0)


TABLE = Variable(at=0x8000, type="u16le", count=3, stride=5)
FIVE_APART = bytes([1, 0, 9, 9, 9, 0, 1, 9, 9, 9, 1, 0])  # 1, 256, 1


@pytest.mark.parametrize(
    ("use", "value", "core"),
    [
        (("t", "sum"), 258, (0x8000, "u16le", 2, 0, 7, 3, 5, "sum", 0)),
        (("t", "min"), 1, (0x8000, "u16le", 2, 0, 7, 3, 5, "min", 0)),
        (("t", "max"), 256, (0x8000, "u16le", 2, 0, 7, 3, 5, "max", 0)),
        (("t", "count", 1), 2, (0x8000, "u16le", 2, 0, 7, 3, 5, "count", 1)),
        (("t", "item", 1), 256, (0x8005, "u16le", 2, 0, 7, 1, 0, "", 0)),
    ],
)
def test_numbers_of_a_table(use: tuple, value: int, core: tuple[object, ...]) -> None:
    assert TABLE.is_table
    assert TABLE.read_of(TableUse(*use), ram_with(0x8000, FIVE_APART)) == value
    assert TABLE.core_of(TableUse(*use)) == core


def test_items_of_a_table_follow_one_another_by_default() -> None:
    table = Variable(at=0xFFFD, type="u8", count=3)
    assert table.core_of(TableUse("t", "sum")) == (0xFFFD, "u8", 1, 0, 7, 3, 1, "sum", 0)
    assert Variable(at=0x8000, type="u8", count=1).is_table
    assert not Variable(at=0x8000, type="u8").is_table


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"count": 0}, "greater than or equal to 1"),
        ({"count": 257}, "less than or equal to 256"),
        ({"count": 2.0}, "should be a valid integer"),
        ({"count": 2, "stride": 0}, "greater than or equal to 1"),
        ({"stride": 2}, "a stride is only of use with a count"),
        ({"count": 3, "at": 0xFFFE}, "the 3 items of u8 from 0xFFFE on, 1 bytes apart, reach beyond RAM"),
        ({"count": 2, "stride": 0x100, "at": 0xFF00}, "256 bytes apart, reach beyond RAM"),
    ],
)
def test_refuses_tables(given: dict, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Variable.model_validate({"at": 0x8000, "type": "u8", **given})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("at", "kind"),
    [(0x4000, "u8"), (0xFFFF, "u8"), (0xFFFE, "u16le"), (0xFFFD, "u24"), (0xFFFC, "bcd4"), (0xFFFF, "bcd1")],
)
def test_addresses_at_the_ends_of_ram(at: int, kind: str) -> None:
    variable = Variable(at=at, type=kind)
    assert variable.read(np.zeros(49152, dtype=np.uint8)) == 0


@pytest.mark.parametrize(
    ("at", "kind", "message"),
    [
        (0x3FFF, "u8", "the address 0x3FFF is outside RAM, which is 0x4000 to 0xFFFF"),
        (0x10000, "u8", "outside RAM"),
        (-1, "u8", "the address -0x0001 is outside RAM"),
        (10**40, "u8", "outside RAM"),
        (0xFFFF, "u16le", "the 2 bytes of u16le at 0xFFFF reach beyond RAM"),
        (0xFFFD, "bcd4", "the 4 bytes of bcd4 at 0xFFFD reach beyond RAM"),
        (0x8000, "u16l", "unknown type 'u16l' (did you mean 'u16le'?)"),
        (0x8000, "bcd", "unknown type 'bcd' (did you mean 'bcd4'?)"),
        (0x8000, "", "unknown type ''"),
        (0x8000, "bcd0", "bcdN takes 1 to 9 bytes, not 0"),
        (0x8000, "bcd10", "bcdN takes 1 to 9 bytes, not 10"),
        (0x8000, "ascii19", "asciiN takes 1 to 18 bytes, not 19"),
        (0x8000, "bits(5,2)", "the bits of a byte are 0 to 7 and the lowest comes first"),
        (0x8000, "bits(0,8)", "the bits of a byte are 0 to 7"),
        (0x8000, "bits(-1,2)", "unknown type"),
        (True, "u8", "should be a valid integer"),
        (32768.0, "u8", "should be a valid integer"),
        ("$8400", "u8", "must be a whole number, not the text '$8400' (write 0x8400)"),
        ("8400h", "u8", "(write 0x8400)"),
        ("0x8400", "u8", "(write 0x8400)"),
    ],
)
def test_refuses(at: object, kind: str, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Variable.model_validate({"at": at, "type": kind})
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "most"),
    [("bcd1", 165), ("bcd4", 166666665), ("ascii1", 15), ("ascii3", 1665), ("u16le", 65535), ("bool", 1)],
)
def test_numbers_that_bytes_can_be_read_as(kind: str, most: int) -> None:
    variable = Variable(at=0x8000, type=kind)
    assert variable.possible_numbers == (0, most)
    assert variable.read(np.full(0xC000, 0xFF, np.uint8)) == most
