# SPDX-License-Identifier: GPL-3.0-or-later
import os
import shutil
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pytest

from oakemu_rl.errors import UserError
from oakemu_rl.training.checkpoint_store import find_checkpoint
from oakemu_rl.training.run_folder import RunFolder, default_run_path


def test_the_default_name_tells_game_algorithm_seed_and_time() -> None:
    path = default_run_path("ZXSpectrum/Acorns-v0", 7, datetime(2026, 1, 2, 3, 4, 5))
    assert path == Path("runs/ZXSpectrum_Acorns-v0__ppo__7__20260102-030405")


def test_a_new_run_has_its_config_and_folders_and_is_the_latest(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "runs" / "a", "seed: 1\n")
    assert run.config.read_text() == "seed: 1\n"
    assert {path.name for path in run.path.iterdir()} == {"config.yaml", "checkpoints", "best", "videos", "export"}
    assert RunFolder.open(tmp_path / "runs" / "latest").path.name == "a"
    RunFolder.create(tmp_path / "runs" / "b", "")
    assert RunFolder.open(tmp_path / "runs" / "latest").path.name == "b"
    assert {path.name for path in (tmp_path / "runs").iterdir()} == {"a", "b", "latest"}


def test_latest_may_be_a_text_where_links_are_not_to_be_had(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("no links here")

    monkeypatch.setattr(Path, "symlink_to", refuse)
    RunFolder.create(tmp_path / "runs" / "a", "")
    assert (tmp_path / "runs" / "latest").read_text() == "a\n"
    assert RunFolder.open(tmp_path / "runs" / "latest").path == tmp_path / "runs" / "a"


def test_no_pointer_is_left_in_a_folder_that_is_not_ours(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "somewhere" / "a", "")
    assert [path.name for path in (tmp_path / "somewhere").iterdir()] == ["a"]


def test_an_existing_folder_is_refused_and_untouched(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "thesis.txt").write_text("years of work")
    with pytest.raises(UserError, match=f"{taken} exists.*--resume {taken}"):
        RunFolder.create(taken, "")
    assert [path.name for path in taken.iterdir()] == ["thesis.txt"]


def test_a_full_disk_is_told_before_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage(NamedTuple):
        free: int = 5 * 2**20

    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage())
    with pytest.raises(UserError, match="5 MiB free, 128 MiB needed"):
        RunFolder.create(tmp_path / "run", "")
    assert not any(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_one_line_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(UserError, match="cannot be written: Read-only file system"):
        RunFolder.create(tmp_path / "run", "")
    assert not any(tmp_path.iterdir())


def test_a_parent_that_is_a_file_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        RunFolder.create(tmp_path / "file" / "run", "")


def test_opening_says_what_is_wrong(tmp_path: Path) -> None:
    RunFolder.create(tmp_path / "first", "")
    with pytest.raises(UserError, match=f"no run folder .*did you mean '{tmp_path / 'first'}'"):
        RunFolder.open(tmp_path / "frist")
    (tmp_path / "other").mkdir()
    with pytest.raises(UserError, match="not a run folder: it has no config"):
        RunFolder.open(tmp_path / "other")


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_run_that_cannot_be_written_is_not_resumed(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run", "")
    run.path.chmod(0o500)
    with pytest.raises(UserError, match="cannot be written"):
        RunFolder.open(run.path, for_writing=True)
    run.path.chmod(0o700)


def test_config_is_replaced_whole(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run", "a")
    run.write_config("b")
    assert run.config.read_text() == "b"
    assert not list(run.path.glob(".*"))


def test_folders_that_were_removed_are_there_again_before_a_run_goes_on(tmp_path: Path) -> None:
    run = RunFolder.create(tmp_path / "run", "seed: 1\n")
    run.checkpoints.rmdir()
    run.best.rmdir()
    RunFolder.open(run.path, for_writing=True)
    assert run.checkpoints.is_dir()
    assert run.best.is_dir()


def test_a_pointer_that_is_no_text_is_told(tmp_path: Path) -> None:
    (tmp_path / "latest").write_bytes(b"\xff")
    with pytest.raises(UserError, match="no run folder"):
        RunFolder.open(tmp_path / "latest")
    with pytest.raises(UserError, match="no checkpoint or run folder"):
        find_checkpoint(tmp_path / "latest")
