# SPDX-License-Identifier: GPL-3.0-or-later
"""What comes first of what a search has left, in memories that were made up."""

import numpy as np
import pytest
from made_memories import START, after, draw, everywhere, memory, shown

from oakemu_rl.games.search import Search
from oakemu_rl.games.search_ranking import Proposal, rank
from oakemu_rl.games.variables import Variable


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
