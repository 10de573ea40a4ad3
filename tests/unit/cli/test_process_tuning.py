# SPDX-License-Identifier: GPL-3.0-or-later
import ctypes
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from oakemu_rl.cli.process import tune_for_learning


class _LibraryWith:
    def __init__(self, **functions: Any) -> None:
        self.__dict__.update(functions)


def _found_no_memory(size: ctypes.c_size_t) -> None:
    assert size.value == 1 << 29


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    made: list[tuple[int, int]] = []
    library = _LibraryWith(mallopt=lambda *given: made.append(given), malloc=_found_no_memory)
    monkeypatch.setattr(ctypes, "CDLL", lambda _: library)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    monkeypatch.delenv("MALLOC_MMAP_THRESHOLD_", raising=False)
    return made


def test_memory_stays_in_the_process_and_waiting_threads_sleep(calls: list[tuple[int, int]]) -> None:
    tune_for_learning()
    assert calls == [(-3, 1 << 30), (-1, 1 << 30)]  # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD of glibc's malloc.h
    assert os.environ["OMP_WAIT_POLICY"] == "PASSIVE"


def test_what_the_user_has_set_is_left_alone(calls: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "ACTIVE")
    monkeypatch.setenv("MALLOC_MMAP_THRESHOLD_", "1")
    tune_for_learning()
    assert calls == []
    assert os.environ["OMP_WAIT_POLICY"] == "ACTIVE"


@pytest.mark.usefixtures("calls")
def test_a_library_without_mallopt_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda _: _LibraryWith())
    tune_for_learning()


@pytest.mark.skipif(
    not Path("/sys/kernel/mm/transparent_hugepage/enabled").exists(), reason="this system has no huge pages on request"
)
def test_the_heap_asks_for_huge_pages_and_takes_no_memory_for_it() -> None:
    # In a process of its own, as this one's heap is in use and its settings are not to change.
    code = """
import re
from pathlib import Path
from oakemu_rl.cli.process import tune_for_learning
def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
before = resident()
tune_for_learning()
grown = resident() - before
mapped = re.findall(r"^Size: +(\\d+) kB.*?^VmFlags: ([^\\n]*)", Path("/proc/self/smaps").read_text(), re.M | re.S)
print(sum(int(size) for size, flags in mapped if "hg" in flags.split()), grown)
"""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
    out = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout
    asked, grown = map(int, out.split())  # in KiB
    assert asked >= 500 * 1024
    assert grown < 16 * 1024
