# SPDX-License-Identifier: GPL-3.0-or-later
"""What a tape holds, block by block. Times are T-states of 3,500,000 a second where nothing else is said."""

from dataclasses import dataclass, field
from functools import reduce
from operator import xor

__all__ = [
    "PILOT_FLAG_LIMIT",
    "STANDARD",
    "T_PER_MS",
    "Block",
    "CallBlock",
    "DataBlock",
    "GeneralizedBlock",
    "InfoBlock",
    "JumpBlock",
    "LevelBlock",
    "LoopBlock",
    "LoopEndBlock",
    "PauseBlock",
    "PulsesBlock",
    "RecordedBlock",
    "ReturnBlock",
    "SampledBlock",
    "SelectBlock",
    "StandardTiming",
    "StopBlock",
    "Symbol",
    "TapeBlock",
    "TurboBlock",
    "UnplayableBlock",
]

T_PER_MS = 3500
PILOT_FLAG_LIMIT = 128
"""Blocks with a flag below this have the long pilot."""


@dataclass(frozen=True, slots=True)
class StandardTiming:
    """How the ROM saves a block (figures: Fuse, and the ROM's own delay loops)."""

    pilot: int = 2168
    long_pilot_pulses: int = 8063
    short_pilot_pulses: int = 3223
    sync: tuple[int, int] = (667, 735)
    zero: int = 855
    one: int = 1710


STANDARD = StandardTiming()


@dataclass(frozen=True, slots=True)
class TapeBlock:
    """A block as the ROM saves it."""

    content: bytes
    """Everything that was recorded: flag byte, data, parity byte."""
    pause: int = 1000
    """Milliseconds of silence after it."""

    @property
    def flag(self) -> int:
        """0 for a header, 255 for data in the ROM's format; loaders of games use others."""
        return self.content[0]

    @property
    def data(self) -> bytes:
        """The bytes between flag and parity."""
        return self.content[1:-1]

    @classmethod
    def from_data(cls, flag: int, data: bytes) -> "TapeBlock":
        """A block with the right parity byte."""
        return cls(bytes([flag, *data, reduce(xor, data, flag)]))


@dataclass(frozen=True, slots=True)
class TurboBlock:
    """Pilot, sync and bytes with times of their own."""

    content: bytes
    pilot: int
    pilot_pulses: int
    sync: tuple[int, int]
    zero: int
    one: int
    used_bits: int
    """Of the last byte, 1 to 8, from its highest bit on."""
    pause: int


@dataclass(frozen=True, slots=True)
class PulsesBlock:
    """Pulses without a meaning."""

    runs: tuple[tuple[int, int], ...]
    """(how many, how long) one after the other."""
    level: int | None = None
    """The level of the first one; None: as it comes."""


@dataclass(frozen=True, slots=True)
class DataBlock:
    """Bits without pilot and sync."""

    content: bytes
    count: int
    """How many bits, from the highest of the first byte on."""
    zero: tuple[int, ...]
    """The pulses of a 0."""
    one: tuple[int, ...]
    pause: int = 0
    level: int | None = None
    tail: int = 0
    """One more pulse at the end, if not 0."""


@dataclass(frozen=True, slots=True)
class SampledBlock:
    """A direct recording: the level, bit by bit."""

    samples: bytes
    count: int
    """How many samples, from the highest bit of the first byte on."""
    period: int
    """T for which each is heard."""
    pause: int


@dataclass(frozen=True, slots=True)
class RecordedBlock:
    """A CSW recording: the lengths of its pulses."""

    pulses: bytes = field(repr=False)
    """Each in T, 4 bytes, low byte first."""
    rate: int
    compression: str
    pause: int


@dataclass(frozen=True, slots=True)
class Symbol:
    """A group of pulses of a generalized block."""

    start: int
    """0 begins with an edge, 1 without one, 2 with the low and 3 with the high level."""
    pulses: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GeneralizedBlock:
    """Pilot and data out of symbols."""

    pilot_symbols: tuple[Symbol, ...]
    pilot: tuple[tuple[int, int], ...]
    """(symbol, how often) one after the other."""
    symbols: tuple[Symbol, ...]
    content: bytes
    """The numbers of the symbols of the data, each in as many bits as the highest of them needs."""
    count: int
    """How many symbols of data."""
    pause: int

    @property
    def bits_per_symbol(self) -> int:
        """Bits for each symbol of the data; 0 if there is one symbol only."""
        return max(len(self.symbols) - 1, 0).bit_length()


@dataclass(frozen=True, slots=True)
class PauseBlock:
    """Silence."""

    duration: int
    level: int | None = None
    """The level meanwhile; None: 1 ms of the level that comes, then low."""


@dataclass(frozen=True, slots=True)
class StopBlock:
    """The tape stops until somebody starts it."""

    only_48k: bool


@dataclass(frozen=True, slots=True)
class LevelBlock:
    """The level is set, which takes no time."""

    level: int


@dataclass(frozen=True, slots=True)
class JumpBlock:
    """The tape goes on with another block."""

    offset: int


@dataclass(frozen=True, slots=True)
class LoopBlock:
    """What follows is played several times."""

    times: int


@dataclass(frozen=True, slots=True)
class LoopEndBlock:
    """The end of what is played several times."""


@dataclass(frozen=True, slots=True)
class CallBlock:
    """Other blocks are played, each up to a `ReturnBlock`, before the tape goes on here."""

    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ReturnBlock:
    """The end of blocks that are called."""


@dataclass(frozen=True, slots=True)
class SelectBlock:
    """A choice of blocks to go on with. The tape goes on with the next one, as a recorder would."""

    options: tuple[tuple[int, str], ...]
    """(offset, text)"""


@dataclass(frozen=True, slots=True)
class InfoBlock:
    """Something to read, without a sound."""

    kind: str
    text: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnplayableBlock:
    """Data for other computers."""

    kind: str


Block = (
    TapeBlock
    | TurboBlock
    | PulsesBlock
    | DataBlock
    | SampledBlock
    | RecordedBlock
    | GeneralizedBlock
    | PauseBlock
    | StopBlock
    | LevelBlock
    | JumpBlock
    | LoopBlock
    | LoopEndBlock
    | CallBlock
    | ReturnBlock
    | SelectBlock
    | InfoBlock
    | UnplayableBlock
)
