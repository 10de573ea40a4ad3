# SPDX-License-Identifier: GPL-3.0-or-later
import subprocess
import sys
from pathlib import Path

STUB = Path(__file__).parents[2] / "src" / "oakemu_rl" / "_core.pyi"


def test_the_committed_stub_is_current(tmp_path: Path) -> None:
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "oakemu_rl._core", "-o", str(fresh)]
    subprocess.run(command, check=True)
    assert STUB.read_text("utf-8") == fresh.read_text("utf-8"), "run: make stubs"
