# SPDX-License-Identifier: GPL-3.0-or-later
import pytest

from oakemu_rl.emulator.detection import detect, first_bytes

BLOCK = b"\x03\x00\xff\x01\xfe"


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"ZXST", "szx"),
        (b"ZXTape!\x1a\x01\x14", "tzx"),
        (b"PZXT\x02\x00\x00\x00\x01\x00", "pzx"),
        (b"RZX!\x00\x0d", "rzx"),
        (BLOCK, "tap"),
        (BLOCK + BLOCK, "tap"),
        (b"\x02\x00ab", "tap"),  # its parity is wrong, which is for others to say
        (BLOCK + b"\x01\x00a", None),
        (BLOCK + b"\x00\x00", None),
        (BLOCK + b"\x03", None),
        (BLOCK[:-1], None),
        (b"", None),
        (b"ZXTape", None),
        (bytes(49178), None),
        (bytes(49179), "sna"),
        (bytes(131103), "sna"),
        (bytes(147487), "sna"),
        (bytes(25) + b"\x03" + bytes(49153), None),  # there is no interrupt mode 3
        (b"\x00\x20" * 100, None),
        (b"The quick brown fox jumps over the lazy dog, and again, and again. " * 20, None),
        (bytes(range(256)) * 8, None),
    ],
)
def test_the_kind_of_a_file(data: bytes, kind: str | None) -> None:
    assert detect(data) == kind


def test_a_tape_of_the_size_of_a_snapshot() -> None:
    def tape(parity: int) -> bytes:
        return (49177).to_bytes(2, "little") + bytes(49176) + bytes([parity])

    assert len(tape(0)) == 49179
    assert detect(tape(0)) == "tap"
    assert detect(tape(1)) == "sna"


def z80(size: int, **values: int) -> bytes:
    data = bytearray(size)
    for name, value in values.items():
        data[int(name.removeprefix("at_"))] = value
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (z80(49182, at_6=1), "z80"),
        (z80(49182, at_7=1), "z80"),
        (z80(49182, at_6=1, at_29=3), None),
        (z80(49181, at_6=1), None),
        (z80(49182, at_6=1, at_12=0x20), None),
        (z80(49182, at_6=1, at_12=0xFF), "z80"),
        (z80(40, at_0=9, at_6=1, at_12=0x20) + b"\x00\xed\xed\x00", "z80"),
        (z80(100, at_30=23), "z80"),
        (z80(100, at_30=54), "z80"),
        (z80(100, at_30=55), "z80"),
        (z80(100, at_30=56), None),
        (z80(100, at_30=54, at_31=1), None),
        (z80(88, at_30=54), None),
        (z80(89, at_30=54), "z80"),
        (z80(31), None),
    ],
)
def test_a_z80_by_its_header(data: bytes, kind: str | None) -> None:
    assert detect(data) == kind


def test_first_bytes() -> None:
    assert first_bytes(b"") == "it is empty"
    assert first_bytes(b"GIF89a") == "it begins with 47 49 46 38 39 61"
    assert first_bytes(bytes(100)) == "it begins with 00 00 00 00 00 00 00 00"
