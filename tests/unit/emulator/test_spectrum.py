# SPDX-License-Identifier: GPL-3.0-or-later
import gc
import threading
from collections.abc import Callable

import numpy as np
import pytest

from oakemu_rl.emulator import Spectrum
from oakemu_rl.errors import UserError

ReadText = Callable[[Spectrum], list[str]]


def program(*code: int) -> Spectrum:
    """A machine that is about to run code at 0x8000, interrupts disabled."""
    spectrum = Spectrum()
    spectrum.write_block(0x8000, bytes(code))
    spectrum.registers.pc = 0x8000
    return spectrum


@pytest.mark.parametrize("contention", [True, False])
def test_the_rom_boots_to_the_copyright_message(contention: bool, read_text: ReadText) -> None:  # noqa: FBT001 - parametrized
    spectrum = Spectrum(contention=contention)
    assert spectrum.contention is contention
    spectrum.run_frames(100)
    assert read_text(spectrum) == [""] * 23 + ["(c) 1982 Sinclair Research Ltd"]
    assert spectrum.frame == 100


def test_a_basic_program_is_typed_and_runs(ready: Spectrum, read_text: ReadText) -> None:
    ready.type_keys("1", "0", "p", "sym+p", "h", "i", "shift+h", "i", "sym+p", "enter")  # 10 PRINT "hiHi"
    ready.type_keys("2", "0", "b", "4", "enter")  # 20 BORDER 4
    assert read_text(ready)[0].startswith("  10 PRINT")
    ready.type_keys("r", "enter")  # RUN
    ready.run_frames(20)
    lines = read_text(ready)
    assert lines[0] == "hiHi"
    assert lines[23] == "0 OK, 20:1"
    assert ready.border == 4


def test_a_key_that_is_held_repeats(ready: Spectrum, read_text: ReadText) -> None:
    ready.type_keys("p")
    ready.press("1")
    ready.run_frames(100)
    assert "11111" in read_text(ready)[23]
    ready.release("1")
    ready.run_frames(10)
    text = read_text(ready)[23]
    ready.run_frames(50)
    assert read_text(ready)[23] == text


def test_press_and_release() -> None:
    spectrum = Spectrum()
    spectrum.press("shift", "5")
    assert set(spectrum.held_keys) == {"shift", "5"}
    with pytest.raises(UserError, match="unknown key 'foo'"):
        spectrum.press("a", "foo")
    with pytest.raises(UserError, match="unknown key 'foo'"):
        spectrum.release("5", "foo")
    with pytest.raises(UserError, match="unknown key 'foo'"):
        spectrum.type_keys("a", "sym+foo")
    assert set(spectrum.held_keys) == {"shift", "5"}
    assert spectrum.frame == 0
    spectrum.release("5", "6")
    assert spectrum.held_keys == ("shift",)
    spectrum.release_all()
    assert not spectrum.held_keys


def test_reset_releases_keys_and_clears_everything() -> None:
    spectrum = Spectrum(kempston=True)
    fresh = spectrum.save_state()
    spectrum.run_frames(10)
    spectrum.press("a")
    spectrum.joystick(fire=True)
    assert spectrum.save_state() != fresh
    spectrum.reset()
    assert spectrum.save_state() == fresh


@pytest.mark.parametrize(("direction", "bits"), [("right", 1), ("left", 2), ("down", 4), ("up", 8), ("fire", 16)])
def test_the_kempston_joystick_reads_active_high(direction: str, bits: int) -> None:
    spectrum = Spectrum(kempston=True)
    spectrum.write_block(0x8000, bytes([0xDB, 0x1F]))  # IN A,(0x1F)
    for position, expected in (({direction: True}, bits), ({}, 0)):
        spectrum.joystick(**position)
        spectrum.registers.pc = 0x8000
        spectrum.run_tstates(1)
        assert spectrum.registers.a == expected


def test_a_joystick_that_is_not_fitted_is_an_error() -> None:
    with pytest.raises(UserError, match=r"Spectrum\(kempston=True\)"):
        Spectrum().joystick(up=True)


def test_frames_and_tstates() -> None:
    spectrum = program(0x18, 0xFE)  # JR to itself, 12 T
    spectrum.run_tstates(25)
    assert (spectrum.t, spectrum.frame) == (36, 0)
    spectrum.run_tstates(69888)
    assert (spectrum.t, spectrum.frame) == (36, 1)
    spectrum.run_frames(3)
    assert (spectrum.t, spectrum.frame) == (0, 4)
    spectrum.run_frames(0)
    spectrum.run_tstates(0)
    assert (spectrum.t, spectrum.frame) == (0, 4)


@pytest.mark.parametrize("method", ["run_frames", "run_tstates"])
def test_time_does_not_run_backwards(method: str) -> None:
    with pytest.raises(ValueError, match="is -1, allowed are 0 to"):
        getattr(Spectrum(), method)(-1)


def test_run_until_stops_before_the_instruction_and_then_goes_on() -> None:
    spectrum = program(0x3C, 0x04, 0x18, 0xFC)  # loop: INC A; INC B; JR loop
    spectrum.registers.a = 0
    for round_number in range(3):
        assert spectrum.run_until(0x8001, 1) == 0x8001 == spectrum.registers.pc
        assert (spectrum.registers.a, spectrum.registers.b) == (round_number + 1, round_number)


def test_run_until_sees_a_first_instruction_and_other_addresses_after_a_stop() -> None:
    spectrum = program(0x3C, 0x04, 0x18, 0xFC)
    assert spectrum.run_until(0x8000, 1) == 0x8000
    assert spectrum.t == 0
    # The stop at 0x8000 was of another search: 0x8001 must be found at its first passing, not its second.
    assert spectrum.run_until([0x8002, 0x8001], 1) == 0x8001
    assert spectrum.t == 4
    spectrum.registers.pc = 0x8001
    assert spectrum.run_until(0x8001, 1) == 0x8001
    assert spectrum.t == 4


def test_run_until_gives_up_after_its_frames() -> None:
    spectrum = program(0x18, 0xFE)
    spectrum.run_tstates(1000)
    assert spectrum.run_until(0x9000, 3) is None
    assert spectrum.frame == 3
    assert spectrum.run_until(0x8000, 0) is None
    assert spectrum.run_until([], 1) is None
    with pytest.raises(ValueError, match="address is 65536, allowed are 0 to 65535"):
        spectrum.run_until(65536, 1)
    with pytest.raises(ValueError, match="max_frames is -1"):
        spectrum.run_until(0, -1)


def test_memory_is_the_machines_own() -> None:
    spectrum = program(0x32, 0x00, 0x90)  # LD (0x9000),A
    memory = spectrum.memory
    assert memory.shape == (49152,)
    assert memory.dtype == np.uint8
    assert memory.flags.c_contiguous
    spectrum.registers.a = 0x5A
    spectrum.run_tstates(1)
    assert memory[0x9000 - 0x4000] == 0x5A
    memory[0] = 0x81
    assert spectrum.peek(0x4000) == 0x81
    spectrum.poke(0xFFFF, 7)
    assert memory[-1] == 7
    state = spectrum.save_state()
    memory[:] = 0
    spectrum.load_state(state)
    assert memory[0] == 0x81


def test_memory_outlives_its_machine() -> None:
    memory = Spectrum().memory
    gc.collect()
    memory[:] = np.arange(49152, dtype=np.uint8)
    assert memory[-1] == 0xFF


def test_the_rom_is_read_only() -> None:
    spectrum = Spectrum()
    with pytest.raises(ValueError, match="read-only"):
        spectrum.rom[0] = 1
    with pytest.raises(ValueError, match=r"ROM ends at 16383\) is 16383, allowed are 16384 to 65535"):
        spectrum.poke(0x3FFF, 0)
    assert spectrum.peek(0) == 0xF3  # DI


def test_words_and_blocks() -> None:
    spectrum = Spectrum()
    assert spectrum.read_word(1) == 0x11AF  # XOR A; LD DE,...
    spectrum.poke(0xFFFF, 0x12)
    assert spectrum.read_word(0xFFFF) == 0xF312
    spectrum.write_block(0xFFFE, b"\x01\x02")
    assert spectrum.read_word(0xFFFE) == 0x0201
    spectrum.write_block(0x4000, b"")
    for address, data in ((0xFFFF, b"ab"), (0x3FFF, b"a"), (-1, b"a"), (0x4000, bytes(49153))):
        with pytest.raises(UserError, match=f"{len(data)} bytes at {address} do not lie in RAM"):
            spectrum.write_block(address, data)
    assert spectrum.read_word(0xFFFE) == 0x0201
    with pytest.raises(ValueError, match="value is 256, allowed are 0 to 255"):
        spectrum.poke(0x8000, 256)
    with pytest.raises(ValueError, match="address is -1, allowed are 0 to 65535"):
        spectrum.peek(-1)


def test_pictures() -> None:
    spectrum = program(0x3E, 0x02, 0xD3, 0xFE)  # LD A,2; OUT (0xFE),A
    spectrum.run_until(0x8004, 1)
    spectrum.poke(0x4100, 0x80)  # line 1, leftmost pixel
    spectrum.poke(0x5800, 0x4E)  # bright, paper blue, ink yellow
    screen = spectrum.screen()
    assert screen.shape == (240, 320, 3)
    assert screen.dtype == np.uint8
    assert screen.flags.c_contiguous
    assert screen[24, 32].tolist() == [0, 0, 255]
    assert screen[25, 32].tolist() == [255, 255, 0]
    assert screen[0, 0].tolist() == [0xCD, 0, 0]
    assert (spectrum.screen(border=False) == screen[24:216, 32:288]).all()
    assert spectrum.screen_indexed(0, 1, 3, 1).tolist() == [[14, 9, 9]]
    assert spectrum.screen_grey(0, 1, 3, 1).tolist() == [[226, 29, 29]]
    assert spectrum.screen_grey().shape == (192, 256)
    copy = screen.copy()
    spectrum.memory[:] = 0xFF
    assert (screen == copy).all()


@pytest.mark.parametrize(
    ("area", "message"),
    [
        ((256, 0, 1, 1), "x is 256, allowed are 0 to 255"),
        ((0, -1, 1, 1), "y is -1, allowed are 0 to 191"),
        ((10, 0, 247, 1), "width is 247, allowed are 1 to 246"),
        ((0, 191, 1, 2), "height is 2, allowed are 1 to 1"),
        ((0, 0, 0, 1), "width is 0, allowed are 1 to 256"),
    ],
)
def test_a_rectangle_must_lie_on_the_display(area: tuple[int, int, int, int], message: str) -> None:
    for draw in (Spectrum().screen_grey, Spectrum().screen_indexed):
        with pytest.raises(ValueError, match=message):
            draw(*area)


def test_machines_on_threads_do_not_touch_each_other(ready_state: bytes) -> None:
    def play(seed: int) -> bytes:
        spectrum = Spectrum()
        spectrum.load_state(ready_state)
        for _ in range(20):
            spectrum.tap("abcdefghij"[seed % 10], frames=3, gap=seed % 4)
        return spectrum.save_state()

    alone = [play(seed) for seed in range(6)]
    together: dict[int, bytes] = {}
    threads = [threading.Thread(target=lambda n=seed: together.update({n: play(n)})) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[seed] for seed in range(6)] == alone
    assert len(set(alone)) == 6


def test_keys_are_text() -> None:
    spectrum = Spectrum()
    for call in (spectrum.press, spectrum.release, spectrum.tap, spectrum.type_keys):
        with pytest.raises(UserError, match=r"^the name of a key is a text, as in '1', not 1$"):
            call(1)  # type: ignore[arg-type]  # under test


@pytest.mark.parametrize("wrong", [{"frames": -1}, {"gap": -1}])
def test_negative_times_press_nothing(wrong: dict[str, int]) -> None:
    spectrum = Spectrum()
    for call in (spectrum.tap, spectrum.type_keys):
        with pytest.raises(UserError, match=r"is a number of frames, 0 or more, not -1$"):
            call("a", **wrong)
        assert (spectrum.held_keys, spectrum.frame) == ((), 0)


@pytest.mark.filterwarnings("error")
def test_addresses_of_numpy() -> None:
    spectrum = Spectrum()
    assert spectrum.run_until(np.int64(0x11CB), 1) == 0x11CB  # the ROM begins with JP 0x11CB
    assert spectrum.read_word(np.uint16(0xFFFF)) == 0xF300  # the ROM's first byte is DI
