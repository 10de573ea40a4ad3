# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl watch FILE.rzx` (or .demo): what was played when a recording was made, in a window or as a film."""

import sys
from collections.abc import Iterator
from pathlib import Path

from oakemu_rl.cli.pictures import save_picture
from oakemu_rl.cli.progress import progress_bar
from oakemu_rl.cli.shown_recording import ShownRecording, shown_demo, shown_rzx
from oakemu_rl.cli.speakers import open_speaker
from oakemu_rl.demos import SUFFIX
from oakemu_rl.emulator.caption import caption
from oakemu_rl.emulator.container import open_content
from oakemu_rl.emulator.detection import RECORDINGS, detect
from oakemu_rl.emulator.pacing import frame_rate
from oakemu_rl.emulator.speaker import Speaker
from oakemu_rl.emulator.watching import WatchedFrame
from oakemu_rl.emulator.window import NoDisplayError, Window
from oakemu_rl.errors import UserError

__all__ = ["RecordingSession", "film_recording", "film_shown", "is_recording", "watch_recording"]

_QUIT = {"escape", "q"}


def is_recording(path: Path) -> bool:
    """Whether a path means a recording rather than an agent: it is called one, or is a file that holds one."""
    if path.suffix.lower() in (".rzx", SUFFIX):
        return True
    try:
        return detect(open_content(path).data) in RECORDINGS
    except (OSError, UserError):  # whoever opens agents says what is wrong with it
        return False


def watch_recording(path: Path, *, scale: int, mute: bool) -> None:
    """Shows a recording in a window, at the speed of the real machine.

    Raises:
        UserError: It cannot be played to its end, or there is no display.
        OSError: It cannot be read.
    """
    shown = _open(path)
    window = Window(path.name, scale=scale)
    speaker: Speaker | None = None
    try:
        window.check_display()
        speaker = open_speaker(mute=mute)
        RecordingSession(shown, window, speaker=speaker, pictures=Path.cwd()).run()
    except NoDisplayError as error:
        raise UserError(f"{error}; oakemu-rl watch {path} --film FILE.mp4 writes a film instead") from error
    finally:
        window.close()
        if speaker is not None:
            speaker.close()


def film_recording(path: Path, film: Path, *, mute: bool, quiet: bool) -> None:
    """Writes a recording as a film, with what was held beneath the picture.

    Raises:
        UserError: It cannot be played to its end, or the film not be written.
        OSError: It cannot be read.
    """
    film_shown(_open(path), film, mute=mute, quiet=quiet)


def film_shown(shown: ShownRecording, film: Path, *, mute: bool, quiet: bool) -> None:
    """The same of one that has been opened."""
    from oakemu_rl.evaluation import FilmFrame, write_film  # brings torch

    rate = frame_rate(shown.machine)
    mp4, gif = (film if film.suffix.lower() == suffix else None for suffix in (".mp4", ".gif"))
    sound = mp4 is not None and not mute

    def filmed() -> Iterator[FilmFrame]:
        for frame, lines in shown.watch(sound=sound):
            yield FilmFrame(caption(frame.picture, lines), frame.samples if sound else None)

    with progress_bar(quiet=quiet) as progress:
        task = progress.add_task("filming", total=shown.frames)
        frames = write_film(
            filmed(), mp4=mp4, gif=gif, rate=rate, on_frame=lambda done: progress.update(task, completed=done)
        )
    if not quiet:
        sys.stdout.write(f"{film}: {float(frames / rate):.1f} s, {film.stat().st_size / 1e6:.1f} MB\n")


class RecordingSession:
    """Shows a recording until it is over or the window is closed.

    Args:
        shown: It.
        window: Where it is shown.
        speaker: Where it is heard; None for silence.
        pictures: Folder for pictures.
    """

    def __init__(
        self, shown: ShownRecording, window: Window, *, speaker: Speaker | None = None, pictures: Path
    ) -> None:
        self._shown = shown
        self._window = window
        self._speaker = speaker
        self._pictures = pictures
        self._paused = False

    def run(self) -> None:
        """Shows what is left of it."""
        rate = float(frame_rate(self._shown.machine))
        for frame, lines in self._shown.watch(sound=self._speaker is not None):
            if self._speaker is not None:
                self._speaker.play(frame.samples)
            picture = caption(frame.picture, lines)
            while True:
                pressed = self._window.poll()
                if self._window.closed or _QUIT.intersection(pressed):
                    return
                self._react(pressed, frame)
                self._window.show(picture, rate)
                if not self._paused:
                    break

    def _react(self, pressed: list[str], frame: WatchedFrame) -> None:
        if pressed.count("space") % 2:
            self._paused = not self._paused
        if "f12" in pressed:
            save_picture(self._pictures, self._shown.name, frame.picture)


def _open(path: Path) -> ShownRecording:
    return shown_demo(path) if path.suffix.lower() == SUFFIX else shown_rzx(path)
