# SPDX-License-Identifier: GPL-3.0-or-later
"""Where training episodes begin, as users write it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt, PositiveInt, model_validator

from oakemu_rl.ppo import Schedule

__all__ = ["CurriculumConfiguration"]


class CurriculumConfiguration(BaseModel):
    """Backward along the recordings of `demos`, or again from where the agent has been; off without a `rule`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rule: Literal["threshold", "plateau", "restarts"] | None = Field(
        None,
        description="Begin episodes near the end of the recordings, and earlier once a share of them does as well "
        "(threshold) or does not get better any more (plateau); or, with or without a recording, where the agent has "
        "been (restarts). None begins them where the game begins.",
    )
    divide: str | None = Field(
        None,
        min_length=1,
        description="Variable of the game at whose changes the recordings are cut into legs, all learnt at once; for "
        "restarts, states are kept where it changes.",
    )
    success: float = Field(
        0.35, gt=0.0, le=1.0, description="Share of the newest episodes that must do as well (rule threshold)."
    )
    window: PositiveInt = Field(15, description="Newest episodes from a start that the rule looks at.")
    at_least: PositiveInt = Field(5, description="How many of them there must be (rule threshold).")
    first_step: PositiveInt = Field(8, description="Steps before the end of each leg where the first episodes begin.")
    step_back: PositiveInt = Field(6, description="Steps by which a start moves back.")
    frontier_share: float = Field(
        0.6, gt=0.0, le=1.0, description="Share of episodes that begin at the frontier; others begin behind it."
    )
    arrival_share: float = Field(
        0.2,
        ge=0.0,
        lt=1.0,
        description="Share of all, before that, that begin as the agent came to the beginning of the leg.",
    )
    slack: float = Field(
        1.5, ge=1.0, allow_inf_nan=False, description="Time that an episode has, in times of what the recording took."
    )
    slack_steps: NonNegativeInt = Field(30, description="Steps that it has beside.")
    timeout_reward: float | None = Field(
        0.0,
        allow_inf_nan=False,
        description="What it costs (a number below 0) or brings to be too late; None does not count it as an end.",
    )
    pool_size: PositiveInt = Field(
        16, description="States in which the agent itself came to the beginning of a leg, kept to begin there again."
    )
    own_share: float = Field(
        0.3, ge=0.0, le=1.0, description="Share of episodes that begin where the game begins (rule restarts)."
    )
    imitate: Schedule = Field(
        0.0,
        description="Self-imitation: factor of the learning rate with which the agent's own newest successes are "
        "cloned, a number, a line, or points; 0 clones none.",
    )
    imitate_lr: float = Field(5e-4, gt=0.0, allow_inf_nan=False, description="That learning rate (Adam).")
    imitate_steps: PositiveInt = Field(8, description="Gradient steps of self-imitation in an update.")
    imitate_batch_size: PositiveInt = Field(256, description="Steps of the agent in each, as many of every leg.")
    imitate_memory: PositiveInt = Field(1500, description="Steps of successes that are kept of each leg.")

    @model_validator(mode="after")
    def _knows_where_to_begin_again(self) -> "CurriculumConfiguration":
        if self.rule == "restarts" and self.divide is None:
            raise ValueError("restarts begin where a variable of the game changed: say which as `divide`")
        return self

    @property
    def is_on(self) -> bool:
        """Whether episodes begin anywhere but where the game begins."""
        return self.rule is not None
