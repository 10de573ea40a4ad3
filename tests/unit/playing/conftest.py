# SPDX-License-Identifier: GPL-3.0-or-later
import pytest

from oakemu_rl.playing import Playable, open_playable


@pytest.fixture(scope="session")
def acorns() -> Playable:
    """Acorns, in the frame in which an agent's episodes begin."""
    return open_playable("acorns", at_start=True)
