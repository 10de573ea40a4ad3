# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches in memories that were made up, so that the right answer is known."""

import numpy as np
import pytest

from oakemu_rl.emulator.rom_font import rom_font
from oakemu_rl.errors import UserError
from oakemu_rl.games.search import Search
from oakemu_rl.games.search_ranking import Proposal, rank
from oakemu_rl.games.search_values import RAM_SIZE, TYPES
from oakemu_rl.games.variables import Variable

START = 0x4000
SCORES = {
    "u8": 0x9000,
    "u16le": 0x9010,
    "u16be": 0x9020,
    "u24": 0x9030,
    "bcd3": 0x9040,
    "ascii6": 0x9050,
}


def memory(**values: int) -> np.ndarray:
    """Memory in which a number is kept in several types; what is not named is 0."""
    ram = np.full(RAM_SIZE, 0xAB, np.uint8)  # no number in BCD or ASCII
    ram[:0x1B00] = 0
    for name, address in SCORES.items():
        variable = Variable(at=address, type=name)
        variable.write(ram, values.get(name, 0) % (variable.limits[1] + 1))  # as the Spectrum does, too
    return ram


def everywhere(value: int) -> np.ndarray:
    return memory(**dict.fromkeys(SCORES, value))


def left(search: Search) -> set[tuple[int, str]]:
    """What is left where the numbers lie."""
    first, last = 0x8FF0 - START, 0xA010 - START
    rows, columns = np.nonzero(search.candidates[:, first:last])
    return {(START + first + int(column), TYPES[row]) for row, column in zip(rows, columns, strict=True)}


def after(*rams: np.ndarray) -> Search:
    search = Search()
    for ram in rams:
        search.snap(ram)
    return search


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


def draw(ram: np.ndarray, text: str, row: int, column: int) -> None:
    for number, letter in enumerate(text):
        for line in range(8):
            ram[(row >> 3) << 11 | line << 8 | (row & 7) << 5 | column + number] = rom_font()[ord(letter) - 32][line]


def shown(value: int, text: str) -> np.ndarray:
    ram = everywhere(value)
    draw(ram, text, 2, 20)
    draw(ram, "7", 0, 0)
    return ram


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


def best(search: Search, last: int) -> Proposal:
    return next(each for each in rank(search, 50) if each.address + Variable(at=START, type=each.type).size - 1 == last)


def test_the_type_follows_from_the_digits_on_the_display() -> None:
    search = after(shown(98, "000098"), shown(103, "000103"))
    search.shown((2, 20))
    proposal = best(search, 0x9042)
    assert (proposal.address, proposal.type, proposal.value) == (0x9040, "bcd3", 103)
    assert (proposal.low, proposal.high) == (98, 103)
    assert proposal.shown_at == (2, 20)
    assert (0x9041, "bcd2") in proposal.others
    proposal = best(search, 0x9055)
    assert (proposal.address, proposal.type) == (0x9050, "ascii6")


def test_lives_are_a_byte() -> None:
    search = after(everywhere(5), everywhere(4), everywhere(3))
    search.compare("decreased", by=1)
    assert best(search, 0x9000).type == "u8"
    # Where nothing has told them apart a byte of BCD is a byte; others are named behind it.
    assert best(search, 0x9042).type == "u8"
    assert (0x9040, "bcd3") in best(search, 0x9042).others


def test_a_carry_tells_words_from_bytes() -> None:
    search = after(everywhere(255), everywhere(256))
    search.compare("increased", by=1)
    proposals = {(each.address, each.type) for each in rank(search, 50)}
    assert {(0x9010, "u16le"), (0x9020, "u16be")} <= proposals


def order(search: Search, *addresses: int) -> list[int]:
    """These bytes in the order of the list."""
    return [each.address for each in rank(search, 500) if each.address in addresses and each.type == "u8"]


def with_bytes(values: dict[int, int]) -> np.ndarray:
    ram = memory()
    for address, value in values.items():
        ram[address - START] = value
    return ram


@pytest.mark.parametrize("unlikely", [0x4100, 0x5AFF, 0x5C00, 0x5CB5])
def test_the_display_and_the_roms_variables_come_last(unlikely: int) -> None:
    search = after(with_bytes({unlikely: 90, 0xA000: 90}), with_bytes({unlikely: 80, 0xA000: 80}))
    search.compare("decreased", by=10)
    assert order(search, unlikely, 0xA000) == [0xA000, unlikely]


def test_what_changes_all_the_time_comes_after_what_changes_seldom() -> None:
    search = Search()
    rams = [with_bytes({0x8000: 200 - frame, 0xA000: 5 if frame < 10 else 4}) for frame in range(20)]
    for ram in rams:
        search.watch(ram)
    search.snap(rams[0])
    search.snap(rams[-1])
    search.compare("decreased")
    assert order(search, 0x8000, 0xA000) == [0xA000, 0x8000]
    assert [each.changes for each in rank(search, 500) if each.address == 0xA000] == [1, 1]


def test_what_never_changed_comes_after_what_did() -> None:
    search = after(*(with_bytes({0x8000: 3, 0xA000: value}) for value in (5, 4, 3)))
    search.equals(3)
    assert order(search, 0x8000, 0xA000) == [0xA000, 0x8000]


def test_what_the_display_shows_comes_first() -> None:
    def seen(value: int) -> np.ndarray:
        ram = with_bytes({0x8000: 100 + value, 0xA000: value})
        draw(ram, str(value), 5, 5)
        return ram

    search = after(seen(1), seen(2))
    search.compare("increased", by=1)
    assert order(search, 0x8000, 0xA000) == [0xA000, 0x8000]


def test_what_the_display_showed_otherwise_before_is_something_else() -> None:
    one, two = with_bytes({0xA000: 3}), with_bytes({0xA000: 4})
    draw(one, "9", 5, 5)
    draw(two, "4", 5, 5)
    search = after(one, two)
    search.compare("increased", by=1)
    assert [each.shown_at for each in rank(search, 500) if each.address == 0xA000] == [None]
    search = after(two)
    search.equals(4)
    assert [each.shown_at for each in rank(search, 500) if each.address == 0xA000] == [(5, 5)]


def test_readings_that_say_nothing_of_their_own_come_last() -> None:
    search = after(with_bytes({0x9FFF: 0, 0xA000: 5}), with_bytes({0x9FFF: 0, 0xA000: 4}))
    search.compare("decreased", by=1)
    (proposal,) = (each for each in rank(search, 500) if each.address == 0xA000)
    others = [kind for _, kind in proposal.others]
    assert others.index("u16be") < min(others.index(kind) for kind in ("i8", "bcd1", "ascii1"))


def test_characters_of_digits_are_a_number_of_all_of_them() -> None:
    def text(value: int) -> np.ndarray:
        return with_bytes({0xA000 + index: letter for index, letter in enumerate(f"{value:05d}".encode())})

    search = after(text(120), text(125))
    search.compare("increased", by=5)
    proposal = rank(search, 500)[0]
    assert (proposal.address, proposal.type, proposal.value) == (0xA000, "ascii5", 125)


def test_no_more_proposals_than_asked_for() -> None:
    search = after(memory())
    assert len(rank(search, 7)) == 7
    assert rank(Search(), 7) == []
