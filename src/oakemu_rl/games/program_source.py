# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a game's program comes from: a tape that ships with the definition, or a file that the user brings."""

import re
from typing import Annotated, Self

from pydantic import AfterValidator, Field, model_validator

from oakemu_rl._validation import LocatedError, shorten
from oakemu_rl.games._names import Part

__all__ = ["ProgramSource"]


def _file_name(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_. -]{0,100}", value):
        raise ValueError(f"{shorten(value)} is not the name of a file (without a folder)")
    if not value.lower().endswith(".tap"):
        raise ValueError(f"{shorten(value)} is not a .tap file; other kinds are not supported yet")
    return value


def _sha256(value: str) -> str:
    if not re.fullmatch(r"[0-9a-fA-F]{64}", value):
        raise ValueError(f"{shorten(value)} is not a SHA-256: 64 hexadecimal digits")
    return value.lower()


class ProgramSource(Part):
    """The program of a game; exactly one of `bundled` and `sha256` is given.

    Attributes:
        bundled: The name of a tape that lies beside the definition, or ships with the package.
        sha256: The hashes of files that will do. Such a file is looked for beside the definition.
        hint: Where people usually have it, for the message when it is missing.
    """

    bundled: Annotated[str, AfterValidator(_file_name)] | None = None
    sha256: Annotated[list[Annotated[str, AfterValidator(_sha256)]], Field(min_length=1)] | None = None
    hint: str | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.bundled is None) == (self.sha256 is None):
            raise ValueError(
                "give either bundled (a tape that comes with the definition) or sha256 (of a file to bring)"
            )
        if self.bundled is not None and self.hint is not None:
            raise LocatedError("a hint is only of use with sha256", ("hint",), key=True)
        return self
