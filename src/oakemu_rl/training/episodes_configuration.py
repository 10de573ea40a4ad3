# SPDX-License-Identifier: GPL-3.0-or-later
"""Who plays the training episodes, as users write it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from oakemu_rl.ppo import Schedule, schedule_value
from oakemu_rl.ppo.schedule import highest_value, schedule_moments

__all__ = ["EpisodesConfiguration"]


class EpisodesConfiguration(BaseModel):
    """Who plays the training episodes: shares of them, relative to one another; numbers, lines or points."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    policy: Schedule = Field(1.0, description="Share of episodes that the policy plays and learns from.")
    silent: Schedule = Field(0.0, description="Share that the policy plays without learning from them.")
    random: Schedule = Field(0.0, description="Share played at random; nothing is learnt from them.")
    replay: Schedule = Field(
        0.0, description="Share that begins with one of the `demos`; nothing is learnt from what is replayed."
    )
    replay_part: tuple[float, float] = Field(
        (0.0, 1.0),
        description="Least and greatest part of a recording that is replayed before somebody else goes on; drawn anew "
        "each time.",
    )
    after_replay: Literal["policy", "silent", "random"] = Field(
        "policy", description="Who goes on where a replay leaves off."
    )

    @field_validator("replay_part")
    @classmethod
    def _is_a_part(cls, value: tuple[float, float]) -> tuple[float, float]:
        if not 0.0 <= value[0] <= value[1] <= 1.0:
            raise ValueError(f"the least and the greatest part lie in 0..1, in this order, not {value[0]} {value[1]}")
        return value

    @model_validator(mode="after")
    def _somebody_plays(self) -> "EpisodesConfiguration":
        shares = (self.policy, self.silent, self.random, self.replay)
        for moment in sorted({0.0, 1.0}.union(*map(schedule_moments, shares))):
            # Between these moments all shares are straight lines, so that none vanishes together there alone.
            if not any(schedule_value(share, moment) for share in shares):
                raise ValueError(f"policy, silent, random and replay are all 0 after {moment:g} of the training")
        if not highest_value(self.policy) and not (self.replays and self.after_replay == "policy"):
            raise ValueError("the policy never plays an episode that it learns from: give it a share above 0")
        return self

    @property
    def replays(self) -> bool:
        """Whether recordings are ever replayed."""
        return highest_value(self.replay) > 0.0

    @property
    def is_plain(self) -> bool:
        """Whether the policy plays and learns everywhere, always."""
        return not any(map(highest_value, (self.silent, self.random, self.replay)))
