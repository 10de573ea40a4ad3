# SPDX-License-Identifier: GPL-3.0-or-later
"""Where training episodes begin: curricula over recorded routes, and over where the agent has been."""

from typing import TypeAlias

from oakemu_rl.curricula.backward import BackwardCurriculum
from oakemu_rl.curricula.configuration import CurriculumConfiguration
from oakemu_rl.curricula.course import Course, Leg
from oakemu_rl.curricula.harvest import HarvestingVectorEnv
from oakemu_rl.curricula.restart_pool import RestartPool, StateKeeper
from oakemu_rl.curricula.restarts import RestartCurriculum
from oakemu_rl.curricula.rules import PlateauRule, Rule, ThresholdRule
from oakemu_rl.curricula.self_imitation import SelfImitation
from oakemu_rl.curricula.success_memory import SuccessMemory

__all__ = [
    "BackwardCurriculum",
    "Course",
    "Curriculum",
    "CurriculumConfiguration",
    "HarvestingVectorEnv",
    "Leg",
    "PlateauRule",
    "RestartCurriculum",
    "RestartPool",
    "Rule",
    "SelfImitation",
    "StateKeeper",
    "SuccessMemory",
    "ThresholdRule",
]

Curriculum: TypeAlias = BackwardCurriculum | RestartCurriculum
"""Directors of episodes that want to be told of states (`arrived`) and tell of results (`on_result`)."""
