# SPDX-License-Identifier: GPL-3.0-or-later
# ruff: noqa: ARG002, ARG004, FBT001  # parameters of the real ones, which nobody reads here
"""Stand-ins for the modules of tracking services.

Their functions have the names, the parameters and their order of the real ones, so that a call that the real ones
would refuse is refused here: https://docs.wandb.ai/ref/python and
https://mlflow.org/docs/latest/python_api/mlflow.client.html. What is kept of a run outlives the process there, and the
stand-in here.
"""

import sys
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Literal

import pytest


@dataclass
class WandbRun:
    """A run as the service keeps it, and as `wandb.init` returns it."""

    id: str
    name: str
    url: str | None = "https://wandb.example/run"
    config: dict[str, Any] = field(default_factory=dict)
    history: list[dict[str, Any]] = field(default_factory=list)
    alerts: list[tuple[str, str]] = field(default_factory=list)
    x_axes: dict[str, str | None] = field(default_factory=dict)
    exit_codes: list[int | None] = field(default_factory=list)
    fails: bool = False

    @property
    def summary(self) -> dict[str, Any]:
        return {key: value for line in self.history for key, value in line.items()}

    def log(self, data: dict[str, Any], step: int | None = None, commit: bool | None = None) -> None:
        if self.fails:
            raise RuntimeError("the service has gone")
        self.history.append(dict(data))

    def alert(self, title: str, text: str, level: str | None = None, wait_duration: float | None = None) -> None:
        self.alerts.append((title, text))

    def define_metric(
        self,
        name: str,
        step_metric: str | None = None,
        step_sync: bool | None = None,
        hidden: bool | None = None,
        summary: str | None = None,
        goal: str | None = None,
        overwrite: bool | None = None,
    ) -> None:
        self.x_axes[name] = step_metric

    def finish(self, exit_code: int | None = None, quiet: bool | None = None) -> None:
        self.exit_codes.append(exit_code)


class Wandb(ModuleType):
    """The module `wandb`."""

    def __init__(self) -> None:
        super().__init__("wandb")
        self.runs: dict[str, WandbRun] = {}
        self.projects: list[str | None] = []
        self.settings: list[Any] = []

    def init(
        self,
        entity: str | None = None,
        project: str | None = None,
        dir: str | None = None,  # noqa: A002  # its name there
        id: str | None = None,  # noqa: A002  # its name there
        name: str | None = None,
        notes: str | None = None,
        tags: list[str] | None = None,
        config: dict[str, Any] | None = None,
        config_exclude_keys: list[str] | None = None,
        config_include_keys: list[str] | None = None,
        allow_val_change: bool | None = None,
        group: str | None = None,
        job_type: str | None = None,
        mode: Literal["online", "offline", "disabled", "shared"] | None = None,
        force: bool | None = None,
        reinit: bool | str | None = None,
        resume: bool | Literal["allow", "never", "must", "auto"] | None = None,
        resume_from: str | None = None,
        fork_from: str | None = None,
        save_code: bool | None = None,
        tensorboard: bool | None = None,
        sync_tensorboard: bool | None = None,
        monitor_gym: bool | None = None,
        settings: Any = None,
    ) -> WandbRun:
        assert resume == "allow", "else the run of this id would be overwritten"
        assert allow_val_change, "else settings that changed would be refused"
        assert dir is not None
        assert Path(dir).is_absolute()
        run_id = id or f"w{len(self.runs)}"
        run = self.runs.setdefault(run_id, WandbRun(run_id, name or ""))
        run.config |= config or {}
        self.projects.append(project)
        self.settings.append(settings)
        return run

    @staticmethod
    def Settings(*, console: str = "auto", silent: bool = False) -> Any:  # noqa: N802  # a class there
        return SimpleNamespace(console=console, silent=silent)

    @staticmethod
    def Video(  # noqa: N802  # a class there
        data_or_path: str,
        caption: str | None = None,
        fps: int | None = None,
        format: str | None = None,  # noqa: A002
    ) -> Any:
        return SimpleNamespace(path=data_or_path, format=format)


@dataclass(frozen=True)
class Metric:
    key: str
    value: float
    timestamp: int
    step: int


@dataclass(frozen=True)
class Param:
    key: str
    value: str


@dataclass
class MlflowRun:
    """A run as the service keeps it."""

    name: str | None
    experiment_id: str
    status: str = "RUNNING"
    metrics: list[Metric] = field(default_factory=list)
    params: dict[str, str] = field(default_factory=dict)
    tags: dict[str, Any] = field(default_factory=dict)
    artifacts: list[str] = field(default_factory=list)


class MlflowServer:
    """What outlives the clients."""

    def __init__(self) -> None:
        self.experiments: dict[str, str] = {}
        self.runs: dict[str, MlflowRun] = {}
        self.calls = 0
        self.is_up = True


class MlflowClient:
    """A client of a server; the class attribute is set by the stand-in module."""

    server: MlflowServer

    def __init__(self, tracking_uri: str | None = None, registry_uri: str | None = None) -> None:
        self._answer()

    def _answer(self) -> None:
        if not self.server.is_up:
            raise ConnectionError("no server answers")
        self.server.calls += 1

    def get_experiment_by_name(self, name: str) -> Any:
        found = self.server.experiments.get(name)
        return None if found is None else SimpleNamespace(experiment_id=found)

    def create_experiment(
        self, name: str, artifact_location: str | None = None, tags: dict[str, Any] | None = None
    ) -> str:
        assert name not in self.server.experiments
        self.server.experiments[name] = f"e{len(self.server.experiments)}"
        return self.server.experiments[name]

    def create_run(
        self,
        experiment_id: str,
        start_time: int | None = None,
        tags: dict[str, Any] | None = None,
        run_name: str | None = None,
    ) -> Any:
        run_id = f"m{len(self.server.runs)}"
        self.server.runs[run_id] = MlflowRun(run_name, experiment_id)
        return SimpleNamespace(info=SimpleNamespace(run_id=run_id))

    def update_run(self, run_id: str, status: str | None = None, name: str | None = None) -> None:
        run = self.server.runs[run_id]
        run.status = status or run.status

    def get_metric_history(self, run_id: str, key: str) -> list[Metric]:
        return [metric for metric in self.server.runs[run_id].metrics if metric.key == key]

    def log_batch(
        self,
        run_id: str,
        metrics: Any = (),
        params: Any = (),
        tags: Any = (),
        synchronous: bool | None = None,
    ) -> None:
        self._answer()
        assert len(metrics) <= 1000, "the limit of one call"
        assert len(params) <= 100, "the limit of one call"
        run = self.server.runs[run_id]
        run.metrics += metrics
        for param in params:
            assert run.params.setdefault(param.key, param.value) == param.value, "parameters never change"

    def set_tag(self, run_id: str, key: str, value: Any, synchronous: bool | None = None) -> None:
        self.server.runs[run_id].tags[key] = value

    def log_artifact(self, run_id: str, local_path: str, artifact_path: str | None = None) -> None:
        self.server.runs[run_id].artifacts.append(local_path)

    def set_terminated(self, run_id: str, status: str | None = None, end_time: int | None = None) -> None:
        self._answer()
        self.server.runs[run_id].status = status or "FINISHED"


def install_wandb(monkeypatch: pytest.MonkeyPatch) -> Wandb:
    """Makes `import wandb` give the stand-in."""
    module = Wandb()
    monkeypatch.setitem(sys.modules, "wandb", module)
    return module


def install_mlflow(monkeypatch: pytest.MonkeyPatch) -> MlflowServer:
    """Makes `import mlflow` give the stand-in."""
    module, entities = ModuleType("mlflow"), ModuleType("mlflow.entities")
    server = MlflowServer()
    client = type("MlflowClient", (MlflowClient,), {"server": server})
    entities.__dict__.update(Metric=Metric, Param=Param)
    module.__dict__.update(MlflowClient=client, entities=entities)
    monkeypatch.setitem(sys.modules, "mlflow", module)
    monkeypatch.setitem(sys.modules, "mlflow.entities", entities)
    return server
