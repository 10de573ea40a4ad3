# SPDX-License-Identifier: GPL-3.0-or-later
"""Computing the network in a smaller floating type."""

import torch

from oakemu_rl.errors import UserError
from oakemu_rl.ppo.configuration import MixedPrecision

__all__ = ["autocast", "check_precision"]

_DTYPES: dict[MixedPrecision, torch.dtype] = {
    "off": torch.float32,
    "bfloat16": torch.bfloat16,
    "float16": torch.float16,
}


def check_precision(mixed_precision: MixedPrecision, device: torch.device) -> None:
    """Refuses what the device cannot do well.

    Raises:
        UserError: float16 on a CPU: its range needs loss scaling, and CPUs compute it slower than float32.
    """
    if mixed_precision not in _DTYPES:
        raise UserError(f"mixed_precision must be one of {', '.join(_DTYPES)}, got {mixed_precision!r}")
    if mixed_precision == "float16" and device.type == "cpu":
        raise UserError("mixed_precision float16 needs a GPU; on the CPU use bfloat16 or off")


def autocast(mixed_precision: MixedPrecision, device: torch.device) -> torch.autocast:
    """The context in which the network is to be called; without effect when off."""
    dtype = _DTYPES[mixed_precision]
    if mixed_precision == "off":
        return torch.autocast(device.type, enabled=False)
    return torch.autocast(device.type, dtype=dtype)
