# SPDX-License-Identifier: GPL-3.0-or-later
"""Records as TensorBoard scalars, under the tags that Stable-Baselines3 made usual."""

import itertools
import os
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.text.summary_v2 import text_pb
from tensorboard.summary.writer.record_writer import RecordWriter

from oakemu_rl.training.records import Ending, Record

__all__ = ["TensorBoardWriter"]

_FILE_VERSION = "brain.Event:2"
_GIF_SIZE = slice(6, 10)  # width and height, 16 bits each, in the file's header


class TensorBoardWriter:
    """Writes metrics and evaluations as scalars, notices as texts, and films if asked to.

    The x axis is agent steps over all environments. A record becomes one event, which is handed to the system at once
    and from the caller's thread: what is written is seen while the run goes on, and a full disk is the caller's to
    hear of. (TensorBoard's own writers use a thread, which prints a traceback when it fails.)

    Args:
        folder: Where the event file goes.
        configuration: The effective configuration as text, shown under "Text".
        resumed_at: The step of the checkpoint that the run goes on from: later points are hidden. None for a new run.
        films: Whether films are written, too, as animated images.

    Raises:
        OSError: The file cannot be made.
    """

    def __init__(self, folder: Path, configuration: str, resumed_at: int | None = None, *, films: bool = False) -> None:
        self._file = _new_file(folder)
        self._records = RecordWriter(self._file)
        self._films = films
        self._write(Event(file_version=_FILE_VERSION))
        purge_step = 0 if resumed_at is None else resumed_at + 1  # 0: a run killed before its first checkpoint
        self._write(Event(step=purge_step, session_log=SessionLog(status=SessionLog.START)))
        self._write_text("hyperparameters", configuration, resumed_at or 0)

    def write(self, record: Record) -> None:
        """Writes one record; episodes are left to the JSON lines."""
        if record.kind in ("metrics", "evaluation"):
            values = [
                Summary.Value(tag=tag, simple_value=value)
                for tag, value in record.values.items()
                if not isinstance(value, str)
            ]
            self._write(Event(step=record.step, summary=Summary(value=values)))
        elif record.kind == "notice":
            self._write_text("notices", str(record.values["text"]), record.step)
        elif record.kind == "film" and self._films:
            self._write(Event(step=record.step, summary=_animation("films/best", Path(str(record.values["gif"])))))

    def close(self, ending: Ending) -> None:
        """Closes the file, in which everything is already."""
        del ending
        self._file.close()

    def _write(self, event: Event) -> None:
        event.wall_time = time.time()
        try:
            self._records.write(event.SerializeToString())
            self._file.flush()
        except OSError:
            with suppress(OSError):  # what is buffered would fail once more
                self._file.close()
            raise

    def _write_text(self, tag: str, text: str, step: int) -> None:
        indented = "    " + text.replace("\n", "\n    ")  # Markdown for a text that is shown as it stands
        self._write(Event(step=step, summary=text_pb(tag, indented)))


def _new_file(folder: Path) -> BinaryIO:
    """TensorBoard reads a folder's event files in the order of their names, which begin with the time."""
    stem = f"events.out.tfevents.{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}"
    for number in itertools.count():
        path = folder / f"{stem}.{number}"
        if not path.exists():
            return path.open("xb")
    raise AssertionError("numbers do not end")


def _animation(tag: str, gif: Path) -> Summary:
    content = gif.read_bytes()
    size = content[_GIF_SIZE]
    width, height = (int.from_bytes(side, "little") for side in (size[:2], size[2:]))
    image = Summary.Image(height=height, width=width, colorspace=3, encoded_image_string=content)
    return Summary(value=[Summary.Value(tag=tag, image=image)])
