# SPDX-License-Identifier: GPL-3.0-or-later
import copy
import hashlib
import pickle

import numpy as np
import pytest

from oakemu_rl.emulator import Spectrum, load_rom
from oakemu_rl.errors import UserError

MODELS = ("48k", "128k", "plus2")
RAM_ORDER = (5, 2, 0, 1, 3, 4, 6, 7)  # of Spectrum.memory on a 128K machine
OUT_BC_A = bytes([0xED, 0x79])
IN_A_BC = bytes([0xED, 0x78])


def run_code(spectrum: Spectrum, code: bytes, *, bc: int, a: int = 0) -> int:
    """Executes one instruction at 0x8000; returns A."""
    spectrum.write_block(0x8000, code)
    spectrum.registers.pc, spectrum.registers.bc, spectrum.registers.a = 0x8000, bc, a
    spectrum.run_tstates(1)
    return spectrum.registers.a


def out(spectrum: Spectrum, port: int, value: int) -> None:
    run_code(spectrum, OUT_BC_A, bc=port, a=value)


@pytest.fixture
def paged() -> Spectrum:
    """A 128K machine whose banks are filled with their numbers."""
    spectrum = Spectrum("128k")
    for number in range(8):
        spectrum.bank(number)[:] = number
    return spectrum


def test_the_models_have_their_clocks_and_memories() -> None:
    # 3.5 MHz / 69888 T and 3.5469 MHz / 70908 T (libspectrum).
    facts = {m: (s.clock, s.frame_tstates, s.memory.size) for m, s in ((m, Spectrum(m)) for m in MODELS)}
    assert facts == {
        "48k": (3_500_000, 69_888, 49_152),
        "128k": (3_546_900, 70_908, 131_072),
        "plus2": (3_546_900, 70_908, 131_072),
    }


@pytest.mark.parametrize("machine", ["128", "", 48, None])
def test_an_unknown_machine_is_refused(machine: str) -> None:
    with pytest.raises(UserError, match=f"unknown machine {machine!r}, allowed are 48k, 128k, plus2"):
        Spectrum(machine)


@pytest.mark.parametrize("machine", ["128k", "plus2"])
def test_the_editor_comes_up_and_48_basic_works(machine: str) -> None:
    spectrum = Spectrum(machine)
    spectrum.run_frames(150)
    assert spectrum.port_7ffd & 0x20 == 0
    assert bytes(spectrum.rom) == load_rom(machine)[:16384], "the menu is in the editor's ROM"
    # 48 BASIC is the fourth line of the 128K's menu, and of the +2's.
    spectrum.type_keys("shift+6", "shift+6", "shift+6", "enter")
    spectrum.run_frames(100)
    spectrum.type_keys("p", "1", "enter")  # PRINT as a keyword, which only 48 BASIC has on P
    assert spectrum.port_7ffd & 0x30 == 0x30, "ROM 1, locked"
    # The ROM's own picture of "1" at 0x3D00 + 8 * (49 - 32), at the top left.
    glyph = spectrum.rom[0x3D00 + 8 * 17 : 0x3D00 + 8 * 18]
    assert [spectrum.peek(0x4000 + 256 * line) for line in range(8)] == glyph.tolist()


def test_every_bank_comes_in_at_c000(paged: Spectrum) -> None:
    for number in range(8):
        out(paged, 0x7FFD, number)
        assert paged.peek(0xFFFF) == number
        assert paged.visible_ram()[[0x0000, 0x7FFF, 0xBFFF]].tolist() == [5, 2, number]


def test_memory_has_the_banks_in_its_order(paged: Spectrum) -> None:
    out(paged, 0x7FFD, 3)
    assert paged.memory[0x3FFF::0x4000].tolist() == list(RAM_ORDER)


def test_the_lock_holds_until_the_machine_is_switched_off(paged: Spectrum) -> None:
    out(paged, 0x7FFD, 0x21)
    out(paged, 0x7FFD, 0x04)
    assert paged.port_7ffd == 0x21
    paged.reset()
    assert paged.port_7ffd == 0
    out(paged, 0x7FFD, 0x04)
    assert paged.port_7ffd == 4


@pytest.mark.parametrize(
    ("port", "pages"), [(0x7FFD, True), (0x3FFC, True), (0x1FFD, True), (0xFFFD, False), (0x7FFF, False)]
)
def test_the_latch_looks_at_a15_and_a1_alone(paged: Spectrum, port: int, *, pages: bool) -> None:
    out(paged, port, 6)
    assert (paged.port_7ffd == 6) is pages


def test_the_screen_of_bank_7_is_shown(paged: Spectrum) -> None:
    paged.memory[:] = 0
    paged.bank(7)[0x1800:0x1B00] = 0x07
    paged.bank(7)[0] = 0x80
    assert not paged.screen_indexed().any()
    out(paged, 0x7FFD, 0x08)
    assert paged.screen_indexed()[0, :2].tolist() == [7, 0]
    assert paged.screen_indexed().sum() == 7


def test_the_rom_is_chosen(paged: Spectrum) -> None:
    editor, basic = load_rom("128k")[:16384], load_rom("128k")[16384:]
    assert bytes(paged.rom) == editor
    out(paged, 0x7FFD, 0x10)
    assert bytes(paged.rom) == basic
    assert paged.peek(0x1000) == basic[0x1000]


def test_the_same_bank_twice_is_one_memory(paged: Spectrum) -> None:
    out(paged, 0x7FFD, 2)
    paged.poke(0xC123, 99)
    assert paged.peek(0x8123) == 99
    out(paged, 0x7FFD, 5)
    paged.poke(0xC123, 98)
    assert paged.peek(0x4123) == 98


def test_a_block_is_written_across_pages(paged: Spectrum) -> None:
    out(paged, 0x7FFD, 4)
    data = np.random.default_rng(1).integers(0, 256, 0xC000, dtype=np.uint8)
    paged.write_block(0x4000, data.tobytes())
    assert np.array_equal(paged.visible_ram(), data)
    assert np.array_equal(paged.bank(4), data[0x8000:])
    paged.write_block(0xBFFF, b"ab")
    assert (paged.bank(2)[-1], paged.bank(4)[0]) == (ord("a"), ord("b"))


def test_the_sound_chip_is_written_and_read(paged: Spectrum) -> None:
    # An AY-3-8912 has 4 bits in the coarse tone registers, 5 in noise and amplitudes, 4 in the envelope's shape.
    bits = [8, 4, 8, 4, 8, 4, 5, 8, 5, 5, 5, 8, 8, 4]
    for register, width in enumerate(bits):
        out(paged, 0xFFFD, register)
        out(paged, 0xBFFD, 0xFF)
        assert run_code(paged, IN_A_BC, bc=0xFFFD) == (1 << width) - 1, f"register {register}"
        assert paged.ay[register] == (1 << width) - 1
    assert run_code(Spectrum("48k"), IN_A_BC, bc=0xFFFD) == 0xFF, "a 48K machine has none"


def test_a_48k_machine_has_three_banks_and_no_paging() -> None:
    spectrum = Spectrum()
    spectrum.poke(0x4000, 1), spectrum.poke(0x8000, 2), spectrum.poke(0xC000, 3)
    assert [spectrum.bank(number)[0] for number in (5, 2, 0)] == [1, 2, 3]
    out(spectrum, 0x7FFD, 7)
    assert spectrum.port_7ffd == 0
    with pytest.raises(ValueError, match="a 48K machine has the banks 0, 2 and 5"):
        spectrum.bank(7)
    with pytest.raises(ValueError, match="port_7ffd"):
        spectrum.port_7ffd = 7


@pytest.mark.parametrize("machine", MODELS)
def test_a_fork_goes_on_alone_from_the_same_moment(machine: str) -> None:
    spectrum = Spectrum(machine, late=True, kempston=True)
    spectrum.run_frames(60)
    spectrum.press("q")
    twins = [spectrum.fork(), copy.deepcopy(spectrum), pickle.loads(pickle.dumps(spectrum))]  # noqa: S301 - our own bytes
    spectrum.run_frames(30)
    for twin in twins:
        assert (twin.frame, twin.held_keys, twin.machine, twin.late) == (60, ("q",), machine, True)
        twin.joystick(fire=True)
        twin.joystick()
        twin.run_frames(30)
        assert twin.save_state() == spectrum.save_state()
    spectrum.poke(0x9000, 123)
    assert twins[0].peek(0x9000) == 0


def test_a_state_of_another_model_is_refused() -> None:
    machine = Spectrum("128k")
    before = machine.save_state()
    for other in ("48k", "plus2"):
        with pytest.raises(UserError, match=f"it is of a {other} machine"):
            machine.load_state(Spectrum(other).save_state())
    assert machine.save_state() == before


def test_late_is_one_t_later() -> None:
    # Measured by J. Rak on an early machine: a NOP in contended memory takes 10 T at 14335, 4 at 14334 and 14342.
    taken = {}
    for late in (False, True):
        for t in (14334, 14335, 14336, 14342, 14343):
            spectrum = Spectrum(late=late)
            spectrum._machine.t = t
            spectrum.registers.pc = 0x4000
            spectrum.run_tstates(1)
            taken[late, t] = spectrum.t - t
    assert [taken[False, t] for t in (14334, 14335, 14336, 14342)] == [4, 10, 9, 4]
    assert [taken[True, t] for t in (14335, 14336, 14343)] == [4, 10, 4]


def test_the_roms_are_the_known_ones() -> None:
    sums = {machine: hashlib.sha1(load_rom(machine)).hexdigest() for machine in MODELS}  # noqa: S324 - no secret
    assert sums["48k"] == "5ea7c2b824672e914525d1d5c419d71b84a426a2"
    assert len(set(sums.values())) == len(MODELS)


def test_long_runs_are_done_in_parts_and_come_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, in_parts = Spectrum(), Spectrum()
    whole.run_frames(60), whole.run_tstates(1_000_000)
    reached = whole.run_until(0x0038, 50), whole.run_until(0x1234, 7)
    monkeypatch.setattr("oakemu_rl.emulator.spectrum._FRAMES_AT_ONCE", 3)
    monkeypatch.setattr("oakemu_rl.emulator.spectrum._T_AT_ONCE", 1000)
    in_parts.run_frames(60), in_parts.run_tstates(1_000_000)
    assert (in_parts.run_until(0x0038, 50), in_parts.run_until(0x1234, 7)) == reached
    assert in_parts.save_state() == whole.save_state()


def test_a_number_of_frames_is_whole() -> None:
    with pytest.raises(TypeError, match="integer"):
        Spectrum().run_frames(1.5)  # type: ignore[arg-type]  # under test
