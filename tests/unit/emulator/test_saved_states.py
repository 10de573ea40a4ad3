# SPDX-License-Identifier: GPL-3.0-or-later
import copy
import pickle
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.keyboard import KEYS
from oakemu_rl.errors import UserError

HEADER = struct.Struct("<4sIII")
# The machine up to its RAM, as in core/state.hpp.
FIELDS = struct.Struct("<QI13H8BHii4B8s")
NAMES = """
    frame t af bc de hl af_ bc_ de_ hl_ ix iy sp pc memptr i r q im iff1 iff2 halted hook_reported padding no_int_at
    ld_a_ir_at border port_fe kempston kempston_fitted keys
""".split()  # noqa: SIM905 - a list of 32 literals is harder to read


def packed(payload: bytes, kind: bytes = b"OAKS", version: int = 1) -> bytes:
    return HEADER.pack(kind, version, len(payload), zlib.crc32(payload)) + payload


def changed(state: bytes, **values: int | bytes) -> bytes:
    """The same machine with other fields and the right checksum."""
    payload = state[HEADER.size :]
    fields = dict(zip(NAMES, FIELDS.unpack_from(payload), strict=True)) | values
    return packed(FIELDS.pack(*fields.values()) + payload[FIELDS.size :])


def play(spectrum: Spectrum, seed: int, frames: int) -> list[int]:
    """Holds pseudo-random keys; returns a checksum of every frame's whole state."""
    rng = np.random.default_rng(seed)
    sums = []
    for _ in range(frames):
        key = str(rng.choice(list(KEYS)))
        (spectrum.press if rng.random() < 0.5 else spectrum.release)(key)
        spectrum.run_frames(1)
        sums.append(zlib.crc32(spectrum.save_state()))
    return sums


@pytest.mark.parametrize("contention", [True, False])
def test_a_restored_machine_replays_identically(contention: bool, ready_state: bytes) -> None:  # noqa: FBT001 - parametrized
    spectrum = Spectrum(contention=contention)
    spectrum.load_state(ready_state)
    spectrum.run_tstates(12345)
    spectrum.press("p")
    state = spectrum.save_state()
    first = play(spectrum, 1, 500)
    assert len(set(first)) == 500
    other = Spectrum(contention=contention)
    play(other, 2, 50)
    for machine in (spectrum, other):
        machine.load_state(state)
        assert machine.save_state() == state
        assert play(machine, 1, 500) == first


def test_held_keys_and_joystick_come_back_as_stored() -> None:
    spectrum = Spectrum(kempston=True)
    spectrum.press("a", "space")
    spectrum.joystick(left=True, fire=True)
    state = spectrum.save_state()
    spectrum.release_all()
    spectrum.press("q")
    spectrum.load_state(state)
    assert set(spectrum.held_keys) == {"a", "space"}
    spectrum.write_block(0x8000, bytes([0xDB, 0x1F]))
    spectrum.registers.pc = 0x8000
    spectrum.run_tstates(1)
    assert spectrum.registers.a == 0b10010


def test_the_joystick_is_a_part_of_the_state() -> None:
    spectrum = Spectrum(kempston=False)
    spectrum.load_state(Spectrum(kempston=True).save_state())
    spectrum.joystick(up=True)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, copy.copy, lambda machine: pickle.loads(pickle.dumps(machine))])  # noqa: S301 - our own
def test_copies_are_equal_and_independent(duplicate: object, ready: Spectrum) -> None:
    assert callable(duplicate)
    machine = Spectrum(contention=False, kempston=True)
    machine.load_state(ready.save_state())
    machine.press("m")
    twin = duplicate(machine)
    assert isinstance(twin, Spectrum)
    assert twin.contention is False
    assert twin.save_state() == machine.save_state()
    before = machine.save_state()
    expected = play(twin, 3, 20)
    assert machine.save_state() == before
    assert play(machine, 3, 20) == expected


def test_the_format_by_hand() -> None:
    spectrum = Spectrum()
    spectrum.registers.pc = 0x1234
    spectrum.poke(0x4000, 0xAA)
    state = spectrum.save_state()
    kind, version, size, crc = HEADER.unpack_from(state)
    payload = state[HEADER.size :]
    assert (kind, version, size, crc) == (b"OAKS", 1, len(payload), zlib.crc32(payload))
    fields = dict(zip(NAMES, FIELDS.unpack_from(payload), strict=True))
    assert (fields["pc"], fields["sp"], fields["border"], fields["keys"]) == (0x1234, 0xFFFF, 7, bytes(8))
    assert payload[FIELDS.size] == 0xAA
    assert changed(state) == state


@pytest.mark.parametrize(
    ("mangle", "message"),
    [
        (lambda _: b"", "too short, 0 bytes given, the header alone has 16"),
        (lambda state: state[:15], "too short, 15 bytes"),
        (lambda state: b"\x89PNG" + state[4:], "not of this kind, it does not begin with 'OAKS'"),
        (lambda state: state[:4] + b"\x02" + state[5:], "format version 2 given, this program reads version 1"),
        (lambda state: state[:-1], "truncated, 49223 bytes after the header, which announces 49224"),
        (lambda state: state + b"\0", "longer than it says, 49225 bytes after the header, which announces 49224"),
        (lambda state: state[:100] + bytes([state[100] ^ 1]) + state[101:], "damaged, the checksum does not match"),
        (lambda state: packed(state[16:-1]), "a machine has 49224 bytes, 49223 given"),
        (lambda _: packed(b""), "a machine has 49224 bytes, 0 given"),
        (lambda state: changed(state, t=69888), "field 't' is 69888, allowed are 0 to 69887"),
        (lambda state: changed(state, im=3), "field 'im' is 3, allowed are 0 to 2"),
        (lambda state: changed(state, iff1=2), "field 'iff1' is 2"),
        (lambda state: changed(state, iff2=255), "field 'iff2' is 255"),
        (lambda state: changed(state, halted=2), "field 'halted' is 2"),
        (lambda state: changed(state, hook_reported=2), "field 'hook_reported' is 2"),
        (lambda state: changed(state, no_int_at=-(2**31)), "field 'no_int_at' is -2147483648"),
        (lambda state: changed(state, ld_a_ir_at=2**31 - 1), "field 'ld_a_ir_at' is 2147483647"),
        (lambda state: changed(state, border=8), "field 'border' is 8, allowed are 0 to 7"),
        (lambda state: changed(state, kempston=32), "field 'kempston' is 32, allowed are 0 to 31"),
        (lambda state: changed(state, kempston_fitted=2), "field 'kempston_fitted' is 2"),
        (lambda state: changed(state, keys=b"\0\0\0\x20\0\0\0\0"), "field 'keys' is 32, allowed are 0 to 31"),
        (lambda state: changed(state, padding=1), "field 'padding' is 1"),
    ],
)
def test_bad_bytes_are_refused_and_change_nothing(mangle: object, message: str, ready: Spectrum) -> None:
    assert callable(mangle)
    before = ready.save_state()
    with pytest.raises(UserError, match=f"saved state: .*{message}"):
        ready.load_state(mangle(before))
    assert ready.save_state() == before


@given(data=st.binary(max_size=200))
def test_foreign_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(UserError, match="saved state: "):
        Spectrum().load_state(data)


@given(position=st.integers(0, 16 + 49224 - 1), mask=st.integers(1, 255))
def test_a_change_of_any_byte_is_noticed(position: int, mask: int) -> None:
    state = bytearray(Spectrum().save_state())
    state[position] ^= mask
    with pytest.raises(UserError, match="saved state: "):
        Spectrum().load_state(bytes(state))


@given(length=st.integers(0, 16 + 49224 - 1))
def test_every_truncation_is_noticed(length: int) -> None:
    with pytest.raises(UserError, match="saved state: "):
        Spectrum().load_state(Spectrum().save_state()[:length])


@settings(max_examples=150)
@given(
    head=st.binary(min_size=FIELDS.size, max_size=FIELDS.size),
    places=st.sets(st.integers(0, FIELDS.size - 1), max_size=6),
)
def test_a_state_with_a_good_checksum_is_refused_or_runs(head: bytes, places: set[int]) -> None:
    spectrum = Spectrum()
    payload = bytearray(spectrum.save_state()[HEADER.size :])
    for place in places:
        payload[place] = head[place]
    before = spectrum.save_state()
    try:
        spectrum.load_state(packed(bytes(payload)))
    except UserError:
        assert spectrum.save_state() == before
        return
    start = spectrum.frame
    spectrum.run_frames(2)
    assert spectrum.frame == (start + 2) % 2**64
    twin = Spectrum()
    twin.load_state(spectrum.save_state())
    assert twin.save_state() == spectrum.save_state()


def test_what_holds_no_bytes_is_no_state() -> None:
    spectrum = Spectrum()
    spectrum.load_state(bytearray(spectrum.save_state()))  # type: ignore[arg-type]  # as good as bytes
    for wrong in (None, "text", 5):
        with pytest.raises(UserError, match=r"^a saved state is bytes, not "):
            spectrum.load_state(wrong)  # type: ignore[arg-type]  # under test
