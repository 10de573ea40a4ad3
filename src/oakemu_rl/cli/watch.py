# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl watch`: see an agent play, in a window or as a film."""

import sys
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, PositiveInt
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from oakemu_rl.cli.agent_arguments import AgentArguments, open_agent
from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.recordings import film_recording, is_recording, watch_recording
from oakemu_rl.cli.speakers import open_speaker
from oakemu_rl.emulator.pacing import frame_rate
from oakemu_rl.emulator.speaker import Speaker
from oakemu_rl.emulator.window import NoDisplayError, Window
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.errors import UserError

if TYPE_CHECKING:  # they bring torch, which is imported once the arguments are known to be sound
    from oakemu_rl.evaluation import Player
    from oakemu_rl.training.agent import Agent

__all__ = ["run"]

_FILMS = (".mp4", ".gif")
_RECORDING_FLAGS = {"agent", "film", "scale", "no_sound", "quiet"}


class _WatchArguments(AgentArguments):
    """See an agent play, in a window at the speed of the real machine, or as a film.

    In the window, space pauses, N goes on to the next episode, F12 writes a picture into the current folder, and Esc or
    Q ends it.

    Instead of an agent it may be a recording, FILE.rzx or FILE.demo: what was played then is shown or filmed, with what
    was held.
    """

    film: Path | None = Field(
        None,
        description="Write a film instead: .mp4 (every frame, with sound) or .gif (25 pictures a second, the first 30 "
        "seconds).",
        json_schema_extra={"aliases": ["-o"], "metavar": "FILE"},
    )
    episodes: PositiveInt | None = Field(
        None, description="How many; None is one for a film, and until you close it for a window."
    )
    seed: int = Field(0, ge=0, lt=2**63, description="The seeds of the episodes follow from it.")
    sampled: bool = Field(
        default=False,
        description="Sample actions instead of taking the most probable one.",
        json_schema_extra={"aliases": ["--sample", "--stochastic"]},
    )
    scale: int = Field(3, ge=1, le=16, description="Size of the window; it can be resized as well.")
    no_sound: bool = Field(
        default=False, description="A silent film, or a silent window.", json_schema_extra={"aliases": ["--mute"]}
    )
    quiet: bool = Field(default=False, description="Print nothing but errors.")


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_WatchArguments, args, prog="oakemu-rl watch")
    if arguments.film is not None and arguments.film.suffix.lower() not in _FILMS:
        raise UserError(f"--film: {arguments.film} must end in {' or '.join(_FILMS)}")
    if is_recording(arguments.agent):
        _recording(arguments)
        return 0
    agent = open_agent(arguments)
    from oakemu_rl.evaluation import ModelPlayer

    player = ModelPlayer(agent.model, greedy=not arguments.sampled)
    env = SpectrumEnv(agent.game, **dict(agent.env_options))
    try:
        if arguments.film is None:
            _watch(env, player, arguments)
        else:
            _film(agent, env, player, arguments, arguments.film)
    finally:
        env.close()
    return 0


def _recording(arguments: _WatchArguments) -> None:
    strange = sorted(arguments.model_fields_set - _RECORDING_FLAGS)
    if strange:
        flag = strange[0].replace("_", "-")
        raise UserError(f"--{flag} is for agents; {arguments.agent} is a recording")
    if arguments.film is None:
        watch_recording(arguments.agent, scale=arguments.scale, mute=arguments.no_sound)
    else:
        film_recording(arguments.agent, arguments.film, mute=arguments.no_sound, quiet=arguments.quiet)


def _watch(env: SpectrumEnv, player: "Player", arguments: _WatchArguments) -> None:
    from oakemu_rl.cli.watching import WatchSession

    def report(line: str) -> None:
        if not arguments.quiet:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()

    window = Window(env.game.definition.title, scale=arguments.scale)
    speaker: Speaker | None = None
    try:
        window.check_display()
        speaker = open_speaker(mute=arguments.no_sound)
        session = WatchSession(env, player, window, speaker=speaker, report=report, pictures=Path.cwd())
        session.run(_seeds(arguments))
    except NoDisplayError as error:
        raise UserError(f"{error}; oakemu-rl watch {arguments.agent} --film FILE.mp4 writes a film instead") from error
    finally:
        window.close()
        if speaker is not None:
            speaker.close()


def _film(agent: "Agent", env: SpectrumEnv, player: "Player", arguments: _WatchArguments, path: Path) -> None:
    from oakemu_rl.cli.watching import describe_episode
    from oakemu_rl.evaluation import EPILOGUE, FilmFrame, captioned, play_episode, write_film

    score = agent.game.definition.score_variable
    rate = frame_rate(agent.game.definition.machine)
    mp4, gif = (path if path.suffix.lower() == suffix else None for suffix in _FILMS)
    sound = mp4 is not None and not arguments.no_sound
    lines: list[str] = []

    def filmed() -> Iterator[FilmFrame]:
        for number, seed in enumerate(_seeds(arguments), start=1):
            for moment in play_episode(env, player, seed, epilogue=EPILOGUE, sound=sound):
                last = moment
                yield FilmFrame(captioned(moment, score), moment.samples if sound else None)
            lines.append(describe_episode(number, last, score))

    console = Console(stderr=True)
    columns = (SpinnerColumn(), TextColumn("filming: {task.completed:,.0f} frames"), TimeElapsedColumn())
    hidden = arguments.quiet or not console.is_terminal
    with Progress(*columns, console=console, transient=True, disable=hidden) as progress:
        task = progress.add_task("filming", total=None)
        frames = write_film(
            filmed(), mp4=mp4, gif=gif, rate=rate, on_frame=lambda done: progress.update(task, completed=done)
        )
    if not arguments.quiet:
        sys.stdout.writelines(f"{line}\n" for line in lines)
        sys.stdout.write(f"{path}: {float(frames / rate):.1f} s, {path.stat().st_size / 1e6:.1f} MB\n")


def _seeds(arguments: _WatchArguments) -> Iterator[int]:
    from oakemu_rl.evaluation import episode_seed

    wanted = arguments.episodes or (None if arguments.film is None else 1)
    numbers = count() if wanted is None else range(wanted)
    return (episode_seed(arguments.seed, number) for number in numbers)
