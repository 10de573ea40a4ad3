# SPDX-License-Identifier: GPL-3.0-or-later
"""What `oakemu-rl games search` says, taken apart."""

import re
from collections.abc import Callable
from pathlib import Path

from oakemu_rl.games import find_definition

PROGRAMS = Path(__file__).parents[3] / "src" / "oakemu_rl" / "games" / "programs"

Search = Callable[..., list[str]]


def rows(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("0x")]


def readings(row: str) -> set[tuple[int, str]]:
    """Every address and type in a row of the list."""
    address, kind = row.split()[:2]
    others = re.findall(r"(\w+) at (0x[0-9A-F]{4})", row)
    return {(int(address, 16), kind), *((int(at, 16), name) for name, at in others)}


def last_byte(game: str, variable: str) -> int:
    found = find_definition(game).variables[variable]
    return found.at + found.size - 1


def covers(row: str, game: str, variable: str) -> bool:
    """Whether a row is a reading of a variable's last byte, which is all that has changed of it."""
    address, kind = row.split()[:2]
    return int(address, 16) + {"u8": 1, "bcd1": 1, "bcd2": 2, "bcd3": 3, "bcd4": 4}[kind] - 1 == last_byte(
        game, variable
    )
