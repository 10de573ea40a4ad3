# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a game's program comes from: a file that comes with the definition, or one that the user brings."""

import re
from typing import Annotated, Self

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from oakemu_rl._validation import LocatedError, shorten
from oakemu_rl.games._names import Part

__all__ = ["PROGRAM_SUFFIXES", "FileName", "ProgramSource"]

PROGRAM_SUFFIXES = (".tap", ".tzx", ".pzx", ".sna", ".z80", ".szx", ".zip", ".gz")
"""How the files of programs end; what they are is decided by their content."""


def _file_name(value: str) -> str:
    if not re.fullmatch(_FILE_NAME, value):
        raise ValueError(f"{shorten(value)} is not the name of a file (without a folder)")
    if not value.lower().endswith(PROGRAM_SUFFIXES):
        raise ValueError(f"{shorten(value)} is not a program: its name ends with {', '.join(PROGRAM_SUFFIXES)}")
    return value


def _sha256(value: str) -> str:
    if not re.fullmatch(r"[0-9a-fA-F]{64}", value):
        raise ValueError(f"{shorten(value)} is not a SHA-256: 64 hexadecimal digits")
    return value.lower()


_FILE_NAME = r"[A-Za-z0-9][A-Za-z0-9_. -]{0,100}"

FileName = Annotated[str, AfterValidator(_file_name), Field(json_schema_extra={"pattern": f"^{_FILE_NAME}$"})]
"""The name of a tape or snapshot that lies beside the definition, or ships with the package."""


_Sha256 = Annotated[str, AfterValidator(_sha256), Field(json_schema_extra={"pattern": "^[0-9a-fA-F]{64}$"})]


class ProgramSource(Part):
    """The program of a game; exactly one of `bundled` and `sha256` is given.

    Attributes:
        bundled: The name of a tape or snapshot that lies beside the definition, or ships with the package.
        sha256: The hashes of files that will do, also of what is packed in them. Such a file is looked for beside the
            definition and among those that the user has added. Empty where nobody has checked one yet: then a file
            will do that the user has added for this game.
        hint: Where people usually have it, for the message when it is missing.
    """

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["bundled"]}, {"required": ["sha256"]}]})

    bundled: FileName | None = None
    sha256: list[_Sha256] | None = None
    hint: str | None = None

    @model_validator(mode="after")
    def _one_source(self) -> Self:
        if (self.bundled is None) == (self.sha256 is None):
            raise ValueError(
                "give either bundled (a file that comes with the definition) or sha256 (of a file to bring)"
            )
        if self.bundled is not None and self.hint is not None:
            raise LocatedError("a hint is only of use with sha256", ("hint",), key=True)
        return self
