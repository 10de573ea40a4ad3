# SPDX-License-Identifier: GPL-3.0-or-later
"""Records as TensorBoard scalars, under the tags that Stable-Baselines3 made usual."""

from contextlib import suppress
from pathlib import Path

from torch.utils.tensorboard import SummaryWriter

from oakemu_rl.training.records import Record

__all__ = ["TensorBoardWriter"]


class TensorBoardWriter:
    """Writes metrics and evaluations as scalars; the x axis is agent steps over all environments.

    Args:
        folder: Where the event file goes.
        configuration: The effective configuration as text, shown under "Text".
        resumed_at: The step of the checkpoint that the run goes on from: later points are hidden. None for a new run.
    """

    def __init__(self, folder: Path, configuration: str, resumed_at: int | None = None) -> None:
        purge_step = 0 if resumed_at is None else resumed_at + 1  # 0: a run killed before its first checkpoint
        self._writer = SummaryWriter(str(folder), purge_step=purge_step)
        indented = "    " + configuration.replace("\n", "\n    ")
        self._writer.add_text("hyperparameters", indented, resumed_at or 0)

    def write(self, record: Record) -> None:
        """Writes one record; episodes are left to the JSON lines."""
        if record.kind == "episode":
            return
        for tag, value in record.values.items():
            if not isinstance(value, str):
                self._writer.add_scalar(tag, value, record.step)

    def close(self) -> None:
        """Writes out what is buffered."""
        with suppress(OSError):  # a full disk, which would hide what the run itself says about it
            self._writer.close()
