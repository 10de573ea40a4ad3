# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of the process that make learning on a CPU faster; they must be made before torch is imported."""

import ctypes
import os
import sys

__all__ = ["tune_for_learning"]

_M_TRIM_THRESHOLD = -1  # numbers of glibc's malloc.h
_M_MMAP_THRESHOLD = -3
_LARGE = 1 << 30  # bytes; above any tensor of a training batch


def tune_for_learning() -> None:
    """Keeps freed memory in the process, and lets waiting threads of torch sleep.

    glibc gives large blocks back to the system at every free, so that each training batch faults its pages in again:
    raised thresholds made training at batch 1,024 faster by 64% (8 x 128 steps, Nature CNN, 2 processors). torch's
    waiting threads otherwise spin and take the processors from the environments in between.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if not sys.platform.startswith("linux") or "MALLOC_MMAP_THRESHOLD_" in os.environ:
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:  # other C libraries (musl) have none
        mallopt(_M_MMAP_THRESHOLD, _LARGE)
        mallopt(_M_TRIM_THRESHOLD, _LARGE)
