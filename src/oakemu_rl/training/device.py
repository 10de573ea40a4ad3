# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the network computes."""

import torch

from oakemu_rl.errors import UserError

__all__ = ["choose_device"]


def choose_device(name: str) -> torch.device:
    """The device of that name; ``auto`` is the graphics processor where there is one, else the CPU.

    Raises:
        UserError: There is no such device.
    """
    available = ["cpu"]
    if torch.cuda.is_available():
        available += ["cuda", *(f"cuda:{index}" for index in range(torch.cuda.device_count()))]
    if torch.backends.mps.is_available():
        available.append("mps")
    if name == "auto":
        return torch.device(available[1] if len(available) > 1 else "cpu")
    if name not in available:
        raise UserError(f"no device {name!r}; this machine and this torch have auto, {', '.join(available)}")
    return torch.device(name)
