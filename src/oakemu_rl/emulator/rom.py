# SPDX-License-Identifier: GPL-3.0-or-later
"""ROM images. They are not ours to ship, so they are read from the installed SkoolKit package."""

import hashlib
from functools import cache
from importlib import resources

from oakemu_rl.errors import UserError, nearest

__all__ = ["MACHINES", "load_rom"]

# machine -> its ROMs in order: (file in skoolkit/resources, SHA-1 of the image)
_IMAGES = {
    "48k": (("48.rom", "5ea7c2b824672e914525d1d5c419d71b84a426a2"),),
    "128k": (
        ("128-0.rom", "4f4b11ec22326280bdb96e3baf9db4b4cb1d02c5"),
        ("128-1.rom", "80080644289ed93d71a1103992a154cc9802b2fa"),
    ),
    "plus2": (
        ("plus2-0.rom", "72703f9a3e734f3c23ec34c0727aae4ccbef9a91"),
        ("plus2-1.rom", "de8b0d2d0379cfe7c39322a086ca6da68c7f23cb"),
    ),
}

MACHINES = tuple(_IMAGES)
"""The machines that are emulated."""


@cache
def load_rom(machine: str = "48k") -> bytes:
    """The ROM of a machine.

    Args:
        machine: ``"48k"``, ``"128k"`` or ``"plus2"``.

    Returns:
        Its 16384 bytes; of a 128K machine its two ROMs one after the other, the editor's first.

    Raises:
        UserError: The machine is unknown, or SkoolKit or its image is missing or not the genuine one.
    """
    if machine not in _IMAGES:
        guess = nearest(str(machine), _IMAGES)
        raise UserError(f"unknown machine {machine!r}, allowed are {', '.join(_IMAGES)}{guess}")
    return b"".join(_load_image(machine, file_name, sha1) for file_name, sha1 in _IMAGES[machine])


def _load_image(machine: str, file_name: str, sha1: str) -> bytes:
    remedy = "install it anew: pip install --force-reinstall skoolkit"
    try:
        image = (resources.files("skoolkit") / "resources" / file_name).read_bytes()
    except (ModuleNotFoundError, FileNotFoundError):
        raise UserError(f"the {machine} ROM image {file_name} is not in the package skoolkit; {remedy}") from None
    found = hashlib.sha1(image, usedforsecurity=False).hexdigest()
    if found != sha1:
        raise UserError(f"the {machine} ROM image {file_name} of skoolkit has SHA-1 {found}, expected {sha1}; {remedy}")
    return image
