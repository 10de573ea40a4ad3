# SPDX-License-Identifier: GPL-3.0-or-later
"""OakEmu-RL: train, watch, judge and ship agents that play ZX Spectrum games."""

from importlib.metadata import version as _version

__all__ = ["__version__"]

__version__ = _version("oakemu-rl")
