# SPDX-License-Identifier: GPL-3.0-or-later
"""Records in a run of MLflow."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from oakemu_rl.training.records import Ending, Record
from oakemu_rl.training.run_folder import RunFolder
from oakemu_rl.training.tracked_runs import find_tracked_run, remember_tracked_run

__all__ = ["MlflowWriter"]

_SERVICE = "mlflow"
_STEP = "time/total_timesteps"
_SECONDS_BETWEEN_CALLS = 5.0
_STATUS: dict[Ending, str] = {"finished": "FINISHED", "stopped": "KILLED", "failed": "FAILED"}

# What one call may hold: https://mlflow.org/docs/latest/rest-api.html#request-limits
_MOST_METRICS = 1000
_MOST_PARAMETERS = 100
_LONGEST_VALUE = 500


class MlflowWriter:
    """Writes metrics and evaluations, notices as tags, and keeps the film as an artifact.

    Where runs are kept is what MLFLOW_TRACKING_URI says. The server answers each call before training goes on, so
    figures are collected for some seconds; what a kill loses is filled in by the resumed run as far as it plays it
    again.

    Args:
        run: Names the tracked run and holds its id.
        experiment: The experiment's name; it is made if there is none.
        configuration: The run's settings, which become parameters.
        say: Takes a line for the person who waits.
        clock: Seconds that only go up.

    Raises:
        Exception: Whatever the client raises: no server, a deleted run.
    """

    def __init__(
        self,
        run: RunFolder,
        experiment: str,
        configuration: Mapping[str, Any],
        say: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        import mlflow  # an extra; imported only where it is asked for
        from mlflow import entities

        self._entities: Any = entities
        self._client: Any = mlflow.MlflowClient()
        self._clock = clock
        self._sent_at = clock()
        self._waiting: list[Any] = []
        self._tracked_to = -1
        known = find_tracked_run(run.tracking, _SERVICE)
        if known is None:
            self._id = self._create(run.path.name, experiment, configuration)
            remember_tracked_run(run.tracking, _SERVICE, self._id)
        else:
            self._id = known
            self._client.update_run(known, status="RUNNING")
            steps = [metric.step for metric in self._client.get_metric_history(known, _STEP)]
            self._tracked_to = max(steps, default=-1)
        say(f"tracked by MLflow: experiment {experiment}, run {self._id}")

    def write(self, record: Record) -> None:
        """Writes one record, unless the run has had it before it was killed; episodes are left to the JSON lines."""
        if record.kind == "film":
            self._client.log_artifact(self._id, str(record.values["mp4"]))
        elif record.step <= self._tracked_to:
            return
        elif record.kind == "notice":
            self._client.set_tag(self._id, f"notice.{record.step}", record.values["text"])
        elif record.kind in ("metrics", "evaluation"):
            now = int(time.time() * 1000)
            values = {_STEP: float(record.step), **record.values}
            self._waiting += [
                self._entities.Metric(tag, value, now, record.step)
                for tag, value in values.items()
                if not isinstance(value, str)
            ]
            if self._clock() - self._sent_at >= _SECONDS_BETWEEN_CALLS:
                self._send()

    def close(self, ending: Ending) -> None:
        """Sends what is left and ends the run."""
        self._send()
        self._client.set_terminated(self._id, status=_STATUS[ending])

    def _create(self, name: str, experiment: str, configuration: Mapping[str, Any]) -> str:
        found = self._client.get_experiment_by_name(experiment)
        experiment_id = self._client.create_experiment(experiment) if found is None else found.experiment_id
        run_id = str(self._client.create_run(experiment_id, run_name=name).info.run_id)
        parameters = [self._entities.Param(key, value[:_LONGEST_VALUE]) for key, value in _flat(configuration)]
        for some in _chunks(parameters, _MOST_PARAMETERS):
            self._client.log_batch(run_id, params=some)
        return run_id

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        for some in _chunks(waiting, _MOST_METRICS):
            self._client.log_batch(self._id, metrics=some)
        self._sent_at = self._clock()


def _chunks(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    yield from (items[start : start + size] for start in range(0, len(items), size))


def _flat(configuration: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Nested settings by dotted names, as their flags have them."""
    for name, value in configuration.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", str(value)
