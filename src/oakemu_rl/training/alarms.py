# SPDX-License-Identifier: GPL-3.0-or-later
"""Says, once each, what a person would want to know of a run that goes on for hours."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from oakemu_rl.training.episode_statistics import EPISODES_IN_MEAN
from oakemu_rl.training.safety_configuration import AlarmConfiguration

__all__ = ["Alarms"]


class Alarms:
    """Watches a run's figures; each alarm is raised once in a run, however often it is resumed.

    Args:
        settings: When.
        num_actions: Of the game, for the entropy of random play.
    """

    def __init__(self, settings: AlarmConfiguration, num_actions: int) -> None:
        self._settings = settings
        self._highest_entropy = math.log(num_actions)
        self._raised: set[str] = set()
        self._best: float | None = None
        self._best_step = 0

    def observe(self, step: int, figures: Mapping[str, float]) -> Iterator[tuple[str, str]]:
        """Takes the figures of an update.

        Args:
            step: Agent steps so far.
            figures: By tag.

        Yields:
            The name of an alarm and a line about it.
        """
        for name, text in (
            ("stall", self._stall(step, figures)),
            ("entropy", self._entropy(figures)),
            ("kl", self._kl(figures)),
        ):
            if text is not None and name not in self._raised:
                self._raised.add(name)
                yield name, f"alarm: {text}"

    def state_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {"raised": sorted(self._raised), "best": self._best, "best_step": self._best_step}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        self._raised = set(state["raised"])
        self._best = state["best"]
        self._best_step = int(state["best_step"])

    def _stall(self, step: int, figures: Mapping[str, float]) -> str | None:
        value = figures.get("rollout/ep_rew_mean")
        if value is None or figures.get("rollout/episodes", 0.0) < EPISODES_IN_MEAN:
            return None
        if self._best is None or value > self._best:
            self._best, self._best_step = value, step
        limit = self._settings.stall
        if limit is None or step - self._best_step < limit:
            return None
        return (
            f"no better mean return for {step - self._best_step:,} steps: {self._best:.2f} at step "
            f"{self._best_step:,}, {value:.2f} now"
        )

    def _entropy(self, figures: Mapping[str, float]) -> str | None:
        limit, entropy = self._settings.entropy, figures.get("train/entropy")
        if limit is None or entropy is None or self._highest_entropy == 0.0:
            return None
        share = entropy / self._highest_entropy
        if share >= limit:
            return None
        return f"the entropy has collapsed to {share:.2%} of that of random play: nothing new is tried any more"

    def _kl(self, figures: Mapping[str, float]) -> str | None:
        limit, kl = self._settings.kl, figures.get("train/approx_kl")
        if limit is None or kl is None or kl <= limit:
            return None
        return f"an update moved the policy by a KL divergence of {kl:.3g}: the learning rate may be too high"
