# SPDX-License-Identifier: GPL-3.0-or-later
"""Judging fixed weights: whole seeded episodes, figures that can be trusted, and films."""

from oakemu_rl.evaluation.film import FilmReport, record_film, write_film
from oakemu_rl.evaluation.players import ModelPlayer, Player, RandomPlayer
from oakemu_rl.evaluation.result import EpisodeResult, EvaluationResult
from oakemu_rl.evaluation.statistics import Summary, bootstrap_interval, interquartile_mean, summarize
from oakemu_rl.evaluation.tester import EpisodeVectorEnv, Tester, episode_seeds, make_episode_env

__all__ = [
    "EpisodeResult",
    "EpisodeVectorEnv",
    "EvaluationResult",
    "FilmReport",
    "ModelPlayer",
    "Player",
    "RandomPlayer",
    "Summary",
    "Tester",
    "bootstrap_interval",
    "episode_seeds",
    "interquartile_mean",
    "make_episode_env",
    "record_film",
    "summarize",
    "write_film",
]
