# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound for people who play or watch."""

import sys

from oakemu_rl.emulator.speaker import NoSoundError, Speaker

__all__ = ["open_speaker"]


def open_speaker(*, mute: bool) -> Speaker | None:
    """A loudspeaker; none if it is not wanted, or, with a note on stderr, if there is no audio device."""
    if mute:
        return None
    try:
        return Speaker()
    except NoSoundError as error:
        sys.stderr.write(f"oakemu-rl: note: {error}\n")
        return None
