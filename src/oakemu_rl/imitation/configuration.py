# SPDX-License-Identifier: GPL-3.0-or-later
"""How a network learns from recordings, as users write it."""

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PositiveInt

from oakemu_rl.ppo.schedule import Schedule, highest_value

__all__ = ["CloningConfiguration", "ImitationConfiguration"]


def _as_text(given: object) -> object:
    """Names may be numbers of steps, which YAML reads as such."""
    if isinstance(given, list | tuple):
        return tuple(str(item) if isinstance(item, int) else item for item in given)
    return given


class CloningConfiguration(BaseModel):
    """Behaviour cloning: gradient steps that make recorded actions more probable."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lr: float = Field(1e-3, gt=0.0, allow_inf_nan=False, description="Learning rate of cloning (Adam).")
    batch_size: PositiveInt = Field(256, description="Recorded steps in a gradient step of cloning.")
    grad_clip: float | None = Field(
        1.0, gt=0.0, allow_inf_nan=False, description="Greatest norm of cloning's gradient; None leaves it as it is."
    )
    label_smoothing: float = Field(
        0.0, ge=0.0, lt=1.0, description="Share of the target that goes to all actions alike, against certainty."
    )
    class_weights: float = Field(
        0.0, ge=0.0, le=1.0, description="0 counts every recorded step alike, 1 every action alike, however rare."
    )
    slice_length: PositiveInt = Field(
        32,
        description="Steps in a row that a network which remembers is taught at once; others are taught single ones.",
    )
    focus: Annotated[tuple[str, ...], BeforeValidator(_as_text)] = Field(
        (),
        description="A marker or step number of the recordings around which more is learnt; may be given often.",
        json_schema_extra={"repeated": True, "metavar": "MARKER|STEP"},
    )
    focus_share: float = Field(
        0.5, gt=0.0, le=1.0, description="Share of each batch that comes from around --focus, if there is one."
    )
    focus_before: int = Field(40, ge=0, description="Steps before a focus that belong to it.")
    focus_after: int = Field(10, ge=0, description="Steps after a focus that belong to it.")


class ImitationConfiguration(CloningConfiguration):
    """What is learnt from the recordings (`demos`) beside PPO; off unless `bc_weight` is above 0.

    Each update is PPO's, scaled by `ppo_weight`, and then `steps` gradient steps of cloning, scaled by `bc_weight`.
    While `ppo_weight` is 0, PPO does not learn, and the value head is taught the returns of the policy instead, so that
    PPO does not begin with a critic that knows nothing and destroy what was cloned.
    """

    bc_weight: Schedule = Field(
        0.0, description="Factor of cloning's learning rate: a number, a line, or points; 0 clones nothing."
    )
    ppo_weight: Schedule = Field(
        1.0,
        description="Factor of PPO's learning rate: a number, a line, or points as '0:0 0.1:0 0.2:1'; 0 lets it wait.",
    )
    steps: PositiveInt = Field(16, description="Gradient steps of cloning in an update.")
    critic_lr: float = Field(
        3e-3, gt=0.0, allow_inf_nan=False, description="Learning rate of the critic's calibration."
    )
    critic_epochs: PositiveInt = Field(
        4, description="How often the critic goes through each rollout while PPO does not learn."
    )
    critic_grad_clip: float | None = Field(
        1.0, gt=0.0, allow_inf_nan=False, description="Greatest norm of its gradient; None leaves it as it is."
    )

    @property
    def is_on(self) -> bool:
        """Whether anything is ever cloned, or PPO ever held back."""
        return highest_value(self.bc_weight) > 0.0 or self.ppo_weight != 1.0
