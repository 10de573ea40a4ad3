# SPDX-License-Identifier: GPL-3.0-or-later
"""A game's variables and tables: where they lie in RAM, and how their bytes are read and written."""

import re
from functools import cached_property
from typing import Annotated, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, Field, model_validator

from oakemu_rl._validation import LocatedError, shorten
from oakemu_rl.errors import nearest
from oakemu_rl.games._names import RAM_END, RAM_START, Address, Part, WholeNumber
from oakemu_rl.games._program import TableUse

__all__ = ["CoreVariable", "Variable"]

_FIXED = {"u8": 1, "i8": 1, "u16le": 2, "u16be": 2, "u24": 3, "bool": 1}
_COUNTED = {"bcd": ("bcd", 9), "ascii": ("digits", 18)}  # the core's name and as many bytes as 18 digits take
_RANGES = {
    "u8": (0, 0xFF),
    "i8": (-0x80, 0x7F),
    "u16le": (0, 0xFFFF),
    "u16be": (0, 0xFFFF),
    "u24": (0, 0xFFFFFF),
    "bool": (0, 1),
}
_ALLOWED = "u8, i8, u16le, u16be, u24, bool, bcdN and asciiN with N bytes, bits(lowest,highest)"


MAX_ITEMS = 256
TYPE_PATTERN = r"^(u8|i8|u16le|u16be|u24|bool|bcd[1-9]|ascii([1-9]|1[0-8])|bits\( *[0-7] *, *[0-7] *\))$"
"""For editors; `Variable` knows exactly which ones are types."""


class CoreVariable(NamedTuple):
    """A variable, or a number taken from a table, as the core takes it."""

    address: int
    type: str
    num_bytes: int
    low: int
    high: int
    items: int = 1
    stride: int = 0
    reduction: str = ""
    value: int = 0


class _Form(NamedTuple):
    """What a type's text means: the core's name of the type, its bytes, and for ``bits`` the first and last bit."""

    kind: str
    size: int
    low: int = 0
    high: int = 7


def _parse_type(text: str) -> _Form:
    if text in _FIXED:
        return _Form(text, _FIXED[text])
    if bits := re.fullmatch(r"bits\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)", text):
        low, high = int(bits[1]), int(bits[2])
        if not low <= high <= 7:
            raise ValueError(f"the bits of a byte are 0 to 7 and the lowest comes first, not {shorten(text)}")
        return _Form("bits", 1, low, high)
    if counted := re.fullmatch(r"(bcd|ascii)(\d{1,6})", text):
        kind, most = _COUNTED[counted[1]]
        if not 1 <= int(counted[2]) <= most:
            raise ValueError(f"{counted[1]}N takes 1 to {most} bytes, not {int(counted[2])}")
        return _Form(kind, int(counted[2]))
    guess = nearest(text, [*_FIXED, "bcd4", "ascii6", "bits(0,7)"])
    raise ValueError(f"unknown type {shorten(text)}{guess}; allowed are {_ALLOWED}")


def _check_type(text: str) -> str:
    _parse_type(text)
    return text


class Variable(Part):
    """A value that the game keeps in RAM, or a table of several.

    Attributes:
        at: The address of its first byte.
        type: ``u8 i8 u16le u16be u24`` (little endian), ``bool`` (1 if the byte is not 0), ``bcdN`` (N bytes of two
            decimal digits each), ``asciiN`` (N bytes of one digit each), both most significant first, and
            ``bits(n,m)`` (bits n to m of one byte).
        count: Makes it a table of so many items.
        stride: Bytes from one item of a table to the next; as many as the type takes by default.
    """

    at: Address
    type: Annotated[str, AfterValidator(_check_type), Field(json_schema_extra={"pattern": TYPE_PATTERN})]
    count: Annotated[WholeNumber, Field(ge=1, le=MAX_ITEMS)] | None = None
    stride: Annotated[WholeNumber, Field(ge=1, le=RAM_END - RAM_START)] | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.stride is not None and self.count is None:
            raise LocatedError("a stride is only of use with a count of items", ("stride",), key=True)
        last = self.at + ((self.count or 1) - 1) * self.spacing
        if last + self.size > RAM_END:
            what = f"{self.size} bytes of {self.type} at 0x{self.at:04X}"
            if self.count is not None:
                what = f"{self.count} items of {self.type} from 0x{self.at:04X} on, {self.spacing} bytes apart,"
            raise LocatedError(f"the {what} reach beyond RAM, which ends at 0xFFFF", ("at",))
        return self

    @cached_property
    def _form(self) -> _Form:
        return _parse_type(self.type)

    @property
    def size(self) -> int:
        """Bytes that it takes; of a table, those of an item."""
        return self._form.size

    @property
    def is_table(self) -> bool:
        """Whether it holds several values, of which expressions ask for the sum, the smallest and so on."""
        return self.count is not None

    @property
    def spacing(self) -> int:
        """Bytes from one item of a table to the next."""
        return self.stride or self.size

    @property
    def is_flag(self) -> bool:
        """Whether it is a condition in expressions."""
        return self.type == "bool"

    @property
    def is_plain_number(self) -> bool:
        """Whether every pattern of its bytes is a value, so that it can be randomised."""
        return self._form.kind in _FIXED

    @property
    def limits(self) -> tuple[int, int]:
        """Its lowest and highest value."""
        form = self._form
        if form.kind == "bits":
            return 0, (1 << (form.high - form.low + 1)) - 1
        if form.kind in _RANGES:
            return _RANGES[form.kind]
        return 0, 10 ** (form.size * (2 if form.kind == "bcd" else 1)) - 1

    @property
    def possible_numbers(self) -> tuple[int, int]:
        """The lowest and highest number that can be read, where a digit may be no decimal one, of up to 15."""
        form = self._form
        if form.kind in ("bcd", "digits"):
            return 0, self.limits[1] // 9 * 15
        return self.limits

    @property
    def core(self) -> CoreVariable:
        """The same for the core; of a table, its first item."""
        form = self._form
        return CoreVariable(self.at, form.kind, form.size, form.low, form.high)

    def core_of(self, use: TableUse) -> CoreVariable:
        """A number taken from this table, for the core."""
        if use.what == "item":
            return self.core._replace(address=self.at + use.value * self.spacing)
        return self.core._replace(items=self.count or 1, stride=self.spacing, reduction=use.what, value=use.value)

    def read(self, ram: npt.NDArray[np.uint8]) -> int:
        """Its value in `ram`, (49152,) uint8 from 0x4000 on; of a table, the first item's."""
        return self._read_at(ram, self.at)

    def read_of(self, use: TableUse, ram: npt.NDArray[np.uint8]) -> int:
        """A number taken from this table in `ram`, (49152,) uint8 from 0x4000 on."""
        items = [self._read_at(ram, self.at + index * self.spacing) for index in range(self.count or 1)]
        match use.what:
            case "item":
                return items[use.value]
            case "count":
                return items.count(use.value)
            case "sum":
                return sum(items)
            case "min":
                return min(items)
            case "max":
                return max(items)

    def _read_at(self, ram: npt.NDArray[np.uint8], address: int) -> int:
        start = address - RAM_START
        data = bytes(ram[start : start + self.size])
        form = self._form
        match form.kind:
            case "bits":
                return (data[0] >> form.low) & self.limits[1]
            case "bool":
                return int(data[0] != 0)
            case "i8":
                return int.from_bytes(data, "big", signed=True)
            case "u8" | "u16be":
                return int.from_bytes(data, "big")
            case "u16le" | "u24":
                return int.from_bytes(data, "little")
            case _:
                digits = [
                    part for byte in data for part in ((byte >> 4, byte & 15) if form.kind == "bcd" else (byte & 15,))
                ]
                return sum(digit * 10**power for power, digit in enumerate(reversed(digits)))

    def write(self, ram: npt.NDArray[np.uint8], value: int) -> None:
        """Puts `value` into `ram`, (49152,) uint8 from 0x4000 on.

        Raises:
            ValueError: The value is outside `limits`.
        """
        low, high = self.limits
        if not low <= value <= high:
            raise ValueError(f"{value} does not fit {self.type}, which holds {low} to {high}")
        start = self.at - RAM_START
        ram[start : start + self.size] = list(self._encode(value, int(ram[start])))

    def _encode(self, value: int, old: int) -> bytes:
        form = self._form
        match form.kind:
            case "bits":
                return bytes([old & ~(self.limits[1] << form.low) & 0xFF | value << form.low])
            case "u16le" | "u24":
                return value.to_bytes(form.size, "little")
            case "bcd":
                return bytes.fromhex(f"{value:0{2 * form.size}d}")
            case "digits":
                return f"{value:0{form.size}d}".encode("ascii")
            case kind:
                return value.to_bytes(form.size, "big", signed=kind == "i8")
