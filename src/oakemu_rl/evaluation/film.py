# SPDX-License-Identifier: GPL-3.0-or-later
"""Films: one episode as MP4 (every frame, with sound) and GIF (every second frame)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator.pacing import frame_rate
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.errors import UserError
from oakemu_rl.evaluation.gif import GifWriter
from oakemu_rl.evaluation.playback import captioned, play_episode
from oakemu_rl.evaluation.players import ModelPlayer
from oakemu_rl.evaluation.result import EpisodeResult
from oakemu_rl.evaluation.soundtrack import SoundTrack, join
from oakemu_rl.evaluation.tester import Tester, episode_seeds, make_episode_env
from oakemu_rl.games import Game
from oakemu_rl.ppo import PPOModel

__all__ = ["EPILOGUE", "FilmFrame", "FilmReport", "record_film", "write_film"]

EPILOGUE = 100
"""Frames that are shown after an episode's end: what the game itself then says."""

_Writer = Any  # imageio ships no type information
_RATE = frame_rate("48k")
_GIF_RATE = 25  # a GIF counts in hundredths of a second
_GIF_EVERY = 2
_CANDIDATES = 5


@dataclass(frozen=True)
class FilmFrame:
    """A frame to be filmed.

    Attributes:
        picture: Shape (height, width, 3) with even sides.
        samples: What is heard while it is shown, (n,), 48,000 a second; None in a silent film.
    """

    picture: NDArray[np.uint8]
    samples: NDArray[np.int16] | None = None


@dataclass(frozen=True)
class FilmReport:
    """What was filmed.

    Attributes:
        episode: The episode in the film.
        frames: How many frames the film has, as many a second as the machine makes.
    """

    episode: EpisodeResult
    frames: int


def record_film(
    model: PPOModel,
    game: Game,
    env_options: Mapping[str, Any],
    mp4: Path | None,
    gif: Path | None,
    seed: int = 0,
    *,
    candidates: int = _CANDIDATES,
    sound: bool = True,
) -> FilmReport:
    """Films the best of a few greedy episodes.

    Args:
        model: The weights, in evaluation mode.
        game: What they play.
        env_options: Keyword arguments of `SpectrumEnv`.
        mp4: Where the H.264 film goes; None for none.
        gif: Where the looping GIF goes; None for none.
        seed: Of the episodes.
        candidates: How many are played; the one with the highest score, then return, is filmed.
        sound: Whether the H.264 film has sound.

    Raises:
        UserError: A file cannot be written.
    """
    player = ModelPlayer(model)
    tester = Tester(
        lambda num_envs: make_episode_env(game, num_envs, env_options), variables=game.variable_names, num_envs=8
    )
    try:
        played = tester.play(player, episode_seeds(seed, candidates)).episodes
    finally:
        tester.close()
    score = game.definition.score_variable
    best = max(played, key=lambda episode: (episode.variables[score] if score else 0, episode.episode_return))
    env = SpectrumEnv(game, **dict(env_options))
    try:
        sound = sound and mp4 is not None
        moments = play_episode(env, player, best.seed, epilogue=EPILOGUE, sound=sound)
        filmed = (FilmFrame(captioned(moment, score), moment.samples if sound else None) for moment in moments)
        frames = write_film(filmed, mp4=mp4, gif=gif, rate=frame_rate(game.definition.machine))
    finally:
        env.close()
    return FilmReport(best, frames)


def write_film(
    frames: Iterable[FilmFrame],
    *,
    mp4: Path | None = None,
    gif: Path | None = None,
    rate: Fraction = _RATE,
    on_frame: Callable[[int], None] | None = None,
) -> int:
    """Writes frames as a film; a file appears under its name only when it is complete.

    Args:
        frames: Their pictures have one shape, and either all or none have samples. They are taken one by one.
        mp4: Where the film goes: H.264 at twice the size, and AAC if there are samples; None for none.
        gif: Where the looping GIF goes: every second picture of the beginning, as many as `GifWriter` takes.
        rate: Frames a second.
        on_frame: Called with the number of frames written, for a progress display.

    Returns:
        The number of frames.

    Raises:
        UserError: A file cannot be written.
    """
    count = 0
    with ExitStack() as stack:
        movie = stack.enter_context(_replacing(mp4)) if mp4 is not None else None
        loop = stack.enter_context(_replacing(gif)) if gif is not None else None
        images = GifWriter(_GIF_RATE) if loop is not None else None
        with ExitStack() as writers:
            film = writers.enter_context(_movie_writer(movie, rate)) if movie is not None else None
            for count, frame in enumerate(frames, start=1):
                if film is not None:
                    film.append(frame)
                if images is not None and count % _GIF_EVERY == 1:
                    images.append(frame.picture)
                if on_frame is not None:
                    on_frame(count)
        if images is not None and loop is not None:
            images.write(loop)
    return count


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place when all has gone well, and disappears otherwise."""
    draft = path.with_name(f".{path.stem}.part{path.suffix}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.touch()  # what cannot be written shows now, not after the episode
        yield draft
        draft.replace(path)
    except OSError as error:
        raise UserError(f"cannot write the film {path}: {_reason(path, error)}") from error
    finally:
        with suppress(OSError):  # for example where the folder is a file
            draft.unlink()


class _MovieWriter:
    """Sends pictures to ffmpeg and samples to a file beside the film."""

    def __init__(self, video: _Writer, sound: Path) -> None:
        self._video = video
        self._sound = sound
        self.track: SoundTrack | None = None

    def append(self, frame: FilmFrame) -> None:
        self._video.append_data(frame.picture.repeat(2, axis=0).repeat(2, axis=1))
        if frame.samples is not None:
            if self.track is None:
                self.track = SoundTrack(self._sound)
            self.track.append(frame.samples)


@contextmanager
def _movie_writer(path: Path, rate: Fraction) -> Iterator[_MovieWriter]:
    """Writes a film to `path`: its pictures at first, and with its sound once that is known as a whole."""
    sound, joined = path.with_suffix(".wav"), path.with_name(f"{path.stem}.joined{path.suffix}")
    try:
        with _video_writer(path, rate) as video:
            writer = _MovieWriter(video, sound)
            try:
                yield writer
            finally:
                if writer.track is not None:
                    writer.track.close()
        if writer.track is not None:
            join(path, sound, joined)
            joined.replace(path)
    finally:
        for temporary in (sound, joined):
            with suppress(OSError):
                temporary.unlink()


@contextmanager
def _video_writer(path: Path, rate: Fraction) -> Iterator[_Writer]:
    import imageio.v2 as imageio  # takes a while, and only films need it

    writer = imageio.get_writer(
        path,
        format="FFMPEG",
        fps=float(rate),
        # The rate as a whole: ffmpeg is otherwise told two digits of it, and pictures and sound would drift apart.
        input_params=["-r", str(rate)],
        codec="libx264",
        quality=None,
        # A pixel of ours is two of the film's, so that the halved colour resolution of yuv420p loses nothing.
        pixelformat="yuv420p",
        # H.264 with yuv420p needs even sides only, and anything else would rescale the pixels.
        macro_block_size=2,
        output_params=["-preset", "veryfast", "-crf", "18", "-movflags", "+faststart"],
        ffmpeg_log_level="error",
    )
    try:
        yield writer
    finally:
        writer.close()  # imageio's own context manager leaves ffmpeg running after an exception


def _reason(path: Path, error: OSError) -> str:
    # Making a folder where a file is fails with "File exists", which would mislead.
    if isinstance(error, FileExistsError):
        return f"{path.parent} is not a folder"
    # imageio reports ffmpeg's complaints as an OSError of many lines.
    return error.strerror or next(iter(str(error).strip().splitlines()), type(error).__name__)
