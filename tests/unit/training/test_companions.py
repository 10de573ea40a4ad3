# SPDX-License-Identifier: GPL-3.0-or-later
"""What learns beside PPO, in the loop."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from toy_run import STEPS_PER_UPDATE, ToyRun, make_parts, new_run, pace

from oakemu_rl.errors import UserError
from oakemu_rl.ppo import RolloutBuffer
from oakemu_rl.training.checkpoint_store import CheckpointStore
from oakemu_rl.training.companion import Companions
from oakemu_rl.training.experiment import ExperimentParts
from oakemu_rl.training.json_lines import read_json_lines
from oakemu_rl.training.run_folder import RunFolder


class Walker:
    """Shifts a weight by a random number a time; PPO's weight is one number up to half of the run, 1 after it."""

    def __init__(self, parts: ExperimentParts, weight: float = 1.0, seed: int = 7) -> None:
        self._parts = parts
        self._weight = weight
        self._generator = torch.Generator().manual_seed(seed)
        self.saw: list[tuple[float, bool, float]] = []

    def ppo_weight(self, progress: float) -> float:
        return self._weight if progress < 0.5 else 1.0

    def learn(self, rollout_buffer: RolloutBuffer | None, progress: float) -> Mapping[str, float]:
        head = self._parts.trained.model.value_head
        has_returns = rollout_buffer is not None and bool(rollout_buffer.returns.any())
        self.saw.append((progress, has_returns, float(head.bias.detach()[0])))
        with torch.no_grad():
            head.bias += torch.rand(1, generator=self._generator)
        return {"walker/bias": float(head.bias.detach()[0])}

    def state_dict(self) -> dict[str, Any]:
        return {"generator": self._generator.get_state()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._generator.set_state(state["generator"])


def parts_with(*weights: float, seed: int = 3) -> tuple[ExperimentParts, list[Walker]]:
    parts = make_parts(seed)
    walkers = [Walker(parts, weight, seed) for weight in weights]
    return replace(parts, companions=walkers), walkers


def lines(toy: ToyRun) -> list[Mapping[str, Any]]:
    return [line for line in read_json_lines(toy.run.metrics) if line["kind"] == "metrics"]


def test_it_learns_after_ppo_in_every_update(tmp_path: Path) -> None:
    parts, (walker,) = parts_with(1.0)
    toy = new_run(tmp_path / "run", pace=pace(4), parts=parts)
    toy.train()
    assert [(progress, has_returns) for progress, has_returns, _ in walker.saw] == [
        (0.0, True),
        (0.25, True),
        (0.5, True),
        (0.75, True),
    ]
    found = lines(toy)
    assert [line["walker/bias"] > bias for line, (*_, bias) in zip(found, walker.saw, strict=True)] == [True] * 4
    # PPO's steps on the bias come between two of the walker's.
    assert [line["walker/bias"] != bias for line, (*_, bias) in zip(found, walker.saw[1:], strict=False)] == [True] * 3


def test_ppo_waits_while_a_weight_is_zero(tmp_path: Path) -> None:
    parts, (walker, _) = parts_with(0.0, 1.0)
    model, learner = parts.trained.model, parts.trained.learner
    before = model.policy_head.weight.detach().clone()
    toy = new_run(tmp_path / "run", pace=pace(2), parts=parts)
    toy.train()
    first, second = lines(toy)
    assert "train/loss" not in first
    assert "train/loss" in second
    assert first["step"] == STEPS_PER_UPDATE  # steps count all the same
    assert learner.n_updates == 4
    assert not torch.equal(model.policy_head.weight, before)
    assert walker.saw[0][2] == 0.0


def test_weights_scale_the_learning_rate(tmp_path: Path) -> None:
    parts, _ = parts_with(0.5, 0.2)
    toy = new_run(tmp_path / "run", pace=pace(2), parts=parts)
    toy.train()
    rates = [line["train/learning_rate"] for line in lines(toy)]
    assert rates == pytest.approx([0.1 * 3e-3, 3e-3])


@pytest.mark.parametrize("first", [1, 3])
def test_resumed_equals_straight_bit_for_bit(tmp_path: Path, first: int) -> None:
    straight = new_run(tmp_path / "straight", pace=pace(5), parts=parts_with(0.5, 0.0)[0])
    straight.train()
    # A budget of so many updates would change the progress: the time ends the first part instead.
    part = new_run(tmp_path / "parts", pace=pace(5), parts=parts_with(0.5, 0.0)[0])
    part.experiment._pace = replace(part.pace, budget=_EndsAt(part.pace.budget.steps, first))  # type: ignore[arg-type]  # a budget for this test
    part.train()
    resumed = ToyRun(RunFolder.open(tmp_path / "parts", for_writing=True), pace(5), parts_with(0.5, 0.0, seed=99)[0])
    resumed.experiment.resume(CheckpointStore(resumed.run.checkpoints).load_last()[1])
    resumed.train()
    for name, tensor in straight.parts.trained.model.state_dict().items():
        assert torch.equal(tensor, resumed.parts.trained.model.state_dict()[name]), name


class _EndsAt:
    """A budget of steps that is over after so many updates."""

    def __init__(self, steps: int, updates: int) -> None:
        self.steps = steps
        self.seconds = None
        self._end = updates * STEPS_PER_UPDATE

    def done(self, steps: int, _elapsed: float) -> float:
        return min(1.0, steps / self._end)


def test_a_checkpoint_with_other_companions_is_refused(tmp_path: Path) -> None:
    new_run(tmp_path / "run", pace=pace(1), parts=parts_with(1.0)[0]).train()
    other = ToyRun(RunFolder.open(tmp_path / "run", for_writing=True), pace(2), parts_with(1.0, 1.0)[0])
    with pytest.raises(UserError, match="has 1 parts that learn beside PPO, this run has 2"):
        other.experiment.resume(CheckpointStore(other.run.checkpoints).load_last()[1])


def test_no_companion_leaves_ppo_alone() -> None:
    assert Companions().ppo_weight(0.3) == 1.0
    assert Companions().learn(None, 0.3) == {}
