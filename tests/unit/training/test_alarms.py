# SPDX-License-Identifier: GPL-3.0-or-later
import math
from pathlib import Path

import pytest
from corridor import CorridorVectorEnv
from toy_run import STEPS_PER_UPDATE, ToyRun, make_parts, new_run, pace

from oakemu_rl.errors import UserError
from oakemu_rl.training.alarms import Alarms
from oakemu_rl.training.checkpoint_store import CheckpointStore
from oakemu_rl.training.json_lines import read_json_lines
from oakemu_rl.training.run_folder import RunFolder
from oakemu_rl.training.safety import SafetySettings
from oakemu_rl.training.safety_configuration import AlarmConfiguration


def _mean(value: float, episodes: float = 100.0) -> dict[str, float]:
    return {"rollout/ep_rew_mean": value, "rollout/episodes": episodes}


def test_a_stall_is_told_once_after_so_many_steps_without_a_better_return() -> None:
    alarms = Alarms(AlarmConfiguration(stall=100), 4)
    returns = {10: 1.0, 50: 3.0, 149: 2.0, 150: 3.0, 200: 2.0}
    raised = {step: list(alarms.observe(step, _mean(value))) for step, value in returns.items()}
    text = "alarm: no better mean return for 100 steps: 3.00 at step 50, 3.00 now"
    assert raised == {10: [], 50: [], 149: [], 150: [("stall", text)], 200: []}


def test_a_better_return_puts_a_stall_off() -> None:
    alarms = Alarms(AlarmConfiguration(stall=100), 4)
    assert not any(list(alarms.observe(step, _mean(float(step)))) for step in range(0, 1000, 90))


def test_a_stall_counts_from_the_best_return_across_a_resumption() -> None:
    before, after = (Alarms(AlarmConfiguration(stall=100), 4) for _ in range(2))
    assert list(before.observe(50, _mean(3.0))) == []
    after.load_state_dict(before.state_dict())
    assert list(after.observe(149, _mean(2.0))) == []
    assert [name for name, _ in after.observe(150, _mean(2.0))] == ["stall"]


def test_a_mean_over_few_episodes_is_no_best_return() -> None:
    alarms = Alarms(AlarmConfiguration(stall=100), 4)
    figures = {0: _mean(9.0, episodes=99.0), 60: _mean(1.0), 120: _mean(1.5)}
    assert not any(list(alarms.observe(step, figure)) for step, figure in figures.items())


def test_a_collapsed_entropy_is_told_as_a_share_of_that_of_random_play() -> None:
    alarms = Alarms(AlarmConfiguration(entropy=0.1), 8)
    assert list(alarms.observe(1, {"train/entropy": 0.1001 * math.log(8)})) == []
    ((name, text),) = alarms.observe(2, {"train/entropy": 0.05 * math.log(8)})
    assert name == "entropy"
    assert "collapsed to 5.00% of that of random play" in text
    assert list(alarms.observe(3, {"train/entropy": 0.0})) == []


def test_a_game_of_one_action_has_no_entropy_to_lose() -> None:
    assert list(Alarms(AlarmConfiguration(), 1).observe(1, {"train/entropy": 0.0})) == []


def test_a_policy_that_jumps_is_told() -> None:
    alarms = Alarms(AlarmConfiguration(kl=0.5), 4)
    assert list(alarms.observe(1, {"train/approx_kl": 0.5})) == []
    ((name, text),) = alarms.observe(2, {"train/approx_kl": 0.75})
    assert (name, "KL divergence of 0.75" in text) == ("kl", True)


def test_alarms_may_be_off() -> None:
    alarms = Alarms(AlarmConfiguration(stall=None, entropy=None, kl=None), 4)
    assert list(alarms.observe(10**9, {**_mean(1.0), "train/entropy": 0.0, "train/approx_kl": 99.0})) == []


SAFETY = SafetySettings(alarms=AlarmConfiguration(stall=2 * STEPS_PER_UPDATE, entropy=0.999, kl=1e-9))


def _notices(toy: ToyRun) -> list[tuple[int, str]]:
    lines = [line for line in read_json_lines(toy.run.metrics) if line["kind"] == "notice"]
    return [(line["step"], next(key for key in line if key.startswith("alarm/"))) for line in lines]


@pytest.mark.parametrize("first", [3, 30])
def test_a_resumed_run_tells_what_a_straight_one_tells(tmp_path: Path, first: int) -> None:
    straight = new_run(tmp_path / "straight", pace=pace(40), safety=SAFETY)
    straight.train()
    assert sorted(name for _, name in _notices(straight)) == ["alarm/entropy", "alarm/kl", "alarm/stall"]
    new_run(tmp_path / "parts", pace=pace(first), safety=SAFETY).train()
    resumed = ToyRun(RunFolder.open(tmp_path / "parts"), pace(40), make_parts(seed=99), safety=SAFETY)
    resumed.experiment.resume(CheckpointStore(resumed.run.checkpoints).load_last()[1])
    resumed.train()
    assert _notices(resumed) == _notices(straight)


def test_a_number_that_is_not_finite_is_an_alarm_in_the_metrics_too(tmp_path: Path) -> None:
    toy = new_run(tmp_path / "run", pace=pace(50))
    env = toy.parts.trained.env
    assert isinstance(env, CorridorVectorEnv)
    env.poisoned_step = 40
    with pytest.raises(UserError, match="non-finite reward"):
        toy.train()
    assert _notices(toy) == [(2 * STEPS_PER_UPDATE, "alarm/nan")]
