# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that was saved and loaded goes on as the one that was not.

FLASH is counted in frames, which no format keeps: machines are saved in a frame whose phase is that of a new one.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from snapshot_cases import make, snapshots

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.snapshots import format_snapshot, from_machine, parse_snapshot, to_machine
from oakemu_rl.errors import UserError

_FLASH = 32

# Writes what it reads from an unattached port (what the ULA fetches at that T), the border, another bank of a 128K
# machine, the screen that is shown, a register of the sound chip, and what undocumented flags show of MEMPTR and Q.
_PROGRAM = bytes.fromhex(
    "ED 5E 3E 90 ED 47 FB"  # 8000 IM 2: LD A,0x90: LD I,A: EI
    "21 00 C0"  # LD HL,0xC000
    "DB FF 77 23"  # 800A IN A,(0xFF): LD (HL),A: INC HL
    "7C F6 C0 67"  # LD A,H: OR 0xC0: LD H,A
    "E6 07 D3 FE"  # AND 7: OUT (0xFE),A
    "7D E6 2F 20 EF"  # LD A,L: AND 0x2F: JR NZ,0x800A
    "01 FD 7F 7D 07 07 07 E6 06 F6 11 57"  # LD BC,0x7FFD: LD A,L: RLCA, 3 times: AND 6: OR 0x11: LD D,A
    "7C E6 08 B2 ED 79"  # LD A,H: AND 8: OR D: OUT (C),A
    "06 FF ED 5F E6 0F ED 79"  # LD B,0xFF: LD A,R: AND 15: OUT (C),A
    "06 BF ED 69"  # LD B,0xBF: OUT (C),L
    "CB 66 37 F5 F1"  # BIT 4,(HL): SCF: PUSH AF: POP AF
    "ED 5F 32 00 58"  # LD A,R: LD (0x5800),A
    "7D 87 20 C3"  # LD A,L: ADD A,A: JR NZ,0x800A
    "76 18 C0"  # HALT: JR 0x800A
)
# PUSH AF: PUSH HL: LD HL,0x4000: INC (HL): POP HL: POP AF: EI: RETI
_INTERRUPT = bytes.fromhex("F5 E5 21 00 40 34 E1 F1 FB ED 4D")


def running(machine: str, **options: bool) -> Spectrum:
    spectrum = Spectrum(machine, **options)
    if machine != "48k":
        spectrum.port_7ffd = 0x10
    spectrum.write_block(0x8000, _PROGRAM)
    spectrum.write_block(0x9000, b"\x91" * 257)
    spectrum.write_block(0x9191, _INTERRUPT)
    spectrum.registers.pc, spectrum.registers.sp = 0x8000, 0x9180
    spectrum.run_frames(_FLASH)
    return spectrum


def whole(spectrum: Spectrum) -> dict[str, object]:
    core = spectrum._machine
    return {
        "RAM": spectrum.memory.tobytes(),
        "screen": spectrum.screen().tobytes(),
        "latches": (core.border, core.port_fe, core.port_7ffd, core.ay_selected, core.ay.tobytes()),
        "time": (core.t, core.after_ei),
        **spectrum.registers.as_dict(),
    }


def test_the_program_does_what_it_is_there_for() -> None:
    spectrum = running("128k")
    assert spectrum.registers.im == 2
    before = whole(spectrum)
    spectrum.run_frames(1)
    after = whole(spectrum)
    assert all(before[what] != after[what] for what in ("RAM", "screen", "latches", "hl", "r"))
    assert spectrum.bank(1).any()
    assert spectrum.bank(3).any()
    assert np.count_nonzero(spectrum.ay) > 3


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("machine", ["48k", "128k", "plus2"])
@settings(max_examples=15, deadline=None)
@given(tstates=st.integers(0, 60_000), kempston=st.booleans(), issue2=st.booleans())
def test_szx_is_exact_at_any_moment(machine: str, *, late: bool, tstates: int, kempston: bool, issue2: bool) -> None:
    spectrum = running(machine, late=late, kempston=kempston, issue2=issue2 and machine == "48k")
    spectrum.run_tstates(tstates)
    again = to_machine(parse_snapshot(format_snapshot(from_machine(spectrum), "szx").data))
    assert (again.machine, again.late) == (machine, late)
    assert whole(again) == whole(spectrum)
    for machine_ in (spectrum, again):
        machine_.run_frames(50)
    assert whole(again) == whole(spectrum)


# The moments after EI (in which no interrupt is taken), in a HALT, and between BIT and SCF (which sees Q) one by one.
@pytest.mark.parametrize("machine", ["48k", "128k"])
def test_szx_is_exact_after_each_instruction(machine: str) -> None:
    spectrum = running(machine)
    left = {"EI": 3, "HALT": 30, "Q": 30, "other": 100}
    while any(left.values()):
        spectrum.run_tstates(1)
        registers = spectrum.registers
        kind = "EI" if spectrum._machine.after_ei else "HALT" if registers.halted else "Q" if registers.q else "other"
        if not left[kind]:
            continue
        left[kind] -= 1
        snapshot = from_machine(spectrum)
        again = to_machine(parse_snapshot(format_snapshot(snapshot, "szx").data))
        original = spectrum.fork()
        for machine_ in (original, again):
            machine_.run_tstates(1)
        assert whole(again) == whole(original)


def test_z80_version_3_keeps_the_time() -> None:
    for machine, tstates in (("48k", 0), ("48k", 33_333), ("128k", 44_444), ("plus2", 55_555)):
        spectrum = running(machine)
        spectrum.run_tstates(tstates)
        while spectrum.registers.q or spectrum.registers.pc == 0x8038:  # Q and MEMPTR are lost, and would be seen
            spectrum.run_tstates(1)
        again = to_machine(parse_snapshot(format_snapshot(from_machine(spectrum), "z80").data))
        check_50_frames(spectrum, again, exactly=True)


# Without a T counter a machine begins at T 0, with an interrupt. A program that waits for one has it there as well.
@pytest.mark.parametrize(
    ("machine", "kind", "version"),
    [
        ("48k", "sna", 0),
        ("128k", "sna", 0),
        ("48k", "z80", 1),
        ("48k", "z80", 2),
        ("128k", "z80", 2),
        ("plus2", "z80", 2),
    ],
)
def test_formats_without_a_t_counter_begin_with_a_frame(machine: str, kind: str, version: int) -> None:
    spectrum = running(machine)
    while not spectrum.registers.halted:
        spectrum.run_tstates(1)
    spectrum._machine.t = 0
    data = format_snapshot(from_machine(spectrum), kind, z80_version=version or 3).data
    again = to_machine(parse_snapshot(data))
    assert again.t == 0
    check_50_frames(spectrum, again, exactly=kind == "z80")


def check_50_frames(spectrum: Spectrum, again: Spectrum, *, exactly: bool) -> None:
    for machine in (spectrum, again):
        machine.run_frames(50)
    first, second = whole(spectrum), whole(again)
    if not exactly:  # a .sna of a 128K machine has no sound chip
        first["latches"] = second["latches"] = None
    assert second == first


def test_the_rom_s_own_basic_goes_on() -> None:
    spectrum = Spectrum("128k")
    spectrum.run_frames(4 * _FLASH)
    for _ in range(3):
        again = to_machine(parse_snapshot(format_snapshot(from_machine(spectrum), "szx").data))
        for machine in (spectrum, again):
            machine.type_keys("enter", "shift+6")
        check_50_frames(spectrum, again, exactly=True)
        spectrum.run_frames(_FLASH - spectrum.frame % _FLASH)


@settings(max_examples=25, deadline=None)
@given(snapshot=snapshots())
def test_a_machine_holds_all_of_a_snapshot(snapshot) -> None:
    masks = bytes.fromhex("FF 0F FF 0F FF 0F 1F FF 1F 1F 1F FF FF 0F FF FF")
    again = from_machine(to_machine(snapshot))
    if snapshot.ay is None:
        assert again == snapshot
        return
    ay = bytes(value & mask for value, mask in zip(snapshot.ay, masks, strict=True))
    assert again.ay == ay
    assert again.ay_selected == snapshot.ay_selected & 15
    for name in ("machine", "registers", "banks", "border", "t", "halted", "after_ei", "port_fe", "port_7ffd", "late"):
        assert getattr(again, name) == getattr(snapshot, name), name


def test_what_a_format_does_not_tell_is_as_in_a_new_frame() -> None:
    spectrum = to_machine(make(t=None, port_fe=None))
    assert (spectrum.t, spectrum._machine.port_fe, spectrum.registers.memptr, spectrum.registers.q) == (0, 5, 0, 0)
    assert (spectrum.frame, spectrum.held_keys, spectrum.contention) == (0, (), True)
    assert not to_machine(make(), contention=False).contention
    silent = to_machine(make("128k", ay=None, ay_selected=None))
    assert not silent.ay.any()


def test_a_saved_machine_stays_as_it_is() -> None:
    spectrum = running("48k")
    before = spectrum.save_state()
    snapshot = from_machine(spectrum, "mine")
    spectrum.run_frames(1)
    assert snapshot.banks[5] == to_machine(snapshot).bank(5).tobytes()
    spectrum.load_state(before)
    assert from_machine(spectrum) == snapshot
    with pytest.raises(UserError, match=r"^mine: a \.z80 file of version 1"):
        format_snapshot(from_machine(running("128k"), "mine"), "z80", z80_version=1)
