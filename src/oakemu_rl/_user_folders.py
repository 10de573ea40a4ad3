# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the user's own files lie: the platform's folders, or the one that $OAKEMU_RL_HOME names for all."""

import os
from pathlib import Path

import platformdirs

__all__ = ["configuration_folder", "data_folder"]

_NAME = "oakemu-rl"


def data_folder() -> Path:
    """For what the user has brought or made; it need not exist."""
    return _home() or platformdirs.user_data_path(_NAME)


def configuration_folder() -> Path:
    """For how the user wants things; it need not exist."""
    return _home() or platformdirs.user_config_path(_NAME)


def _home() -> Path | None:
    home = os.environ.get("OAKEMU_RL_HOME")
    return Path(home) if home else None
