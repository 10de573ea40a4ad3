# SPDX-License-Identifier: GPL-3.0-or-later
"""The C++ test programs under sanitizers.

All tests in Python run the optimised build, so its own suites (``ctest --preset release``) are left to
those who change the core.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

_SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=1:strict_string_checks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": "halt_on_error=1",
}
_SUITES = (
    "area_average_tests",
    "batch_state_tests",
    "batch_tests",
    "beam_tests",
    "explorer_tests",
    "hash_tests",
    "interrupt_tests",
    "machine_tests",
    "port_tests",
    "program_tests",
    "rzx_tests",
    "slot_store_tests",
    "sound_tests",
    "state_store_tests",
    "state_tests",
    "tape_tests",
    "thread_pool_tests",
    "variable_tests",
    "video_tests",
)
# ThreadSanitizer has something to say only where there are threads.
_THREADED = ("batch_state_tests", "batch_tests", "explorer_tests", "state_tests", "thread_pool_tests")


def _run(program: Path) -> None:
    done = subprocess.run([program], env=_SANITIZER_OPTIONS, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def test_every_registered_suite_is_listed_here() -> None:
    registered = (Path(__file__).parent / "CMakeLists.txt").read_text(encoding="utf-8")
    listed = {
        suite
        for line in registered.splitlines()
        if line.startswith("foreach(suite ")
        for suite in line.removeprefix("foreach(suite ").removesuffix(")").split()
    }
    assert listed == set(_SUITES)


@pytest.mark.parametrize("suite", _SUITES)
def test_address_and_undefined_behaviour_sanitizers(suite: str, cpp_build: Callable[[str], Path]) -> None:
    _run(cpp_build("asan") / suite)


@pytest.mark.parametrize("suite", _THREADED)
def test_thread_sanitizer(suite: str, cpp_build: Callable[[str], Path]) -> None:
    _run(cpp_build("tsan") / suite)
