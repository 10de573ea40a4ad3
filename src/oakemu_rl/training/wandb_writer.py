# SPDX-License-Identifier: GPL-3.0-or-later
"""Records in a run of Weights & Biases."""

from collections.abc import Callable, Mapping
from typing import Any

from oakemu_rl.training.records import Ending, Record
from oakemu_rl.training.run_folder import RunFolder
from oakemu_rl.training.tracked_runs import find_tracked_run, remember_tracked_run

__all__ = ["WandbWriter"]

_SERVICE = "wandb"
_STEP = "time/total_timesteps"


class WandbWriter:
    """Writes metrics and evaluations, sends notices as alerts, and keeps the film.

    The x axis is agent steps, as a metric of its own: the service's own count would have to rise with every call
    (https://docs.wandb.ai/models/track/log/customize-logging-axes).

    Args:
        run: Names the tracked run, holds its id and the files that the service keeps on the way.
        project: The project's name.
        configuration: The run's settings.
        say: Takes a line for the person who waits.

    Raises:
        Exception: Whatever the service raises: no login, no network.
    """

    def __init__(
        self, run: RunFolder, project: str, configuration: Mapping[str, Any], say: Callable[[str], None]
    ) -> None:
        import wandb  # an extra; imported only where it is asked for

        self._wandb: Any = wandb
        self._run: Any = wandb.init(
            project=project,
            id=find_tracked_run(run.tracking, _SERVICE),
            resume="allow",
            name=run.path.name,
            dir=str(run.path.absolute()),
            config=dict(configuration),
            allow_val_change=True,  # a resumed run may have more steps
            settings=wandb.Settings(console="off", silent=True),  # the terminal is ours
        )
        remember_tracked_run(run.tracking, _SERVICE, self._run.id)
        self._run.define_metric(_STEP)
        self._run.define_metric("*", step_metric=_STEP)
        self._tracked_to = int(self._run.summary.get(_STEP) or -1)
        say(f"tracked by Weights & Biases: {self._run.url or 'offline'}")

    def write(self, record: Record) -> None:
        """Writes one record, unless the run has had it before it was killed; episodes are left to the JSON lines."""
        if record.step <= self._tracked_to and record.kind != "film":
            return
        if record.kind in ("metrics", "evaluation"):
            self._run.log({**record.values, _STEP: record.step})
        elif record.kind == "notice":
            self._run.alert(title=self._run.name, text=f"step {record.step:,}: {record.values['text']}")
        elif record.kind == "film":
            self._run.log(
                {"films/best": self._wandb.Video(str(record.values["mp4"]), format="mp4"), _STEP: record.step}
            )

    def close(self, ending: Ending) -> None:
        """Waits until everything has been sent."""
        self._run.finish(exit_code=int(ending == "failed"))
