# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures and sound of watched frames, against another emulator and a second implementation."""

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.pacing import frame_rate
from oakemu_rl.emulator.rzx import RzxRecorder
from oakemu_rl.errors import UserError

CODE = 0x8000
HALT = b"\xf3\x76"  # DI; HALT


def machine(code: bytes, model: str = "48k", **options: bool) -> Spectrum:
    """At T 0 of a frame, before code that no interrupt disturbs."""
    spectrum = Spectrum(model, **options)
    spectrum.write_block(CODE, code)
    spectrum.registers.pc = CODE
    spectrum.registers.sp = 0xFF00
    return spectrum


# ---- pictures


def random_program(rng: random.Random) -> bytes:
    """Writes to the border and to the display at all times of a frame, mostly to attributes."""
    code = bytearray()
    while len(code) < 12_000:
        code += rng.choice(
            [
                b"\xd3\xfe",  # OUT (0xFE),A
                b"\xd3\xfe",
                b"\x77",  # LD (HL),A
                b"\x77",
                b"\x3c",  # INC A
                b"\x23",  # INC HL
                b"\x09",  # ADD HL,BC
                b"\x00",  # NOP
                b"\xe6\x7f",  # AND 0x7F: no FLASH
                b"\xc6" + bytes([rng.randrange(256)]),  # ADD A,n
                b"\x21" + bytes([rng.randrange(256), rng.randrange(0x40, 0x5B)]),  # LD HL,nn
            ]
        )
    return bytes(code) + HALT


def colours(picture: np.ndarray) -> np.ndarray:
    """0 to 7 for each pixel, whatever the levels."""
    return ((picture > 0) * np.array([2, 4, 1])).sum(axis=-1)


@pytest.mark.parametrize("seed", range(4))
def test_another_emulator_draws_the_same_picture(seed):
    zx = pytest.importorskip("zx")
    rng = random.Random(seed)  # noqa: S311 - for a test
    display = bytes(rng.randrange(256 if place < 0x1800 else 128) for place in range(0x1B00))
    ours = machine(random_program(rng))
    ours.write_block(0x4000, display)
    ours.registers.hl, ours.registers.bc = 0x5800, 1
    ours._machine.border = 0
    theirs = zx.Spectrum(headless=True)
    theirs.set_on_input_callback(lambda _port: 0xFF)
    theirs.write(0x4000, display)
    theirs.write(CODE, bytes(ours.memory[CODE - 0x4000 : 0xC000 - 0x4000]))
    theirs.pc, theirs.hl, theirs.bc, theirs.sp = CODE, 0x5800, 1, 0xFF00
    theirs.af, theirs.border_colour, theirs.iff1 = ours.registers.af, 0, 0
    theirs.ticks_since_int = 1  # it counts from a T earlier: its contention begins at 14336
    frame = ours.watch().run_frame()
    while theirs.ticks_since_int < 69_888:
        theirs._run()
    theirs.render_screen()
    levels = np.frombuffer(bytes(theirs.get_frame_pixels()), np.uint32).reshape(280, 352)[24:264, 16:336]
    rgb = np.stack([levels >> 16 & 255, levels >> 8 & 255, levels & 255], axis=-1)
    assert ours.registers.pc == theirs.pc
    assert np.array_equal(colours(frame.picture), colours(rgb))
    assert not np.array_equal(colours(frame.picture), colours(ours.screen()))


def test_a_stripe_a_line():
    # After 160 T: OUT (0xFE),A (11); INC A (4); OR 0 (7); 48 NOPs (192); JP (10): 224 T. Its T2 is at 168 + 224 n, in
    # the retrace, so that a line has one colour; line y of the display begins at 224 (64 + y).
    loop = CODE + 40
    code = b"\x00" * 40 + b"\xd3\xfe\x3c\xf6\x00" + b"\x00" * 48 + bytes([0xC3, loop & 255, loop >> 8])
    spectrum = machine(code)
    spectrum.registers.a = 1
    border = colours(spectrum.watch(sound=False).run_frame().picture)
    wanted = (64 + np.arange(-24, 216)) % 8
    assert np.array_equal(border[:, 0], wanted)
    assert np.array_equal(border[:, 31], wanted)
    assert np.array_equal(border[:, 319], wanted)
    assert len(set(colours(spectrum.screen())[:, 0].tolist())) == 1  # the cheap picture knows the last colour


def test_a_colour_a_line_in_every_cell():
    # 14242 T of waiting, then 224 T a line: LD SP,nn (10), LD DE,nn (10), 6 PUSHes (66), 31 NOPs, 2 OR 0 (14). The
    # pushes come in the border at the right of the line before: 12 cells have a new attribute in each line.
    code = bytearray(b"\x00" * 3557 + b"\xf6\x00" * 2)
    for y in range(192):
        place = 0x5800 + 32 * (y // 8) + 12
        attribute = 8 * (y % 8)
        code += bytes([0x31, place & 255, place >> 8, 0x11, attribute, attribute]) + b"\xd5" * 6
        code += b"\x00" * 31 + b"\xf6\x00" * 2
    spectrum = machine(bytes(code) + HALT)
    shown = colours(spectrum.watch(sound=False).run_frame().picture)[24:216, 32:288]
    assert np.array_equal(shown[:, 0], np.arange(192) % 8)
    assert np.array_equal(shown[:, 95], np.arange(192) % 8)
    assert not shown[:, 96:].any()


def test_flash_swaps_with_the_frames():
    spectrum = machine(HALT)
    spectrum.write_block(0x4000, bytes([255] * 6144 + [0x80 | 2] * 768))  # red ink on black, flashing
    watcher = spectrum.watch(sound=False)
    shown = [int(colours(watcher.run_frame().picture)[100, 100]) for _ in range(64)]
    assert shown == [2] * 16 + [0] * 16 + [2] * 16 + [0] * 16


@pytest.mark.parametrize("model", ["48k", "128k", "plus2"])
@pytest.mark.parametrize("contention", [True, False])
def test_watching_changes_nothing(model, contention):
    watched, alone = (Spectrum(model, contention=contention) for _ in range(2))
    watcher = watched.watch()
    for _ in range(100):
        watcher.run_frame()
        alone.run_frames(1)
    assert watched.save_state() == alone.save_state()
    assert np.array_equal(watcher.run_frame().picture, alone.screen())  # a quiet screen


def test_a_frame_that_has_begun():
    spectrum = machine(b"\x3e\x02\xd3\xfe" + HALT)
    spectrum.run_tstates(30_000)
    watcher = spectrum.watch()
    frame = watcher.run_frame()
    assert (spectrum.frame, set(colours(frame.picture)[:, 0].tolist())) == (1, {2})
    assert frame.samples.size == 958


def test_what_is_not_watched_is_not_there():
    spectrum = Spectrum()
    deaf, blind = spectrum.watch(sound=False).run_frame(), spectrum.watch(picture=False).run_frame()
    assert deaf.picture.dtype == np.uint8
    assert blind.samples.dtype == np.int16
    with pytest.raises(UserError, match="no sound"):
        _ = deaf.samples
    with pytest.raises(UserError, match="no picture"):
        _ = blind.picture
    assert spectrum.frame == 2


def test_arrays_are_one_s_own():
    watcher = Spectrum().watch()
    first = watcher.run_frame()
    picture, samples = first.picture.copy(), first.samples.copy()
    first.picture[:] = 1
    watcher.run_frame()
    assert (first.picture == 1).all()
    assert np.array_equal(first.samples, samples)
    assert picture.any()


# ---- sound


def sampled(level: np.ndarray, clock: int) -> np.ndarray:
    """The samples of a level that is given for each T: means by Fraction, then the filter in floating point."""
    total = np.concatenate([[0], np.cumsum(level, dtype=np.int64)])
    count = len(level) * 48_000 // clock

    def integral(sample: int) -> Fraction:
        t, rest = divmod(sample * clock, 48_000)
        return total[t] + (Fraction(rest, 48_000) * int(level[t]) if rest else 0)

    integrals = [Fraction(integral(sample)) for sample in range(count + 1)]
    means = [float((b - a) * 48_000 / clock) for a, b in pairwise(integrals)]
    out, last, samples = 0.0, float(level[0]), []
    for mean in means:
        out += mean - last - out / 512
        last = mean
        samples.append(out)
    return np.array(samples)


def heard(spectrum: Spectrum, frames: int) -> np.ndarray:
    watcher = spectrum.watch(picture=False)
    return np.concatenate([watcher.run_frame().samples for _ in range(frames)])


def test_a_beep_sample_by_sample():
    # OUT (0xFE),A (11); XOR 0x10 (7); NOP (4) x 40; JP (10): the first T2 at 7 + 8, then one every 188 T.
    loop = CODE + 2
    code = b"\x3e\x10" + b"\xd3\xfe\xee\x10" + b"\x00" * 40 + bytes([0xC3, loop & 255, loop >> 8])
    spectrum = machine(code, contention=False)
    t = np.arange(10 * 69_888)
    wanted = sampled(np.where((t >= 15) & ((t - 15) // 188 % 2 == 0), 9000 * 322 // 336, 0), 3_500_000)
    samples = heard(spectrum, 10)
    assert samples.size == len(wanted) == 9584
    assert np.abs(samples - wanted).max() <= 1.0
    assert np.abs(samples).max() > 4000


LEVELS = [0, 901, 1341, 1904, 2775, 4053, 5552, 8972, 11084, 17345, 23115, 29487, 37380, 45041, 55585, 65535]


def noise_bits(count: int) -> np.ndarray:
    """The register as 17 bits in a list: shifted right, with the exclusive or of bits 0 and 3 coming in at the left."""
    register = [0] * 16 + [1]
    bits = []
    for _ in range(count):
        bits.append(register[-1])
        register = [register[-1] ^ register[-4], *register[:-1]]
    return np.array(bits)


def chip_level(registers: dict[int, int], shape: list[int], steps: int) -> np.ndarray:
    """The sum of the channels in each step of 16 T, from closed forms."""
    step = np.arange(steps)
    noise = noise_bits(steps // (2 * registers[6]) + 1)[step // (2 * registers[6])]
    place = step // (2 * (registers[11] + 256 * registers[12]))
    envelope = np.array(shape)[np.minimum(place, len(shape) - 1)]
    total = np.zeros(steps, np.int64)
    for channel in range(3):
        tone = step // (registers[2 * channel] + 256 * registers[2 * channel + 1]) % 2
        on = (tone | registers[7] >> channel & 1) & (noise | registers[7] >> channel + 3 & 1)
        volume = registers[8 + channel]
        total += on * np.array(LEVELS)[envelope if volume & 16 else volume]
    return total * 7000 // 65535


def test_the_sound_chip_sample_by_sample():
    down, up = list(range(15, -1, -1)), list(range(16))
    registers = {
        0: 0x34,
        1: 0x01,
        2: 0x21,
        3: 0,
        4: 0xFE,
        5: 0x0F,
        6: 9,
        7: 0b101010,
        8: 13,
        9: 16,
        10: 11,
        11: 90,
        12: 1,
    }
    registers[13] = 10  # \/\/
    spectrum = machine(HALT, "128k")
    spectrum.port_7ffd = 0
    for number, value in registers.items():
        spectrum._machine.ay[number] = value
    frames = 12
    steps = frames * 70_908 // 16 + 1
    shape = (down + up) * (steps // (32 * 2 * 346) + 1)
    level = chip_level(registers, shape, steps).repeat(16)[: frames * 70_908]
    wanted = sampled(level, 3_546_900)
    samples = heard(spectrum, frames)
    assert abs(samples.size - len(wanted)) <= 1
    assert np.abs(samples[: len(wanted)] - wanted).max() <= 1.0
    assert samples.std() > 1000


def test_registers_are_written_through_the_ports():
    # LD BC,0xFFFD; OUT (C),D; LD B,0xBF; OUT (C),E for tone A with period 254 (436.4 Hz), mixer, volume.
    code = b""
    for number, value in ((0, 254), (1, 0), (7, 0x3E), (8, 15)):
        code += bytes([0x01, 0xFD, 0xFF, 0x16, number, 0xED, 0x51, 0x06, 0xBF, 0x1E, value, 0xED, 0x59])
    spectrum = machine(code + HALT, "128k")
    samples = heard(spectrum, 101)[1000:]
    rising = np.flatnonzero((samples[:-1] < 0) & (samples[1:] >= 0))
    frequency = (len(rising) - 1) / ((rising[-1] - rising[0]) / 48_000)
    assert frequency == pytest.approx(3_546_900 / 2 / (16 * 254), rel=1e-3)


def test_a_machine_that_says_nothing_is_silent():
    assert not heard(Spectrum(), 120).any()  # the ROM's start
    assert not heard(machine(HALT, "128k"), 5).any()


def test_keys_click():
    spectrum = Spectrum()
    spectrum.run_frames(100)
    watcher = spectrum.watch(picture=False)
    assert not watcher.run_frame().samples.any()
    spectrum.press("a")
    assert any(watcher.run_frame().samples.any() for _ in range(5))


def test_sound_goes_on_through_a_restored_state():
    # A twin that is put back to where it is before every frame sounds as one that is not.
    loop = CODE + 2
    code = b"\x3e\x10" + b"\xd3\xfe\xee\x10" + b"\x00" * 31 + bytes([0xC3, loop & 255, loop >> 8])
    whole = heard(machine(code), 20)
    spectrum = machine(code)
    watcher = spectrum.watch(picture=False)
    parts = []
    for _ in range(20):
        spectrum.load_state(spectrum.save_state())
        parts.append(watcher.run_frame().samples)
    assert np.array_equal(np.concatenate(parts), whole)


@pytest.mark.parametrize("model", ["48k", "128k", "plus2"])
def test_frame_rates_are_those_of_the_machines(model):
    spectrum = Spectrum(model)
    assert frame_rate(model) == Fraction(spectrum.clock, spectrum.frame_tstates)
    total = heard(spectrum, 500).size
    assert abs(total - 500 * 48_000 / frame_rate(model)) < 1


def test_a_machine_that_is_recorded_looks_and_sounds_the_same():
    loop = CODE + 1
    code = b"\xfb\xd3\xfe\x3c" + b"\x00" * 20 + bytes([0xC3, loop & 255, loop >> 8])  # EI; OUT (0xFE),A; INC A
    alone, recorded = machine(code), machine(code)
    with RzxRecorder(recorded):
        watchers = alone.watch(), recorded.watch()
        for _ in range(20):
            first, second = (watcher.run_frame() for watcher in watchers)
            assert np.array_equal(first.picture, second.picture)
            assert np.array_equal(first.samples, second.samples)
    assert recorded.save_state() == alone.save_state()
