# SPDX-License-Identifier: GPL-3.0-or-later
"""GIFs in the Spectrum's own colours: no dithering, and small enough for a README."""

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

__all__ = ["GifWriter"]

_LARGEST = 2_800_000  # bytes
_LONGEST = 30.0  # seconds
_SHORTEN_BY = 0.9


class GifWriter:
    """Collects pictures, then writes as many of them as fit the size limit.

    Args:
        rate: Pictures a second; a GIF counts in hundredths of a second.
        largest: Bytes that the file may have.
        longest: Seconds that it may last.
    """

    def __init__(self, rate: int, *, largest: int = _LARGEST, longest: float = _LONGEST) -> None:
        self._duration = round(1000 / rate)
        self._largest = largest
        self._most = max(1, int(longest * rate))
        self._pictures: list[NDArray[np.uint8]] = []

    def append(self, picture: NDArray[np.uint8]) -> None:
        """Adds a picture (height, width, 3) of the Spectrum's colours; too late ones are left out.

        Raises:
            ValueError: It has other colours.
        """
        if len(self._pictures) < self._most:
            self._pictures.append(_indices(picture))

    def write(self, path: Path) -> None:
        """Writes the file; the end is left out where the whole would be too large.

        Raises:
            OSError: It cannot be written.
            ValueError: There is no picture.
        """
        if not self._pictures:
            raise ValueError("a GIF needs at least one picture")
        pictures = self._pictures
        data = self._encode(pictures)
        while len(data) > self._largest and len(pictures) > 1:
            # The size grows about evenly with the length.
            fitting = int(len(pictures) * _SHORTEN_BY * self._largest / len(data))
            pictures = pictures[: max(1, fitting)]
            data = self._encode(pictures)
        path.write_bytes(data)

    def _encode(self, pictures: list[NDArray[np.uint8]]) -> bytes:
        from PIL import Image  # comes with imageio; only films need it

        images = []
        for picture in pictures:
            image = Image.fromarray(picture)
            image.putpalette(_PALETTE.tobytes())
            images.append(image)
        buffer = io.BytesIO()
        images[0].save(
            buffer, "GIF", save_all=True, append_images=images[1:], duration=self._duration, loop=0, optimize=False
        )
        return buffer.getvalue()


def _palette() -> NDArray[np.uint8]:
    """The 16 colours (two of them black), shape (16, 3): bit 0 blue, 1 red, 2 green, 3 bright."""
    numbers = np.arange(16)
    level = np.where(numbers & 8, 255, 205)
    return np.stack([level * (numbers >> bit & 1) for bit in (1, 2, 0)], axis=1).astype(np.uint8)


_PALETTE = _palette()


def _indices(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture as numbers of colours, shape (height, width)."""
    red, green, blue = (picture[..., channel] > 0 for channel in range(3))
    bright = (picture == 255).any(axis=-1)
    numbers: NDArray[np.uint8] = (blue | red << 1 | green << 2 | bright << 3).astype(np.uint8)
    if not np.array_equal(_PALETTE[numbers], picture):
        raise ValueError("a picture has colours that a Spectrum has not")
    return numbers
