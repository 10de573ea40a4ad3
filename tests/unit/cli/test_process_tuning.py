# SPDX-License-Identifier: GPL-3.0-or-later
import ctypes
import os
import sys
from typing import Any

import pytest

from oakemu_rl.cli.process import tune_for_learning


class _LibraryWith:
    def __init__(self, **functions: Any) -> None:
        self.__dict__.update(functions)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    made: list[tuple[int, int]] = []
    library = _LibraryWith(mallopt=lambda *given: made.append(given))
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
