# SPDX-License-Identifier: GPL-3.0-or-later
import gzip
from pathlib import Path

import pytest

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.rzx import (
    FrameInputs,
    Rzx,
    RzxCreator,
    RzxPart,
    RzxRecorder,
    RzxSnapshot,
    describe_rzx,
    read_rzx,
    rzx_bytes,
)
from oakemu_rl.emulator.rzx.machines import snapshot_of


def made(*frames: tuple[int, bytes], model: str = "48k", kind: str = "z80") -> RzxPart:
    return RzxPart(snapshot_of(Spectrum(model), kind, "made"), FrameInputs.from_frames(list(frames)))


def test_what_a_recording_is() -> None:
    # The ROM begins with DI; XOR A; LD DE,FFFF; JP: no port is read.
    recording = Rzx("x.rzx", (made(*[(2, b"")] * 6010),), (0, 12), RzxCreator("Fuse", 1, 6), signed=True)
    assert describe_rzx(recording) == {
        "format": ".rzx version 0.12, signed (not verified)",
        "creator": "Fuse 1.6",
        "machine": "ZX Spectrum 48K",
        "snapshot": ".z80",
        "frames": "6010, 2 min 0 s",
        "playback": "to its end, with flags 1",
    }


def test_several_snapshots_and_a_desync() -> None:
    parts = (made((2, b"")), made((2, b"x"), model="plus2", kind="szx"))
    rows = describe_rzx(Rzx("x.rzx", parts))
    assert rows["creator"] == "not in the file"
    assert rows["machine"] == "ZX Spectrum 48K, then ZX Spectrum +2"
    assert rows["snapshot"] == ".z80, then .szx"
    assert rows["frames"] == "2, 0.0 s"
    assert rows["playback"] == "breaks off: frame 1: the program read 0 ports, not 1"
    assert "playback" not in describe_rzx(Rzx("x.rzx", parts), play=False)


def test_an_external_snapshot() -> None:
    part = made((2, b""))
    assert part.snapshot is not None
    snapshot = RzxSnapshot("/games/x.z80", "z80", part.snapshot.data, external=True)
    rows = describe_rzx(Rzx("x.rzx", (RzxPart(snapshot, part.inputs),)))
    assert rows["snapshot"] == "/games/x.z80 (external)"


def test_a_packed_file(tmp_path: Path) -> None:
    path = tmp_path / "x.rzx.gz"
    path.write_bytes(gzip.compress(rzx_bytes(Rzx("x", (made((2, b"")),)))))
    assert read_rzx(path).frames == 1


def test_an_unpacked_recording_may_be_long(tmp_path: Path) -> None:
    # Ten minutes of a program that asks for keys all the time are more than other files may have.
    frames = [(20, bytes([k % 256]) * 300) for k in range(30_000)]
    (tmp_path / "x.rzx").write_bytes(rzx_bytes(Rzx("x", (made(*frames),)), compressed=False))
    assert (tmp_path / "x.rzx").stat().st_size > 8 << 20
    assert read_rzx(tmp_path / "x.rzx").frames == 30_000


@pytest.mark.parametrize("model", ["48k", "128k"])
def test_what_we_record(model: str, tmp_path: Path) -> None:
    spectrum = Spectrum(model)
    with RzxRecorder(spectrum) as recorder:
        spectrum.run_frames(60)
    recorder.write(tmp_path / "x.rzx")
    rows = describe_rzx(read_rzx(tmp_path / "x.rzx"))
    assert rows["creator"].startswith("OakEmu-RL ")
    assert rows["snapshot"] == ".szx"
    assert rows["playback"] == "to its end, with flags 1"
