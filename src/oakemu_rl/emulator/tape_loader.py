# SPDX-License-Identifier: GPL-3.0-or-later
"""Loading a tape: the ROM's loading routine is stopped before it listens to the tape, and gets its bytes at once.

The trap is at LD-START, a few instructions after LD-BYTES (0x0556), as in Fuse: there the ROM has done its own
preparations, programs that enter the routine behind its beginning (at 0x0562, say) come by as well, and it is passed
again and again while no tape runs.
"""

from functools import reduce
from operator import xor

from oakemu_rl.emulator.spectrum import Spectrum
from oakemu_rl.emulator.tape import Tape, TapeBlock
from oakemu_rl.errors import UserError

__all__ = ["load_tape"]

_WAIT_KEY = 0x15D4  # the ROM's loop that waits for a key
_LD_START = 0x056C
_LD_PARITY = 0x05DF  # LD A,H; CP 1; RET: the carry tells whether the parity in H is right
_LD_RETURN = 0x05E2  # that RET

_CARRY = 0x01
_ZERO = 0x40
_DIFFERENT = 0  # F after XOR L when a byte is not as expected, as far as anybody looks at it: no carry, not zero
_TIMED_OUT = _ZERO  # F when LD-EDGE gives up


def load_tape(spectrum: Spectrum, tape: Tape, *, max_frames: int = 1500) -> None:
    """Switches the machine on, types ``LOAD ""`` and plays the tape to its end.

    Loading takes no machine time. What a program does between two blocks takes its time as always. On return the last
    block has just been read, and the CPU is about to leave the loading routine; run the machine on to see the program
    start.

    Args:
        spectrum: The machine; what it was doing is lost.
        tape: The tape.
        max_frames: How long the program may take until it asks for the next block, in frames.

    Raises:
        UserError: The program asks for no further block (it has its own loading routine, has begun to play, or has
            stopped with an error), or the last block is not what it asks for.
    """
    spectrum.reset()
    spectrum.run_until(_WAIT_KEY, 200)
    spectrum.type_keys("j", "sym+p", "sym+p", "enter")
    problem = ""
    for number, block in enumerate(tape.blocks, start=1):
        if spectrum.run_until(_LD_START, max_frames) is None:
            last = f"; block {number - 1} {problem}" if problem else ""
            raise UserError(
                f"{tape.name}: the program has not asked for block {number} of {len(tape.blocks)} within {max_frames} "
                f"frames, it is at address 0x{spectrum.registers.pc:04X}{last}"
            )
        problem = _load_block(spectrum, block)
    if problem:
        raise UserError(f"{tape.name}: the last block, {len(tape.blocks)}, {problem}")


def _load_block(spectrum: Spectrum, block: TapeBlock) -> str:
    """Does what LD-BYTES does from LD-START on while the block passes, up to its last instructions.

    Returns:
        What went wrong, to be put behind "block n", or an empty string.
    """
    registers = spectrum.registers
    verify = not registers.af_ & _CARRY
    expected_flag = None if registers.af_ & _ZERO else registers.af_ >> 8
    length = registers.de
    stream = block.content
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
        return f"differs from memory at address {registers.ix}"
    if len(stream) <= length:
        registers.f = _TIMED_OUT
        return f"has {len(block.data)} bytes, the program asks for {length}"
    # The byte behind the wanted ones counts as the parity, whether the block ends with it or not.
    parity = reduce(xor, block.content[: len(block.content) - len(stream) + length + 1])
    registers.h = parity
    registers.l = stream[length]
    registers.pc = _LD_PARITY
    if parity:
        reason = "" if len(stream) == length + 1 else f", of its {len(block.data)} bytes the program asks for {length}"
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
