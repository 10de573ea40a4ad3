# SPDX-License-Identifier: GPL-3.0-or-later
"""People who play: keys, states, rewinding and recordings, without a window, and the loop that puts them into one."""

from oakemu_rl.playing.loop import play_in_window
from oakemu_rl.playing.playable import Playable, open_playable, open_recording
from oakemu_rl.playing.session import PlaySession, Shown

__all__ = ["PlaySession", "Playable", "Shown", "open_playable", "open_recording", "play_in_window"]
