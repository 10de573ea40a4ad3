# SPDX-License-Identifier: GPL-3.0-or-later
"""Speeds, stretched sound, and the folder of recordings."""

import math
import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from oakemu_rl.playing.recordings import RecordingFolder
from oakemu_rl.playing.speed import Speed, stretched

NOW = datetime(2026, 11, 30, 17, 5, 9, tzinfo=UTC)


def test_speeds() -> None:
    speed = Speed()
    seen = []
    speed.change(-5)
    for _ in range(8):
        seen.append((speed.text, speed.frames, speed.rate(50.0)))
        speed.change(1)
    assert seen[:7] == [
        ("0.25x", 1, 12.5),
        ("0.5x", 1, 25.0),
        ("1x", 1, 50.0),
        ("2x", 2, 50.0),
        ("4x", 4, 50.0),
        ("8x", 8, 50.0),
        ("max", 32, math.inf),
    ]
    assert seen[7] == seen[6]
    speed.normal()
    assert speed.factor == 1.0
    speed.turbo(on=True)
    assert speed.text == "max"
    speed.turbo(on=False)
    assert speed.text == "1x"


def test_sound_is_stretched() -> None:
    samples = np.array([0, 100, 200, 300], np.int16)
    assert stretched(samples, 1.0) is samples
    assert stretched(samples, 2.0).tolist() == [0, 200]
    assert stretched(samples, 0.5).tolist() == [0, 50, 100, 150, 200, 250, 300, 300]
    assert stretched(samples, 0.5).dtype == np.int16
    assert stretched(samples[:0], 2.0).size == 0


class TestRecordingFolder:
    @staticmethod
    def fill(folder: Path, names: list[str], nbytes: int = 10) -> None:
        folder.mkdir(exist_ok=True)
        for age, name in enumerate(names):
            (folder / name).write_bytes(bytes(nbytes))
            os.utime(folder / name, (1_000_000 - age, 1_000_000 - age))

    def test_paths_are_free(self, tmp_path: Path) -> None:
        folder = RecordingFolder(tmp_path / "acorns", "acorns")
        first = folder.new_path(NOW)
        assert first == tmp_path / "acorns" / "acorns-20261130-170509.rzx"
        self.fill(first.parent, [first.name])
        assert folder.new_path(NOW).name == "acorns-20261130-170509-2.rzx"

    def test_the_oldest_go(self, tmp_path: Path) -> None:
        names = [f"a-20260101-00000{number}.rzx" for number in range(5)]
        self.fill(tmp_path, [*names, "mine.rzx", "a-20260101-000001.rzx.bak"])
        removed = RecordingFolder(tmp_path, "a", files=3).prune()
        assert [path.name for path in removed] == names[3:]
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
            [*names[:3], "mine.rzx", "a-20260101-000001.rzx.bak"]
        )

    def test_they_have_so_many_bytes_together(self, tmp_path: Path) -> None:
        names = [f"a-20260101-000000-{number}.rzx" for number in range(5)]
        self.fill(tmp_path, names, 100)
        RecordingFolder(tmp_path, "a", nbytes=250).prune()
        assert sorted(path.name for path in tmp_path.iterdir()) == names[:2]

    @pytest.mark.parametrize("limit", [{"files": 0}, {"nbytes": 1}])
    def test_the_newest_stays(self, tmp_path: Path, limit: dict[str, int]) -> None:
        self.fill(tmp_path, ["a-20260101-000000.rzx", "a-20250101-000000.rzx"])
        RecordingFolder(tmp_path, "a", **limit).prune()
        assert [path.name for path in tmp_path.iterdir()] == ["a-20260101-000000.rzx"]

    def test_a_folder_that_is_not_there(self, tmp_path: Path) -> None:
        assert RecordingFolder(tmp_path / "no", "a").prune() == []
