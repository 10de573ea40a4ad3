# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs that are killed, by SIGKILL and at every step of a checkpoint's saving, go on as if they had not been."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_DRIVER = Path(__file__).parent / "kill_driver.py"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the killed run is a fork")
def test_killed_at_any_moment_of_a_save_a_run_resumes_to_what_it_would_have_been(tmp_path: Path) -> None:
    # The fourth save is the first that removes an old checkpoint; 99 kills after the save's end.
    moments = [f"4:{event}" for event in (1, 2, 3, 4, 5, 6, 8, 10, 12, 13, 14, 16, 18, 99)] + ["2:99"]
    finished = subprocess.run(
        [sys.executable, str(_DRIVER), str(tmp_path), *moments],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    report = json.loads(finished.stdout)
    straight = report["straight"]
    assert len(straight["lines"]) > 20
    for moment, resumed in report["moments"].items():
        assert resumed.pop("killed"), moment
        whole = resumed.pop("whole")
        assert whole, moment
        assert all(whole), moment
        assert resumed == straight, moment
