# SPDX-License-Identifier: GPL-3.0-or-later
"""What a program is doing, in words, for the message that it has not gone on."""

from oakemu_rl.emulator.spectrum import Spectrum

__all__ = ["describe_activity"]

_FRAMES = 4
_FONT = 0x3D00
_CHARACTERS = 96
_LAST_ROWS = (22, 23)


def describe_activity(spectrum: Spectrum) -> str:
    """What the machine does for the next few frames; it does not change, as a copy of it is looked at.

    Returns:
        Where it is, whether it reads the keyboard, whether it waits for interrupts, and what the lower screen says.
    """
    machine = spectrum._machine.fork()
    places, halts = [], 0
    reads = machine.tape_reads
    for _ in range(_FRAMES):
        machine.run_frames(1)
        places.append(machine.get_register("pc"))
        halts += machine.get_register("halted")
        machine.run_tstates(machine.frame_tstates // 3)
        places.append(machine.get_register("pc"))
    per_frame = ((machine.tape_reads - reads) & 0xFFFFFFFF) // _FRAMES
    low, high = min(places), max(places)
    parts = [f"it is at address 0x{spectrum.registers.pc:04X}"]
    if low != high:
        parts.append(f"runs between 0x{low:04X} and 0x{high:04X}")
    if halts:
        parts.append(
            "waits for interrupts (HALT)" if machine.get_register("iff1") else "has halted for good (DI, HALT)"
        )
    elif not machine.get_register("iff1"):
        parts.append("has interrupts off")
    if machine.get_register("im") == 2:
        parts.append("uses interrupt mode 2")
    parts.append(f"reads the keyboard port {per_frame} times a frame" if per_frame else "does not read the keyboard")
    if machine.has_tape and per_frame and machine.listens_to_tape():
        parts.append("listens to the tape")
    said = _lower_screen(spectrum)
    if said:
        parts.append(f"the lower screen says {said!r}")
    return ", ".join(parts)


def _lower_screen(spectrum: Spectrum) -> str:
    """The text of the last two lines in the ROM's letters, if it is that; '' for graphics or nothing."""
    display = spectrum.memory[:6144]
    rom = bytes(spectrum._machine.rom)
    if rom[_FONT : _FONT + 8] != bytes(8):
        return ""
    font = {rom[_FONT + 8 * k : _FONT + 8 * k + 8]: chr(32 + k) for k in range(_CHARACTERS)}
    text = ""
    for row in _LAST_ROWS:
        first = (row & 0x18) << 8 | (row & 7) << 5
        cells = [bytes(int(display[first + column + 256 * line]) for line in range(8)) for column in range(32)]
        letters = [font.get(cell, "") for cell in cells]
        if letters.count("") > 2:  # the cursor is none of them
            return ""
        text += "".join(letters).rstrip() + " "
    return text.strip().replace("\x7f", "(c)")
