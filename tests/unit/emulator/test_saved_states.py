# SPDX-License-Identifier: GPL-3.0-or-later
import copy
import hashlib
import pickle
import zlib

import numpy as np
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from saved_state_format import FIELDS, HEADER, MODELS, RAM_SIZE, changed, fields_of, hash64, ram_of, sealed, state_of

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.keyboard import KEYS
from oakemu_rl.errors import UserError

SIZE = HEADER.size + FIELDS.size + RAM_SIZE["48k"]


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


def golden_state(model: str) -> bytes:
    """A machine made by hand from the documentation: every field has a value of its own."""
    number = MODELS.index(model)
    paging = model != "48k"
    words = {name: 0x0101 * (n + 1) for n, name in enumerate("af bc de hl af_ bc_ de_ hl_ ix iy sp pc memptr".split())}  # noqa: SIM905
    fields: dict[str, int | bytes] = {
        "frame": 0x0123456789ABCDEF,
        "tape_edge": 1234,
        "tape_played": 56789,
        **dict(zip(("tape_segment", "tape_item", "tape_pulse", "tape_loops", "tape_reads"), range(3, 8), strict=True)),
        "tape_playing": 0,
        "tape_level": 1,
        "tape_flips": 1,
        "tape_padding": 0,
        "t": 60000 + number,
        **words,
        "i": 0x3F,
        "r": 0x85,
        "q": 0x01,
        "im": 2,
        "iff1": 1,
        "iff2": 0,
        "halted": 0,
        "hook_reported": 0,
        "cpu_padding": 0,
        "no_int_at": 59999,
        "ld_a_ir_at": -1,
        "model": number,
        "late": 1,
        "issue2": 1,
        "border": 5,
        "port_fe": 0x1D,
        "kempston": 0x12,
        "kempston_fitted": 1,
        "keys": bytes([1, 2, 4, 8, 16, 31, 0, 3]),
        "port_7ffd": 0x33 if paging else 0,
        "ay_selected": 13 if paging else 0,
        "ay": bytes.fromhex("FF0FEE0EDD0D1F3F1F1E100102030405") if paging else bytes(16),
        "padding": bytes(7),
    }
    rng = np.random.Generator(np.random.PCG64(number))
    return state_of(fields, rng.integers(0, 256, RAM_SIZE[model], dtype=np.uint8).tobytes())


# SHA-256 of golden_state. They change only together with the format version: files of users would become unreadable.
GOLDEN = {
    "48k": "1fe82d729005baba2f114b31b522109155774da7e4de30e61272f3aead39ea14",
    "128k": "3b42e1e6137bd1a0f56066015e7cd2d0a805d74da1cc6df008b36c7c793d6416",
    "plus2": "c5bfee268fed2fb715283a1b87174e68b0ae33d7141d05fcfca34484c1e3a4c0",
}


@pytest.mark.parametrize("model", MODELS)
def test_states_of_this_format_version_stay_readable(model: str) -> None:
    state = golden_state(model)
    assert hashlib.sha256(state).hexdigest() == GOLDEN[model]
    spectrum = Spectrum(model)
    spectrum.load_state(state)
    assert spectrum.save_state() == state
    registers = spectrum.registers
    assert [registers.af, registers.hl, registers.sp, registers.pc, registers.memptr] == [
        *(0x0101, 0x0404, 0x0B0B, 0x0C0C, 0x0D0D),
    ]
    assert (registers.i, registers.r, registers.im, registers.iff1) == (0x3F, 0x85, 2, 1)
    assert (spectrum.frame, spectrum.t, spectrum.border) == (0x0123456789ABCDEF, 60000 + MODELS.index(model), 5)
    assert set(spectrum.held_keys) == {"shift", "s", "e", "4", "6", "p", "o", "i", "u", "y", "space", "sym"}
    assert spectrum.memory.tobytes() == ram_of(state)


@pytest.mark.parametrize("model", MODELS)
def test_the_format_written_by_hand(model: str) -> None:
    spectrum = Spectrum(model, late=True)
    spectrum.run_frames(7)
    spectrum.press("q")
    state = spectrum.save_state()
    kind, version, size, number, checksum = HEADER.unpack_from(state)
    payload = state[HEADER.size :]
    assert (kind, version, size, number) == (b"OAKS", 2, len(payload), MODELS.index(model))
    assert checksum == hash64(payload, hash64(state[:16], 0))
    fields = fields_of(state)
    assert (fields["pc"], fields["frame"], fields["t"]) == (spectrum.registers.pc, 7, spectrum.t)
    assert (fields["late"], fields["keys"]) == (1, bytes([0, 0, 1, 0, 0, 0, 0, 0]))
    assert changed(state) == state


@pytest.mark.parametrize("contention", [True, False])
def test_a_restored_machine_replays_identically(contention: bool, ready_state: bytes) -> None:  # noqa: FBT001 - parametrized
    spectrum = Spectrum(contention=contention)
    spectrum.load_state(ready_state)
    spectrum.run_tstates(12345)
    spectrum.press("p")
    state = spectrum.save_state()
    first = play(spectrum, 1, 300)
    assert len(set(first)) == 300
    other = Spectrum(contention=contention)
    play(other, 2, 50)
    for machine in (spectrum, other):
        machine.load_state(state)
        assert machine.save_state() == state
        assert play(machine, 1, 300) == first


def test_screen_memory_and_keys_are_right_at_once(ready: Spectrum) -> None:
    ready.type_keys("p", "1")
    ready.press("a", "space")
    state, screen, memory = ready.save_state(), ready.screen(), ready.memory.copy()
    view = ready.memory
    ready.release_all()
    ready.press("q")
    ready.type_keys("enter")
    ready.poke(0x4000, 0xFF)
    assert not np.array_equal(ready.screen(), screen)
    ready.load_state(state)
    assert np.array_equal(ready.screen(), screen)
    assert np.array_equal(view, memory)
    assert set(ready.held_keys) == {"a", "space"}


def test_held_keys_and_joystick_are_read_by_the_next_instruction() -> None:
    spectrum = Spectrum(kempston=True)
    spectrum.joystick(left=True, fire=True)
    state = spectrum.save_state()
    spectrum.joystick(up=True)
    spectrum.load_state(state)
    spectrum.write_block(0x8000, bytes([0xDB, 0x1F]))
    spectrum.registers.pc = 0x8000
    spectrum.run_tstates(1)
    assert spectrum.registers.a == 0b10010


def test_what_is_soldered_in_is_a_part_of_the_state() -> None:
    spectrum = Spectrum(kempston=False)
    spectrum.load_state(Spectrum(kempston=True, late=True).save_state())
    spectrum.joystick(up=True)
    assert spectrum.late


def duplicates() -> list[object]:
    return [copy.deepcopy, copy.copy, Spectrum.fork, lambda machine: pickle.loads(pickle.dumps(machine))]  # noqa: S301 - our own


@pytest.mark.parametrize("duplicate", duplicates(), ids=["deepcopy", "copy", "fork", "pickle"])
@pytest.mark.parametrize("model", MODELS)
def test_copies_are_equal_and_independent(duplicate: object, model: str) -> None:
    assert callable(duplicate)
    machine = Spectrum(model, contention=False, kempston=True, late=True, issue2=True)
    machine.run_frames(60)
    machine.press("m")
    twin = duplicate(machine)
    assert isinstance(twin, Spectrum)
    assert (twin.machine, twin.contention) == (model, False)
    assert twin.save_state() == machine.save_state()
    before = machine.save_state()
    expected = play(twin, 3, 20)
    assert machine.save_state() == before
    assert play(machine, 3, 20) == expected
    twin.memory[:] = 0
    assert machine.memory.any()


@pytest.mark.parametrize(
    ("mangle", "message"),
    [
        (lambda _: b"", "too short, 0 bytes given, the header alone has 24"),
        (lambda state: state[:23], "too short, 23 bytes"),
        (lambda state: b"\x89PNG" + state[4:], "not of this kind, it does not begin with 'OAKS'"),
        (lambda state: state[:4] + b"\x01" + state[5:], "format version 1 given, this program reads version 2"),
        (lambda state: state[:-1], "truncated, 49287 bytes after the header, which announces 49288"),
        (lambda state: state + b"\0", "longer than it says, 49289 bytes after the header, which announces 49288"),
        (lambda state: state[:100] + bytes([state[100] ^ 1]) + state[101:], "damaged, the checksum does not match"),
        (lambda state: state[:13] + b"\x01" + state[14:], "damaged, the checksum does not match"),
        (lambda state: sealed(state[24:-1]), "a machine of this model has 49288 bytes, 49287 given"),
        (lambda state: sealed(state[24:], model=1), "the header names another model than the state, which is of a 48k"),
        (lambda _: sealed(b""), "a machine has at least 136 bytes, 0 given"),
        (lambda _: Spectrum("128k").save_state(), "it is of a 128k machine, this one is a 48k"),
        (lambda state: changed(state, t=69888), "field 't' is 69888, allowed are 0 to 69887"),
        (lambda state: changed(state, im=3), "field 'im' is 3, allowed are 0 to 2"),
        (lambda state: changed(state, iff2=255), "field 'iff2' is 255"),
        (lambda state: changed(state, no_int_at=-(2**31)), "field 'no_int_at' is -2147483648"),
        (lambda state: changed(state, keys=b"\0\0\0\x20\0\0\0\0"), "field 'keys' is 32, allowed are 0 to 31"),
        (lambda state: changed(state, ay=b"\1" + bytes(15)), r"field 'ay\[0\]' is 1, allowed are 0 to 0"),
        (lambda state: changed(state, tape_playing=2), "the position of the tape is impossible"),
        (lambda state: changed(state, cpu_padding=1), "field 'padding' is 1"),
    ],
)
def test_bad_bytes_are_refused_and_change_nothing(mangle: object, message: str, ready: Spectrum) -> None:
    assert callable(mangle)
    before = ready.save_state()
    with pytest.raises(UserError, match=f"saved state: .*{message}") as caught:
        ready.load_state(mangle(before))
    assert "\n" not in str(caught.value)
    assert ready.save_state() == before


@given(data=st.binary(max_size=200))
def test_foreign_bytes_are_refused(data: bytes) -> None:
    for start in (b"", b"OAKS", b"\x28\xb5\x2f\xfd", Spectrum().save_state()[:24]):
        with pytest.raises(UserError, match="saved state: "):
            Spectrum().load_state(start + data)


@given(position=st.integers(0, SIZE - 1), mask=st.integers(1, 255))
def test_a_change_of_any_byte_is_noticed(position: int, mask: int) -> None:
    state = bytearray(Spectrum().save_state())
    state[position] ^= mask
    with pytest.raises(UserError, match="saved state: "):
        Spectrum().load_state(bytes(state))


@given(length=st.integers(0, SIZE - 1))
def test_every_truncation_is_noticed(length: int) -> None:
    with pytest.raises(UserError, match="saved state: "):
        Spectrum().load_state(Spectrum().save_state()[:length])


@settings(max_examples=60)
@given(
    model=st.sampled_from(MODELS),
    head=st.binary(min_size=FIELDS.size, max_size=FIELDS.size),
    places=st.sets(st.integers(0, FIELDS.size - 1), max_size=6),
)
def test_a_state_with_a_good_checksum_is_refused_or_runs(model: str, head: bytes, places: set[int]) -> None:
    spectrum = Spectrum(model)
    before = spectrum.save_state()
    payload = bytearray(before[HEADER.size :])
    for place in places:
        payload[place] = head[place]
    try:
        spectrum.load_state(sealed(bytes(payload), model=MODELS.index(model)))
    except UserError:
        assert spectrum.save_state() == before
        return
    start = spectrum.frame
    spectrum.run_frames(2)
    assert spectrum.frame == (start + 2) % 2**64
    twin = Spectrum(model)
    twin.load_state(spectrum.save_state())
    assert twin.save_state() == spectrum.save_state()


def test_what_holds_no_bytes_is_no_state() -> None:
    spectrum = Spectrum()
    spectrum.load_state(bytearray(spectrum.save_state()))  # type: ignore[arg-type]  # as good as bytes
    for wrong in (None, "text", 5):
        with pytest.raises(UserError, match=r"^a saved state is bytes, not "):
            spectrum.load_state(wrong)  # type: ignore[arg-type]  # under test


@pytest.mark.parametrize("model", MODELS)
def test_compressed_states_come_back(model: str) -> None:
    spectrum = Spectrum(model)
    spectrum.run_frames(50)
    plain, packed = spectrum.save_state(), spectrum.save_state(compress=True)
    assert len(packed) < len(plain) // 10
    spectrum.run_frames(10)
    spectrum.load_state(packed)
    assert spectrum.save_state() == plain


@given(position=st.integers(0, 400), mask=st.integers(1, 255), length=st.integers(0, 400))
def test_a_damaged_compressed_state_changes_nothing(position: int, mask: int, length: int) -> None:
    spectrum = Spectrum()
    spectrum.run_frames(3)
    plain, packed = spectrum.save_state(), bytearray(spectrum.save_state(compress=True))
    with pytest.raises(UserError, match="saved state: "):
        spectrum.load_state(bytes(packed[: length % len(packed)]))
    packed[position % len(packed)] ^= mask
    try:
        spectrum.load_state(bytes(packed))  # a bit that Zstandard does not use may have changed
    except UserError as error:
        assert "saved state: " in str(error)  # noqa: PT017 - it may also not be raised
    assert spectrum.save_state() == plain


def test_a_compressed_state_is_not_believed_its_size() -> None:
    huge = zstandard.ZstdCompressor().compress(bytes((1 << 24) + 1))
    untold = zstandard.ZstdCompressor(write_content_size=False).compress(Spectrum().save_state())
    for packed in (huge, untold):
        with pytest.raises(UserError, match="more than 16777216 bytes, or does not say"):
            Spectrum().load_state(packed)
    with pytest.raises(UserError, match="saved state: compressed, and damaged"):
        Spectrum().load_state(Spectrum().save_state(compress=True) + b"more")
