# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches in memories that were made up, so that the right answer is known."""

import numpy as np
import pytest
from made_memories import SCORES, START, after, draw, everywhere, left, memory, shown

from oakemu_rl.errors import UserError
from oakemu_rl.games.search import Search
from oakemu_rl.games.search_values import RAM_SIZE


def test_increased_by_a_number_finds_every_type() -> None:
    search = after(everywhere(98), everywhere(103))
    search.compare("increased", by=5)
    found = left(search)
    assert {(address, name) for name, address in SCORES.items()} <= found
    assert (0x9042, "u8") not in found, "0x98 to 0x03 is no increase of a byte"
    assert (0x9042, "bcd1") not in found, "98 to 03 is no increase of two digits"
    assert (0x9041, "bcd2") in found


@pytest.mark.parametrize(
    ("name", "first", "second", "kept"),
    [
        ("increased", 9, 10, True),
        ("increased", 10, 10, False),
        ("increased", 10, 9, False),
        ("decreased", 10, 9, True),
        ("decreased", 9, 10, False),
        ("changed", 3, 7, True),
        ("changed", 3, 3, False),
        ("unchanged", 3, 3, True),
        ("unchanged", 3, 7, False),
    ],
)
def test_comparisons(name: str, first: int, second: int, *, kept: bool) -> None:
    search = after(everywhere(first), everywhere(second))
    search.compare(name)
    assert search.steps == [name]
    assert all(((address, kind) in left(search)) is kept for kind, address in SCORES.items())


def test_increased_by_is_exact_and_decreased_by_goes_down() -> None:
    search = after(everywhere(20), everywhere(17))
    search.compare("decreased", by=3)
    assert (0x9010, "u16le") in left(search)
    search = after(everywhere(20), everywhere(17))
    search.compare("decreased", by=2)
    assert not left(search)


@pytest.mark.parametrize(("step", "kept"), [("equals", {10}), ("greater", {11, 12}), ("less", {9})])
def test_values(step: str, kept: set[int]) -> None:
    for value in (9, 10, 11, 12):
        search = after(everywhere(value))
        getattr(search, step)(10)
        assert ((0x9020, "u16be") in left(search)) is (value in kept)


def test_negative_numbers_are_found() -> None:
    ram = memory()
    ram[0xA000 - START] = 0xFD
    search = after(ram)
    search.equals(-3)
    assert left(search) == {(0xA000, "i8")}


def test_what_is_no_number_is_no_candidate() -> None:
    search = after(memory(), memory())
    search.compare("unchanged")
    assert (0xA000, "u8") in left(search)
    assert not any(name.startswith(("bcd", "ascii")) and address >= 0xA000 for address, name in left(search))


@pytest.mark.parametrize(("first", "second"), [(0x09, 0x0A), (0x0A, 0x11)])
def test_bytes_that_are_no_number_do_not_increase(first: int, second: int) -> None:
    """0x0A would be ten if its digits were added up; it is no BCD number."""
    rams = []
    for value in (first, second):
        ram = memory()
        ram[0xA000 - START] = value
        rams.append(ram)
    for by in (None, 1):
        search = after(*rams)
        search.compare("increased", by=by)
        assert (0xA000, "bcd1") not in left(search)
    search = after(*rams)
    search.compare("increased")
    assert (0xA000, "u8") in left(search)


def test_bytes_that_are_no_number_equal_none() -> None:
    ram = memory()
    ram[0xA000 - START] = 0x0A
    draw(ram, "10", 3, 3)
    for ask in (lambda search: search.equals(10), lambda search: search.shown()):
        search = after(ram)
        ask(search)
        assert (0xA000, "u8") in left(search)
        assert (0xA000, "bcd1") not in left(search)


def test_undo_takes_back_one_filter_after_the_other() -> None:
    search = after(everywhere(1), everywhere(2))
    everything = search.count
    search.compare("increased")
    once = search.count
    search.equals(77)
    assert search.count == 0
    assert search.undo() == "equals 77"
    assert search.count == once < everything
    assert search.undo() == "increased"
    assert search.count == everything
    assert search.steps == []
    with pytest.raises(UserError, match="no filter to take back"):
        search.undo()


def test_dropped_bytes_take_every_variable_with_them_that_has_one() -> None:
    search = after(everywhere(1))
    changed = np.zeros(RAM_SIZE, np.bool_)
    changed[0x9041 - START] = True
    search.drop_bytes("quiet 50", changed)
    found = left(search)
    assert (0x9041, "u8") not in found
    assert (0x9040, "bcd2") not in found
    assert (0x9040, "bcd3") not in found
    assert (0x9040, "u8") in found
    assert (0x9042, "u8") in found
    search.undo()
    assert (0x9040, "bcd3") in left(search)


def test_watching_counts_in_how_many_frames_a_byte_changed() -> None:
    search = Search()
    ram = memory()
    for frame in range(5):
        ram[0x100] = frame
        ram[0x200] = frame // 3
        changed = search.watch(ram)
    assert np.flatnonzero(changed).tolist() == [0x100]
    assert search.evidence.frames == 4
    assert search.evidence.changes[[0x100, 0x200, 0x300]].tolist() == [4, 1, 0]
    search.forget_frame()
    ram[0x300] = 1
    assert not search.watch(ram).any()


def test_the_first_snap_has_nothing_to_be_compared_with() -> None:
    with pytest.raises(UserError, match="equals: the memory has not been looked at yet"):
        Search().equals(3)
    with pytest.raises(UserError, match="changed: there is nothing to compare with yet"):
        after(memory()).compare("changed")


def test_by_makes_sense_only_for_more_and_less() -> None:
    search = after(everywhere(1), everywhere(2))
    with pytest.raises(UserError, match="changed takes no number"):
        search.compare("changed", by=1)
    with pytest.raises(UserError, match="increased by 0: a number from 1 on is needed"):
        search.compare("increased", by=0)
    assert search.steps == []


def test_digits_finds_what_the_display_shows() -> None:
    search = after(shown(1250, "001250"))
    assert [number.text for number in search.shown()] == ["7", "001250"]
    found = left(search)
    assert {(0x9010, "u16le"), (0x9040, "bcd3"), (0x9050, "ascii6")} <= found
    assert (0x9000, "u8") not in found
    assert search.steps == ["digits"]


def test_digits_of_one_place_only() -> None:
    ram = shown(1250, "001250")
    ram[0xA000 - START] = 7
    search = after(ram)
    search.shown()
    assert (0xA000, "u8") in left(search)
    search.shown((2, 20))
    assert (0xA000, "u8") not in left(search)
    assert search.steps[-1] == "digits 2 20"
    with pytest.raises(UserError, match="at row 5, column 5; there is 7 at 0 0, 001250 at 2 20"):
        search.shown((5, 5))
    with pytest.raises(UserError, match="no number can be read on the display; they are read in character cells"):
        after(memory()).shown()
