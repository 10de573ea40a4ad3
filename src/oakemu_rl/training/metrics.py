# SPDX-License-Identifier: GPL-3.0-or-later
"""The tags under which a run's numbers are written: those of Stable-Baselines3, and ours beside them."""

from collections.abc import Mapping

from oakemu_rl.envs import REWARD_PART
from oakemu_rl.evaluation.result import EvaluationResult
from oakemu_rl.training.episode_statistics import JUDGED_OUTCOMES, OUTCOME_SHARE
from oakemu_rl.training.phase_clock import PhaseClock
from oakemu_rl.training.run_state import Best, Counters

__all__ = ["PHASES", "evaluation_metrics", "update_metrics"]

PHASES = ("environment", "inference", "learning", "evaluation")
"""What a run's time is spent on."""

# The learner's names where Stable-Baselines3 has others. Its entropy_loss is the negative entropy.
_TAGS = {"policy_loss": "policy_gradient_loss", "lr": "learning_rate", "clip_coef": "clip_range"}


def update_metrics(
    counters: Counters, new_steps: int, clock: PhaseClock, learnt: Mapping[str, float]
) -> dict[str, float]:
    """Everything about one update.

    Args:
        counters: After the update.
        new_steps: Agent steps since this process began, for the speed.
        clock: The run's; its phases are taken.
        learnt: What the learner returned.

    Returns:
        Values by tag.
    """
    spent = clock.take()
    total = sum(spent.values()) or 1.0
    values = {
        "time/total_timesteps": float(counters.step),
        "time/iterations": float(counters.updates),
        "time/time_elapsed": clock.elapsed,
        "time/fps": new_steps / max(clock.since_start, 1e-9),
        **{f"time/{phase}_share": spent.get(phase, 0.0) / total for phase in PHASES},
        **counters.statistics.metrics(),
        **{f"train/{_TAGS.get(name, name)}": value for name, value in learnt.items()},
    }
    if "entropy" in learnt:
        values["train/entropy_loss"] = -learnt["entropy"]
    return {tag: value + 0.0 for tag, value in values.items()}  # a zero is written without a sign


def evaluation_metrics(result: EvaluationResult, best: Best) -> dict[str, float]:
    """Everything about one evaluation: values by tag."""
    returns = result.returns
    outcomes = result.outcomes
    values = {
        "eval/mean_reward": returns.mean,
        "eval/median_reward": returns.median,
        "eval/iqm_reward": returns.iqm,
        "eval/low": returns.low,
        "eval/high": returns.high,
        "eval/mean_ep_length": result.lengths.mean,
        "eval/episodes": float(len(result.episodes)),
        "eval/best_mean_reward": best.mean_return,
        "eval/best_timesteps": float(best.step),
        **{f"eval/{name}": result.variable(name).mean for name in result.variable_names},
        **{f"eval/{REWARD_PART}{name}": result.reward_part(name).mean for name in result.reward_part_names},
    }
    if outcomes.keys() & set(JUDGED_OUTCOMES):
        values["eval/success_rate"] = outcomes.get("win", 0) / len(result.episodes)
        shares: dict[str, int] = {**{str(name): 0 for name in JUDGED_OUTCOMES}, **outcomes}
        values |= {f"eval/{OUTCOME_SHARE}{name}": count / len(result.episodes) for name, count in shares.items()}
    return values
