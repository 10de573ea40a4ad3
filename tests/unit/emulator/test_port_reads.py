# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ports a program reads, against programs whose reads are counted by hand."""

import pytest

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.port_reads import count_port_reads, is_kempston, is_keyboard

ORIGIN = 0x8000


def running(*code: int) -> Spectrum:
    """A machine that executes the code, once a frame from the next interrupt on."""
    spectrum = Spectrum()
    spectrum.run_frames(100)
    spectrum.write_block(ORIGIN, bytes([0x76, *code, 0x18, (0x100 - len(code) - 3) & 0xFF]))  # HALT ... JR ORIGIN
    spectrum.registers.pc = ORIGIN
    spectrum.run_until(ORIGIN + 1, 2)
    return spectrum


def test_each_form_of_in_is_seen_with_its_port() -> None:
    spectrum = running(
        *(0x3E, 0x12, 0xDB, 0x1F),  # LD A,12 : IN A,(1F)
        *(0x01, 0xFE, 0xDF, 0xED, 0x78),  # LD BC,DFFE : IN A,(C)
        *(0xED, 0x40, 0x01, 0xFF, 0xFF, 0xED, 0x70),  # IN B,(C) : LD BC,FFFF : IN F,(C)
    )
    assert count_port_reads(spectrum, 10) == {0x121F: 10, 0xDFFE: 20, 0xFFFF: 10}


def test_what_is_not_executed_is_not_counted() -> None:
    spectrum = running(0x18, 0x04, 0xDB, 0x1F, 0xED, 0x78)  # JR over both
    assert not count_port_reads(spectrum, 25)


def test_the_machine_runs_as_it_would_have() -> None:
    spectrum = running(0x01, 0xFE, 0x7F, 0xED, 0x78)
    twin = spectrum.fork()
    count_port_reads(spectrum, 37)
    twin.run_frames(37)
    assert spectrum.save_state() == twin.save_state()


def test_a_loop_without_end_is_not_followed_for_ever() -> None:
    spectrum = Spectrum()
    spectrum.write_block(ORIGIN, bytes([0xDB, 0xFE, 0x18, 0xFC]))  # IN A,(FE) : JR ORIGIN, thousands of times a frame
    spectrum.registers.pc = ORIGIN
    frames = spectrum.frame + 50
    counts = count_port_reads(spectrum, 50)
    assert spectrum.frame == frames
    assert 100 < sum(counts.values()) < 5000


@pytest.mark.parametrize(
    ("port", "kempston", "keyboard"), [(0x001F, 1, 0), (0xFF1F, 1, 0), (0x7FFE, 0, 1), (0xFF, 0, 0)]
)
def test_kinds_of_ports(port: int, kempston: int, keyboard: int) -> None:
    assert (is_kempston(port), is_keyboard(port)) == (kempston, keyboard)
