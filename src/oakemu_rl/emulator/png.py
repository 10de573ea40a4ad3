# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures as PNG files, without a picture library: the base installation has none."""

import struct
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oakemu_rl._whole_file import write_whole
from oakemu_rl.errors import UserError

__all__ = ["write_png"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_RGB = 2
_NO_FILTER = b"\0"


def write_png(path: Path, picture: NDArray[np.uint8], *, scale: int = 1) -> None:
    """Writes a picture, whole or not at all; an existing file is replaced.

    Args:
        path: The file.
        picture: RGB, shape (height, width, 3).
        scale: Whole-number enlargement.

    Raises:
        UserError: It cannot be written.
    """
    try:
        write_whole(path, _encode(picture.repeat(scale, axis=0).repeat(scale, axis=1)))
    except OSError as error:
        raise UserError(f"cannot write the picture {path}: {error.strerror or error}") from error


def _encode(picture: NDArray[np.uint8]) -> bytes:
    height, width, _ = picture.shape
    header = struct.pack(">IIBBBBB", width, height, 8, _RGB, 0, 0, 0)
    rows = b"".join(_NO_FILTER + row.tobytes() for row in picture)
    return _SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", zlib.compress(rows, 9)) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
