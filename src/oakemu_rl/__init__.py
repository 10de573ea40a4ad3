# SPDX-License-Identifier: GPL-3.0-or-later
"""OakEmu-RL: train, watch, judge and ship agents that play ZX Spectrum games."""

from importlib.metadata import version as _version

from oakemu_rl.envs import register_all as _register_all

__all__ = ["__version__"]

__version__ = _version("oakemu-rl")

_register_all()
