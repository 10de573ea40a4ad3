# SPDX-License-Identifier: GPL-3.0-or-later
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakemu_rl.emulator import Spectrum, StateStore
from oakemu_rl.errors import UserError

MODELS = ("48k", "128k", "plus2")


def busy(spectrum: Spectrum, frames: int, seed: int = 0) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(frames):
        spectrum.release_all()
        spectrum.press(str(rng.choice(["a", "q", "1", "enter", "space"])))
        spectrum.run_frames(1)


@pytest.mark.parametrize("model", MODELS)
def test_states_come_back_from_bytes_and_from_machines(model: str) -> None:
    store = StateStore()
    spectrum = Spectrum(model)
    spectrum.run_frames(90)
    states = []
    for seed in range(30):
        busy(spectrum, 2, seed)
        states.append(spectrum.save_state())
        assert store.add(spectrum if seed % 3 else states[-1]) == seed
    assert store.add(spectrum.save_state(compress=True)) == 30
    assert store.get(30) == states[-1]
    assert len(store) == 31
    assert list(store) == list(range(31))
    twin = Spectrum(model)
    for state_id in np.random.default_rng(1).permutation(30).tolist():
        assert store.get(state_id) == states[state_id]
        store.load(state_id, twin)
        assert twin.save_state() == states[state_id]


def test_what_is_loaded_is_there_at_once(ready: Spectrum) -> None:
    store = StateStore()
    ready.press("a", "space")
    moment, screen, view = store.add(ready), ready.screen(), ready.memory
    memory = view.copy()
    ready.type_keys("p", "1", "enter")
    ready.release_all()
    store.load(moment, ready)
    assert np.array_equal(ready.screen(), screen)
    assert np.array_equal(view, memory)
    assert set(ready.held_keys) == {"a", "space"}


def test_equal_pages_are_kept_once() -> None:
    spectrum = Spectrum()
    spectrum.memory[:] = np.random.default_rng(0).integers(0, 200, 49152, dtype=np.uint8)
    store = StateStore()
    store.add(spectrum)
    assert store.pages == 192
    one = store.nbytes
    for number in range(2000):
        spectrum.memory[256 * (number % 192)] += 1
        store.add(spectrum)
    assert store.pages == 192 + 2000
    assert (store.nbytes - one) / 2000 < 1000
    for state_id in store:
        store.discard(state_id)
    assert (store.pages, len(store)) == (0, 0)
    store.clear()
    assert store.nbytes < 2000
    assert "0 states, 0 pages" in repr(store)


def test_errors_name_what_is_wrong(ready: Spectrum) -> None:
    store = StateStore()
    kept = store.add(Spectrum("128k"))
    gone = store.add(ready)
    store.discard(gone)
    before = ready.save_state()
    with pytest.raises(UserError, match="it is of a 128k machine, this one is a 48k"):
        store.load(kept, ready)
    with pytest.raises(UserError, match="there is no state 1 in the store, it was discarded"):
        store.get(gone)
    for call in (store.get, store.discard, lambda state_id: store.load(state_id, ready)):
        for unknown in (2, -1, 2**64, 10**30):
            with pytest.raises(UserError, match=f"^there is no state {unknown} in the store"):
                call(unknown)
        with pytest.raises(UserError, match="the id of a state is a number, not str"):
            call("0")  # type: ignore[arg-type]  # under test
    for wrong in (before[:-1], b"", before[:50] + b"\xff" + before[51:]):
        with pytest.raises(UserError, match="saved state: "):
            store.add(wrong)
    with pytest.raises(UserError, match="a saved state is bytes, not int"):
        store.add(5)  # type: ignore[arg-type]  # under test
    assert ready.save_state() == before
    assert list(store) == [kept]
    assert kept in store
    assert all(other not in store for other in (gone, -1, 2**70, "0", None))


@given(steps=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 49151), st.integers(0, 255)), max_size=40))
def test_any_order_of_adding_and_discarding_keeps_every_state(steps: list[tuple[int, int, int]]) -> None:
    store, spectrum = StateStore(), Spectrum()
    kept: dict[int, bytes] = {}
    for kind, place, value in steps:
        spectrum.memory[place] = value
        if kind or not kept:
            kept[store.add(spectrum)] = spectrum.save_state()
        else:
            state_id = list(kept)[place % len(kept)]
            store.discard(state_id)
            del kept[state_id]
    assert {state_id: store.get(state_id) for state_id in store} == kept
    pages = {state[at : at + 256] for state in kept.values() for at in range(160, len(state), 256)}
    assert store.pages == len(pages)


def test_threads_share_a_store() -> None:
    store = StateStore()
    added: list[tuple[int, bytes]] = []

    def work(seed: int) -> None:
        spectrum = Spectrum(MODELS[seed % 3])
        for _ in range(30):
            busy(spectrum, 1, seed)
            added.append((store.add(spectrum), spectrum.save_state()))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(state_id for state_id, _ in added) == list(range(120))
    assert all(store.get(state_id) == state for state_id, state in added)
