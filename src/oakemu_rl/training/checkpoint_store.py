# SPDX-License-Identifier: GPL-3.0-or-later
"""A folder of checkpoints, one a step count: the newest are kept, the newest whole one is found."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from oakemu_rl.errors import UserError, nearest
from oakemu_rl.training.checkpoint import (
    Checkpoint,
    is_checkpoint_file,
    is_temporary,
    read_checkpoint,
    remove_checkpoint,
    write_checkpoint,
)

__all__ = ["CheckpointStore", "find_checkpoint"]


class CheckpointStore:
    """Checkpoints named by their step count.

    Args:
        folder: Where they stand; it must exist before `save`.
        keep_last: How many are kept; older ones go once a newer one is safely there.
        admit: Called with the bytes of a new one before it is written; an OSError of its is a reason not to.
        resumable: The checkpoints from which a run can go on where one here cannot be written; None is these.
    """

    def __init__(
        self,
        folder: Path,
        keep_last: int = 1,
        admit: Callable[[int], None] | None = None,
        resumable: "CheckpointStore | None" = None,
    ) -> None:
        self.folder = folder
        self._keep_last = keep_last
        self._admit = admit
        self._resumable = self if resumable is None else resumable

    def save(self, step: int, info: Mapping[str, Any], tensors: Mapping[str, Any]) -> Path:
        """Writes a checkpoint, then removes those that are too many.

        Returns:
            The new checkpoint's folder.

        Raises:
            UserError: It could not be written; the earlier ones are untouched.
        """
        path = self.folder / f"{step:012d}"
        if path.exists():
            try:
                read_checkpoint(path)
            except UserError:
                remove_checkpoint(path)  # damaged: worth less than what takes its place
            else:
                return path  # the same run at the same step
        try:
            write_checkpoint(path, Checkpoint(info, tensors), self._admit)
        except OSError as error:
            kept = self._resumable.paths()
            last = f"the last good one is {kept[-1]}" if kept else "there is none before it"
            raise UserError(f"the checkpoint {path} could not be written: {error.strerror or error}; {last}") from error
        self.prune(self._keep_last)
        return path

    def prune(self, keep_last: int) -> None:
        """Removes all but the newest ones."""
        for old in self.paths()[:-keep_last]:
            remove_checkpoint(old)

    def clean(self) -> None:
        """Removes what interrupted saves left behind."""
        if self.folder.is_dir():
            for path in self.folder.iterdir():
                if is_temporary(path):
                    shutil.rmtree(path, ignore_errors=True)

    def paths(self) -> list[Path]:
        """The checkpoints' folders, oldest first."""
        if not self.folder.is_dir():
            return []
        return sorted(path for path in self.folder.iterdir() if path.is_dir() and path.name.isdecimal())

    def load_last(self) -> tuple[Path, Checkpoint, list[str]]:
        """The newest whole checkpoint.

        Returns:
            Its folder, itself, and a line for each newer one that is damaged.

        Raises:
            UserError: There is no whole one.
        """
        complaints: list[str] = []
        for path in reversed(self.paths()):
            try:
                return path, read_checkpoint(path), complaints
            except UserError as error:
                complaints.append(str(error))
        if complaints:
            raise UserError(f"no whole checkpoint in {self.folder}: {complaints[0]}")
        raise UserError(f"no checkpoint in {self.folder}")


def find_checkpoint(path: Path) -> tuple[Path, Checkpoint, list[str]]:
    """The checkpoint that a user means.

    Args:
        path: A checkpoint's folder or a file in it, a folder of checkpoints, or a run folder: there the best model is
            taken, or the newest checkpoint if none was judged.

    Returns:
        Its folder, itself, and a line for each newer one that was passed over because it is damaged.

    Raises:
        UserError: Nothing there, or nothing whole; one line that names another whole one if there is any.
    """
    if path.is_file() and path.name == "latest":
        path = path.parent / path.read_text(encoding="utf-8", errors="replace").strip()
    if path.is_file():
        if not is_checkpoint_file(path):
            raise UserError(f"{path} is a file of no checkpoint; give a run folder or a checkpoint's folder")
        path = path.parent
    if not path.is_dir():
        siblings = [str(each) for each in path.parent.iterdir()] if path.parent.is_dir() else []
        raise UserError(f"no checkpoint or run folder {path}{nearest(str(path), siblings)}")
    stores = [CheckpointStore(folder) for folder in (path / "best", path / "checkpoints", path)]
    filled = [store for store in stores if store.paths()]
    complaints: list[str] = []
    for store in filled:
        try:
            found, checkpoint, passed_over = store.load_last()
        except UserError as error:
            complaints.append(str(error))
        else:
            return found, checkpoint, complaints + passed_over
    if complaints:
        raise UserError(complaints[0])
    if (path / "config.yaml").is_file():
        raise UserError(f"the run {path} has no checkpoint yet")
    if not any(is_checkpoint_file(each) for each in path.iterdir()):
        raise UserError(f"{path} is neither a run folder nor a checkpoint")
    try:
        return path, read_checkpoint(path), []
    except UserError as error:
        raise UserError(f"{error}{_offer(path)}") from error


def _offer(path: Path) -> str:
    """Names a whole checkpoint beside a damaged one."""
    others = CheckpointStore(path.parent)
    if path not in others.paths():
        return ""
    try:
        return f"; the last good one is {others.load_last()[0]}"
    except UserError:
        return ""
