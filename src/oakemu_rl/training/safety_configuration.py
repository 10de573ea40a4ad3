# SPDX-License-Identifier: GPL-3.0-or-later
"""What watches over a long run, as users write it."""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PositiveInt

from oakemu_rl.quantities import parse_count

__all__ = ["AlarmConfiguration", "RollbackConfiguration", "WatchedFigure"]

_Count = Annotated[int, BeforeValidator(parse_count)]

WatchedFigure: TypeAlias = Literal["rollout/ep_rew_mean", "eval/mean_reward", "eval/median_reward", "eval/iqm_reward"]
"""Figures that every run has and of which more is better."""


class AlarmConfiguration(BaseModel):
    """When a run says that something looks wrong; it goes on all the same."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stall: _Count | None = Field(
        500_000,
        gt=0,
        description="Steps without a better mean return of training episodes; None is never.",
        json_schema_extra={"metavar": "COUNT"},
    )
    entropy: float | None = Field(
        0.01, gt=0, le=1, description="Least entropy of the policy, as a share of that of random play; None is none."
    )
    kl: float | None = Field(
        0.2,
        gt=0,
        allow_inf_nan=False,
        description="Most that an update may move the policy (approximate KL divergence); None is no limit.",
    )


class RollbackConfiguration(BaseModel):
    """When a run that gets worse goes back to weights from before; off unless `drop` is given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    drop: float | None = Field(
        None,
        gt=0,
        allow_inf_nan=False,
        description="Go back to earlier weights when the figure falls this far below its best; None is never.",
    )
    metric: WatchedFigure = Field(
        "rollout/ep_rew_mean", description="The figure that is watched, by its name in metrics.jsonl."
    )
    window: _Count = Field(
        50_000,
        ge=0,
        description="Steps for which it must have been so low without a break.",
        json_schema_extra={"metavar": "COUNT"},
    )
    back: _Count = Field(
        0,
        ge=0,
        description="Go back to weights this many steps older than the best figure; 0 is those that reached it.",
        json_schema_extra={"metavar": "COUNT"},
    )
    max_times: PositiveInt = Field(3, description="How often at most; from then on the run is left alone.")
