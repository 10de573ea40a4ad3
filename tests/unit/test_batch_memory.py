# SPDX-License-Identifier: GPL-3.0-or-later
import os
from pathlib import Path
from typing import Any

import pytest
from batch_game import settings
from test_batch_128k import ROMS, start_128k

from oakemu_rl import _core

STATM = Path("/proc/self/statm")


def resident() -> int:
    return int(STATM.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not STATM.exists(), reason="counts pages the Linux way")
@pytest.mark.parametrize(
    ("changes", "kib"), [({}, 96), ({"rom": ROMS, "start_states": [start_128k()]}, 200)], ids=["48k", "128k"]
)
def test_an_environment_takes_little_memory(changes: dict[str, Any], kib: int) -> None:
    count = 500
    before = resident()
    batch = _core.Batch(**settings(num_envs=count, area=(0, 0, 256, 192), size=(84, 84), stack=4, **changes))
    assert (resident() - before) / count < kib * 1024
    assert batch.num_envs == count
