# SPDX-License-Identifier: GPL-3.0-or-later
"""Searches that go on in another run."""

from pathlib import Path

import numpy as np
import pytest

from oakemu_rl.errors import UserError
from oakemu_rl.games.library import Library
from oakemu_rl.games.search import Search
from oakemu_rl.games.search_store import SearchStore
from oakemu_rl.games.search_values import RAM_SIZE, TYPES


@pytest.fixture
def store(tmp_path: Path) -> SearchStore:
    return SearchStore("ab" * 32, Library(tmp_path))


def searched() -> Search:
    search = Search()
    ram = np.random.default_rng(1).integers(0, 256, RAM_SIZE).astype(np.uint8)
    for value in (3, 4, 5):
        ram[100] = value
        search.watch(ram)
        search.snap(ram)
    search.compare("increased", by=1)
    search.equals(5)
    return search


def test_it_comes_back_as_it_was(store: SearchStore, tmp_path: Path) -> None:
    search = searched()
    store.save(search)
    assert store.path == tmp_path / "search" / f"{'ab' * 32}.npz"
    assert store.path.stat().st_size < 20_000
    again = store.load()
    assert again is not None
    assert np.array_equal(again.candidates, search.candidates)
    assert again.candidates[TYPES.index("u8"), 100]
    assert again.steps == ["increased by 1", "equals 5"]
    assert np.array_equal(again.evidence.changes, search.evidence.changes)
    assert again.evidence.frames == 2
    assert (again.evidence.low[0, 100], again.evidence.high[0, 100]) == (3, 5)
    assert again.now is None


def test_a_large_search_is_a_small_file(store: SearchStore) -> None:
    search = searched()
    search.undo()
    search.undo()
    search.compare("unchanged")
    assert search.count > 200_000
    store.save(search)
    assert store.path.stat().st_size < 200_000
    again = store.load()
    assert again is not None
    assert again.count == search.count


def test_nothing_is_remembered_of_nothing(store: SearchStore) -> None:
    assert store.load() is None
    store.save(searched())
    store.save(Search())
    assert not store.path.exists()
    store.forget()


@pytest.mark.parametrize("damage", [b"", b"PK\x03\x04 nonsense", b"no archive at all"])
def test_a_damaged_file_is_named(store: SearchStore, damage: bytes) -> None:
    store.path.parent.mkdir()
    store.path.write_bytes(damage)
    with pytest.raises(UserError, match=r"npz: the remembered search cannot be read .*--fresh begins anew"):
        store.load()


def test_every_cut_is_noticed(store: SearchStore) -> None:
    store.save(searched())
    whole = store.path.read_bytes()
    for length in range(0, len(whole), 199):
        store.path.write_bytes(whole[:length])
        with pytest.raises(UserError, match="cannot be read"):
            store.load()


def test_objects_are_not_unpickled(store: SearchStore) -> None:
    store.path.parent.mkdir()
    with store.path.open("wb") as stream:
        np.savez(stream, version=np.array([object()], dtype=object))
    with pytest.raises(UserError, match="cannot be read"):
        store.load()


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("version", np.array(99), "another version"),
        ("types", np.array(TYPES[1:]), "another version"),
        ("candidates", np.zeros((len(TYPES), 3), np.uint8), "other shapes"),
        ("changes", np.zeros(RAM_SIZE - 1, np.int64), "other shapes"),
        ("changes", np.zeros(RAM_SIZE, np.float64), "other shapes"),
        ("low", np.zeros(7, np.int32), "cannot be read"),
    ],
)
def test_what_another_version_wrote_is_refused(
    store: SearchStore, name: str, value: np.ndarray, complaint: str
) -> None:
    store.save(searched())
    with np.load(store.path) as arrays:
        changed = {each: arrays[each] for each in arrays.files}
    with store.path.open("wb") as stream:
        np.savez(stream, **{**changed, name: value})
    with pytest.raises(UserError, match=complaint):
        store.load()
