# SPDX-License-Identifier: GPL-3.0-or-later
"""How much a run may write, and how much it has written."""

import errno
from collections.abc import Mapping
from pathlib import Path

from oakemu_rl.errors import UserError
from oakemu_rl.quantities import format_size
from oakemu_rl.training.checkpoint_store import CheckpointStore
from oakemu_rl.training.run_folder import RunFolder

__all__ = ["DiskBudget", "bytes_in", "sizes_of"]

_RESERVE = 64 * 1024  # bytes; more than the logs grow by in an update


class DiskBudget:
    """Keeps a run folder within a size: older checkpoints go before their time, and then the run ends in order.

    Args:
        run: The folder.
        limit: Bytes that it may hold; None sets no limit and looks at nothing.
    """

    def __init__(self, run: RunFolder, limit: int | None) -> None:
        self._run = run
        self._limit = limit

    def admit(self, size: int) -> None:
        """Makes room for a checkpoint of so many bytes.

        Raises:
            OSError: There is none; all that is kept is the newest checkpoint.
        """
        if self._limit is None:
            return
        held = self._held_beside(size)
        if held + size > self._limit:
            raise OSError(
                errno.ENOSPC,
                f"its {format_size(size)} do not fit beside the {format_size(held)} of the run into a disk_budget of "
                f"{format_size(self._limit)}",
            )

    def check(self) -> None:
        """Sees to it that another update can be logged and saved.

        Raises:
            UserError: It cannot, not even without the older checkpoints.
        """
        if self._limit is None:
            return
        newest = (*CheckpointStore(self._run.checkpoints).paths()[-1:], *CheckpointStore(self._run.best).paths())
        coming = sum(bytes_in(path) for path in newest)
        held = self._held_beside(coming + _RESERVE)
        if held + coming + _RESERVE > self._limit:
            raise UserError(
                f"the disk_budget of {format_size(self._limit)} is used up: the run holds {format_size(held)} and a "
                f"further save takes {format_size(coming)}; everything up to here is saved, go on with "
                f"--resume {self._run.path} and a larger --disk-budget"
            )

    def _held_beside(self, coming: int) -> int:
        """What the run holds, without older checkpoints if there would be no room for what comes."""
        held = bytes_in(self._run.path)
        if self._limit is None or held + coming <= self._limit:
            return held
        CheckpointStore(self._run.checkpoints).prune(keep_last=1)
        return bytes_in(self._run.path)


def bytes_in(folder: Path) -> int:
    """The bytes of all files in a folder and below it; what vanishes meanwhile counts nothing."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.lstat().st_size if not path.is_dir() else 0
        except FileNotFoundError:
            continue
    return total


def sizes_of(run: RunFolder) -> Mapping[str, int]:
    """Bytes of a run folder's parts, the largest first; parts without any are left out."""
    folders = {"checkpoints": run.checkpoints, "best model": run.best, "films": run.videos, "export": run.export}
    sizes = {name: bytes_in(folder) for name, folder in folders.items()}
    sizes["logs"] = bytes_in(run.path) - sum(sizes.values())
    return {name: size for name, size in sorted(sizes.items(), key=lambda item: -item[1]) if size}
