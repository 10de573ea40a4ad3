# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that watches over a run, as the training loop knows it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from oakemu_rl.training.alarms import Alarms
from oakemu_rl.training.diagnostics import look_at_update
from oakemu_rl.training.records import Record
from oakemu_rl.training.rollback import Rollback
from oakemu_rl.training.run_state import TrainedParts
from oakemu_rl.training.safety_configuration import AlarmConfiguration, RollbackConfiguration

__all__ = ["Safety", "SafetySettings"]


@dataclass(frozen=True)
class SafetySettings:
    """What watches over a run.

    Attributes:
        rollback: When it goes back to earlier weights.
        alarms: When it says that something looks wrong; by default it does not.
        diagnostics_every: Updates between two looks into the network; 0 is never.
        disk_budget: Bytes that its folder may hold; None is no limit.
    """

    rollback: RollbackConfiguration = field(default_factory=RollbackConfiguration)
    alarms: AlarmConfiguration = field(default_factory=lambda: AlarmConfiguration(stall=None, entropy=None, kl=None))
    diagnostics_every: int = 0
    disk_budget: int | None = None


class Safety:
    """Takes a run's figures and acts on them.

    Args:
        settings: What watches.
        parts: What it watches over.
    """

    def __init__(self, settings: SafetySettings, parts: TrainedParts) -> None:
        self._parts = parts
        self._diagnostics_every = settings.diagnostics_every
        self._rollback = Rollback(settings.rollback, parts)
        self._alarms = Alarms(settings.alarms, parts.model.action_shape)

    @contextmanager
    def look(self, updates: int) -> Iterator[dict[str, float]]:
        """Looks at the learner's update in the `with` block, if it is the turn of one.

        Args:
            updates: Updates before this one.

        Yields:
            Where the figures are, by tag, after the block; nothing if it was not looked.
        """
        figures: dict[str, float] = {}
        if self._diagnostics_every == 0 or updates % self._diagnostics_every:
            yield figures
            return
        with look_at_update(self._parts.learner) as view:
            yield figures
        figures |= view.metrics(self._parts.model)

    def watch(self, step: int, figures: Mapping[str, float]) -> Iterator[Record]:
        """Takes the figures of an update, with those of an evaluation if there was one.

        Args:
            step: Agent steps so far.
            figures: By tag.

        Yields:
            What people should know.
        """
        for name, text in self._alarms.observe(step, figures):
            yield Record("notice", step, {"text": text, f"alarm/{name}": 1.0})
        rolled_back = self._rollback.observe(step, figures)
        if rolled_back is not None:
            values = {"safety/rollbacks": float(rolled_back.count), "safety/rollback_to": float(rolled_back.to_step)}
            yield Record("notice", step, {"text": rolled_back.text, **values})

    def state_dict(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Everything as plain values, and as tensors."""
        values, weights = self._rollback.state_dict()
        return {"rollback": values, "alarms": self._alarms.state_dict()}, {"rollback": weights}

    def load_state_dict(self, values: Mapping[str, Any], tensors: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        self._rollback.load_state_dict(values["rollback"], tensors["rollback"])
        self._alarms.load_state_dict(values["alarms"])
