# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables that benchmarks write into pages."""

from pathlib import Path

__all__ = ["put"]


def put(page: Path, name: str, text: str) -> None:
    """Replaces what is between the page's markers ``<!-- name:begin -->`` and ``<!-- name:end -->``."""
    begin, end = f"<!-- {name}:begin -->", f"<!-- {name}:end -->"
    head, found, rest = page.read_text(encoding="utf-8").partition(begin)
    _, closed, tail = rest.partition(end)
    if not (found and closed):
        raise ValueError(f"{page} has no place for the table: {begin} and {end}")
    page.write_text(f"{head}{begin}\n{text}\n{end}{tail}", encoding="utf-8")
