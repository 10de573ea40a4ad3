# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of our machines: they change nothing, play the same, and are what happened."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from rzx_programs import play_about, start_program

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.rzx import RzxPlayer, RzxRecorder, read_rzx
from oakemu_rl.errors import UserError

SEEDS = range(6)
MACHINES = ("48k", "128k", "plus2")


def made(model: str, seed: int) -> Spectrum:
    spectrum = Spectrum(model, kempston=seed % 3 != 0, late=seed % 4 == 3)
    start_program(spectrum, seed, im2=model != "48k" or seed % 3 != 1, at=0x8000 if seed % 2 else 0x6000)
    return spectrum


def digest(spectrum: Spectrum) -> str:
    return hashlib.sha256(spectrum.memory.tobytes()).hexdigest()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("model", MACHINES)
def test_recording_changes_nothing(model: str, seed: int) -> None:
    plain, recorded = made(model, seed), made(model, seed)
    play_about(plain, seed, 300)
    with RzxRecorder(recorded):
        play_about(recorded, seed, 300)
    assert recorded.save_state() == plain.save_state()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("model", MACHINES)
@pytest.mark.parametrize("snapshot", ["szx", "z80"])
def test_a_recording_plays_the_same(tmp_path: Path, model: str, seed: int, snapshot: str) -> None:
    spectrum = made(model, seed)
    with RzxRecorder(spectrum) as recorder:
        play_about(spectrum, seed, 1500)
    recorder.write(tmp_path / "x.rzx", snapshot=snapshot, compressed=seed % 2 == 0)
    recording = read_rzx(tmp_path / "x.rzx")
    assert len(recording.parts) == 1
    assert recording.frames >= 1490
    player = RzxPlayer(recording)
    held = [len(player.run_frames(some).held) for some in (1, 700, None)]
    assert sum(held) == player.frame == recording.frames
    assert digest(player.spectrum) == digest(spectrum)
    assert player.spectrum.registers.as_dict() == spectrum.registers.as_dict()


@pytest.mark.parametrize("model", MACHINES)
def test_a_recording_plays_the_same_all_the_time(model: str) -> None:
    # It ends every frame with a HALT, so that the recorded frames are those of the machine.
    spectrum = made(model, 1)
    digests = []
    with RzxRecorder(spectrum) as recorder:
        for turn in range(30):
            play_about(spectrum, turn, 100)
            digests.append(digest(spectrum))
    player = RzxPlayer(recorder.recording())
    step, rest = divmod(player.frames, 30)
    assert rest == 0
    again = []
    for _ in range(30):
        player.run_frames(step)
        again.append(digest(player.spectrum))
    assert again == digests


def test_the_held_keys_are_recovered() -> None:
    spectrum = made("48k", 2)
    with RzxRecorder(spectrum) as recorder:
        spectrum.run_frames(20)
        spectrum.press("shift", "b")
        spectrum.joystick(left=True, fire=True)
        spectrum.run_frames(20)
    keys = RzxPlayer(recorder.recording()).run_frames()
    assert (keys.held[2:18] == 0).all()
    assert (keys.held[25:38] == [1, 0, 0, 0, 0, 0, 0, 16, 18]).all()


def test_no_frame_ends_behind_a_prefix() -> None:
    # NOP; DD; DD 21 nn nn; JR back: 34 T, so that frames end everywhere in it. Interrupts are disabled.
    # Other emulators do not stop between a prefix and what it belongs to.
    spectrum = Spectrum()
    spectrum.write_block(0x8000, bytes([0x00, 0xDD, 0xDD, 0x21, 0, 0, 0x18, 0xF8]))
    spectrum.registers.pc = 0x8000
    with RzxRecorder(spectrum) as recorder:
        spectrum.run_frames(100)
    player = RzxPlayer(recorder.recording())
    ends = [player.spectrum.registers.pc for _ in player]
    assert set(ends) == {0x8000, 0x8001, 0x8006}
    assert digest(player.spectrum) == digest(spectrum)


def test_a_paging_latch_that_a_read_sets() -> None:
    # LD A,3; OUT (7FFD): bank 3; LD BC,7F00; IN A,(C): what is read, the keyboard, goes into the latch and locks it.
    code = [0x01, 0xFD, 0x7F, 0x3E, 3, 0xED, 0x79, 0x01, 0x00, 0x7F, 0xED, 0x78, 0x32, 0x00, 0xC0, 0x18, 0xEF]
    spectrum = Spectrum("128k")
    spectrum.write_block(0x8000, bytes(code))
    spectrum.registers.pc = 0x8000
    with RzxRecorder(spectrum) as recorder:
        spectrum.press("space", "m")
        spectrum.run_frames(3)
    player = RzxPlayer(recorder.recording())
    player.run_frames()
    assert spectrum.port_7ffd == 0xBA  # 10111010: Space and M are down
    assert player.spectrum.port_7ffd == 0xBA
    assert digest(player.spectrum) == digest(spectrum)


class TestWhatElseHappens:
    @staticmethod
    def run(between: Callable[[Spectrum], object], parts: int) -> RzxPlayer:
        spectrum = made("48k", 1)
        with RzxRecorder(spectrum) as recorder:
            play_about(spectrum, 1, 30)
            between(spectrum)
            play_about(spectrum, 2, 30)
        recording = recorder.recording()
        assert len(recording.parts) == parts
        assert all(part.snapshot for part in recording.parts)
        player = RzxPlayer(recording)
        player.run_frames()
        assert digest(player.spectrum) == digest(spectrum)
        return player

    def test_nothing(self) -> None:
        self.run(repr, 1)

    def test_keys_are_input(self) -> None:
        self.run(lambda spectrum: spectrum.press("q"), 1)

    def test_memory_is_written(self) -> None:
        self.run(lambda spectrum: spectrum.poke(0x5000, 0xAA), 2)

    def test_a_register_is_set(self) -> None:
        self.run(lambda spectrum: setattr(spectrum.registers, "pc", 0x8000), 2)

    def test_time_passes_that_is_no_frame(self) -> None:
        self.run(lambda spectrum: spectrum.run_tstates(5000), 2)

    def test_a_state_is_loaded(self) -> None:
        kept = made("48k", 1).save_state()
        self.run(lambda spectrum: spectrum.load_state(kept), 2)

    def test_it_is_switched_off_and_on(self) -> None:
        self.run(lambda spectrum: spectrum.reset(), 2)


class TestRecorder:
    def test_a_machine_has_one(self) -> None:
        spectrum = Spectrum()
        with RzxRecorder(spectrum), pytest.raises(UserError, match="recorded already"):
            RzxRecorder(spectrum).start()
        with RzxRecorder(spectrum):
            spectrum.run_frames(1)

    def test_goes_on_after_a_stop(self) -> None:
        spectrum = made("48k", 1)
        recorder = RzxRecorder(spectrum)
        for frames in (10, 20):
            recorder.start()
            spectrum.run_frames(frames)
            recorder.stop()
        assert len(recorder.recording().parts) == 1
        spectrum.run_frames(1)
        recorder.start()
        spectrum.run_frames(1)
        assert len(recorder.recording().parts) == 2

    def test_stop_of_another_does_nothing(self) -> None:
        spectrum = Spectrum()
        with RzxRecorder(spectrum) as recorder:
            RzxRecorder(spectrum).stop()
            spectrum.run_frames(5)
        assert recorder.frames == 5

    def test_a_fork_is_not_recorded(self) -> None:
        spectrum = Spectrum()
        with RzxRecorder(spectrum) as recorder:
            spectrum.run_frames(5)
            spectrum.fork().run_frames(50)
        assert recorder.frames == 5

    def test_an_empty_recording(self, tmp_path: Path) -> None:
        recorder = RzxRecorder(Spectrum())
        with pytest.raises(UserError, match="no frame was recorded"):
            recorder.write(tmp_path / "x.rzx")
        assert not list(tmp_path.iterdir())

    def test_a_file_that_cannot_be_written(self, tmp_path: Path) -> None:
        spectrum = Spectrum()
        with RzxRecorder(spectrum) as recorder:
            spectrum.run_frames(1)
        (tmp_path / "x.rzx").mkdir()
        with pytest.raises(UserError, match="cannot write the recording"):
            recorder.write(tmp_path / "x.rzx")
        assert [path.name for path in tmp_path.iterdir()] == ["x.rzx"]

    def test_a_program_that_lets_no_interrupt_come(self) -> None:
        # Nothing but EI, and once in 2.8 frames a jump, after which an interrupt could come.
        spectrum = Spectrum()
        spectrum.memory[:] = 0xFB
        spectrum.write_block(0xFFFD, bytes([0xC3, 0x00, 0x40]))
        spectrum.registers.pc = 0x8000
        with RzxRecorder(spectrum), pytest.raises(ValueError, match="frame 0 of the recording is too long"):
            spectrum.run_frames(20)

    def test_frames_are_as_long_as_interrupts_are_apart(self) -> None:
        spectrum = Spectrum()
        spectrum.run_frames(100)
        with RzxRecorder(spectrum) as recorder:
            spectrum.run_frames(100)
        inputs = recorder.recording().parts[0].inputs
        assert len(inputs) == 100
        # BASIC that waits for a key: a loop of about 10 T a fetch, and 8 rows that are read in every interrupt.
        assert ((inputs.fetches > 5000) & (inputs.fetches < 17472)).all()
        assert (inputs.counts == 8 + np.zeros(100)).mean() > 0.9
