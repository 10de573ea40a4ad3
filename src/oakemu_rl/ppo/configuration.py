# SPDX-License-Identifier: GPL-3.0-or-later
"""The hyper-parameters of PPO, as users write them."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from oakemu_rl.ppo.schedule import Schedule, schedule_value

__all__ = ["MixedPrecision", "PPOConfiguration"]

MixedPrecision: TypeAlias = Literal["off", "bfloat16", "float16"]


def _off_for_false(given: object) -> object:
    """YAML 1.1 reads a bare ``off`` as false."""
    return "off" if given is False else given


class PPOConfiguration(BaseModel):
    """Everything that decides how PPO learns (Schulman et al., 2017), apart from the network and the environments."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lr: Schedule = Field(
        default=2.5e-4,
        description="Learning rate of Adam: a number, a straight line as 'start end' or 'start end until', or points "
        "as '0:start 0.5:middle 1:end'.",
    )
    gamma: float = Field(default=0.99, ge=0.0, le=1.0, description="Discount of the reward, per agent step.")
    gae_lambda: float = Field(
        default=0.95,
        ge=0.0,
        le=1.0,
        description="Generalised advantage estimation: 0 trusts the value of the next step, 1 the rewards seen.",
    )
    rollout_length: int = Field(
        default=128, ge=1, description="Agent steps that each environment takes between two updates."
    )
    ppo_epochs: int = Field(default=4, ge=1, description="How often each update goes through the whole rollout.")
    num_minibatches: int = Field(default=4, ge=1, description="Parts, of equal size, into which each epoch is cut.")
    clip_coef: Schedule = Field(
        default=0.2,
        description="How far the probability ratio of new to old policy may move from 1: a number, a line, or points.",
    )
    entropy_coef: Schedule = Field(
        default=0.01,
        description="Weight of the entropy bonus: a number, a line, or points.",
    )
    value_loss_coef: float = Field(default=0.5, ge=0.0, description="Weight of the value loss (a mean squared error).")
    grad_clip: float | None = Field(
        default=0.5, gt=0.0, description="Greatest norm of the gradient; None leaves it as it is."
    )
    normalize_advantages: bool = Field(
        default=True, description="Scale each minibatch's advantages to mean 0 and deviation 1."
    )
    value_clip: float | None = Field(
        default=None, gt=0.0, description="How far a value may move from its old one in an update; None sets no limit."
    )
    max_kl: float | None = Field(
        default=None,
        gt=0.0,
        description="An update ends early once the policy has moved this far (approximate KL divergence); None: never.",
    )
    mixed_precision: Annotated[MixedPrecision, BeforeValidator(_off_for_false)] = Field(
        default="off",
        description="Compute the network in a smaller type: bfloat16, or float16 on a GPU. Slower on most CPUs.",
    )
    torch_compile: bool = Field(
        default=False, description="Compile the network for learning; needs a C++ compiler, rarely pays for small nets."
    )

    @field_validator("lr", "clip_coef")
    @classmethod
    def _learns_at_first(cls, schedule: Schedule) -> Schedule:
        if schedule_value(schedule, 0.0) == 0.0:
            raise ValueError(f"must start above 0, or nothing would be learnt, got {schedule}")
        return schedule

    @field_validator("value_loss_coef", "grad_clip", "value_clip", "max_kl")
    @classmethod
    def _finite(cls, value: float | None) -> float | None:
        if value is not None and not value < float("inf"):
            raise ValueError(f"must be a finite number, got {value}")
        return value
