# SPDX-License-Identifier: GPL-3.0-or-later
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import torch
from toy_run import STEPS_PER_UPDATE, ToyRun, make_parts, pace

from oakemu_rl.cli.main import main
from oakemu_rl.training.checkpoint_store import CheckpointStore
from oakemu_rl.training.json_lines import read_json_lines
from oakemu_rl.training.records import Record
from oakemu_rl.training.rollback import Rollback, RolledBack
from oakemu_rl.training.run_folder import RunFolder
from oakemu_rl.training.run_state import TrainedParts
from oakemu_rl.training.safety import SafetySettings
from oakemu_rl.training.safety_configuration import RollbackConfiguration


def _set_weights(parts: TrainedParts, value: float) -> None:
    with torch.no_grad():
        for parameter in parts.model.parameters():
            parameter.fill_(value)


def _weight(parts: TrainedParts) -> float:
    return float(next(parts.model.parameters()).detach().flatten()[0])


def _run(rollback: Rollback, parts: TrainedParts, returns: Iterable[float], first: int = 1) -> list[RolledBack | None]:
    """A step and a hundred episodes a figure; before the n-th the weights become n."""
    found = []
    for n, value in enumerate(returns, first):
        _set_weights(parts, n)
        found.append(rollback.observe(n, {"rollout/ep_rew_mean": value, "rollout/episodes": 100.0 * n}))
    return found


def _made(parts: TrainedParts, **settings: Any) -> Rollback:
    return Rollback(RollbackConfiguration(**{"drop": 2.0, "window": 2, **settings}), parts)


def test_off_unless_a_drop_is_given() -> None:
    parts = make_parts().trained
    rollback = Rollback(RollbackConfiguration(), parts)
    assert not any(_run(rollback, parts, [10, 0, 0, 0, 0, 0]))
    assert rollback.state_dict()[1] == {}


def test_it_goes_back_to_the_weights_of_the_best_figure_once_that_was_low_for_the_window() -> None:
    parts = make_parts().trained
    found = _run(_made(parts), parts, [3, 10, 9, 8, 7.9, 8])
    assert found[:5] == [None] * 5
    assert found[5] == RolledBack(
        to_step=2,
        count=1,
        text="rolled back to the weights of step 2 (1 of 3): rollout/ep_rew_mean is 8.00 and has been 2 or more below "
        "its best, 10.00 at step 2, for 2 steps",
    )
    assert _weight(parts) == 2.0


def test_a_figure_that_recovers_in_between_is_left_alone() -> None:
    parts = make_parts().trained
    assert not any(_run(_made(parts), parts, [10, 8, 8, 8.1, 8, 8]))
    assert _weight(parts) == 6.0


def test_a_drop_of_a_negative_figure_is_a_drop() -> None:
    parts = make_parts().trained
    assert any(_run(_made(parts), parts, [-10, -12, -12, -12]))


@pytest.mark.parametrize(("back", "to_step"), [(1, 5), (2, 4), (3, 3), (4, 0)])
def test_how_far_it_goes_back(back: int, to_step: int) -> None:
    # The best figure is that of step 6. Weights are kept every `back` steps from step 0 on: 0 3 6 for 3, 0 4 for 4.
    parts = make_parts().trained
    _set_weights(parts, 0)
    rollback = _made(parts, back=back)
    found = _run(rollback, parts, [1, 2, 3, 4, 5, 6, 0, 0, 0])
    assert found[-1] is not None
    assert found[-1].to_step == to_step
    assert _weight(parts) == to_step


@pytest.mark.parametrize("back", [0, 1, 7])
def test_few_weights_are_kept_however_long_the_run(back: int) -> None:
    parts = make_parts().trained
    rollback = _made(parts, back=back, drop=1e9)
    rising, falling = range(40), [0.0] * 40
    _run(rollback, parts, [*rising, *falling])
    assert len(rollback.state_dict()[1]) <= (3 if back else 1)


def test_after_a_roll_back_a_hundred_episodes_and_the_window_have_to_pass() -> None:
    parts = make_parts().trained
    rollback = _made(parts, window=0)
    assert _run(rollback, parts, [10, 0])[-1] is not None
    few = {"rollout/ep_rew_mean": 0.0, "rollout/episodes": 299.0}
    assert rollback.observe(3, few) is None
    again = rollback.observe(4, {**few, "rollout/episodes": 300.0})
    assert again is not None
    assert again.count == 2


def test_a_mean_over_few_episodes_is_not_taken_for_the_best() -> None:
    parts = make_parts().trained
    rollback = _made(parts, window=0)
    assert rollback.observe(1, {"rollout/ep_rew_mean": 99.0, "rollout/episodes": 99.0}) is None
    assert rollback.observe(2, {"rollout/ep_rew_mean": 5.0, "rollout/episodes": 100.0}) is None
    assert rollback.observe(3, {"rollout/ep_rew_mean": 4.0, "rollout/episodes": 200.0}) is None


def test_it_ends_after_so_many_times_and_forgets_the_weights() -> None:
    parts = make_parts().trained
    rollback = _made(parts, window=0, max_times=2)
    found = _run(rollback, parts, [10, 0, 0, 0, 0, 0])
    assert [each.count for each in found if each is not None] == [1, 2]
    assert rollback.state_dict()[1] == {}


def test_evaluations_are_watched_when_there_is_one() -> None:
    parts = make_parts().trained
    rollback = _made(parts, metric="eval/mean_reward", window=2)
    figures = [{"eval/mean_reward": 9.0}, {}, {"eval/mean_reward": 1.0}, {}, {"eval/mean_reward": 1.0}]
    found = [rollback.observe(step, figure) for step, figure in enumerate(figures)]
    assert [step for step, each in enumerate(found) if each is not None] == [4]


def test_the_optimiser_goes_back_and_the_random_streams_do_not() -> None:
    parts = make_parts()
    trained, buffer = parts.trained, parts.rollout_buffer
    rollback = _made(trained, window=0)

    def update() -> None:
        trained.actor.collect(buffer)
        parts.finalizer.finalize(buffer, trained.actor.observations)
        trained.learner.update(buffer, 0.0)

    def moments() -> list[torch.Tensor]:
        return [state["exp_avg"].clone() for state in trained.learner.optimizer.state.values()]

    update()
    rollback.observe(1, {"rollout/ep_rew_mean": 10.0, "rollout/episodes": 100.0})
    best_weights = {name: tensor.clone() for name, tensor in trained.model.state_dict().items()}
    best_moments = moments()
    update()
    second = {name: tensor.clone() for name, tensor in trained.model.state_dict().items()}
    streams = trained.actor.generator.get_state(), trained.learner.generator.get_state()
    for step in (2, 3):
        assert rollback.observe(step, {"rollout/ep_rew_mean": 0.0, "rollout/episodes": 100.0 * step}) is not None
        assert all(torch.equal(best_weights[name], tensor) for name, tensor in trained.model.state_dict().items())
        assert all(torch.equal(one, other) for one, other in zip(best_moments, moments(), strict=True))
        assert torch.equal(streams[0], trained.actor.generator.get_state())
        assert torch.equal(streams[1], trained.learner.generator.get_state())
        update()  # which must not change the weights that are kept
        streams = trained.actor.generator.get_state(), trained.learner.generator.get_state()
        assert not any(torch.equal(second[name], tensor) for name, tensor in trained.model.state_dict().items())


class _Ruin:
    """Makes the policy bad for good at some updates."""

    def __init__(self, parts: TrainedParts, *updates: int) -> None:
        self._parts = parts
        self._updates = updates

    def write(self, record: Record) -> None:
        if record.kind == "metrics" and record.values["time/iterations"] in self._updates:
            with torch.no_grad():
                self._parts.model.policy_head.bias.copy_(torch.tensor([30.0, -30.0]))


SAFETY = SafetySettings(rollback=RollbackConfiguration(drop=0.5, window=2 * STEPS_PER_UPDATE, back=100))


def _toy(run: RunFolder, updates: int, seed: int = 3) -> ToyRun:
    parts = make_parts(seed)
    return ToyRun(run, pace(updates), parts, [_Ruin(parts.trained, 45)], safety=SAFETY)


def _lines(run: RunFolder) -> list[dict[str, Any]]:
    lines = [*read_json_lines(run.metrics), *read_json_lines(run.episodes)]
    return [{key: value for key, value in line.items() if not key.startswith("time/")} for line in lines]


@pytest.fixture(scope="module")
def straight(tmp_path_factory: pytest.TempPathFactory) -> ToyRun:
    toy = _toy(RunFolder.create(tmp_path_factory.mktemp("rollback") / "straight", "toy: true\n"), 70)
    toy.train()
    return toy


def test_a_ruined_run_recovers_and_says_so(straight: ToyRun) -> None:
    lines = list(read_json_lines(straight.run.metrics))
    notices = [line for line in lines if line["kind"] == "notice"]
    assert [line["safety/rollbacks"] for line in notices] == [1.0]
    assert notices[0]["safety/rollback_to"] < 45 * STEPS_PER_UPDATE < notices[0]["step"]
    assert "rolled back to the weights of step" in notices[0]["text"]
    returns = [line["rollout/ep_rew_mean"] for line in lines if line["kind"] == "metrics"]
    assert min(returns[45:]) < 0.3
    assert returns[-1] > 0.9


@pytest.mark.parametrize("first", [30, 47, 60])
def test_a_run_that_rolls_back_resumes_to_what_it_would_have_been(straight: ToyRun, tmp_path: Path, first: int) -> None:
    _toy(RunFolder.create(tmp_path / "parts", "toy: true\n"), first).train()
    resumed = _toy(RunFolder.open(tmp_path / "parts", for_writing=True), 70, seed=99)
    resumed.experiment.resume(CheckpointStore(resumed.run.checkpoints).load_last()[1])
    resumed.train()
    for name, tensor in straight.parts.trained.model.state_dict().items():
        assert torch.equal(tensor, resumed.parts.trained.model.state_dict()[name]), name
    assert _lines(resumed.run) == _lines(straight.run)


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ("--rollback.drop 0", "--rollback.drop: must be greater than 0"),
        ("--rollback.drop nan", "--rollback.drop: must be a finite number"),
        ("--rollback.drop 1 --rollback.metric eval/mean_reward --eval-every 0", "--rollback.metric: eval/mean_reward"),
        ("--rollback.drop 1 --rollback.metric rollout/ep_len_mean", "--rollback.metric: must be 'rollout/ep_rew_mean'"),
        (
            "--rollback.drop 1 --rollback.windows 5",
            "unknown flag --rollback.windows (did you mean '--rollback.window'?)",
        ),
    ],
)
def test_settings_that_could_do_nothing_are_one_line(
    flags: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *flags.split(), "--run-folder", str(tmp_path / "run")]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
