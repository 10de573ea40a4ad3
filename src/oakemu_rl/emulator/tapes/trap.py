# SPDX-License-Identifier: GPL-3.0-or-later
"""The ROM's loading routine is stopped before it listens to the tape, and gets a block's bytes at once.

The trap is at LD-START, a few instructions after LD-BYTES (0x0556), as in Fuse: there the ROM has done its own
preparations, programs that enter the routine behind its beginning (at 0x0562, say) come by as well, and it is passed
again and again while no tape runs.
"""

from functools import reduce
from operator import xor

from oakemu_rl.emulator.spectrum import Spectrum

__all__ = ["LD_START", "REPORT_R", "asks_for", "has_loading_routine", "load_block"]

LD_START = 0x056C
REPORT_R = 0x0806
"""Where the ROM reports "R Tape loading error"."""
_LD_PARITY = 0x05DF  # LD A,H; CP 1; RET: the carry tells whether the parity in H is right
_LD_RETURN = 0x05E2  # that RET
_SIGNATURES = {LD_START: b"\xcd\xe7\x05", _LD_PARITY: b"\x7c\xfe\x01\xc9", REPORT_R: b"\xcf\x1a"}

_CARRY = 0x01
_ZERO = 0x40
_DIFFERENT = 0  # F after XOR L when a byte is not as expected, as far as anybody looks at it: no carry, not zero
_TIMED_OUT = _ZERO  # F when LD-EDGE gives up


def has_loading_routine(spectrum: Spectrum) -> bool:
    """Whether the ROM that is paged now is one with the 48K machine's loading routine."""
    rom = spectrum.rom
    return all(rom[at : at + len(code)].tobytes() == code for at, code in _SIGNATURES.items())


def asks_for(spectrum: Spectrum) -> tuple[int | None, int]:
    """At LD-START: the flag byte that is wanted (None: any), and how many bytes after it."""
    registers = spectrum.registers
    return None if registers.af_ & _ZERO else registers.af_ >> 8, registers.de


def load_block(spectrum: Spectrum, content: bytes) -> str:
    """Does what LD-BYTES does from LD-START on while the block passes, up to its last instructions.

    Args:
        spectrum: A machine whose CPU is at LD-START.
        content: Flag, data and parity of the block, followed by silence.

    Returns:
        What went wrong, to be put behind "block n", or an empty string.
    """
    registers = spectrum.registers
    verify = not registers.af_ & _CARRY
    expected_flag, length = asks_for(spectrum)
    stream = content
    registers.pc = _LD_RETURN
    registers.l = stream[0]
    registers.h = stream[0]
    # Asked for 0 bytes, the ROM takes the flag byte for the parity.
    if expected_flag is not None and length > 0:
        if stream[0] != expected_flag:
            registers.a = expected_flag ^ stream[0]
            registers.f = _DIFFERENT
            return f"has flag {stream[0]}, the program asks for {expected_flag}"
        stream = stream[1:]
        # XOR L has left Z, and RRA the carry; A is that of the ROM's edge counting, which nobody reads.
        registers.af_ = _ZERO | (0 if verify else _CARRY)
    wanted = stream[:length]
    taken = _count_equal(spectrum, wanted) if verify else _copy(spectrum, wanted)
    registers.ix = (registers.ix + taken) & 0xFFFF
    registers.de = length - taken
    if taken < len(wanted):
        registers.a = wanted[taken] ^ spectrum.peek(registers.ix)
        registers.f = _DIFFERENT
        registers.h = reduce(xor, content[: len(content) - len(stream) + taken + 1])
        registers.l = wanted[taken]
        return f"differs from memory at address {registers.ix}"
    if len(stream) <= length:
        registers.a = 0  # AND 0x20 of the last look for an edge
        registers.f = _TIMED_OUT
        registers.h = reduce(xor, content)
        registers.l = 1  # no bit of the next byte has come
        return f"has {len(content) - 2} bytes, the program asks for {length}"
    # The byte behind the wanted ones counts as the parity, whether the block ends with it or not.
    parity = reduce(xor, content[: len(content) - len(stream) + length + 1])
    registers.h = parity
    registers.l = stream[length]
    registers.pc = _LD_PARITY
    if parity:
        reason = "" if len(stream) == length + 1 else f", of its {len(content) - 2} bytes the program asks for {length}"
        return f"has a wrong parity byte{reason}"
    return ""


def _copy(spectrum: Spectrum, data: bytes) -> int:
    """Writes to IX and on, as the CPU would: around the end of memory, and without effect on ROM. Returns how many."""
    address = spectrum.registers.ix
    for byte in data:
        if address >= 0x4000:
            spectrum.poke(address, byte)
        address = (address + 1) & 0xFFFF
    return len(data)


def _count_equal(spectrum: Spectrum, data: bytes) -> int:
    """How many bytes at IX and on are as on the tape."""
    address = spectrum.registers.ix
    for count, byte in enumerate(data):
        if spectrum.peek((address + count) & 0xFFFF) != byte:
            return count
    return len(data)
