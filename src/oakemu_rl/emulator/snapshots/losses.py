# SPDX-License-Identifier: GPL-3.0-or-later
"""What gets lost when a snapshot is written in a format that has no place for it."""

from oakemu_rl.emulator.snapshots.model import Snapshot

__all__ = ["common_losses"]


def common_losses(
    snapshot: Snapshot, *, t: bool = False, ay: bool = False, issue2: bool = False, kempston: bool = False
) -> list[str]:
    """What neither .sna nor any .z80 holds, and what of the rest is said not to be held.

    Only what differs from the state in which a machine is without it counts.

    Args:
        snapshot: What is written.
        t: The format has no T counter.
        ay: It has no sound chip.
        issue2: It has no issue of the keyboard.
        kempston: It has no joystick.
    """
    lost = []
    if t and snapshot.t:
        lost.append(f"T = {snapshot.t}")
    if snapshot.late:
        lost.append("the late timing")
    if snapshot.registers.get("memptr"):
        lost.append(f"MEMPTR = 0x{snapshot.registers['memptr']:04X}")
    if snapshot.registers.get("q"):
        lost.append(f"Q = 0x{snapshot.registers['q']:02X}")
    if snapshot.after_ei:
        lost.append("that the last instruction was EI")
    if snapshot.port_fe is not None and snapshot.port_fe & 0x18:
        lost.append(f"MIC and speaker of port 0xFE = 0x{snapshot.port_fe:02X}")
    if ay and ((snapshot.ay is not None and any(snapshot.ay)) or snapshot.ay_selected):
        lost.append("the registers of the sound chip")
    if issue2 and snapshot.issue2:
        lost.append("the issue 2 keyboard")
    if kempston and snapshot.kempston:
        lost.append("the Kempston joystick")
    return lost
