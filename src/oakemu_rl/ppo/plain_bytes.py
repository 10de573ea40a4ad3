# SPDX-License-Identifier: GPL-3.0-or-later
"""Bytes as tensors: checkpoints hold nothing but plain values and tensors."""

import torch

__all__ = ["as_bytes", "as_tensor"]


def as_tensor(data: bytes) -> torch.Tensor:
    """A copy of the bytes, (len(data),) uint8."""
    return torch.frombuffer(bytearray(data), dtype=torch.uint8) if data else torch.zeros(0, dtype=torch.uint8)


def as_bytes(tensor: torch.Tensor) -> bytes:
    """What `as_tensor` was given."""
    data: bytes = tensor.numpy().tobytes()
    return data
