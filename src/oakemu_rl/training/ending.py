# SPDX-License-Identifier: GPL-3.0-or-later
"""What a finished run leaves for people: picture, film, and a few lines that say how it went and what to do next."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from oakemu_rl.errors import UserError
from oakemu_rl.quantities import format_count, format_duration, format_size
from oakemu_rl.training.checkpoint_store import CheckpointStore
from oakemu_rl.training.disk_budget import sizes_of
from oakemu_rl.training.experiment import RunOutcome
from oakemu_rl.training.learning_curve import draw_learning_curve
from oakemu_rl.training.route_progress import RouteProgress, draw_route
from oakemu_rl.training.run_folder import RunFolder

__all__ = ["draw_curve", "draw_way_back", "film_best", "film_way_back", "summarize_run", "what_next"]


def draw_curve(run: RunFolder, title: str, complain: Callable[[str], None]) -> None:
    """Draws learning_curve.png; a failure is only reported, as the run itself is safe."""
    try:
        draw_learning_curve(run.episodes, run.metrics, run.learning_curve, title)
    except (OSError, ValueError, KeyError) as error:
        complain(f"the learning curve could not be drawn: {error}")


def draw_way_back(run: RunFolder, title: str, complain: Callable[[str], None]) -> None:
    """Draws route.png, if the run has a curriculum; a failure is only reported, as the run itself is safe."""
    try:
        progress = RouteProgress.read(run.metrics)
        if progress is not None:
            draw_route(progress, run.route, title)
    except (OSError, ValueError, KeyError) as error:
        complain(f"the way back along the recording could not be drawn: {error}")


def film_best(
    run: RunFolder, record: Callable[[Path, Path, Path], None], complain: Callable[[str], None]
) -> tuple[Path, Path] | None:
    """Films the best agent as best.mp4 and best.gif; a failure is only reported, as the run itself is safe.

    Args:
        run: The run.
        record: Takes a checkpoint's folder and the two files' paths.
        complain: Takes the one line about a failure.

    Returns:
        The two files; None if there are none.
    """
    stored = CheckpointStore(run.best).paths() or CheckpointStore(run.checkpoints).paths()
    if not stored:
        return None
    mp4, gif = run.videos / "best.mp4", run.videos / "best.gif"
    try:
        run.videos.mkdir(exist_ok=True)
        record(stored[-1], mp4, gif)
    except (OSError, UserError, ImportError) as error:
        complain(f"the best agent could not be filmed: {error}")
        return None
    return mp4, gif


def film_way_back(
    run: RunFolder, record: Callable[[RouteProgress, Path, Path], None], complain: Callable[[str], None]
) -> None:
    """Films the way back as route.mp4 and route.gif, if the run has a curriculum; a failure is only reported.

    Args:
        run: The run.
        record: Takes its progress and the two files' paths.
        complain: Takes the one line about a failure.
    """
    try:
        progress = RouteProgress.read(run.metrics)
        if progress is not None:
            run.videos.mkdir(exist_ok=True)
            record(progress, run.videos / "route.mp4", run.videos / "route.gif")
    except (OSError, ValueError, KeyError, ImportError) as error:
        complain(f"the way back along the recording could not be filmed: {error}")


def summarize_run(run: RunFolder, outcome: RunOutcome) -> Iterator[str]:
    """Yields the lines that end a run's output."""
    counters, result = outcome.counters, outcome.evaluation
    yield ""
    took = format_duration(outcome.elapsed)
    yield f"{format_count(counters.step)} steps, {counters.updates} updates, {took} of training"
    training = counters.statistics.metrics()
    rows = []
    if "rollout/ep_rew_mean" in training:
        rows.append(("training", f"mean return {training['rollout/ep_rew_mean']:.2f} over the last episodes"))
    if result is not None:
        returns, n = result.returns, len(result.episodes)
        interval = f"95%: {returns.low:.2f} to {returns.high:.2f}"
        text = f"mean return {returns.mean:.2f} ({interval}), best episode {returns.maximum:.2f}, {n} episodes"
        rows.append(("evaluation", text))
    if counters.best is not None:
        rows.append(
            ("best model", f"mean return {counters.best.mean_return:.2f} at {format_count(counters.best.step)} steps")
        )
    sizes = sizes_of(run)
    parts = ", ".join(f"{name} {format_size(size)}" for name, size in sizes.items())
    rows.append(("on disk", f"{format_size(sum(sizes.values()))}: {parts}"))
    rows += [(name, str(path)) for name, path in _places(run) if path.exists()]
    yield from (f"  {name:<15} {text}" for name, text in rows)
    yield ""
    if outcome.signal is not None:
        yield f"stopped before its end; go on with:  oakemu-rl train --resume {run.path}"
        return
    yield from what_next(
        {
            "see it play": f"watch {run.path}",
            "judge it over 100 episodes": f"evaluate {run.path}",
            "look into its network": f"diagnose {run.path}",
            "write it as ONNX": f"export {run.path}",
        }
    )


def what_next(commands: Mapping[str, str]) -> Iterator[str]:
    """What may be done after a run, in lines.

    Args:
        commands: What each command does, and the command without ``oakemu-rl``. It stands last, as the names of runs
            make it long.
    """
    width = max(map(len, commands))
    yield "what next:"
    yield from (f"  {what:<{width}}  oakemu-rl {command}" for what, command in commands.items())


def _places(run: RunFolder) -> list[tuple[str, Path]]:
    return [
        ("run folder", run.path),
        ("learning curve", run.learning_curve),
        ("way back", run.route),
        ("film", run.videos / "best.mp4"),
        ("", run.videos / "best.gif"),
        ("film of the way", run.videos / "route.mp4"),
    ]
