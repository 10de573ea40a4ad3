# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to happen in an episode: where it starts, who acts, who learns, and when it is cut off."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from oakemu_rl.ppo.episodes import EpisodeRecord
from oakemu_rl.ppo.plain_bytes import as_bytes, as_tensor
from oakemu_rl.ppo.route import Route

__all__ = ["EpisodeDirector", "EpisodePlan"]


@dataclass(frozen=True, eq=False)
class EpisodePlan:
    """One episode, before it is played.

    Attributes:
        route: Who plays it.
        actions: For a replay, and only for it: the recorded actions, (L,) integers.
        after_replay: Who goes on when they run out.
        start: A state of the environment in which the episode begins, as `SpectrumVectorEnv.get_state` gives it; None
            leaves the start to the environment.
        new_game: Whether an episode that the environment starts begins the game anew even where a lost life ended the
            last one and the game would go on; always so from a state.
        max_steps: Steps, whoever takes them, after which the episode is cut off; 0 is never.
        timeout_reward: What that cut is taken for: None is a time limit, after which the value of the last observation
            stands for the rest; a number is an end of the game that brings so much more reward.
        goal: Return, in the game's own rewards, at which there is no more to learn: the episode is cut off there as at
            a time limit; None is never.
        label: Under which its figures are told, if it is not empty.

    Raises:
        ValueError: Some of it does not go together.
    """

    route: Route = Route.POLICY
    actions: NDArray[np.int64] | None = None
    after_replay: Route = Route.POLICY
    start: bytes | None = None
    new_game: bool = False
    max_steps: int = 0
    timeout_reward: float | None = None
    goal: float | None = None
    label: str = ""

    def __post_init__(self) -> None:
        if (self.route is Route.REPLAY) != (self.actions is not None):
            raise ValueError(f"replay actions belong to the route 'replay', and to no other; it is {self.route!s}")
        if self.actions is not None and (self.actions.ndim != 1 or self.actions.dtype.kind not in "iu"):
            raise ValueError(f"replay actions are a row of integers, not {self.actions.dtype} {self.actions.shape}")
        if self.after_replay is Route.REPLAY:
            raise ValueError("after a replay somebody else goes on: after_replay cannot be 'replay'")
        if self.max_steps < 0:
            raise ValueError(f"max_steps must be at least 0 (0 is never), got {self.max_steps}")
        if self.timeout_reward is not None and not (self.max_steps and math.isfinite(self.timeout_reward)):
            raise ValueError(
                f"timeout_reward is a finite number for a cut after max_steps, got {self.timeout_reward} with "
                f"max_steps={self.max_steps}"
            )
        if self.goal is not None and not math.isfinite(self.goal):
            raise ValueError(f"goal is a finite return, or None for never, got {self.goal}")

    @property
    def needs_reset(self) -> bool:
        """Whether it takes an environment that the actor can start and stop (autoreset mode DISABLED)."""
        return self.begins_anew or self.max_steps > 0 or self.goal is not None

    @property
    def begins_anew(self) -> bool:
        """Whether the environment is put into a start that the plan decides."""
        return self.start is not None or self.new_game

    @property
    def ever_teaches(self) -> bool:
        """Whether the policy may come to play and learn."""
        return Route.POLICY in (self.route, self.after_replay if self.route is Route.REPLAY else None)

    def player(self, step: int) -> Route:
        """Who chooses the action after so many steps of the episode."""
        if self.actions is None:
            return self.route
        return Route.REPLAY if step < len(self.actions) else self.after_replay

    def as_plain(self) -> dict[str, Any]:
        """The plan as plain values and tensors."""
        start = None if self.start is None else as_tensor(self.start)
        return {
            "route": str(self.route),
            "actions": None if self.actions is None else torch.from_numpy(self.actions.astype(np.int64)),
            "after_replay": str(self.after_replay),
            "start": start,
            "new_game": self.new_game,
            "max_steps": self.max_steps,
            "timeout_reward": self.timeout_reward,
            "goal": self.goal,
            "label": self.label,
        }

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> "EpisodePlan":
        """The plan of which `as_plain` gave the values."""
        actions, start = plain["actions"], plain["start"]
        return cls(
            route=Route(plain["route"]),
            actions=None if actions is None else actions.numpy().copy(),
            after_replay=Route(plain["after_replay"]),
            start=None if start is None else as_bytes(start),
            new_game=bool(plain["new_game"]),
            max_steps=int(plain["max_steps"]),
            timeout_reward=plain["timeout_reward"],
            goal=plain["goal"],
            label=str(plain["label"]),
        )


class EpisodeDirector(Protocol):
    """Says of each episode where it starts, who acts, and who learns."""

    @property
    def needs_starts(self) -> bool:
        """Whether plans may have a start or a cut; environments must be in autoreset mode DISABLED then."""
        ...

    def plan(self, env_id: int, progress: float) -> EpisodePlan:
        """The next episode of an environment.

        Args:
            env_id: Which.
            progress: The part of the training that is over, in [0, 1].
        """
        ...

    def ended(self, env_id: int, plan: EpisodePlan, record: EpisodeRecord) -> None:
        """An episode has ended. Of those that end in one step, all are told before the next ones are planned."""
        ...

    def metrics(self) -> Mapping[str, float]:
        """Figures by tag; asked for once a rollout."""
        ...

    def state_dict(self) -> dict[str, Any]:
        """All that it needs to go on as if nothing had been, as plain values and tensors."""
        ...

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Takes up where `state_dict` stood, whatever it has planned before."""
        ...
