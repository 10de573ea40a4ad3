# SPDX-License-Identifier: GPL-3.0-or-later
import errno
import json
import os
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch

from oakemu_rl.errors import UserError
from oakemu_rl.training.checkpoint import Checkpoint, read_checkpoint, write_checkpoint
from oakemu_rl.training.checkpoint_store import CheckpointStore, find_checkpoint

INFO = {"step": 5, "game": {"id": "X"}}
TENSORS = {"model": {"w": torch.arange(6.0).reshape(2, 3)}, "slots": [torch.zeros(3, dtype=torch.uint8)], "n": 7}


def _store(tmp_path: Path, steps: list[int], keep_last: int = 9) -> CheckpointStore:
    folder = tmp_path / "checkpoints"
    folder.mkdir()
    store = CheckpointStore(folder, keep_last)
    for step in steps:
        store.save(step, {**INFO, "step": step}, TENSORS)
    return store


def _truncate(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


def test_what_is_written_is_read(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "c", Checkpoint(INFO, TENSORS))
    read = read_checkpoint(tmp_path / "c")
    assert {key: read.info[key] for key in INFO} == INFO
    assert torch.equal(read.tensors["model"]["w"], TENSORS["model"]["w"])  # type: ignore[index] # a mapping
    assert read.tensors["n"] == 7
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c"]


@pytest.mark.parametrize("file", ["checkpoint.json", "tensors.pt"])
@pytest.mark.parametrize("part", [0.0, 0.5, 0.99])
def test_a_truncated_checkpoint_is_one_line(tmp_path: Path, file: str, part: float) -> None:
    write_checkpoint(tmp_path / "c", Checkpoint(INFO, TENSORS))
    path = tmp_path / "c" / file
    _truncate(path, int(len(path.read_bytes()) * part))
    with pytest.raises(UserError, match=r"truncated|damaged") as caught:
        read_checkpoint(tmp_path / "c")
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_flipped_bit_is_found(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "c", Checkpoint(INFO, TENSORS))
    path = tmp_path / "c" / "tensors.pt"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(UserError, match="checksum"):
        read_checkpoint(tmp_path / "c")


def test_foreign_and_newer_files_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "c"
    folder.mkdir()
    (folder / "checkpoint.json").write_text('{"format": "something else"}')
    with pytest.raises(UserError, match="not written by oakemu-rl"):
        read_checkpoint(folder)
    (folder / "checkpoint.json").write_text("[]")
    with pytest.raises(UserError, match="not written by oakemu-rl"):
        read_checkpoint(folder)
    (folder / "checkpoint.json").write_text('{"format": "oakemu-rl checkpoint", "format_version": 99}')
    with pytest.raises(UserError, match="format 99, this version reads 3"):
        read_checkpoint(folder)
    with pytest.raises(UserError, match="not a whole checkpoint"):
        read_checkpoint(tmp_path / "nowhere")


def test_what_is_no_checkpoint_is_told_by_its_own_name(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("hello")
    with pytest.raises(UserError, match=r"notes\.txt is a file of no checkpoint"):
        find_checkpoint(file)
    with pytest.raises(UserError, match=f"{tmp_path.name} is neither a run folder nor a checkpoint"):
        find_checkpoint(tmp_path)


@pytest.mark.parametrize("edit", [('"step": 5', '"step": 7'), ('"step"', '"stop"'), ('"info_sha256"', '"info_sha257"')])
def test_plain_values_that_were_changed_are_found(edit: tuple[str, str], tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "c", Checkpoint(INFO, TENSORS))
    file = tmp_path / "c" / "checkpoint.json"
    file.write_text(file.read_text().replace(*edit))
    with pytest.raises(UserError, match=r"checkpoint\.json is damaged: its checksum"):
        read_checkpoint(tmp_path / "c")


def test_a_file_of_a_checkpoint_stands_for_it(tmp_path: Path) -> None:
    write_checkpoint(tmp_path / "c", Checkpoint(INFO, TENSORS))
    assert find_checkpoint(tmp_path / "c" / "tensors.pt")[0] == tmp_path / "c"


def test_a_checkpoint_cannot_run_code(tmp_path: Path) -> None:
    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (str(tmp_path / "exploded"),)

    write_checkpoint(tmp_path / "c", Checkpoint(INFO, TENSORS))
    info = json.loads((tmp_path / "c" / "checkpoint.json").read_text())
    torch.save({"model": Bomb()}, tmp_path / "c" / "tensors.pt")
    for content in ((tmp_path / "c" / "tensors.pt").read_bytes(), pickle.dumps(Bomb(), protocol=2)):
        (tmp_path / "c" / "tensors.pt").write_bytes(content)
        import hashlib

        info.update(tensors_bytes=len(content), tensors_sha256=hashlib.sha256(content).hexdigest())
        info.pop("info_sha256", None)
        info["info_sha256"] = hashlib.sha256(json.dumps(info, sort_keys=True).encode()).hexdigest()
        (tmp_path / "c" / "checkpoint.json").write_text(json.dumps(info))
        with pytest.raises(UserError, match="cannot be loaded"):
            read_checkpoint(tmp_path / "c")
        assert not (tmp_path / "exploded").exists()


def test_only_the_last_are_kept(tmp_path: Path) -> None:
    store = _store(tmp_path, [100, 20, 3000], keep_last=2)
    assert [int(path.name) for path in store.paths()] == [100, 3000]


def test_the_newest_whole_one_is_found_and_the_damage_told(tmp_path: Path) -> None:
    store = _store(tmp_path, [1, 2, 3])
    _truncate(store.paths()[-1] / "tensors.pt", 10)
    (store.paths()[1] / "checkpoint.json").unlink()
    path, checkpoint, complaints = store.load_last()
    assert (path.name, checkpoint.info["step"]) == ("000000000001", 1)
    assert len(complaints) == 2
    _truncate(path / "tensors.pt", 10)
    with pytest.raises(UserError, match="no whole checkpoint"):
        store.load_last()


def test_leftovers_of_a_killed_save_are_ignored_and_cleaned(tmp_path: Path) -> None:
    store = _store(tmp_path, [1])
    leftover = store.folder / ".000000000002.tmp-123"
    leftover.mkdir()
    (leftover / "tensors.pt").write_bytes(b"half")
    assert store.load_last()[1].info["step"] == 1
    store.clean()
    assert not leftover.exists()
    assert len(store.paths()) == 1


@pytest.mark.parametrize("writes_before_it_is_full", [0, 1])
def test_a_full_disk_keeps_the_previous_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writes_before_it_is_full: int
) -> None:
    store = _store(tmp_path, [1], keep_last=1)
    calls = iter(range(99))

    def full(_: int) -> None:
        if next(calls) >= writes_before_it_is_full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserError, match=r"No space left on device; the last good one is .*000000000001") as caught:
        store.save(2, INFO, TENSORS)
    assert "\n" not in str(caught.value)
    monkeypatch.undo()
    assert [path.name for path in store.folder.iterdir()] == ["000000000001"]
    assert store.load_last()[1].info["step"] == 1


def test_saving_a_step_again_mends_a_damaged_one_and_leaves_a_whole_one(tmp_path: Path) -> None:
    store = _store(tmp_path, [1])
    _truncate(store.paths()[0] / "tensors.pt", 10)
    store.save(1, {**INFO, "step": 1}, TENSORS)
    assert store.load_last()[1].info["step"] == 1
    before = (store.paths()[0] / "checkpoint.json").stat().st_mtime_ns
    store.save(1, {**INFO, "step": 1}, TENSORS)
    assert (store.paths()[0] / "checkpoint.json").stat().st_mtime_ns == before


def test_users_may_point_at_a_run_a_folder_a_checkpoint_or_a_file(tmp_path: Path) -> None:
    store = _store(tmp_path, [1, 2])
    last = store.paths()[-1]
    for path in (tmp_path, store.folder, last, last / "tensors.pt"):
        assert find_checkpoint(path)[0] == last, path
    best = tmp_path / "best"
    best.mkdir()
    CheckpointStore(best).save(1, {**INFO, "step": 1}, TENSORS)
    assert find_checkpoint(tmp_path)[0] == best / "000000000001"
    _truncate(best / "000000000001" / "tensors.pt", 3)
    found, _, notes = find_checkpoint(tmp_path)
    assert found == last
    assert len(notes) == 1


def test_a_damaged_one_named_outright_is_refused_with_the_last_good_one(tmp_path: Path) -> None:
    store = _store(tmp_path, [1, 2])
    bad = store.paths()[1]
    _truncate(bad / "tensors.pt", 10)
    with pytest.raises(UserError, match=f"truncated.*the last good one is {store.paths()[0]}"):
        find_checkpoint(bad)


def test_nothing_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no checkpoint or run folder"):
        find_checkpoint(tmp_path / "nowhere")
    (tmp_path / "config.yaml").write_text("")
    with pytest.raises(UserError, match="has no checkpoint yet"):
        find_checkpoint(tmp_path)
