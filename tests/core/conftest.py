# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of the C++ core share: the sanitized test programs, and the folder with the data that is not ours."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.fail(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}", pytrace=False)


def _tool(name: str) -> str:
    """The path of `name`, also where only the virtual environment has it (it may not be activated)."""
    beside_python = Path(sys.executable).with_name(name)
    found = str(beside_python) if beside_python.exists() else shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed: pip install -e '.[dev]'")
    return found


@pytest.fixture(scope="session")
def cpp_build() -> Callable[[str], Path]:
    """Builds the C++ test programs with a CMake preset and gives their folder, incrementally."""
    built: dict[str, Path] = {}

    def build(preset: str) -> Path:
        if preset not in built:
            cmake, ninja = _tool("cmake"), _tool("ninja")
            _run([cmake, "--preset", preset, f"-DCMAKE_MAKE_PROGRAM={ninja}"])
            _run([cmake, "--build", "--preset", preset, "-j", "2"])
            built[preset] = ROOT / "build" / f"tests-{preset}" / "tests" / "core"
        return built[preset]

    return build


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of test data that lives outside the repository: $OAKEMU_SHARED/data or ../shared/data."""
    folder = Path(os.environ.get("OAKEMU_SHARED", ROOT.parent / "shared")) / "data"
    if not folder.is_dir():
        pytest.skip(f"no test data at {folder}; set OAKEMU_SHARED to the folder that holds data/")
    return folder
