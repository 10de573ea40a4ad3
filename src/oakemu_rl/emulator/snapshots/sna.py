# SPDX-License-Identifier: GPL-3.0-or-later
"""The .sna format: registers and RAM of a 48K or 128K machine, without packing and without a signature.

SkoolKit reads this format but writes none, takes PC for 0 when SP is in ROM, any size's bank order for granted, and an
interrupt mode of 255 for good; so we read it ourselves and hold the two against each other in the tests.

A 48K file has no PC: it is on the stack, where the program that loads such a file leaves it with RETN.
"""

from collections.abc import Mapping

from oakemu_rl.emulator.rom import load_rom
from oakemu_rl.emulator.snapshots.halts import find_halt
from oakemu_rl.emulator.snapshots.losses import common_losses
from oakemu_rl.emulator.snapshots.model import BANK_BYTES, BANKS, Snapshot, Written
from oakemu_rl.emulator.snapshots.source import Source
from oakemu_rl.errors import UserError

__all__ = ["format_sna", "parse_sna"]

_HEADER = 27
_SIZE_48K = _HEADER + 3 * BANK_BYTES
_TAIL = _SIZE_48K  # of a 128K file: PC, port 0x7FFD, whether the TR-DOS ROM is in
_OTHER_BANKS = _TAIL + 4
_SIZE_128K = _OTHER_BANKS + 5 * BANK_BYTES
_SIZE_128K_LONG = _SIZE_128K + BANK_BYTES  # bank 2 or 5 is at 0xC000 and in the file twice
_ROM_END = 0x4000

# Offset of each 16-bit register in the header.
_WORDS = {"hl_": 1, "de_": 3, "bc_": 5, "af_": 7, "hl": 9, "de": 11, "bc": 13, "iy": 15, "ix": 17, "af": 21, "sp": 23}


def parse_sna(source: Source) -> Snapshot:
    """Reads a .sna file.

    Raises:
        UserError: The file is not a sound one.
    """
    if len(source) not in (_SIZE_48K, _SIZE_128K, _SIZE_128K_LONG):
        raise source.error(
            "end of the file", len(source), f"a .sna file has {_SIZE_48K}, {_SIZE_128K} or {_SIZE_128K_LONG} bytes"
        )
    registers = {name: source.word(offset) for name, offset in _WORDS.items()}
    registers["i"] = source.byte(0)
    registers["r"] = source.byte(20)
    registers["im"] = source.limited("header", 25, "the interrupt mode", 2)
    registers["iff1"] = registers["iff2"] = source.byte(19) >> 2 & 1
    border = source.byte(26)
    if border > 7:
        source.warn("header", 26, f"the border is {border}, taken as {border & 7}")
    if len(source) == _SIZE_48K:
        machine, port_7ffd = "48k", 0
        banks = {number: _bank(source, _HEADER + BANK_BYTES * place) for place, number in enumerate(BANKS["48k"])}
        _pop_pc(source, registers, banks)
    else:
        machine, port_7ffd = "128k", source.byte(_TAIL + 2)
        banks = _banks_128k(source)
        registers["pc"] = source.word(_TAIL)
        if source.byte(_TAIL + 3):
            found = f"it is {source.byte(_TAIL + 3)}: the TR-DOS ROM of a Beta 128 is paged in, which is not emulated"
            raise source.error("tail", _TAIL + 3, found)
    halted = find_halt(machine, registers, banks, port_7ffd, None)
    return Snapshot(
        machine,
        registers,
        banks,
        border & 7,
        halted=halted,
        port_7ffd=port_7ffd,
        name=source.name,
        format=".sna",
        warnings=tuple(source.warnings),
    )


def _bank(source: Source, offset: int) -> bytes:
    return source.data[offset : offset + BANK_BYTES]


def _pop_pc(source: Source, registers: dict[str, int], banks: Mapping[int, bytes]) -> None:
    sp = registers["sp"]
    memory = load_rom("48k") + b"".join(banks[number] for number in BANKS["48k"])
    registers["pc"] = memory[sp] | memory[(sp + 1) & 0xFFFF] << 8
    registers["sp"] = (sp + 2) & 0xFFFF
    if sp < _ROM_END or sp == 0xFFFF:
        source.warn(
            "header",
            _WORDS["sp"],
            f"SP is 0x{sp:04X}, so that PC, which is on the stack, comes from the ROM: 0x{registers['pc']:04X}",
        )


def _banks_128k(source: Source) -> dict[int, bytes]:
    """Banks 5 and 2, the one at 0xC000, then those that are left by number."""
    paged = source.byte(_TAIL + 2) & 7
    expected = _SIZE_128K_LONG if paged in (2, 5) else _SIZE_128K
    if len(source) != expected:
        raise source.error(
            "tail",
            _TAIL + 2,
            f"port 0x7FFD is 0x{source.byte(_TAIL + 2):02X}, so bank {paged} is at 0xC000 and the file has {expected} "
            f"bytes, but there are {len(source)}",
        )
    banks = {5: _bank(source, _HEADER), 2: _bank(source, _HEADER + BANK_BYTES)}
    offset = _HEADER + 2 * BANK_BYTES
    if banks.setdefault(paged, _bank(source, offset)) != _bank(source, offset):
        raise source.error("RAM", offset, f"bank {paged} is here a second time, and not the same as the first")
    offset = _OTHER_BANKS
    for number in BANKS["128k"]:
        if number not in banks:
            banks[number] = _bank(source, offset)
            offset += BANK_BYTES
    return banks


def format_sna(snapshot: Snapshot) -> Written:
    """Writes a .sna file. That of a 48K machine holds PC on the stack, over the two bytes below it.

    Raises:
        UserError: The format cannot hold this machine.
    """
    if snapshot.machine == "plus2":
        raise UserError(f"{snapshot.name}: a .sna file cannot say that the machine is a +2; write .z80 or .szx")
    registers = dict(snapshot.registers)
    banks = {number: bytes(bank) for number, bank in snapshot.banks.items()}
    if snapshot.machine == "48k":
        _push_pc(snapshot, registers, banks)
    header = bytearray(_HEADER)
    for name, offset in _WORDS.items():
        header[offset : offset + 2] = registers[name].to_bytes(2, "little")
    header[0] = registers["i"]
    header[19] = registers["iff2"] << 2
    header[20] = registers["r"]
    header[25] = registers["im"]
    header[26] = snapshot.border
    paged = snapshot.port_7ffd & 7
    data = bytes(header) + banks[5] + banks[2] + banks[paged if snapshot.machine != "48k" else 0]
    if snapshot.machine != "48k":
        data += snapshot.pc_in_file.to_bytes(2, "little") + bytes([snapshot.port_7ffd, 0])
        data += b"".join(banks[number] for number in BANKS[snapshot.machine] if number not in (5, 2, paged))
    lost = common_losses(snapshot, t=True, ay=True, issue2=True, kempston=True)
    if registers["iff1"] != registers["iff2"]:
        lost.append(f"IFF1 = {registers['iff1']}, which becomes IFF2 = {registers['iff2']}")
    return Written(data, tuple(lost))


def _push_pc(snapshot: Snapshot, registers: dict[str, int], banks: dict[int, bytes]) -> None:
    sp = registers["sp"]
    ram = bytearray().join(banks[number] for number in BANKS["48k"])
    for address, value in ((sp - 1, snapshot.pc_in_file >> 8), (sp - 2, snapshot.pc_in_file & 0xFF)):
        place = (address & 0xFFFF) - _ROM_END
        if place < 0:
            raise UserError(
                f"{snapshot.name}: a .sna file of a 48K machine has PC on the stack, but SP is 0x{sp:04X}, below which "
                "is ROM; write .z80 or .szx"
            )
        ram[place] = value
    for slot, number in enumerate(BANKS["48k"]):
        banks[number] = bytes(ram[slot * BANK_BYTES : (slot + 1) * BANK_BYTES])
    registers["sp"] = (sp - 2) & 0xFFFF
