# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that the command line writes."""

import os
from pathlib import Path

from oakemu_rl._whole_file import write_whole
from oakemu_rl.errors import UserError

__all__ = ["check_writable", "write_bytes", "write_text"]


def write_text(path: Path, text: str) -> None:
    """Writes a file as `write_bytes` does.

    Raises:
        UserError: It cannot be written.
    """
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Writes a file, whole or not at all; an existing one is replaced.

    Raises:
        UserError: It cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {_reason(path, error)}") from error


def check_writable(path: Path) -> None:
    """Finds out whether a file can be written before long work is done for it; leaves an existing one as it is.

    Raises:
        UserError: It cannot.
    """
    draft = path.with_name(f".{path.name}.tmp-{os.getpid()}")
    try:
        if path.is_dir():
            raise UserError(f"{path} cannot be written: it is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.touch()
        draft.unlink()
    except OSError as error:
        raise UserError(f"{path} cannot be written: {_reason(path, error)}") from error


def _reason(path: Path, error: OSError) -> str:
    # Making a folder where a file is fails with "File exists", which would mislead.
    return f"{path.parent} is not a folder" if isinstance(error, FileExistsError) else error.strerror or str(error)
