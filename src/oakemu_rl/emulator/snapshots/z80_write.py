# SPDX-License-Identifier: GPL-3.0-or-later
"""The .z80 format, written: versions 1, 2 and 3."""

from oakemu_rl.emulator.detection import Z80_END_MARKER
from oakemu_rl.emulator.snapshots.losses import common_losses
from oakemu_rl.emulator.snapshots.model import BANK_BYTES, BANKS, FRAME_TSTATES, Snapshot, Written
from oakemu_rl.emulator.snapshots.z80 import EXTRA_OFFSET, HEADER_BYTES, RAW_LENGTH, WORD_OFFSETS, bank_of_page
from oakemu_rl.emulator.snapshots.z80_packing import pack
from oakemu_rl.errors import UserError

__all__ = ["format_z80"]

_EXTRA_BYTES = {2: 23, 3: 54}
_HARDWARE = {2: {"48k": 0, "128k": 3, "plus2": 12}, 3: {"48k": 0, "128k": 4, "plus2": 12}}
_PACKED = 0x20  # of byte 12, in version 1
_EMULATES_R_AND_LDIR = 0x03  # of byte 37


def format_z80(snapshot: Snapshot, version: int = 3) -> Written:
    """Writes a .z80 file.

    Args:
        snapshot: What is written.
        version: 1 (48K machines only), 2 or 3.

    Raises:
        UserError: The version is unknown or cannot hold this machine.
    """
    if version not in (1, 2, 3):
        raise UserError(f"{snapshot.name}: there is no version {version!r} of .z80 files, allowed are 1, 2 and 3")
    lost = common_losses(snapshot, t=version < 3, ay=False)
    if version == 1:
        return Written(_format_version_1(snapshot), tuple(lost))
    extra = bytearray(_EXTRA_BYTES[version])
    _write_extra(snapshot, version, extra)
    pages = b"".join(_page(page, snapshot.banks[bank]) for page, bank in sorted(bank_of_page(snapshot.machine).items()))
    data = bytes(_header(snapshot, 0)) + len(extra).to_bytes(2, "little") + bytes(extra) + pages
    return Written(data, tuple(lost))


def _header(snapshot: Snapshot, pc: int) -> bytearray:
    registers = snapshot.registers
    header = bytearray(HEADER_BYTES)
    for name, offset in WORD_OFFSETS.items():
        header[offset : offset + 2] = registers[name].to_bytes(2, "little")
    header[0:2] = registers["af"].to_bytes(2, "big")
    header[6:8] = pc.to_bytes(2, "little")
    header[10] = registers["i"]
    header[11] = registers["r"]
    header[12] = registers["r"] >> 7 | snapshot.border << 1
    header[21:23] = registers["af_"].to_bytes(2, "big")
    header[27] = registers["iff1"]
    header[28] = registers["iff2"]
    header[29] = registers["im"] | snapshot.issue2 << 2 | snapshot.kempston << 6
    return header


def _format_version_1(snapshot: Snapshot) -> bytes:
    if snapshot.machine != "48k":
        raise UserError(f"{snapshot.name}: a .z80 file of version 1 holds a 48k only; write version 2 or 3")
    if not snapshot.pc_in_file:
        raise UserError(f"{snapshot.name}: PC is 0, which a .z80 file of version 1 cannot hold; write version 2 or 3")
    header = _header(snapshot, snapshot.pc_in_file)
    ram = b"".join(snapshot.banks[number] for number in BANKS["48k"])
    packed = pack(ram) + Z80_END_MARKER
    if len(packed) >= len(ram):
        return bytes(header) + ram
    header[12] |= _PACKED
    return bytes(header) + packed


def _write_extra(snapshot: Snapshot, version: int, extra: bytearray) -> None:
    """Fills in the second header. Offsets are those in the file, as they are known by."""

    def put(offset: int, data: bytes) -> None:
        extra[offset - EXTRA_OFFSET : offset - EXTRA_OFFSET + len(data)] = data

    put(32, snapshot.pc_in_file.to_bytes(2, "little"))
    put(34, bytes([_HARDWARE[version][snapshot.machine], snapshot.port_7ffd]))
    put(37, bytes([_EMULATES_R_AND_LDIR, snapshot.ay_selected or 0]))
    put(39, snapshot.ay or bytes(16))
    if version == 3:
        quarter = FRAME_TSTATES[snapshot.machine] // 4
        passed, since = divmod(snapshot.t or 0, quarter)
        put(55, (quarter - 1 - since).to_bytes(2, "little") + bytes([(passed + 3) % 4]))
        put(61, b"\xff\xff")  # both halves of 0x0000-0x3FFF are ROM


def _page(page: int, ram: bytes) -> bytes:
    packed = pack(ram)
    if len(packed) >= BANK_BYTES:
        return RAW_LENGTH.to_bytes(2, "little") + bytes([page]) + ram
    return len(packed).to_bytes(2, "little") + bytes([page]) + packed
