# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings in words."""

from oakemu_rl.emulator.rzx.machines import spectrum_from
from oakemu_rl.emulator.rzx.player import RzxDesync, find_playback_flags
from oakemu_rl.emulator.rzx.recording import Rzx, RzxSnapshot

__all__ = ["describe_rzx"]

_MACHINES = {"48k": "ZX Spectrum 48K", "128k": "ZX Spectrum 128K", "plus2": "ZX Spectrum +2"}


def describe_rzx(recording: Rzx, *, play: bool = True) -> dict[str, str]:
    """What a recording is, as pairs of a name and a text, in the order in which people want to read them.

    Args:
        recording: The recording.
        play: Play it as well, to find out whether it gets to its end. An hour takes some seconds.

    Raises:
        UserError: A snapshot cannot be read.
    """
    snapshots = [part.snapshot for part in recording.parts if part.snapshot is not None]
    machines = [spectrum_from(snapshot) for snapshot in snapshots]
    major, minor = recording.version
    rows = {
        "format": f".rzx version {major}.{minor}" + (", signed (not verified)" if recording.signed else ""),
        "creator": str(recording.creator) if recording.creator else "not in the file",
        "machine": ", then ".join(dict.fromkeys(_MACHINES[machine.machine] for machine in machines)),
        "snapshot": ", then ".join(_describe_snapshot(snapshot) for snapshot in snapshots),
        "frames": f"{recording.frames}, {_time(recording.frames * machines[0].frame_tstates / machines[0].clock)}",
    }
    if play:
        rows["playback"] = _playback(recording)
    return rows


def _describe_snapshot(snapshot: RzxSnapshot) -> str:
    return f"{snapshot.name} (external)" if snapshot.external else f".{snapshot.extension}"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{seconds:.1f} s"


def _playback(recording: Rzx) -> str:
    try:
        flags = find_playback_flags(recording)
    except RzxDesync as error:
        return f"breaks off: frame {error.frame}: the program read {error.reads} ports, not {error.recorded}"
    return f"to its end, with flags {flags}"
