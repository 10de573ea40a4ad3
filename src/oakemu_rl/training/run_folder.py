# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder that one run writes into, and nothing else does."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from oakemu_rl._whole_file import write_whole
from oakemu_rl.errors import UserError, nearest

try:
    import fcntl
except ModuleNotFoundError:  # Windows: there, nothing watches over a run folder
    fcntl = None  # type: ignore[assignment]

__all__ = ["RunFolder", "default_run_path"]

_LATEST = "latest"
_RUNS = "runs"
_SPACE_NEEDED = 128 * 1024 * 1024  # bytes; a default run with its checkpoints and films stays well below


def default_run_path(game_id: str, seed: int, started: datetime, *, algorithm: str = "ppo") -> Path:
    """``runs/<env>__<algorithm>__<seed>__<time>``; slashes of the id become underscores."""
    name = "".join(letter if letter.isalnum() or letter in "-_." else "_" for letter in game_id)
    return Path(_RUNS) / f"{name}__{algorithm}__{seed}__{started:%Y%m%d-%H%M%S}"


class RunFolder:
    """Names of everything in a run folder.

    Use `create` for a new run and `open` for one that exists.

    Args:
        path: The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.yaml"
        self.checkpoints = path / "checkpoints"
        self.best = path / "best"
        self.metrics = path / "metrics.jsonl"
        self.episodes = path / "episodes.jsonl"
        self.tracking = path / "tracking.json"
        self.learning_curve = path / "learning_curve.png"
        self.route = path / "route.png"
        self.videos = path / "videos"
        self.demos = path / "demos"
        self.export = path / "export"
        self.diagnosis = path / "diagnosis"
        self.cloning = path / "cloning.json"

    @classmethod
    def create(cls, path: Path, config_text: str) -> "RunFolder":
        """Makes a new run folder with its config.yaml, whole or not at all.

        Raises:
            UserError: It exists, or cannot be written, or the disk is nearly full.
        """
        cls.check_new(path)
        draft = cls(path.with_name(f".{path.name}.tmp-{os.getpid()}"))
        try:
            for folder in (draft.checkpoints, draft.best, draft.videos, draft.export):
                folder.mkdir(parents=True)
            draft.config.write_text(config_text, encoding="utf-8")
            draft.path.rename(path)
        except OSError as error:
            shutil.rmtree(draft.path, ignore_errors=True)
            raise UserError(f"the run folder {path} cannot be written: {error.strerror or error}") from error
        run = cls(path)
        run._point_latest_here()
        return run

    @staticmethod
    def check_new(path: Path) -> None:
        """Sees to it that a run folder can be made.

        Raises:
            UserError: It exists, or the disk is nearly full.
        """
        if path.exists() or path.is_symlink():
            raise UserError(f"the run folder {path} exists; go on with it by --resume {path}, or give another one")
        _check_space(path)

    @classmethod
    def open(cls, path: Path, *, for_writing: bool = False) -> "RunFolder":
        """An existing run folder; a ``latest`` pointer is followed.

        Args:
            path: The folder, or what `create` left at ``runs/latest``.
            for_writing: Also check that the run can go on there.

        Raises:
            UserError: No such folder, not a run folder, or not writable.
        """
        path = _follow(path)
        if not path.is_dir():
            beside = path.parent.iterdir() if path.parent.is_dir() else ()
            siblings = [str(each) for each in beside if not each.name.startswith(".")]
            raise UserError(f"no run folder {path}{nearest(str(path), siblings)}")
        run = cls(path)
        if not run.config.is_file():
            raise UserError(f"{path} is not a run folder: it has no config.yaml")
        if for_writing:
            _check_space(path)
            probe = path / f".probe.tmp-{os.getpid()}"
            try:
                probe.touch()
                probe.unlink()
                for folder in (run.checkpoints, run.best):  # somebody may have removed them to begin again
                    folder.mkdir(exist_ok=True)
            except OSError as error:
                raise UserError(f"the run folder {path} cannot be written: {error.strerror or error}") from error
        return run

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Keeps other processes from training here; it ends with the process, however that ends.

        Raises:
            UserError: Another process does so already.
        """
        with (self.path / ".lock").open("a") as file:
            if fcntl is not None:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError as error:
                    raise UserError(f"another process is training in {self.path}") from error
            yield

    def write_config(self, text: str) -> None:
        """Replaces config.yaml, whole or not at all.

        Raises:
            OSError: It cannot be written.
        """
        write_whole(self.config, text.encode())

    def _point_latest_here(self) -> None:
        """Only in a folder called ``runs``: elsewhere the pointer would litter a folder that is not ours."""
        parent = self.path.parent
        pointer = parent / _LATEST
        if parent.name != _RUNS or (pointer.is_dir() and not pointer.is_symlink()):
            return
        draft = parent / f".{_LATEST}.tmp-{os.getpid()}"
        try:
            draft.symlink_to(self.path.name, target_is_directory=True)
        except OSError:  # a file system without symbolic links gets the name as a text
            draft.write_text(self.path.name + "\n", encoding="utf-8")
        draft.replace(pointer)


def _follow(path: Path) -> Path:
    if path.is_file() and path.name == _LATEST:
        return path.parent / path.read_text(encoding="utf-8", errors="replace").strip()
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def _check_space(path: Path) -> None:
    existing = path.absolute()
    while not existing.exists():
        existing = existing.parent
    free = shutil.disk_usage(existing).free
    if free < _SPACE_NEEDED:
        needed = _SPACE_NEEDED // 2**20
        raise UserError(f"not enough space for the run folder {path}: {free // 2**20} MiB free, {needed} MiB needed")
