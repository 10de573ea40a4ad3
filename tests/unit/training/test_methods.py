# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs as methods: which belong together, what tells them apart, and their curves."""

import json
from pathlib import Path

import numpy as np
import pytest

from oakemu_rl.errors import UserError
from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.configuration_file import dump_configuration
from oakemu_rl.training.methods import curve_of, methods_of, read_run

_PNG = b"\x89PNG\r\n\x1a\n"


def _run(path: Path, points: dict[int, float], **settings: object) -> Path:
    path.mkdir()
    configuration = PPOExperimentConfiguration.model_validate(settings)
    (path / "config.yaml").write_text(dump_configuration(configuration))
    lines = [{"step": step, "kind": "evaluation", "eval/mean_reward": value} for step, value in points.items()]
    (path / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_runs_that_differ_in_the_seed_and_the_machine_alone_are_one_method(tmp_path: Path) -> None:
    runs = [
        _run(tmp_path / "a", {100: 1.0}, seed=1, num_threads=1),
        _run(tmp_path / "b", {100: 2.0}, seed=2, device="cpu"),
        _run(tmp_path / "c", {100: 3.0}, seed=1, ppo={"gamma": 0.9}),
    ]
    methods = methods_of([read_run(path, "evaluation") for path in runs])
    assert [[run.path.name for run in method.runs] for method in methods] == [["a", "b"], ["c"]]
    assert [(method.name, method.label) for method in methods] == [("A", "ppo.gamma 0.99"), ("B", "ppo.gamma 0.9")]


def test_another_budget_is_another_method_because_schedules_follow_it(tmp_path: Path) -> None:
    runs = [_run(tmp_path / str(steps), {10: 1.0}, steps=steps) for steps in (1000, 2000)]
    assert len(methods_of([read_run(path, "evaluation") for path in runs])) == 2


def test_curves_meet_on_equal_steps_where_all_runs_have_been(tmp_path: Path) -> None:
    paths = [
        _run(tmp_path / "a", {0: 0.0, 100: 10.0}, seed=1),
        _run(tmp_path / "b", {50: 20.0, 200: 20.0}, seed=2),
        _run(tmp_path / "c", {0: 5.0, 100: 5.0}, seed=3),
    ]
    (method,) = methods_of([read_run(path, "evaluation") for path in paths])
    curve = curve_of(method)
    assert (curve.steps[0], curve.steps[-1]) == (50, 100)
    # a goes from 5 to 10 there, b stays at 20, c at 5; of three, floor(3 / 4) = 0 are cut off at either end.
    assert (curve.low[0], curve.iqm[0], curve.high[0]) == (5, 10, 20)
    assert curve.iqm[-1] == pytest.approx((10 + 20 + 5) / 3)
    assert (curve.low[-1], curve.high[-1]) == (5, 20)
    assert (np.diff(curve.steps) > 0).all()


def test_a_run_alone_keeps_its_own_points(tmp_path: Path) -> None:
    (method,) = methods_of([read_run(_run(tmp_path / "a", {10: 1.0, 70: 3.0, 80: 2.0}), "evaluation")])
    curve = curve_of(method)
    assert curve.steps.tolist() == [10, 70, 80]
    assert curve.iqm.tolist() == curve.low.tolist() == curve.high.tolist() == [1, 3, 2]


def test_what_cannot_be_compared_is_refused(tmp_path: Path) -> None:
    acorns = _run(tmp_path / "acorns", {10: 1.0})
    caverns = _run(tmp_path / "caverns", {10: 1.0}, game="ZXSpectrum/Caverns-v0")
    with pytest.raises(UserError, match=r"Caverns-v0, .*acorns on ZXSpectrum/Acorns-v0.*cannot be compared"):
        methods_of([read_run(path, "evaluation") for path in (acorns, caverns)])
    with pytest.raises(UserError, match="given twice"):
        methods_of([read_run(path, "evaluation") for path in (acorns, tmp_path / "." / "acorns")])
    with pytest.raises(UserError, match=r"has no training curve.*try --curve evaluation"):
        read_run(acorns, "training")
    with pytest.raises(UserError, match=r"did you mean .*acorns"):
        read_run(tmp_path / "acorn", "training")


def test_a_run_without_any_curve_is_not_sent_from_one_to_the_other(tmp_path: Path) -> None:
    run = _run(tmp_path / "run", {})
    with pytest.raises(UserError, match=r"no evaluation curve yet: neither eval/mean_reward nor rollout/ep_rew_mean"):
        read_run(run, "evaluation")
    (run / "cloning.json").write_text("{}")
    with pytest.raises(UserError, match=r"no evaluation curve: it was cloned .*; oakemu-rl evaluate .*run judges it"):
        read_run(run, "evaluation")
