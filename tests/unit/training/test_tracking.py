# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path

import pytest
from tracking_services import MlflowServer, Wandb, install_mlflow, install_wandb

from oakemu_rl.errors import UserError
from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.mlflow_writer import MlflowWriter
from oakemu_rl.training.records import Record, WriterGroup
from oakemu_rl.training.run_folder import RunFolder
from oakemu_rl.training.tracked_runs import find_tracked_run, remember_tracked_run
from oakemu_rl.training.wandb_writer import WandbWriter
from oakemu_rl.training.writers import open_writers

SETTINGS = {"seed": 1, "ppo": {"lr": 0.001, "gamma": 0.99}}


def metrics(step: int) -> Record:
    return Record("metrics", step, {"time/total_timesteps": float(step), "train/loss": step / 10, "note": "text"})


NOTICE = Record("notice", 300, {"text": "rolled back"})
FILM = Record("film", 300, {"mp4": "best.mp4", "gif": "best.gif"})


@pytest.fixture
def run(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path / "mine", "seed: 1\n")


@pytest.fixture
def wandb(monkeypatch: pytest.MonkeyPatch) -> Wandb:
    return install_wandb(monkeypatch)


@pytest.fixture
def mlflow(monkeypatch: pytest.MonkeyPatch) -> MlflowServer:
    return install_mlflow(monkeypatch)


def test_ids_are_kept_by_service_and_damage_is_told(tmp_path: Path) -> None:
    path = tmp_path / "tracking.json"
    assert find_tracked_run(path, "wandb") is None
    remember_tracked_run(path, "wandb", "abc")
    remember_tracked_run(path, "mlflow", "def")
    assert (find_tracked_run(path, "wandb"), find_tracked_run(path, "mlflow")) == ("abc", "def")
    assert [each.name for each in tmp_path.iterdir()] == ["tracking.json"]
    for damaged in ("{", "[]", '{"wandb": 1}'):
        path.write_text(damaged)
        with pytest.raises(ValueError, match=r"tracking\.json is damaged"):
            find_tracked_run(path, "wandb")


def test_wandb_gets_figures_over_steps_notices_as_alerts_and_the_film(run: RunFolder, wandb: Wandb) -> None:
    said: list[str] = []
    writer = WandbWriter(run, "games", SETTINGS, said.append)
    for record in (metrics(100), Record("episode", 100, {"return": 1.0}), NOTICE, FILM):
        writer.write(record)
    writer.close("finished")
    (tracked,) = wandb.runs.values()
    assert (tracked.name, tracked.config, wandb.projects) == ("mine", SETTINGS, ["games"])
    assert tracked.x_axes == {"time/total_timesteps": None, "*": "time/total_timesteps"}
    assert tracked.history[0] == {"time/total_timesteps": 100, "train/loss": 10.0, "note": "text"}
    assert tracked.history[1]["films/best"].path == "best.mp4"
    assert tracked.history[1]["time/total_timesteps"] == 300
    assert len(tracked.history) == 2
    assert tracked.alerts == [("mine", "step 300: rolled back")]
    assert tracked.exit_codes == [0]
    assert (wandb.settings[0].console, wandb.settings[0].silent) == ("off", True)
    assert said == ["tracked by Weights & Biases: https://wandb.example/run"]


def test_a_resumed_run_goes_on_in_the_same_run_of_wandb(run: RunFolder, wandb: Wandb) -> None:
    first = WandbWriter(run, "games", SETTINGS, str)
    for step in (100, 200, 300):
        first.write(metrics(step))
    second = WandbWriter(run, "games", {**SETTINGS, "seed": 2}, str)  # from a checkpoint at 200
    for step in (300, 400):
        second.write(metrics(step))
    second.close("failed")
    (tracked,) = wandb.runs.values()
    assert [line["time/total_timesteps"] for line in tracked.history] == [100, 200, 300, 400]
    assert tracked.config["seed"] == 2
    assert tracked.exit_codes == [1]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_mlflow_gets_figures_every_few_seconds_notices_as_tags_and_the_film(
    run: RunFolder, mlflow: MlflowServer
) -> None:
    clock, said = Clock(), []
    writer = MlflowWriter(run, "games", SETTINGS, said.append, clock)
    calls = mlflow.calls
    (tracked,) = mlflow.runs.values()
    for clock.now in (1.0, 2.0, 4.9):
        writer.write(metrics(int(clock.now * 100)))
    assert mlflow.calls == calls
    clock.now = 5.0
    writer.write(metrics(500))
    assert mlflow.calls == calls + 1
    writer.write(metrics(600))
    writer.write(NOTICE)
    writer.write(FILM)
    writer.close("stopped")
    losses = [(metric.step, metric.value) for metric in tracked.metrics if metric.key == "train/loss"]
    assert losses == [(100, 10.0), (200, 20.0), (490, 49.0), (500, 50.0), (600, 60.0)]
    assert {metric.key for metric in tracked.metrics} == {"train/loss", "time/total_timesteps"}
    assert tracked.params == {"seed": "1", "ppo.lr": "0.001", "ppo.gamma": "0.99"}
    assert (tracked.name, mlflow.experiments) == ("mine", {"games": tracked.experiment_id})
    assert (tracked.tags, tracked.artifacts) == ({"notice.300": "rolled back"}, ["best.mp4"])
    assert tracked.status == "KILLED"
    assert said == ["tracked by MLflow: experiment games, run m0"]


def test_a_resumed_run_goes_on_in_the_same_run_of_mlflow(run: RunFolder, mlflow: MlflowServer) -> None:
    clock = Clock()
    first = MlflowWriter(run, "games", SETTINGS, str, clock)
    clock.now = 10.0
    first.write(metrics(100))
    clock.now = 20.0
    first.write(metrics(200))
    first.write(metrics(300))  # which a kill loses
    second = MlflowWriter(run, "games", {**SETTINGS, "seed": 2}, str, clock)  # from a checkpoint at 100
    for step in (200, 300, 400):
        second.write(metrics(step))
    assert [run.status for run in mlflow.runs.values()] == ["RUNNING"]
    second.close("finished")
    (tracked,) = mlflow.runs.values()
    assert [metric.step for metric in tracked.metrics if metric.key == "train/loss"] == [100, 200, 300, 400]
    assert tracked.status == "FINISHED"
    other = MlflowWriter(RunFolder.create(run.path.with_name("other"), "seed: 1\n"), "games", SETTINGS, str)
    other.close("finished")
    assert len(mlflow.runs) == 2
    assert len(mlflow.experiments) == 1


def test_many_settings_and_figures_are_sent_in_calls_of_the_allowed_size(run: RunFolder, mlflow: MlflowServer) -> None:
    writer = MlflowWriter(run, "games", {f"setting{n}": "x" * 9999 for n in range(250)}, str, Clock())
    writer.write(Record("metrics", 1, {f"figure{n}": 0.0 for n in range(2500)}))
    writer.close("finished")
    (tracked,) = mlflow.runs.values()
    assert len(tracked.params) == 250
    assert max(map(len, tracked.params.values())) == 500
    assert len({metric.key for metric in tracked.metrics}) == 2501


@pytest.mark.parametrize(
    ("given", "variable", "project"),
    [("mine", "theirs", "mine"), (None, "theirs", "theirs"), (None, None, "oakemu-rl")],
)
def test_the_project_is_the_one_given_or_the_environments_or_ours(
    run: RunFolder, wandb: Wandb, monkeypatch: pytest.MonkeyPatch, given: str | None, variable: str | None, project: str
) -> None:
    monkeypatch.delenv("WANDB_PROJECT", raising=False)
    if variable is not None:
        monkeypatch.setenv("WANDB_PROJECT", variable)
    configuration = PPOExperimentConfiguration(tensorboard=False, track="wandb", track_project=given)
    group = WriterGroup([], print)
    open_writers(group, configuration, run, None, str)
    group.close("finished")
    assert wandb.projects == [project]
    (tracked,) = wandb.runs.values()
    assert tracked.config["ppo"]["gamma"] == 0.99


def test_a_service_that_cannot_be_reached_is_told_once_at_start_in_the_middle_and_at_the_end(
    run: RunFolder, mlflow: MlflowServer
) -> None:
    configuration = PPOExperimentConfiguration(tensorboard=False, track="mlflow")
    complaints: list[str] = []

    def open_group() -> WriterGroup:
        group = WriterGroup([], complaints.append)
        open_writers(group, configuration, run, None, str)
        return group

    mlflow.is_up = False
    for step in (1, 2):
        open_group().write(metrics(step))
    assert complaints == ["MLflow cannot be used and is left out: ConnectionError: no server answers"] * 2

    complaints.clear()
    mlflow.is_up = True
    group = open_group()
    group.write(metrics(1))
    mlflow.is_up = False
    group.close("finished")
    group.close("finished")
    assert complaints == ["MLflow failed at its end and may lack the last figures: ConnectionError: no server answers"]


def test_a_writer_dropped_in_the_middle_is_not_closed(run: RunFolder, wandb: Wandb) -> None:
    complaints: list[str] = []
    group = WriterGroup([], complaints.append)
    open_writers(group, PPOExperimentConfiguration(tensorboard=False, track="wandb"), run, None, str)
    (tracked,) = wandb.runs.values()
    tracked.fails = True
    group.write(metrics(1))
    group.write(metrics(2))
    group.close("finished")
    assert complaints == ["Weights & Biases failed at step 1 and is left out: RuntimeError: the service has gone"]
    assert tracked.exit_codes == []


def test_no_other_service_is_taken() -> None:
    with pytest.raises((ValueError, UserError), match="wandb"):
        PPOExperimentConfiguration.model_validate({"track": "comet"})
