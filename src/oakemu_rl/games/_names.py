# SPDX-License-Identifier: GPL-3.0-or-later
"""Small types that the parts of a definition share: addresses, names, counts."""

import keyword
import re
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, Strict

from oakemu_rl._validation import shorten
from oakemu_rl.games._operators import FUNCTIONS

__all__ = ["NAMES", "RAM_END", "RAM_START", "Address", "Frames", "Name", "Part", "WholeNumber"]

RAM_START = 0x4000
RAM_END = 0x10000
_MAX_FRAMES = 1_000_000  # more than five hours of machine time

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

NAMES: dict[str, JsonValue] = {"propertyNames": {"pattern": f"^{_NAME.pattern}$"}}
"""What editors are told of mappings from a `Name`."""


class Part(BaseModel):
    """A piece of a definition: it never changes, and an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _whole(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(r"[$#&][0-9A-Fa-f]+|[0-9A-Fa-f]+[hH]|0[xX][0-9A-Fa-f]+", value):
        digits = value.strip("$#&hH").lower().removeprefix("0x")
        raise ValueError(f"must be a whole number, not the text {shorten(value)} (write 0x{digits})")
    return value


def _in_ram(value: int) -> int:
    if not RAM_START <= value < RAM_END:
        raise ValueError(f"the address {_hex(value)} is outside RAM, which is {_hex(RAM_START)} to {_hex(RAM_END - 1)}")
    return value


def _hex(value: int) -> str:
    return f"{'-' if value < 0 else ''}0x{abs(value):04X}"[:20]


def _name(value: str) -> str:
    if not _NAME.fullmatch(value):
        raise ValueError(f"{shorten(value)} is not a name: letters, digits and _, not starting with a digit")
    if value in FUNCTIONS or keyword.iskeyword(value):
        raise ValueError(f"{value!r} means something in expressions and cannot be a name")
    return value


WholeNumber = Annotated[int, Strict(), BeforeValidator(_whole)]
"""An integer; true, false, 3.0 and "3" are not."""

Address = Annotated[
    WholeNumber, AfterValidator(_in_ram), Field(json_schema_extra={"minimum": RAM_START, "maximum": RAM_END - 1})
]
"""An address in RAM, 0x4000 to 0xFFFF."""

Frames = Annotated[WholeNumber, Field(ge=1, le=_MAX_FRAMES)]
"""A time in frames of 1/50 s."""

Name = Annotated[str, AfterValidator(_name)]
"""The name of a variable or routine, as expressions can use it."""
