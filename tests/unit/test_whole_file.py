# SPDX-License-Identifier: GPL-3.0-or-later
import os
from pathlib import Path

import pytest

from oakemu_rl._whole_file import write_whole


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    for data in (b"first", b""):
        write_whole(tmp_path / "a", data)
        assert (tmp_path / "a").read_bytes() == data
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_what_fails_leaves_the_old_file_and_no_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").write_bytes(b"before")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device", "the draft")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_whole(tmp_path / "a", b"after")
    assert caught.value.filename == str(tmp_path / "a")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"before")]


@pytest.mark.parametrize(
    ("name", "error"), [("file/a", NotADirectoryError), ("none/a", FileNotFoundError), ("folder", IsADirectoryError)]
)
def test_errors_name_the_file_that_was_asked_for(tmp_path: Path, name: str, error: type[OSError]) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "folder").mkdir()
    with pytest.raises(error) as caught:
        write_whole(tmp_path / name, b"x")
    assert caught.value.filename == str(tmp_path / name)
