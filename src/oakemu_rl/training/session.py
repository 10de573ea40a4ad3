# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole run from parts to film, as `oakemu-rl train` does it."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.games import Game
from oakemu_rl.training.agent import load_agent
from oakemu_rl.training.budget import Budget
from oakemu_rl.training.checkpoint import Checkpoint
from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.console import Progress
from oakemu_rl.training.ending import draw_curve, draw_way_back, film_best, film_way_back, summarize_run
from oakemu_rl.training.experiment import ExperimentParts, Pace, PPOExperiment, RunOutcome
from oakemu_rl.training.json_lines import JsonLinesWriter
from oakemu_rl.training.recordings import play_recordings
from oakemu_rl.training.records import Ending, Record, WriterGroup
from oakemu_rl.training.route_progress import RouteProgress
from oakemu_rl.training.run_folder import RunFolder
from oakemu_rl.training.safety import SafetySettings
from oakemu_rl.training.writers import open_writers

__all__ = ["require_packages", "train"]


def require_packages(configuration: PPOExperimentConfiguration) -> None:
    """Sees to it that a run will not end for want of a package: before it begins is the time to say so.

    Raises:
        ModuleNotFoundError: One is not installed.
    """
    wanted = {
        "matplotlib": True,
        "tensorboard": configuration.tensorboard,
        "imageio": configuration.film,
        "wandb": configuration.track == "wandb",
        "mlflow": configuration.track == "mlflow",
    }
    for package, needed in wanted.items():
        if needed and not _is_installed(package):
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)


def _is_installed(package: str) -> bool:
    """A folder of that name where the command was started, such as the one that wandb makes, is no package."""
    found = find_spec(package)
    return found is not None and found.origin is not None


def train(
    parts: ExperimentParts,
    configuration: PPOExperimentConfiguration,
    game: Game,
    run: RunFolder,
    progress: Progress,
    *,
    resume_from: Checkpoint | None = None,
) -> RunOutcome:
    """Trains until the budget is used up or a signal asks to stop, then leaves learning curve and film.

    Args:
        parts: What `assemble` made of the configuration.
        configuration: The run's.
        game: The game that it names.
        run: Its folder.
        progress: Shows how it goes; closed at the end of training.
        resume_from: The checkpoint to go on from, None to begin.

    Returns:
        What it came to.

    Raises:
        UserError: The checkpoint does not fit, numbers became non-finite, or a checkpoint could not be written.
    """
    budget = Budget(configuration.steps, configuration.time)
    pace = Pace(budget, configuration.eval_every, configuration.checkpoint_every, configuration.keep_last)
    files = [
        JsonLinesWriter(run.metrics, "metrics", "evaluation", "notice"),
        JsonLinesWriter(run.episodes, "episode"),
    ]
    writers = WriterGroup([*files, progress], progress.message)
    ending: Ending = "failed"
    try:
        resumed_at = None if resume_from is None else int(resume_from.info["step"])
        open_writers(writers, configuration, run, resumed_at, progress.message)
        archive = parts.archive
        if archive is not None:
            writers.open("the archive of episodes", lambda: archive.open(run.demos))
        safety = SafetySettings(
            configuration.rollback, configuration.alarms, configuration.diagnostics_every, configuration.disk_budget
        )
        experiment = PPOExperiment(parts, pace, run, writers, safety)
        if resume_from is not None:
            experiment.resume(resume_from)
        outcome = experiment.run()
        ending = "finished" if outcome.signal is None else "stopped"
        progress.message("drawing the learning curve")
        title = f"{game.definition.title}: PPO, seed {configuration.seed}"
        draw_curve(run, title, progress.message)
        draw_way_back(run, title, progress.message)
        if configuration.film and outcome.signal is None:
            progress.message("filming the best agent")
            film = film_best(
                run, lambda folder, mp4, gif: _film(folder, mp4, gif, configuration.seed), progress.message
            )
            if film is not None:
                mp4, gif = film
                writers.write(Record("film", outcome.counters.step, {"mp4": str(mp4), "gif": str(gif)}))
            film_way_back(run, lambda way, mp4, gif: _film_way(configuration, game, way, mp4, gif), progress.message)
    finally:
        writers.close(ending)
        progress.close()
    for line in summarize_run(run, outcome):
        progress.message(line)
    return outcome


def _film(folder: Path, mp4: Path, gif: Path, seed: int) -> None:
    from oakemu_rl.evaluation import record_film  # it brings imageio, which only this needs

    agent = load_agent(folder)
    record_film(agent.model, agent.game, agent.env_options, mp4, gif, seed)


def _film_way(
    configuration: PPOExperimentConfiguration, game: Game, progress: RouteProgress, mp4: Path, gif: Path
) -> None:
    from oakemu_rl.evaluation import write_film
    from oakemu_rl.training.route_film import route_frames

    recordings = [*play_recordings(configuration.demos, game, configuration.env)]
    edges = np.cumsum([0, *(len(steps.actions) for steps in recordings)])
    env = SpectrumEnv(game, render_mode="rgb_array", **configuration.env.as_kwargs())

    def picture_of(step: int) -> NDArray[np.uint8]:
        number = int(np.searchsorted(edges, step, side="right")) - 1
        env.reset(options={"state": recordings[number].states[step - int(edges[number])]})
        return np.asarray(env.render(), np.uint8)

    try:
        write_film(route_frames(progress, picture_of), mp4=mp4, gif=gif)
    finally:
        env.close()
