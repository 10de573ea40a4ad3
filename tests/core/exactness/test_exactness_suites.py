# SPDX-License-Identifier: GPL-3.0-or-later
"""The C++ test programs of this folder under sanitizers."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

_OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1",
}
_CMAKE = (Path(__file__).parent / "CMakeLists.txt").read_text("utf-8")
_SUITES = " ".join(re.findall(r"^(?:set\(|list\(APPEND )suites (.+)\)$", _CMAKE, re.MULTILINE)).split()


# ThreadSanitizer has something to say only where there are threads.
_RUNS = [*(("asan", suite) for suite in _SUITES), ("asan", "many_machines_tests"), ("tsan", "many_machines_tests")]


@pytest.mark.parametrize(("preset", "suite"), _RUNS)
def test_suite(preset: str, suite: str, cpp_build: Callable[[str], Path]) -> None:
    program = cpp_build(preset) / suite
    done = subprocess.run([program], env=_OPTIONS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
