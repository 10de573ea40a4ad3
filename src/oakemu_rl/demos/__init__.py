# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of episodes: made, kept as files, and played again."""

from oakemu_rl.demos.cutting import cut_demo
from oakemu_rl.demos.demo import SOURCES, Demo, Source
from oakemu_rl.demos.errors import DesyncError
from oakemu_rl.demos.files import DemoHead, load_demo, read_head, save_demo
from oakemu_rl.demos.finding import SUFFIX, find_demo
from oakemu_rl.demos.hand import HandTake
from oakemu_rl.demos.notes import EpisodeNotes
from oakemu_rl.demos.playback import DemoReader, check_frame, machine_of, replay
from oakemu_rl.demos.recorded_env import RecordedVectorEnv
from oakemu_rl.demos.recorded_route import RecordedRoute
from oakemu_rl.demos.recorder import DemoRecorder
from oakemu_rl.demos.renewing import renew_demo
from oakemu_rl.demos.steps import DemoSteps, demo_steps
from oakemu_rl.demos.way_table import WayTable, read_ways
from oakemu_rl.demos.ways import Ways

__all__ = [
    "SOURCES",
    "SUFFIX",
    "Demo",
    "DemoHead",
    "DemoReader",
    "DemoRecorder",
    "DemoSteps",
    "DesyncError",
    "EpisodeNotes",
    "HandTake",
    "RecordedRoute",
    "RecordedVectorEnv",
    "Source",
    "WayTable",
    "Ways",
    "check_frame",
    "cut_demo",
    "demo_steps",
    "find_demo",
    "load_demo",
    "machine_of",
    "read_head",
    "read_ways",
    "renew_demo",
    "replay",
    "save_demo",
]
