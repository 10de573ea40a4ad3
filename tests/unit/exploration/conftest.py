# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path

import pytest
from counting_game import write_game


@pytest.fixture(scope="session")
def counting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The definition of the counting game."""
    return write_game(tmp_path_factory.mktemp("counting"))
