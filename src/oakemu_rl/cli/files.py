# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that the command line writes."""

import os
from pathlib import Path

from oakemu_rl.errors import UserError

__all__ = ["write_text"]


def write_text(path: Path, text: str) -> None:
    """Writes a file, whole or not at all; an existing one is replaced.

    Raises:
        UserError: It cannot be written.
    """
    draft = path.with_name(f".{path.name}.tmp-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}") from error
    finally:
        draft.unlink(missing_ok=True)
