# SPDX-License-Identifier: GPL-3.0-or-later
"""Playback of recordings that are made by hand, so that what each frame must do is known from the format's rules."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.rzx import (
    FrameInputs,
    Rzx,
    RzxCreator,
    RzxDesync,
    RzxPart,
    RzxPlayer,
    RzxSnapshot,
    find_playback_flags,
    parse_rzx,
    rzx_bytes,
)
from oakemu_rl.emulator.rzx.machines import snapshot_of
from oakemu_rl.emulator.rzx.player import FIRST_SNAPSHOT_ONLY, LOAD_FLAG, REPEATS_PASS_EMPTY, SHORT_FRAMES
from oakemu_rl.errors import UserError

Frames = list[tuple[int, bytes]]
# The interrupt routine: PUSH AF; JR to itself
ROUTINE = [0xF5, 0x18, 0xFE]


def machine(program: Iterable[int], *, interrupts: bool = True, model: str = "48k") -> Spectrum:
    """A machine that stands before a program at 0x8000, with an interrupt routine at 0x9000 and SP 0xFF00."""
    spectrum = Spectrum(model)
    spectrum.write_block(0x8000, bytes(program))
    spectrum.write_block(0x9000, bytes(ROUTINE))
    spectrum.write_block(0xFDFF, bytes([0x00, 0x90]))
    registers = spectrum.registers
    registers.pc, registers.sp, registers.i, registers.im, registers.af = 0x8000, 0xFF00, 0xFD, 2, 0
    registers.iff1 = registers.iff2 = int(interrupts)
    return spectrum


def recording(spectrum: Spectrum, *blocks: Frames, creator: str = "Fuse") -> Rzx:
    """Blocks of frames, the first of which begins with the machine."""
    snapshot = snapshot_of(spectrum, "szx", "made")
    parts = [
        RzxPart(None if number else snapshot, FrameInputs.from_frames(block)) for number, block in enumerate(blocks)
    ]
    return Rzx("x.rzx", tuple(parts), creator=RzxCreator(creator, 1, 0))


def play(spectrum: Spectrum, *blocks: Frames, flags: int | None = None) -> RzxPlayer:
    player = RzxPlayer(recording(spectrum, *blocks), flags=flags)
    player.run_frames()
    return player


def stacked(player: RzxPlayer) -> int:
    """What the interrupt has pushed: the address of the instruction before which it came."""
    return player.spectrum.read_word(0xFEFE)


@pytest.mark.parametrize(
    ("code", "fetches", "pc"),
    [
        ([0x00] * 9, 3, 0x8003),
        ([0xCB, 0x07], 2, 0x8002),
        ([0xED, 0x44], 2, 0x8002),
        ([0xDD, 0x21, 0, 0, 0], 2, 0x8004),
        ([0xFD, 0xCB, 0, 0x06, 0], 2, 0x8004),  # the third opcode byte is no M1 cycle
        ([0xDD, 0xDD, 0xDD, 0x00, 0], 4, 0x8004),
        ([0xDD, 0xDD, 0xDD, 0x00, 0], 3, 0x8003),  # a prefix that changes nothing may be the last of a frame
        ([0xDD, 0x00, 0xFD, 0x00, 0], 3, 0x8003),
        ([0xDD, 0xED, 0x44, 0x00, 0], 1, 0x8001),
        ([0xDD, 0x21, 0, 0, 0], 1, 0x8004),  # an instruction is not cut
        ([0x3E, 0xAA, 0x00], 1, 0x8002),
        ([0x76, 0x00, 0x00], 5, 0x8001),  # HALT goes on fetching; PC is the byte after it
        ([0x01, 0xFE, 0xFE, 0xED, 0xB0, 0x00], 3, 0x8003),  # one round of an LDIR
        ([0x01, 0x03, 0x00, 0xED, 0xB0, 0x00, 0x00], 8, 0x8006),  # 1 + 3 * 2 + NOP
    ],
)
def test_a_frame_ends_after_its_m1_cycles(code: list[int], fetches: int, pc: int) -> None:
    player = play(machine(code, interrupts=False), [(fetches, b"")])
    assert player.spectrum.registers.pc == pc
    assert player.spectrum.t == 0
    assert (player.frame, player.frames) == (1, 1)


def test_an_interrupt_begins_every_frame_but_the_first_if_enabled() -> None:
    first = play(machine([0x00] * 9), [(3, b"")])
    assert first.spectrum.registers.pc == 0x8003
    second = play(machine([0x00] * 9), [(3, b""), (1, b"")])
    assert (stacked(second), second.spectrum.registers.pc) == (0x8003, 0x9001)
    assert second.spectrum.registers.iff1 == 0
    disabled = play(machine([0x00] * 9, interrupts=False), [(3, b""), (1, b"")])
    assert disabled.spectrum.registers.pc == 0x8004


def test_no_interrupt_comes_within_a_frame() -> None:
    # EI within the first 32 T, in which a machine that is not told otherwise would accept one.
    player = play(machine([0xFB] + [0x00] * 9, interrupts=False), [(9, b"")])
    assert player.spectrum.registers.pc == 0x8009


def test_an_interrupt_wakes_a_halt_behind_it() -> None:
    player = play(machine([0x76]), [(1000, b""), (1, b"")])
    assert (stacked(player), player.spectrum.registers.halted) == (0x8001, 0)


@pytest.mark.parametrize("flags", [0, SHORT_FRAMES])
def test_an_interrupt_comes_right_after_ei_too(flags: int) -> None:
    player = play(machine([0xFB] + [0x00] * 9, interrupts=False), [(1, b""), (3, b"")], flags=flags)
    assert stacked(player) == 0x8001


@pytest.mark.parametrize(("flags", "where"), [(0, 0x8001), (SHORT_FRAMES, 0x8003)])
def test_a_short_frame_after_ei_may_mean_no_interrupt(flags: int, where: int) -> None:
    player = play(machine([0xFB] + [0x00] * 9, interrupts=False), [(1, b""), (2, b""), (3, b"")], flags=flags)
    assert stacked(player) == where


@pytest.mark.parametrize("code", [0x57, 0x5F])
@pytest.mark.parametrize(("flags", "parity"), [(0, 4), (LOAD_FLAG, 0)])
def test_an_interrupt_right_after_ld_a_i_may_reset_parity(code: int, flags: int, parity: int) -> None:
    player = play(machine([0xED, code]), [(2, b""), (1, b"")], flags=flags)
    assert player.spectrum.peek(0xFEFC) & 4 == parity
    later = play(machine([0xED, code, 0x00]), [(3, b""), (1, b"")], flags=flags)
    assert later.spectrum.peek(0xFEFC) & 4 == 4


def test_what_a_frame_is_worth_after_more_time_than_a_frame_has() -> None:
    # 60,000 fetches of LD HL,(nn) (16 T) take 14 times as long as a frame; then LD A,I ends it.
    code = [0x2A, 0, 0, 0xC3, 0x00, 0x80]
    spectrum = machine(code, interrupts=False)
    assert play(spectrum, [(60_000, b"")]).spectrum.registers.pc == 0x8000
    ends = machine([0x06, 0, 0x0E, 40, 0x10, 0xFE, 0x0D, 0x20, 0xFB, 0xED, 0x57])  # two loops, then LD A,I
    fetches = 2 + 40 * (256 + 2) + 2
    player = play(ends, [(fetches, b""), (1, b"")], flags=LOAD_FLAG)
    assert (stacked(player), player.spectrum.peek(0xFEFC) & 4) == (0x800B, 0)


def test_frames_without_fetches_are_passed_over() -> None:
    player = play(machine([0x00] * 9), [(0, b""), (3, b""), (0, b"x"), (0, b""), (1, b"")])
    assert player.frame == 5
    assert (stacked(player), player.spectrum.registers.pc) == (0x8003, 0x9001)


def test_port_reads_give_what_was_recorded() -> None:
    # IN A,(FE); LD (C000),A; LD BC,(..); IN E,(C); INIR of 3 bytes to D000
    code = [0xDB, 0xFE, 0x32, 0, 0xC0, 0xED, 0x58, 0x01, 0xFE, 3, 0x21, 0, 0xD0, 0xED, 0xB2]
    player = play(machine(code, interrupts=False), [(12, b"\x12\x34\x56\x78\x9a")])
    assert player.spectrum.peek(0xC000) == 0x12
    assert player.spectrum.registers.e == 0x34
    assert [player.spectrum.peek(0xD000 + k) for k in range(3)] == [0x56, 0x78, 0x9A]


def test_a_block_goes_on_where_the_one_before_ended() -> None:
    player = play(machine([0x00] * 9), [(3, b"")], [(1, b"")])
    assert (stacked(player), player.spectrum.registers.pc) == (0x8003, 0x9001)


class TestSnapshotsInBetween:
    @staticmethod
    def made(model: str = "48k") -> Rzx:
        first = RzxPart(snapshot_of(machine([0x00] * 9), "szx", "a"), FrameInputs.from_frames([(3, b"")]))
        other = machine([0x04] * 9, model=model)
        second = RzxPart(snapshot_of(other, "szx", "b"), FrameInputs.from_frames([(2, b"")]))
        return Rzx("x.rzx", (first, second))

    def test_replace_the_machine(self) -> None:
        player = RzxPlayer(self.made())
        spectrum = player.spectrum
        player.run_frames()
        assert player.spectrum is spectrum
        # No interrupt came before its first frame.
        assert (spectrum.registers.pc, spectrum.registers.b) == (0x8002, 2)

    def test_may_be_of_another_model(self) -> None:
        player = RzxPlayer(self.made("128k"))
        player.run_frames()
        assert (player.spectrum.machine, player.spectrum.registers.b) == ("128k", 2)

    def test_can_be_ignored(self) -> None:
        player = RzxPlayer(self.made(), flags=FIRST_SNAPSHOT_ONLY)
        player.run_frames()
        assert (stacked(player), player.spectrum.registers.b) == (0x8003, 0)


def test_frame_by_frame_is_all_at_once() -> None:
    code = [0xDB, 0xFE, 0x86, 0x77, 0x23, 0x18, 0xF9]  # IN A,(FE); ADD A,(HL); LD (HL),A; INC HL; JR
    frames = [(50, bytes([0xBF - k % 32] * 10)) for k in range(40)]
    made = recording(machine(code, interrupts=False), frames[:25], frames[25:])
    whole, single = RzxPlayer(made), RzxPlayer(made)
    keys = whole.run_frames()
    each = list(single)
    assert whole.spectrum.save_state() == single.spectrum.save_state()
    assert np.array_equal(keys.held, np.concatenate([k.held for k in each]))
    assert np.array_equal(keys.known, np.concatenate([k.known for k in each]))
    assert keys.held.shape == keys.known.shape == (40, 9)
    assert RzxPlayer(made).run_frames(0).held.shape == (0, 9)
    assert whole.run_frames().held.shape == (0, 9)


DAMAGED = rzx_bytes(
    recording(machine([0xDB, 0xFE, 0x76, 0x18, 0xFB]), [(20, b"\xbf")] * 5, [(7, b"\xbf")] * 5), compressed=False
)


@given(data=st.data())
def test_a_damaged_recording_plays_or_is_a_user_error(data: st.DataObject) -> None:
    # Mostly in the headers and the frames, seldom in the RAM.
    places = st.one_of(st.integers(0, 300), st.integers(len(DAMAGED) - 150, len(DAMAGED) - 1))
    damaged = bytearray(DAMAGED)
    for place in data.draw(st.lists(places, min_size=1, max_size=4)):
        damaged[place] = data.draw(st.integers(0, 255))
    try:
        RzxPlayer(parse_rzx(bytes(damaged))).run_frames(20)
    except UserError as error:
        message = str(error)
    else:
        message = ""
    assert "\n" not in message


class TestWatching:
    # LD A,n; OUT (FE),A; XOR 17; LD (4000),A; LD B,0; DJNZ $; JR to the OUT: border, speaker and picture change.
    CODE = (0x3E, 0x02, 0xD3, 0xFE, 0xEE, 0x17, 0x32, 0x00, 0x40, 0x06, 0, 0x10, 0xFE, 0x18, 0xF3)
    FRAMES: Frames = [(5000 + k, b"") for k in range(20)]  # noqa: RUF012 - only read

    def test_plays_the_same(self) -> None:
        made = recording(machine(self.CODE, interrupts=False), self.FRAMES)
        plain, watched = RzxPlayer(made), RzxPlayer(made)
        plain.run_frames()
        assert len(list(watched.watch())) == 20
        assert watched.spectrum.save_state() == plain.spectrum.save_state()

    def test_shows_what_the_beam_draws_and_lets_it_be_heard(self) -> None:
        player = RzxPlayer(recording(machine(self.CODE, interrupts=False), self.FRAMES))
        for frame, keys in player.watch():
            assert frame.picture.shape == (240, 320, 3)
            # 5 border changes in a frame of 70,000 T.
            assert len(np.unique(frame.picture[:, 0], axis=0)) == 2
            assert frame.samples.size in (958, 959)
            assert np.ptp(frame.samples) > 1000
            assert keys.held.shape == (1, 9)

    def test_draws_what_stays_as_it_is(self) -> None:
        spectrum = machine([0x18, 0xFE], interrupts=False)
        spectrum.memory[:6912] = np.arange(6912) % 251
        player = RzxPlayer(recording(spectrum, [(5000, b""), (0, b""), (5000, b"")]))
        for frame, _ in player.watch(sound=False):
            assert np.array_equal(frame.picture, spectrum.screen())
        assert player.frame == 3

    def test_goes_wrong_like_playing(self) -> None:
        player = RzxPlayer(recording(machine([0xDB, 0xFE, 0x18, 0xFC], interrupts=False), [(2, b"x"), (2, b"")]))
        watching = player.watch()
        next(watching)
        with pytest.raises(RzxDesync, match="frame 1"):
            next(watching)
        assert player.frame == 1


class TestDesync:
    CODE = (0xDB, 0xFE, 0x18, 0xFC)  # IN A,(FE); JR: two fetches, one read
    GOOD: Frames = [(20, b"\xbf" * 10) for _ in range(8)]  # noqa: RUF012 - only read

    def check(self, frames: Frames, frame: int, reads: int, recorded: int) -> None:
        player = RzxPlayer(recording(machine(self.CODE, interrupts=False), frames[:3], frames[3:]))
        with pytest.raises(RzxDesync) as caught:
            player.run_frames()
        message = f"x.rzx: frame {frame}: the program read {reads} ports, the recording has {recorded}"
        assert str(caught.value) == message
        assert (caught.value.frame, caught.value.reads, caught.value.recorded) == (frame, reads, recorded)
        assert player.frame == frame

    def test_none(self) -> None:
        assert play(machine(self.CODE, interrupts=False), self.GOOD).frame == 8

    @pytest.mark.parametrize("frame", [0, 2, 3, 7])
    def test_a_byte_is_missing(self, frame: int) -> None:
        self.check([*self.GOOD[:frame], (20, b"\xbf" * 9), *self.GOOD[frame + 1 :]], frame, 10, 9)

    @pytest.mark.parametrize("frame", [0, 2, 3, 7])
    def test_a_byte_too_many(self, frame: int) -> None:
        self.check([*self.GOOD[:frame], (20, b"\xbf" * 11), *self.GOOD[frame + 1 :]], frame, 10, 11)

    def test_a_fetch_too_many(self) -> None:
        self.check([*self.GOOD[:5], (21, b"\xbf" * 10), *self.GOOD[6:]], 5, 11, 10)


class TestFlags:
    def test_follow_from_the_creator(self) -> None:
        for creator, flags in (("Fuse", LOAD_FLAG), ("OakEmu-RL", LOAD_FLAG), ("Spectaculator", 0)):
            assert RzxPlayer(recording(machine([]), [(1, b"")], creator=creator)).flags == flags

    @pytest.mark.parametrize("flags", [-1, 16])
    def test_that_do_not_exist(self, flags: int) -> None:
        with pytest.raises(UserError, match="playback flags are a sum of 1, 2, 4 and 8"):
            RzxPlayer(recording(machine([]), [(1, b"")]), flags=flags)

    @pytest.mark.parametrize(("flag", "reads"), [(0, b"\xbf"), (LOAD_FLAG, b"")])
    def test_parity_is_found_by_playing(self, flag: int, reads: bytes) -> None:
        spectrum = machine([0xED, 0x57])
        # PUSH AF; POP BC; BIT 2,C; CALL NZ,9100 (IN A,(FE); RET); NOP ...
        spectrum.write_block(0x9000, bytes([0xF5, 0xC1, 0xCB, 0x51, 0xC4, 0x00, 0x91, 0x00, 0x00, 0x00]))
        spectrum.write_block(0x9100, bytes([0xDB, 0xFE, 0xC9]))
        assert find_playback_flags(recording(spectrum, [(2, b""), (7, reads)])) == flag

    def test_short_frames_are_found_by_playing(self) -> None:
        made = recording(machine([0xFB, 0xDB, 0xFE, 0x00], interrupts=False), [(1, b""), (2, b"\xbf"), (2, b"")])
        assert find_playback_flags(made) == SHORT_FRAMES

    def test_wrong_snapshots_are_found_by_playing(self) -> None:
        first = RzxPart(
            snapshot_of(machine([0xDB, 0xFE, 0x18, 0xFC], interrupts=False), "szx", "a"),
            FrameInputs.from_frames([(20, b"\xbf" * 10)]),
        )
        second = RzxPart(snapshot_of(machine([0x00] * 9), "szx", "b"), first.inputs)
        assert find_playback_flags(Rzx("x.rzx", (first, second))) == FIRST_SNAPSHOT_ONLY

    def test_repeats_that_pass_empty_frames_are_found_by_playing(self) -> None:
        inputs = FrameInputs.from_frames([(1, b"\xbf"), (1, b""), (1, b""), (1, b"")])  # IN; JR; IN; JR
        inputs = replace(inputs, empty_repeats=np.array([[2, 0, 1]]))
        snapshot = snapshot_of(machine([0xDB, 0xFE, 0x18, 0xFC], interrupts=False), "szx", "made")
        read = Rzx("x.rzx", (RzxPart(snapshot, inputs),))
        with pytest.raises(RzxDesync, match="frame 2: the program read 1 ports, the recording has 0"):
            RzxPlayer(read).run_frames()
        assert find_playback_flags(read) == REPEATS_PASS_EMPTY
        player = RzxPlayer(read, flags=REPEATS_PASS_EMPTY)
        player.run_frames()
        assert player.spectrum.registers.af >> 8 == 0xBF

    def test_that_are_not_enough(self) -> None:
        made = recording(machine([0xDB, 0xFE, 0x18, 0xFC], interrupts=False), [(2, b"\xbf"), (2, b"")])
        with pytest.raises(RzxDesync, match="frame 1"):
            find_playback_flags(made)


def test_a_recording_without_a_snapshot() -> None:
    with pytest.raises(UserError, match=r"x.rzx: the recording has no snapshot to start from"):
        RzxPlayer(Rzx("x.rzx", (RzxPart(None, FrameInputs.from_frames([(1, b"")])),)))


def test_a_snapshot_that_is_none() -> None:
    snapshot = RzxSnapshot("x.rzx: block 2", "z80", b"rubbish")
    with pytest.raises(UserError, match=r"^x.rzx: block 2.*"):
        RzxPlayer(Rzx("x.rzx", (RzxPart(snapshot, FrameInputs.from_frames([(1, b"")])),)))


@pytest.mark.parametrize("kind", ["szx", "z80", "sna"])
def test_snapshots_of_every_format(kind: str) -> None:
    spectrum = machine([0x04] * 9)
    made = Rzx("x.rzx", (RzxPart(snapshot_of(spectrum, kind, "made"), FrameInputs.from_frames([(3, b""), (1, b"")])),))
    player = RzxPlayer(made)
    player.run_frames()
    assert (player.spectrum.registers.b, stacked(player)) == (3, 0x8003)


def test_what_is_no_recording_is_refused() -> None:
    with pytest.raises(UserError, match="a recording is what read_rzx and parse_rzx give"):
        RzxPlayer("k.rzx")  # type: ignore[arg-type]  # under test
