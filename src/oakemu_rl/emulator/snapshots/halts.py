# SPDX-License-Identifier: GPL-3.0-or-later
"""Where PC is while the CPU waits in a HALT.

Files have it at the HALT, from the days when emulators executed a HALT again and again; the real Z80 has it at the byte
behind, and so have we. Mostly it comes to the same which of the two a machine begins with: 4 T and one R each turn. But
where an interrupt is due at once, a CPU at a HALT would return to it and wait for another frame, while one in the HALT
goes on behind it. A file that was saved while a game waited for the next frame means the latter.
"""

from collections.abc import Mapping

from oakemu_rl.emulator.rom import load_rom

__all__ = ["INTERRUPT_TSTATES", "find_halt", "pc_after_halt"]

INTERRUPT_TSTATES = {"48k": 32, "128k": 36, "plus2": 36}
"""How long the interrupt line is low from T 0 on, by machine."""

_HALT = 0x76
_PAGE = 0x4000


def find_halt(
    machine: str, registers: dict[str, int], banks: Mapping[int, bytes], port_7ffd: int, t: int | None
) -> bool:
    """Finds out whether the CPU waits in a HALT, where the format does not tell, and moves PC behind it then.

    Args:
        machine: As of `Snapshot`.
        registers: As they are in the file; PC is changed.
        banks: The RAM.
        port_7ffd: The paging latch.
        t: The T counter if there is one.

    Returns:
        Whether it does: there is a HALT at PC, and an interrupt would come at once.
    """
    due = registers["iff1"] and (t or 0) < INTERRUPT_TSTATES[machine]
    pc = registers["pc"]
    if not due or _peek(machine, banks, port_7ffd, pc) != _HALT:
        return False
    registers["pc"] = (pc + 1) & 0xFFFF
    return True


def pc_after_halt(machine: str, pc: int, banks: Mapping[int, bytes], port_7ffd: int) -> int:
    """PC behind the HALT, where the file says that the CPU waits in one.

    A few emulators have it there already; then it stays.
    """
    here = _peek(machine, banks, port_7ffd, pc)
    before = _peek(machine, banks, port_7ffd, (pc - 1) & 0xFFFF)
    return pc if here != _HALT and before == _HALT else (pc + 1) & 0xFFFF


def _peek(machine: str, banks: Mapping[int, bytes], port_7ffd: int, address: int) -> int:
    page, place = divmod(address, _PAGE)
    if page == 0:
        rom = port_7ffd >> 4 & 1
        return load_rom(machine)[rom * _PAGE + place]
    return banks[(5, 2, port_7ffd & 7)[page - 1]][place]
