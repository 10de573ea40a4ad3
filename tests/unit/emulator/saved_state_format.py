# SPDX-License-Identifier: GPL-3.0-or-later
"""Saved states read and written without the core: a second implementation of docs/states.md."""

import struct

HEADER = struct.Struct("<4sIIB3xQ")
MAGIC = b"OAKS"
VERSION = 2
MODELS = ("48k", "128k", "plus2")
RAM_SIZE = {"48k": 49152, "128k": 131072, "plus2": 131072}

# The state up to the RAM.
FIELDS = struct.Struct("<Q qqIIIIIBBBB I 13H 8B H ii BBBBBBB 8s BB 16s 7s")
NAMES = """
    frame tape_edge tape_played tape_segment tape_item tape_pulse tape_loops tape_reads tape_playing tape_level
    tape_flips tape_padding t af bc de hl af_ bc_ de_ hl_ ix iy sp pc memptr i r q im iff1 iff2 halted
    hook_reported cpu_padding no_int_at ld_a_ir_at model late issue2 border port_fe kempston kempston_fitted keys
    port_7ffd ay_selected ay padding
""".split()  # noqa: SIM905 - a list of so many literals is harder to read

_WORD = (1 << 64) - 1
_FACTOR = 0x9E3779B97F4A7C15


def _make_keys() -> list[int]:
    """SplitMix64 from the letters "OakEmuRL"."""
    keys = []
    state = int.from_bytes(b"OakEmuRL", "little")
    for _ in range(80):
        state = (state + _FACTOR) & _WORD
        z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & _WORD
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & _WORD
        keys.append(z ^ (z >> 31))
    return keys


_KEYS = _make_keys()


def hash64(data: bytes, seed: int) -> int:
    lanes = _KEYS[72:]
    size = len(data)
    data += bytes(-size % 64)
    for number, words in enumerate(struct.iter_unpack("<8Q", data)):
        place = number % 64
        for lane, word in enumerate(words):
            mixed = word ^ _KEYS[place + lane]
            lanes[lane] += (mixed & 0xFFFFFFFF) * (mixed >> 32) + words[lane ^ 1]
            lanes[lane] &= _WORD
        if place == 63 and (number + 1) * 64 <= size:
            lanes = [(lane ^ lane >> 47) * _FACTOR & _WORD for lane in lanes]
    result = seed ^ (size * _FACTOR & _WORD)
    for lane in lanes:
        result = (result ^ lane) * _FACTOR & _WORD
        result ^= result >> 32
    return result


def sealed(payload: bytes, *, kind: bytes = MAGIC, version: int = VERSION, model: int = 0) -> bytes:
    """The payload with its header."""
    checksum = hash64(payload, hash64(HEADER.pack(kind, version, len(payload), model, 0)[:16], 0))
    return HEADER.pack(kind, version, len(payload), model, checksum) + payload


def fields_of(state: bytes) -> dict[str, int | bytes]:
    return dict(zip(NAMES, FIELDS.unpack_from(state, HEADER.size), strict=True))


def ram_of(state: bytes) -> bytes:
    return state[HEADER.size + FIELDS.size :]


def state_of(fields: dict[str, int | bytes], ram: bytes) -> bytes:
    model = fields["model"]
    assert isinstance(model, int)
    return sealed(FIELDS.pack(*(fields[name] for name in NAMES)) + ram, model=model)


def changed(state: bytes, **values: int | bytes) -> bytes:
    """The same machine with other fields and the right checksum."""
    return state_of(fields_of(state) | values, ram_of(state))
