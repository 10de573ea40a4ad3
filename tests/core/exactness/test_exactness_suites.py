# SPDX-License-Identifier: GPL-3.0-or-later
"""The C++ test programs of this folder under AddressSanitizer and UndefinedBehaviorSanitizer."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

_OPTIONS = {"ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1", "UBSAN_OPTIONS": "print_stacktrace=1"}
_REGISTERED = re.search(r"^set\(suites (.*)\)$", (Path(__file__).parent / "CMakeLists.txt").read_text("utf-8"), re.M)
assert _REGISTERED is not None


@pytest.mark.parametrize("suite", _REGISTERED[1].split())
def test_suite(suite: str, cpp_build: Callable[[str], Path]) -> None:
    program = cpp_build("asan") / suite
    done = subprocess.run([program], env=_OPTIONS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
