# SPDX-License-Identifier: GPL-3.0-or-later
"""A director whose plans are written down beforehand."""

from collections.abc import Mapping, Sequence
from typing import Any

from oakemu_rl.ppo import EpisodePlan, EpisodeRecord


class ScriptedDirector:
    """Environment i gets its plans one after another, over and over.

    Attributes:
        said: What it was asked and told, in order: ("plan", env_id, progress) and ("ended", env_id, label).
        records: Of the episodes that ended.
    """

    def __init__(self, scripts: Sequence[Sequence[EpisodePlan]], *, needs_starts: bool = False) -> None:
        self.needs_starts = needs_starts
        self.said: list[tuple[str, int, Any]] = []
        self.records: list[EpisodeRecord] = []
        self._scripts = scripts
        self._next = [0] * len(scripts)

    def plan(self, env_id: int, progress: float) -> EpisodePlan:
        self.said.append(("plan", env_id, progress))
        script = self._scripts[env_id]
        plan = script[self._next[env_id] % len(script)]
        self._next[env_id] += 1
        return plan

    def ended(self, env_id: int, plan: EpisodePlan, record: EpisodeRecord) -> None:
        self.said.append(("ended", env_id, plan.label))
        self.records.append(record)

    def metrics(self) -> Mapping[str, float]:
        return {"script/planned": float(sum(self._next))}

    def state_dict(self) -> dict[str, Any]:
        return {"next": list(self._next)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._next = list(state["next"])
