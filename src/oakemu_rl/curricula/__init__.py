# SPDX-License-Identifier: GPL-3.0-or-later
"""Where training episodes begin: curricula over recorded routes."""

from oakemu_rl.curricula.backward import BackwardCurriculum
from oakemu_rl.curricula.configuration import CurriculumConfiguration
from oakemu_rl.curricula.course import Course, Leg
from oakemu_rl.curricula.harvest import HarvestingVectorEnv
from oakemu_rl.curricula.restart_pool import RestartPool
from oakemu_rl.curricula.rules import PlateauRule, Rule, ThresholdRule
from oakemu_rl.curricula.self_imitation import SelfImitation
from oakemu_rl.curricula.success_memory import SuccessMemory

__all__ = [
    "BackwardCurriculum",
    "Course",
    "CurriculumConfiguration",
    "HarvestingVectorEnv",
    "Leg",
    "PlateauRule",
    "RestartPool",
    "Rule",
    "SelfImitation",
    "SuccessMemory",
    "ThresholdRule",
]
