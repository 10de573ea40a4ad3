# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings as files: what is written comes back, and nothing else is taken for one."""

import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakemu_rl.demos import Demo, load_demo, read_head, save_demo
from oakemu_rl.errors import UserError


def same(one: Demo, other: Demo) -> bool:
    def equal(a: Any, b: Any) -> bool:
        return np.array_equal(a, b) and a.dtype == b.dtype if isinstance(a, np.ndarray) else a == b

    return all(equal(getattr(one, each.name), getattr(other, each.name)) for each in fields(one))


def rewritten(data: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    """The file with another head, whose checksum is right."""
    length = struct.unpack_from("<I", data, 12)[0]
    head = json.loads(data[20 : 20 + length])
    change(head)
    text = json.dumps(head).encode()
    return data[:12] + struct.pack("<II", len(text), zlib.crc32(text)) + text + data[20 + length :]


@pytest.fixture(scope="module")
def data(counted: Demo, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("data") / "it.demo"
    save_demo(path, counted)
    return path.read_bytes()


def test_what_is_written_comes_back(counted: Demo, tmp_path: Path) -> None:
    marked = replace(counted, keyframes=((4, counted.start[:-3] + b"one"), (68, counted.start)), seed=None)
    frames_alone = replace(counted, actions=None, step_frames=None, episode_return=None, source="rzx")
    for number, demo in enumerate((counted, marked, frames_alone)):
        path = tmp_path / f"{number}.demo"
        save_demo(path, demo)
        assert same(load_demo(path), demo)
        head = read_head(path)
        assert (head.frames, head.steps, head.outcome) == (demo.frames, demo.steps, demo.outcome)


def test_the_format_is_as_its_description_says(data: bytes, counted: Demo) -> None:
    magic, version, length, crc = struct.unpack_from("<8sIII", data)
    assert (magic, version, crc) == (b"\x89DEMO\r\n\x1a", 1, zlib.crc32(data[20 : 20 + length]))
    head = json.loads(data[20 : 20 + length])
    assert head["arrays"]["keys"] == [counted.frames, 9]
    assert data[20 + length :][:4] == b"\x28\xb5\x2f\xfd"


@pytest.mark.parametrize(
    ("spoil", "complaint"),
    [
        (lambda _: b"", "not a recording"),
        (lambda data: b"PK" + data, "not a recording"),
        (lambda data: data[:15], "cut off after 15 bytes"),
        (lambda data: data[:8] + b"\2\0\0\0" + data[12:], "of version 2; this program reads version 1"),
        (lambda data: data[:12] + b"\xff\xff\xff\xff" + data[16:], "its head has 4294967295 bytes, at most"),
        (lambda data: data[:100], "cut off after 100 bytes"),
        (lambda data: data[:40] + b"?" + data[41:], "the checksum of its head is wrong"),
        (lambda data: data[:-5], "cut off or damaged"),
        (lambda data: data + b"more", "cut off or damaged"),
        (lambda data: data[:-60] + b"?" + data[-59:], "cut off or damaged"),
    ],
)
def test_what_is_none_is_refused(data: bytes, tmp_path: Path, spoil: Callable[[bytes], bytes], complaint: str) -> None:
    path = tmp_path / "spoilt.demo"
    path.write_bytes(spoil(data))
    with pytest.raises(UserError, match=rf"spoilt\.demo: .*{complaint}"):
        load_demo(path)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda head: head.update(outcome="draw"), "outcome is one of running, win, loss"),
        (lambda head: head.update(source="nobody"), "damaged: source: "),
        (lambda head: head.pop("seed"), "damaged: seed: "),
        (lambda head: head.update(surprise=1), "damaged: surprise: "),
        (lambda head: head["arrays"].pop("keys"), "its arrays are "),
        (lambda head: head["arrays"].update(keys=[612]), "its arrays are "),
        (lambda head: head["arrays"].update(more=[1]), "its arrays are "),
        (lambda head: head["arrays"].update(keys=[1 << 40, 9]), "at most 1073741824 are read"),
        (lambda head: head["arrays"].update(keys=[-68, -9]), "at most 1073741824 are read"),
        (lambda head: head["arrays"].update(keys=[34, 18]), "its keys are .* not"),
        (lambda head: head.update(check_every=7), "do not make 7 checks"),
        (lambda head: head.update(action_meanings=["stay"]), "there is no action 1; there are 0 to 0"),
        (lambda head: head.update(markers=[[69, "late"]]), "markers do not ascend from frame 0 to frame 68"),
        (lambda head: head["arrays"].update(keyframes=[2], checks=[6]), "2 keyframes, but machines of 1"),
    ],
)
def test_a_head_that_does_not_fit_is_refused(
    data: bytes, tmp_path: Path, change: Callable[[dict[str, Any]], None], complaint: str
) -> None:
    path = tmp_path / "spoilt.demo"
    path.write_bytes(rewritten(data, change))
    with pytest.raises(UserError, match=rf"spoilt\.demo: .*{complaint}"):
        load_demo(path)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 30), st.integers(1, 255), st.integers(0, 1 << 30))
def test_no_damage_goes_unnoticed(
    data: bytes, counted: Demo, tmp_path_factory: pytest.TempPathFactory, position: int, mask: int, length: int
) -> None:
    path = tmp_path_factory.mktemp("damaged") / "it.demo"
    path.write_bytes(data[: length % len(data)])
    with pytest.raises(UserError):
        load_demo(path)
    path.write_bytes(_flipped(data, position % len(data), mask))
    try:
        assert same(load_demo(path), counted)  # a bit that Zstandard does not use may have changed
    except UserError as error:
        assert str(path) in str(error)  # noqa: PT017 - it may also not be raised


def _flipped(data: bytes, position: int, mask: int) -> bytes:
    return data[:position] + bytes([data[position] ^ mask]) + data[position + 1 :]


def test_an_existing_file_stays_when_it_cannot_be_replaced(counted: Demo, tmp_path: Path) -> None:
    with pytest.raises(OSError, match="nowhere"):
        save_demo(tmp_path / "nowhere" / "it.demo", counted)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"keys": np.zeros((0, 9), np.uint8), "checks": np.zeros(0, np.uint64)}, "it is empty"),
        ({"keys": np.zeros((68, 8), np.uint8)}, r"\(F, 9\) uint8, not \(68, 8\)"),
        ({"keys": np.full((68, 9), 32, np.uint8)}, "frame 1: there are no keys"),
        ({"actions": None}, "together or not at all"),
        ({"step_frames": np.full(34, 3)}, "its steps do not add up to its 68 frames"),
        ({"step_frames": np.full(3, 2)}, r"\(34,\) actions do not have \(3,\)"),
        ({"actions": np.full(34, 3)}, "step 1: there is no action 3"),
        ({"keyframes": ((9, b""), (8, b""))}, "keyframes do not ascend"),
        ({"source": "me"}, "source is one of hand"),
    ],
)
def test_a_recording_holds_together(counted: Demo, change: dict[str, Any], complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        replace(counted, **change)
