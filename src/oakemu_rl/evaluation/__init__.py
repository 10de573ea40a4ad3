# SPDX-License-Identifier: GPL-3.0-or-later
"""Judging fixed weights: whole seeded episodes, figures that can be trusted, and films."""

from oakemu_rl.evaluation.comparison import Comparison, compare_results, compare_returns
from oakemu_rl.evaluation.film import EPILOGUE, FilmFrame, FilmReport, record_film, write_film
from oakemu_rl.evaluation.playback import Moment, captioned, play_episode
from oakemu_rl.evaluation.players import ModelPlayer, Player, RandomPlayer
from oakemu_rl.evaluation.result import EpisodeResult, EvaluationResult
from oakemu_rl.evaluation.run_statistics import RunComparison, RunFigures, compare_methods, figures_of_runs
from oakemu_rl.evaluation.statistics import (
    Proportion,
    Summary,
    bootstrap_interval,
    interquartile_mean,
    proportion,
    summarize,
)
from oakemu_rl.evaluation.tester import EpisodeVectorEnv, Tester, episode_seed, episode_seeds, make_episode_env

__all__ = [
    "EPILOGUE",
    "Comparison",
    "EpisodeResult",
    "EpisodeVectorEnv",
    "EvaluationResult",
    "FilmFrame",
    "FilmReport",
    "ModelPlayer",
    "Moment",
    "Player",
    "Proportion",
    "RandomPlayer",
    "RunComparison",
    "RunFigures",
    "Summary",
    "Tester",
    "bootstrap_interval",
    "captioned",
    "compare_methods",
    "compare_results",
    "compare_returns",
    "episode_seed",
    "episode_seeds",
    "figures_of_runs",
    "interquartile_mean",
    "make_episode_env",
    "play_episode",
    "proportion",
    "record_film",
    "summarize",
    "write_film",
]
