# SPDX-License-Identifier: GPL-3.0-or-later
import math
from dataclasses import replace

from oakemu_rl.evaluation.result import EpisodeResult, EvaluationResult
from oakemu_rl.quantities import format_figure
from oakemu_rl.training.metrics import evaluation_metrics, update_metrics
from oakemu_rl.training.phase_clock import PhaseClock
from oakemu_rl.training.run_state import Best, Counters


def test_figures_of_an_update_have_the_conventional_names() -> None:
    clock = PhaseClock(elapsed_before=100.0)
    clock.add("environment", 1.0)
    clock.add("learning", 3.0)
    learnt = {"policy_loss": 0.1, "lr": 0.2, "clip_coef": 0.3, "entropy": 0.4, "approx_kl": 0.5}
    values = update_metrics(Counters(step=4096, updates=2), 2048, clock, learnt)
    assert values["train/policy_gradient_loss"] == 0.1
    assert (values["train/learning_rate"], values["train/clip_range"], values["train/approx_kl"]) == (0.2, 0.3, 0.5)
    assert (values["train/entropy"], values["train/entropy_loss"]) == (0.4, -0.4)
    assert (values["time/total_timesteps"], values["time/iterations"]) == (4096.0, 2.0)
    assert (values["time/environment_share"], values["time/learning_share"]) == (0.25, 0.75)
    assert values["time/inference_share"] == values["time/evaluation_share"] == 0.0
    assert values["time/time_elapsed"] > 100.0
    assert values["time/fps"] > 0.0


def test_a_zero_has_no_sign() -> None:
    values = update_metrics(Counters(), 0, PhaseClock(), {"entropy": 0.0, "policy_loss": -0.0})
    zeros = [tag for tag, value in values.items() if value == 0.0 and math.copysign(1.0, value) < 0]
    assert zeros == []
    assert format_figure(-0.001) == "0.00"


def test_shares_of_the_outcomes_of_an_evaluation() -> None:
    episode = EpisodeResult(1, 1.0, 10, "win", {})
    outcomes = ["win", "loss", "loss", "truncated"]
    result = EvaluationResult(tuple(replace(episode, outcome=outcome) for outcome in outcomes))
    values = evaluation_metrics(result, Best(100, 1.0))
    shares = {tag: value for tag, value in values.items() if tag.startswith("eval/outcome/")}
    assert shares == {"eval/outcome/win": 0.25, "eval/outcome/loss": 0.5, "eval/outcome/truncated": 0.25}
    assert values["eval/success_rate"] == 0.25
