# SPDX-License-Identifier: GPL-3.0-or-later
"""SkoolKit plays our recordings, and we play those of its simulators."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rzx_programs import play_about, start_program
from skoolkit import rzxinfo, rzxplay
from skoolkit.simulator import Simulator
from skoolkit.simutils import from_snapshot
from skoolkit.snapshot import Snapshot as SkoolKitSnapshot

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.rzx import FrameInputs, Rzx, RzxPart, RzxPlayer, RzxRecorder, RzxSnapshot, read_rzx
from oakemu_rl.emulator.rzx.machines import snapshot_of
from oakemu_rl.emulator.rzx.player import LOAD_FLAG
from oakemu_rl.emulator.snapshots import read_snapshot

FRAMES = 2000


def play_in_skoolkit(recording: Path, out: Path, *options: str) -> None:
    rzxplay.main(["--no-screen", "--quiet", "--flags", "1", *options, str(recording), str(out)])


def accept_interrupt(spectrum: Spectrum) -> None:
    """What rzxplay.py does after the last frame too, before it writes its snapshot."""
    registers = spectrum.registers
    if not registers.iff1:
        return
    registers.sp = (registers.sp - 2) & 0xFFFF
    for place, value in ((registers.sp, registers.pc & 0xFF), ((registers.sp + 1) & 0xFFFF, registers.pc >> 8)):
        if place >= 0x4000:
            spectrum.poke(place, value)
    registers.pc = spectrum.read_word(registers.i << 8 | 0xFF) if registers.im == 2 else 0x38
    registers.iff1 = registers.iff2 = registers.halted = 0
    registers.r = registers.r & 0x80 | (registers.r + 1) & 0x7F


def assert_equal_to_snapshot(spectrum: Spectrum, path: Path) -> None:
    snapshot = read_snapshot(path)
    accept_interrupt(spectrum)
    for number, bank in snapshot.banks.items():
        assert spectrum.bank(number).tobytes() == bank, f"bank {number}"
    registers = spectrum.registers.as_dict()
    # Its interrupts leave MEMPTR alone, and it has no Q.
    names = set(snapshot.registers) - {"memptr", "q"}
    assert {name: registers[name] for name in names} == {name: snapshot.registers[name] for name in names}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("model", ["48k", "128k"])
def test_skoolkit_plays_our_recordings(
    model: str, seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spectrum = Spectrum(model, kempston=seed % 3 != 0)
    if model == "48k":
        spectrum.run_frames(100)  # for the ROM's routine, which needs its variables
    start_program(spectrum, seed, im2=model != "48k" or seed % 3 != 1, at=0x8000 if seed % 2 else 0x6000)
    with RzxRecorder(spectrum) as recorder:
        play_about(spectrum, seed, FRAMES)
    recorder.write(tmp_path / "x.rzx", snapshot="szx" if seed % 2 else "z80", compressed=seed < 3)
    play_in_skoolkit(tmp_path / "x.rzx", tmp_path / "out.szx")
    assert "out.szx" in capsys.readouterr().out
    assert_equal_to_snapshot(spectrum, tmp_path / "out.szx")


def test_skoolkit_plays_a_person_in_basic(ready: Spectrum, tmp_path: Path) -> None:
    with RzxRecorder(ready) as recorder:
        ready.type_keys("p", "1", "enter")
        ready.poke(0x5800, 0x42)  # another snapshot
        ready.type_keys("q", "enter")
        ready.run_frames(200)
    recorder.write(tmp_path / "x.rzx")
    play_in_skoolkit(tmp_path / "x.rzx", tmp_path / "out.z80", "--cmio")
    assert_equal_to_snapshot(ready, tmp_path / "out.z80")


def test_skoolkit_reads_what_our_files_say(ready: Spectrum, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with RzxRecorder(ready) as recorder:
        ready.run_frames(10)
    recorder.write(tmp_path / "x.rzx")
    rzxinfo.main([str(tmp_path / "x.rzx")])
    said = capsys.readouterr().out
    assert "Version: 0.13" in said
    assert "OakEmu-RL" in said
    assert "Number of frames: 10 " in said


def test_we_play_what_skoolkit_writes(ready: Spectrum, tmp_path: Path) -> None:
    with RzxRecorder(ready) as recorder:
        ready.type_keys("p", "1", "enter")
    recorder.write(tmp_path / "x.rzx")
    play_in_skoolkit(tmp_path / "x.rzx", tmp_path / "rest.rzx", "--stop", "20")
    recording = read_rzx(tmp_path / "rest.rzx")
    assert recording.creator is not None
    assert recording.creator.name == "SkoolKit"
    player = RzxPlayer(recording)
    player.run_frames()
    assert player.frame == recorder.recording().frames - 20
    assert np.array_equal(player.spectrum.memory, ready.memory)


class _Tracer:
    """Gives a simulator's port reads any bytes, and keeps them."""

    def __init__(self, give: Callable[[int], int]) -> None:
        self.give = give
        self.frame = bytearray()

    def read_port(self, _registers: object, port: int) -> int:
        self.frame.append(self.give(port))
        return self.frame[-1]

    def write_port(self, *_: object) -> None:
        pass


def record_in_skoolkit(snapshot: Path, frames: int, seed: int, *, load_flag: bool) -> tuple[FrameInputs, bytes]:
    """A recording that a simulator of SkoolKit makes as the format asks for, and its memory from 0x4000 at the end."""
    chance = random.Random(seed)  # noqa: S311 - input for a test
    simulator = from_snapshot(Simulator, SkoolKitSnapshot.get(str(snapshot)), config={"int_active": 0})
    tracer = _Tracer(lambda port: chance.randint(0xA0, 0xBF) if port % 2 == 0 else chance.choice([0, 1, 2, 4, 16, 255]))
    simulator.set_tracer(tracer)
    registers, memory = simulator.registers, simulator.memory
    recorded: list[tuple[int, bytes]] = []
    pc = 0
    for number in range(frames):
        tracer.frame.clear()
        if number and registers[26]:
            if memory[pc] == 0x76:
                registers[24] = (registers[24] + 1) % 65536
            elif load_flag and memory[pc] == 0xED and memory[(pc + 1) % 65536] in (0x57, 0x5F):
                registers[1] &= 0xFB
            simulator.accept_interrupt(registers, memory, 0)
        wanted, fetches = chance.randint(1, 900), 0
        while fetches < wanted:
            pc = registers[24]
            before = registers[15]
            simulator.opcodes[memory[pc]]()
            # R counts M1 cycles, except where the program sets it.
            fetches += 1 if memory[pc] not in (0xCB, 0xDD, 0xED, 0xFD) else (registers[15] - before) % 128
        recorded.append((fetches, bytes(tracer.frame)))
    return FrameInputs.from_frames(recorded), bytes(memory[0x4000:])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("load_flag", [False, True])
def test_we_play_what_another_emulator_records(seed: int, tmp_path: Path, *, load_flag: bool) -> None:
    spectrum = Spectrum()
    spectrum.run_frames(100)
    start_program(spectrum, seed, im2=seed % 2 == 0)
    image = snapshot_of(spectrum, "z80", "made")
    (tmp_path / "x.z80").write_bytes(image.data)
    inputs, memory = record_in_skoolkit(tmp_path / "x.z80", 200, seed, load_flag=load_flag)
    made = Rzx("x.rzx", (RzxPart(RzxSnapshot("x", "z80", image.data), inputs),))
    player = RzxPlayer(made, flags=LOAD_FLAG if load_flag else 0)
    player.run_frames()
    assert player.spectrum.memory.tobytes() == memory
