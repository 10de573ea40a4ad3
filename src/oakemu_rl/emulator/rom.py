# SPDX-License-Identifier: GPL-3.0-or-later
"""ROM images. They are not ours to ship, so they are read from the installed SkoolKit package."""

import hashlib
from functools import cache
from importlib import resources

from oakemu_rl.errors import UserError, nearest

__all__ = ["load_rom"]

# machine -> (file in skoolkit/resources, SHA-1 of the image)
_IMAGES = {"48k": ("48.rom", "5ea7c2b824672e914525d1d5c419d71b84a426a2")}


@cache
def load_rom(machine: str = "48k") -> bytes:
    """The ROM image of a machine.

    Args:
        machine: ``"48k"``.

    Returns:
        The 16384 bytes from address 0.

    Raises:
        UserError: The machine is unknown, or SkoolKit or its image is missing or not the genuine one.
    """
    if machine not in _IMAGES:
        raise UserError(f"unknown machine {machine!r}, allowed are {', '.join(_IMAGES)}{nearest(machine, _IMAGES)}")
    file_name, sha1 = _IMAGES[machine]
    remedy = "install it anew: pip install --force-reinstall skoolkit"
    try:
        image = (resources.files("skoolkit") / "resources" / file_name).read_bytes()
    except (ModuleNotFoundError, FileNotFoundError):
        raise UserError(f"the {machine} ROM image {file_name} is not in the package skoolkit; {remedy}") from None
    found = hashlib.sha1(image, usedforsecurity=False).hexdigest()
    if found != sha1:
        raise UserError(f"the {machine} ROM image {file_name} of skoolkit has SHA-1 {found}, expected {sha1}; {remedy}")
    return image
