# SPDX-License-Identifier: GPL-3.0-or-later
"""Learning from recordings: behaviour cloning by itself, and beside PPO."""

from oakemu_rl.imitation.cloner import Cloner
from oakemu_rl.imitation.companion import ImitationCompanion
from oakemu_rl.imitation.configuration import CloningConfiguration, ImitationConfiguration
from oakemu_rl.imitation.critic import CriticCalibration
from oakemu_rl.imitation.dataset import CloningBatch, CloningDataset, RecordedEpisode
from oakemu_rl.imitation.judgement import Judgement, judge
from oakemu_rl.imitation.sampler import Focus, Slices, SliceSampler
from oakemu_rl.imitation.trainer import CloningTrainer, Epoch, hold_out, make_sampler

__all__ = [
    "Cloner",
    "CloningBatch",
    "CloningConfiguration",
    "CloningDataset",
    "CloningTrainer",
    "CriticCalibration",
    "Epoch",
    "Focus",
    "ImitationCompanion",
    "ImitationConfiguration",
    "Judgement",
    "RecordedEpisode",
    "SliceSampler",
    "Slices",
    "hold_out",
    "judge",
    "make_sampler",
]
