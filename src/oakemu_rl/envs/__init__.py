# SPDX-License-Identifier: GPL-3.0-or-later
"""Games as Gymnasium environments; importing this registers them as ``ZXSpectrum/<Name>-v<N>``."""

from oakemu_rl.envs._info import GAME_REWARD, OUTCOMES, REWARD_PART
from oakemu_rl.envs.options import EnvKeywords, EnvOptions
from oakemu_rl.envs.registration import register_all, register_game
from oakemu_rl.envs.single import SpectrumEnv
from oakemu_rl.envs.state_bank import StateBank
from oakemu_rl.envs.vector import SpectrumVectorEnv

__all__ = [
    "GAME_REWARD",
    "OUTCOMES",
    "REWARD_PART",
    "EnvKeywords",
    "EnvOptions",
    "SpectrumEnv",
    "SpectrumVectorEnv",
    "StateBank",
    "register_all",
    "register_game",
]

register_all()
