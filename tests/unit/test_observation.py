# SPDX-License-Identifier: GPL-3.0-or-later
"""Cropping, colours and scaling against an obvious second implementation in numpy."""

from typing import Any

import numpy as np
import pytest
from batch_game import ROM, BatchGame
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from oakemu_rl import _core

Area = tuple[int, int, int, int]


def _machine(seed: int) -> _core.Machine:
    """A machine whose display, attributes included, is random."""
    machine = _core.Machine(ROM)
    machine.ram[:6912] = np.random.default_rng(seed).integers(0, 256, 6912, np.uint8)
    return machine


def _weights(source: int, output: int) -> NDArray[np.int64]:
    """Overlaps (output, source) of [i*source, (i+1)*source) and [j*output, (j+1)*output)."""
    i, j = np.arange(output)[:, None], np.arange(source)[None, :]
    overlap = np.minimum((i + 1) * source, (j + 1) * output) - np.maximum(i * source, j * output)
    weights: NDArray[np.int64] = np.maximum(overlap, 0)
    return weights


def _scaled(plane: NDArray[np.uint8], size: tuple[int, int]) -> NDArray[np.int64]:
    height, width = plane.shape
    total = _weights(height, size[1]) @ plane.astype(np.int64) @ _weights(width, size[0]).T
    rounded: NDArray[np.int64] = (2 * total + width * height) // (2 * width * height)
    return rounded


def _observed(machine: _core.Machine, area: Area, size: tuple[int, int], colour: str) -> NDArray[np.uint8]:
    game = BatchGame(start_states=[machine.save()], area=area, size=size, colour=colour, stack=1)
    game.reset()
    observed: NDArray[np.uint8] = game["observations"][0]
    return observed


def _planes(machine: _core.Machine, area: Area, colour: str) -> list[NDArray[np.uint8]]:
    if colour == "grey":
        return [machine.grey(*area)]
    if colour == "ink":
        return [machine.ink(*area) * np.uint8(255)]
    return list(np.moveaxis(machine.rgb(*area), 2, 0))


def _check(machine: _core.Machine, area: Area, size: tuple[int, int], colour: str) -> None:
    observed = _observed(machine, area, size, colour)
    planes = _planes(machine, area, colour)
    assert observed.shape == (len(planes), size[1], size[0])
    for plane, wanted in zip(observed, planes, strict=True):
        np.testing.assert_array_equal(plane, _scaled(wanted, size))


@pytest.mark.parametrize("colour", ["grey", "ink", "rgb"])
@pytest.mark.parametrize(
    ("area", "size"),
    [
        ((0, 0, 256, 192), (84, 84)),
        ((0, 16, 256, 176), (64, 44)),
        ((0, 0, 256, 192), (256, 192)),
        ((3, 5, 201, 131), (201, 131)),
        ((0, 0, 256, 192), (128, 96)),
        ((0, 0, 256, 192), (1, 1)),
        ((0, 0, 256, 192), (255, 191)),
        ((0, 0, 256, 192), (300, 200)),
        ((255, 191, 1, 1), (7, 5)),
        ((1, 1, 3, 2), (1024, 3)),
        ((13, 7, 96, 128), (48, 64)),
    ],
)
def test_known_sizes(area: Area, size: tuple[int, int], colour: str) -> None:
    _check(_machine(1), area, size, colour)


@st.composite
def _areas(draw: st.DrawFn) -> Area:
    width, height = draw(st.integers(1, 256)), draw(st.integers(1, 192))
    return draw(st.integers(0, 256 - width)), draw(st.integers(0, 192 - height)), width, height


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    area=_areas(),
    size=st.tuples(st.integers(1, 300), st.integers(1, 300)),
    colour=st.sampled_from(["grey", "ink", "rgb"]),
)
def test_any_size(seed: int, area: Area, size: tuple[int, int], colour: str) -> None:
    _check(_machine(seed), area, size, colour)


def test_white_stays_white_and_black_black() -> None:
    machine = _core.Machine(ROM)
    for attribute, level in ((0x78, 255), (0x00, 0)):
        machine.ram[0x1800:0x1B00] = attribute
        for size in ((84, 84), (63, 50), (255, 191)):
            assert np.all(_observed(machine, (0, 0, 256, 192), size, "grey") == level)


def test_a_half_is_rounded_up() -> None:
    machine = _core.Machine(ROM)
    machine.ram[0] = 0b10000000
    # One pixel of two: 255 / 2 = 127.5. One of four: 63.75. One of eight: 31.875.
    for width, wanted in ((2, 128), (4, 64), (8, 32)):
        assert _observed(machine, (0, 0, width, 1), (1, 1), "ink").item() == wanted


_SCRIBBLER = bytes.fromhex(
    "76"  # loop: HALT
    "0606"  # LD B,6
    "2A0090 545D 29 29 19 23 220090"  # inner: HL = 5 * (0x9000) + 1, the old value in DE; store it
    "7C E61F FE1B 3802 D610 C640 67 73"  # H = 0x40 + H mod 32, brought below 0x5B; LD (HL),E
    "10E5 18E0"  # DJNZ inner; JR loop
)


def _scribbler(seed: int) -> bytes:
    """A machine that writes six random bytes a frame into a random display, FLASH included."""
    machine = _machine(seed)
    machine.ram[0x4000 : 0x4000 + len(_SCRIBBLER)] = np.frombuffer(_SCRIBBLER, np.uint8)
    for name, value in {"pc": 0x8000, "sp": 0xFF00, "im": 1, "iff1": 1, "iff2": 1}.items():
        machine.set_register(name, value)
    return machine.save()


@pytest.mark.parametrize("colour", ["grey", "ink", "rgb"])
@pytest.mark.parametrize(
    ("area", "size", "frameskip"),
    [((0, 0, 256, 192), (84, 84), 4), ((5, 13, 222, 101), (60, 30), 1), ((8, 20, 100, 50), (100, 50), 3)],
)
def test_a_changing_display_is_followed(area: Area, size: tuple[int, int], frameskip: int, colour: str) -> None:
    """Only what has changed is made anew; the newest frame must be what a fresh look would give."""
    changes: dict[str, Any] = {"area": area, "size": size, "colour": colour, "frameskip": (frameskip, frameskip)}
    game = BatchGame(start_states=[_scribbler(1), _scribbler(2)], max_steps=25, variables=[], **changes)
    game.reset()
    fresh = _core.Machine(ROM)
    saved, frames = b"", game["observations"][0]
    planes = 3 if colour == "rgb" else 1
    for step in range(120):
        fresh.restore(game.batch.machine_state(0))
        for plane, wanted in zip(frames[planes:], _planes(fresh, area, colour), strict=True):
            np.testing.assert_array_equal(plane, _scaled(wanted, size), err_msg=f"step {step}")
        before = frames.copy()
        game.step(0)
        if game["episode_length"][0] > 0:
            np.testing.assert_array_equal(frames[:planes], before[planes:])
        if step == 40:
            saved = game.batch.get_state(0)
        if step == 70:
            game.batch.set_state(0, saved)
            game.step(0)


@pytest.mark.parametrize("maxpool", [False, True])
def test_a_restored_state_is_not_taken_for_what_was_shown_last(maxpool: bool) -> None:  # noqa: FBT001  a parameter
    # The game shows its count of frames, so the step after the restored one shows what the display showed before.
    game = BatchGame(colour="ink", size=(64, 48), stack=1, frameskip=(2, 2), maxpool=maxpool)
    game.reset()
    for _ in range(5):
        game.step(0)
        saved = game.batch.get_state(0)
        game.step(0)
        wanted = game["observations"].copy()
        game.batch.set_state(0, saved)
        game.step(0)
        np.testing.assert_array_equal(game["observations"], wanted)


def test_the_last_two_frames_are_pooled_across_steps_of_any_length() -> None:
    game = BatchGame(
        start_states=[_scribbler(3)],
        size=(64, 48),
        stack=1,
        frameskip=(1, 3),
        max_steps=9,
        maxpool=True,
        variables=[],
    )
    game.reset()
    area = (0, 0, 64, 48)
    fresh = _core.Machine(ROM)
    lengths = set()
    for step in range(60):
        fresh.restore(game.batch.machine_state(0))
        before = int(game["episode_frame_number"][0])
        game.step(0)
        count = int(game["episode_frame_number"][0]) - before
        if game["episode_length"][0] == 0:
            fresh.restore(game.batch.machine_state(0))
            wanted = fresh.grey(*area)
        else:
            lengths.add(count)
            fresh.run_frames(count - 1)
            previous = fresh.grey(*area)
            fresh.run_frames(1)
            wanted = np.maximum(fresh.grey(*area), previous) if count > 1 else fresh.grey(*area)
        np.testing.assert_array_equal(game["observations"][0, 0], wanted, err_msg=f"step {step}")
    assert lengths == {1, 2, 3}
