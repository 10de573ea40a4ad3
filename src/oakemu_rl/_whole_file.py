# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are written whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path

__all__ = ["write_whole"]


def write_whole(path: Path, data: bytes) -> None:
    """Puts a file in place when all of it is on the disk; an existing one is replaced, and stays if that fails.

    Raises:
        OSError: It cannot be written; the error names `path`.
    """
    draft = path.with_name(f".{path.name}.tmp-{os.getpid()}")
    try:
        with draft.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except OSError as error:  # it names the draft, of which the caller knows nothing
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        with suppress(OSError):  # it has been renamed, or was never made
            draft.unlink()
