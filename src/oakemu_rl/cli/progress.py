# SPDX-License-Identifier: GPL-3.0-or-later
"""A bar for work that takes a while."""

from rich.console import Console
from rich.progress import Progress, ProgressColumn

__all__ = ["progress_bar"]


def progress_bar(*columns: ProgressColumn, quiet: bool = False) -> Progress:
    """A bar that is gone when the work is done; where nobody looks (pipes, `quiet`), there is none.

    Args:
        columns: What it shows; none for rich's own choice.
        quiet: Whether nothing but errors is wanted.
    """
    console = Console(stderr=True)
    return Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal)
