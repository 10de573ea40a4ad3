# SPDX-License-Identifier: GPL-3.0-or-later
"""A terminal of so many rows and columns: what a person would see, and what has scrolled away."""

import io
import re

_PART = re.compile(r"\x1b\[(\?25[lh]|\d*[A-Za-z]|[\d;]*m)|(\r\n|[\r\n])|([^\x1b\r\n])")


class Terminal(io.StringIO):
    """Understands what a live display writes: letters, new lines, cursor up, erase line; colours are passed over."""

    encoding = "utf-8"

    def __init__(self, width: int, height: int) -> None:
        super().__init__()
        self._width, self._height = width, height
        self._rows = [""]
        self._row = self._column = 0

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        end = 0
        for part in _PART.finditer(text):
            assert part.start() == end, f"not understood: {text[end : part.start()]!r}"
            end = part.end()
            control, motion, letter = part.groups()
            if letter:
                self._put(letter)
            elif motion:
                self._column = 0
                if "\n" in motion:
                    self._down()
            elif control.endswith("A"):
                self._row = max(self._row - int(control[:-1] or 1), max(0, len(self._rows) - self._height))
            elif control == "2K":
                self._rows[self._row] = ""
        assert end == len(text), f"not understood: {text[end:]!r}"
        return len(text)

    def shown(self) -> list[str]:
        """The rows on the screen."""
        return [row.rstrip() for row in self._rows[-self._height :]]

    def everything(self) -> list[str]:
        """Those and the rows that have scrolled away."""
        return [row.rstrip() for row in self._rows]

    def _put(self, letter: str) -> None:
        if self._column == self._width:
            self._column = 0
            self._down()
        row = self._rows[self._row].ljust(self._column)
        self._rows[self._row] = row[: self._column] + letter + row[self._column + 1 :]
        self._column += 1

    def _down(self) -> None:
        self._row += 1
        if self._row == len(self._rows):
            self._rows.append("")
