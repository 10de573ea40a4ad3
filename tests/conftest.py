# SPDX-License-Identifier: GPL-3.0-or-later
"""What all tests share: a folder for the user's programs that is nobody's."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(autouse=True, scope="session")
def _no_users_library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The programs and definitions of whoever runs the tests play no part in them."""
    folder = tmp_path_factory.mktemp("no-library")
    before = os.environ.get("OAKEMU_RL_HOME")
    os.environ["OAKEMU_RL_HOME"] = str(folder)
    yield folder
    if before is None:
        del os.environ["OAKEMU_RL_HOME"]
    else:
        os.environ["OAKEMU_RL_HOME"] = before
