# SPDX-License-Identifier: GPL-3.0-or-later
"""SkoolKit as a second implementation: it reads what we write, and we read what it writes."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from skoolkit.snapshot import Snapshot as SkoolKitSnapshot
from skoolkit.snapshot import write_snapshot as skoolkit_write
from snapshot_cases import BANKS, REGISTERS, bank, make, snapshots

from oakemu_rl.emulator.snapshots import format_snapshot, read_snapshot
from oakemu_rl.errors import UserError

MACHINES = {"48k": "48K", "128k": "128K", "plus2": "+2"}


def skoolkit_registers(theirs: SkoolKitSnapshot) -> dict[str, int]:
    pairs = {"bc": "bc", "de": "de", "hl": "hl", "bc_": "bc2", "de_": "de2", "hl_": "hl2", "ix": "ix", "iy": "iy"}
    same = {name: name for name in ("sp", "pc", "i", "r", "im", "iff1", "iff2")}
    registers = {ours: getattr(theirs, name) for ours, name in (pairs | same).items()}
    return registers | {"af": theirs.a << 8 | theirs.f, "af_": theirs.a2 << 8 | theirs.f2}


def write(data: bytes, path: Path) -> SkoolKitSnapshot:
    path.write_bytes(data)
    return SkoolKitSnapshot.get(str(path))


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(snapshot=snapshots())
def test_it_reads_what_we_write(snapshot, tmp_path: Path) -> None:
    pc = (snapshot.registers["pc"] - snapshot.halted) & 0xFFFF
    for kind, version in (("sna", 0), ("z80", 1), ("z80", 2), ("z80", 3), ("szx", 0)):
        try:
            data = format_snapshot(snapshot, kind, z80_version=version or 3).data
        except UserError:
            continue  # the format cannot hold this machine
        theirs = write(data, tmp_path / f"a.{kind}")
        assert theirs.machine == MACHINES[snapshot.machine]
        registers = skoolkit_registers(theirs)
        assert theirs.border == snapshot.border
        if kind == "sna" and snapshot.machine == "48k":
            assert registers["pc"] == pc
            continue  # the stack is in RAM, and SP is not back where it was; test_sna_format has the rest
        expected = {name: snapshot.registers[name] for name in REGISTERS} | {"pc": pc}
        if kind == "sna":
            expected["iff1"] = expected["iff2"]
        assert registers == expected
        if snapshot.machine == "48k":
            assert bytes(theirs.ram()) == b"".join(snapshot.banks[number] for number in (5, 2, 0))
        else:
            assert bytes(theirs.ram(-1)) == b"".join(snapshot.banks[number] for number in range(8))
            assert theirs.out7ffd == snapshot.port_7ffd
        if snapshot.machine != "48k" and kind != "sna":
            assert (theirs.outfffd, bytes(theirs.ay)) == (snapshot.ay_selected, snapshot.ay)
        if kind == "szx" or version == 3:
            assert theirs.tstates == snapshot.t
        if kind == "szx":
            assert (theirs.memptr, theirs.outfe) == (snapshot.registers["memptr"], snapshot.port_fe)


@pytest.mark.parametrize("machine", ["48k", "128k", "plus2"])
@pytest.mark.parametrize("kind", ["z80", "szx"])
def test_we_read_what_it_writes(kind: str, machine: str, tmp_path: Path) -> None:
    path = tmp_path / f"a.{kind}"
    names = {name: name for name in REGISTERS if not name.startswith(("af", "im", "iff")) and not name.endswith("_")}
    values = {name: REGISTERS[ours] for ours, name in names.items()}
    values |= {f"^{name}": REGISTERS[f"{name}_"] for name in ("bc", "de", "hl")}
    values |= {"a": 0x12, "f": 0x34, "^a": 0x21, "^f": 0x43}
    state = ["border=5", "iff=1", "im=2", "tstates=54321", "issue2=1"]
    ram: list = [list(bank(number)) for number in BANKS[machine]]
    if machine == "48k":
        ram = [byte for page in ram for byte in page]
    else:
        state += ["7ffd=19", "fffd=7", *(f"ay[{number}]={65 + number}" for number in range(16))]
    skoolkit_write(str(path), ram, [f"{name}={value}" for name, value in values.items()], state, MACHINES[machine])
    ours = read_snapshot(path)
    expected = make(machine, t=54321, issue2=machine == "48k")
    assert {name: ours.registers[name] for name in REGISTERS} == REGISTERS
    for name in ("machine", "banks", "border", "t", "issue2", "port_7ffd", "ay", "ay_selected"):
        assert getattr(ours, name) == getattr(expected, name), name
    assert ours.warnings == ()
