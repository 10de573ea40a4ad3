# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads, forks and the end of a process."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from counting_game import SCORE

from oakemu_rl.envs import SpectrumVectorEnv

_LOOP = """
import sys, numpy as np
from oakemu_rl.envs import SpectrumVectorEnv
env = SpectrumVectorEnv(sys.argv[1], 8, num_threads=8)
env.reset(seed=1)
for step in range(20):
    env.step(np.ones(8, np.int64))
    {then}
"""


def test_an_exception_ends_the_process(counting: Path) -> None:  # B26
    script = _LOOP.format(then="if step == 10: raise RuntimeError('mine')")
    done = subprocess.run(
        [sys.executable, "-c", script, str(counting)], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 1
    assert done.stderr.rstrip().endswith("RuntimeError: mine")


def test_dropping_the_reference_in_the_middle(counting: Path) -> None:  # B26
    script = _LOOP.format(
        then="if step == 10: env = SpectrumVectorEnv(sys.argv[1], 8, num_threads=8); env.reset(seed=1)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(counting)], capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_fork_after_threads_were_started(counting: Path) -> None:  # B25
    env = SpectrumVectorEnv(counting, 4, num_threads=4)
    env.reset(seed=1)
    env.step(np.full(4, SCORE))
    child = os.fork()
    if child == 0:
        # Nothing but the exit status may leave the child: pytest must not go on twice.
        score = 255
        try:
            score = int(env.step(np.full(4, SCORE))[4]["score"].sum())
        finally:
            os._exit(score)
    score = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert 12 <= score <= 16
    assert env.step(np.full(4, SCORE))[4]["score"].sum() == score
