# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that defines a training run, in one frozen model.

YAML files, command-line flags, their help and the config that a run saves all come from it.
"""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveInt,
    field_validator,
    model_validator,
)

from oakemu_rl._validation import LocatedError
from oakemu_rl.curricula import CurriculumConfiguration
from oakemu_rl.demos import SUFFIX
from oakemu_rl.envs.obs_types import ObsKind
from oakemu_rl.imitation.configuration import ImitationConfiguration
from oakemu_rl.ppo.configuration import PPOConfiguration
from oakemu_rl.ppo.model_configuration import PPOModelConfiguration
from oakemu_rl.ppo.schedule import highest_value
from oakemu_rl.quantities import parse_count, parse_duration, parse_size
from oakemu_rl.training.episodes_configuration import EpisodesConfiguration
from oakemu_rl.training.safety_configuration import AlarmConfiguration, RollbackConfiguration
from oakemu_rl.training.shaping import ShapingConfiguration

__all__ = ["RESUMABLE_CHANGES", "EnvironmentOptions", "PPOExperimentConfiguration"]

_Count = Annotated[int, BeforeValidator(parse_count)]
_Bytes = Annotated[int, BeforeValidator(parse_size)]
_Seconds = Annotated[float, BeforeValidator(parse_duration)]

RESUMABLE_CHANGES = frozenset(
    {
        "steps",
        "time",
        "num_threads",
        "torch_threads",
        "device",
        "eval_every",
        "eval_episodes",
        "checkpoint_every",
        "keep_last",
        "diagnostics_every",
        "disk_budget",
        "alarms.stall",
        "alarms.entropy",
        "alarms.kl",
        "tensorboard",
        "tensorboard_films",
        "track",
        "track_project",
        "film",
        "run_folder",
    }
)
"""Settings that a resumed run may change; all others define the experiment and stay as the run has them."""


class EnvironmentOptions(BaseModel):
    """How the environments are made. What is left out comes from the game's own presets."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    obs_type: ObsKind | tuple[ObsKind, ...] | None = Field(
        None,
        description="What the agent sees: grayscale, ink, rgb, attributes, ram, variables, or several (ink variables), "
        "of which one at most is a picture.",
    )
    frameskip: PositiveInt | tuple[PositiveInt, PositiveInt] | None = Field(
        None, description="Frames a step, or the lowest and highest of a random number of them (2,5)."
    )
    img_width: PositiveInt | None = Field(None, description="Width of the observation in pixels.")
    img_height: PositiveInt | None = Field(None, description="Height of the observation in pixels.")
    stack_num: PositiveInt | None = Field(None, description="How many frames an observation stacks.")
    repeat_action_probability: float | None = Field(
        None, ge=0, lt=1, description="Sticky actions: how often the previous action is taken again."
    )
    noop_max: NonNegativeInt | None = Field(None, description="Most frames without a key at an episode's start.")
    max_episode_steps: NonNegativeInt | None = Field(
        None, description="Agent steps after which an episode is cut off; 0 is never."
    )
    max_num_frames_per_episode: NonNegativeInt | None = Field(
        None, description="Frames after which an episode is cut off; 0 is never."
    )
    stall_steps: NonNegativeInt | None = Field(
        None,
        description="Agent steps without a change of what the game watches until an episode is cut off; 0 is never.",
    )
    maxpool: bool | None = Field(None, description="Show the maximum of a step's last two frames.")
    episodic_life: bool | None = Field(None, description="A lost life ends the episode (in training only).")
    reward_clipping: bool | None = Field(None, description="Reduce rewards to their sign (in training only).")
    full_action_space: bool | None = Field(None, description="Every key combination rather than the game's actions.")
    contention: bool | None = Field(None, description="Exact timing of the ULA's memory contention.")

    @field_validator("frameskip")
    @classmethod
    def _is_a_range(cls, value: int | tuple[int, int] | None) -> int | tuple[int, int] | None:
        if isinstance(value, tuple) and value[0] >= value[1]:
            raise ValueError(f"the lowest must be below the highest, not {value[0]},{value[1]}")
        return value

    def as_kwargs(self) -> dict[str, Any]:
        """The options that are given, as keyword arguments of `SpectrumEnv` and `SpectrumVectorEnv`."""
        return self.model_dump(exclude_none=True)

    def as_evaluation_kwargs(self) -> dict[str, Any]:
        """As `as_kwargs`, without what only helps training: judged are whole episodes, by the game's own judgement."""
        kept = self.model_dump(exclude_none=True, exclude={"episodic_life", "reward_clipping"})
        return {**kept, "reward": "evaluation"}


class PPOExperimentConfiguration(BaseModel):
    """One PPO training run.

    Steps are agent steps, counted over all environments together.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str = Field(
        "ZXSpectrum/Acorns-v0",
        min_length=1,
        description="Game id or definition file (`oakemu-rl games` lists them).",
        json_schema_extra={"positional": True, "metavar": "GAME"},
    )
    env: EnvironmentOptions = EnvironmentOptions()
    num_envs: PositiveInt = Field(
        32, description="Environments stepped together.", json_schema_extra={"aliases": ["--n-envs"]}
    )
    num_threads: PositiveInt | None = Field(
        None,
        description="Emulation threads; None is one a processor, with --overlap one for three, and as many of torch.",
    )
    seed: int = Field(1, ge=0, lt=2**63, description="Every random number of the run follows from it.")
    steps: _Count = Field(
        1_000_000,
        gt=0,
        description="Agent steps to train for (200000, 200k, 1e6).",
        json_schema_extra={"aliases": ["-n", "--total-timesteps", "--timesteps"], "metavar": "COUNT"},
    )
    time: _Seconds | None = Field(
        None,
        gt=0,
        description="Training time after which the run ends before its steps do (60, 5m, 1h); None is no limit.",
        json_schema_extra={"metavar": "TIME"},
    )
    ppo: PPOConfiguration = PPOConfiguration()
    model: PPOModelConfiguration = PPOModelConfiguration()
    eval_every: _Count = Field(
        50_000,
        ge=0,
        description="Steps between evaluations, which choose the best model; 0 is never.",
        json_schema_extra={"aliases": ["--eval-freq"], "metavar": "COUNT"},
    )
    eval_episodes: PositiveInt = Field(10, description="Whole greedy episodes an evaluation plays.")
    checkpoint_every: _Count = Field(
        100_000,
        ge=0,
        description="Steps between checkpoints; 0 is only at the end.",
        json_schema_extra={"aliases": ["--save-freq"], "metavar": "COUNT"},
    )
    keep_last: PositiveInt = Field(3, description="How many checkpoints are kept.")
    demos: tuple[Path, ...] = Field(
        (),
        description="Recordings to learn from: files, or games of which one ships.",
        json_schema_extra={"metavar": "FILE...", "suffix": ".demo"},
    )
    episodes: EpisodesConfiguration = Field(
        EpisodesConfiguration(), description="Who plays the training episodes, and who learns from them."
    )
    curriculum: CurriculumConfiguration = Field(
        CurriculumConfiguration(), description="Where training episodes begin: backward along a recording."
    )
    imitation: ImitationConfiguration = Field(
        ImitationConfiguration(), description="How the `demos` are imitated beside PPO."
    )
    initial: Path | None = Field(
        None,
        description="Begin with the weights of this run or checkpoint; None begins with random ones.",
        json_schema_extra={"metavar": "RUN"},
    )
    shaping: ShapingConfiguration = Field(
        ShapingConfiguration(), description="Rewards that show the way without moving the goal."
    )
    rollback: RollbackConfiguration = Field(
        RollbackConfiguration(), description="When a run that gets worse goes back to earlier weights."
    )
    alarms: AlarmConfiguration = Field(AlarmConfiguration(), description="When a run says that something looks wrong.")
    diagnostics_every: NonNegativeInt = Field(
        10, description="Updates between two looks into the network: idle units, rank, norms, ratios; 0 is never."
    )
    disk_budget: _Bytes | None = Field(
        None,
        gt=0,
        description="What the run folder may hold while it trains (500MB, 2GB); None is no limit.",
        json_schema_extra={"metavar": "SIZE"},
    )
    run_folder: Path | None = Field(
        None,
        description="Where everything is written; None is runs/<env>__ppo__<seed>__<time>.",
        json_schema_extra={"aliases": ["--output"], "metavar": "FOLDER"},
    )
    tensorboard: bool = Field(default=True, description="Write TensorBoard event files into the run folder.")
    tensorboard_films: bool = Field(default=False, description="Put the film of the best agent into TensorBoard, too.")
    track: Literal["wandb", "mlflow"] | None = Field(
        None, description="Also send the figures to Weights & Biases or MLflow, as their own settings say."
    )
    track_project: str | None = Field(
        None,
        min_length=1,
        description="Project or experiment there; None is WANDB_PROJECT or MLFLOW_EXPERIMENT_NAME, else oakemu-rl.",
        json_schema_extra={"metavar": "NAME"},
    )
    film: bool = Field(default=True, description="Film the best agent at the end.")
    keep_demos: NonNegativeInt = Field(
        3, description="Recordings of the best training episodes that the run folder keeps (demos/); 0 is none."
    )
    overlap: bool = Field(
        default=False,
        description="Play the next rollout while learning from the last: it is one update behind, which the loss makes "
        "up for.",
    )
    torch_threads: PositiveInt | None = Field(
        None, description="Threads of the learner; None is torch's own choice, less those that play with --overlap."
    )
    device: str = Field("auto", description="Where the network computes: auto, cpu, cuda, cuda:1, mps.")

    @model_validator(mode="after")
    def _judges_what_it_watches(self) -> "PPOExperimentConfiguration":
        metric = self.rollback.metric
        if self.rollback.drop is not None and metric.startswith("eval/") and not self.eval_every:
            raise LocatedError(
                f"{metric} is a figure of evaluations, and eval_every is 0: never", ("rollback", "metric")
            )
        return self

    @field_validator("initial")
    @classmethod
    def _is_what_latest_points_to(cls, path: Path | None) -> Path | None:
        return None if path is None else path.resolve()

    @field_validator("demos")
    @classmethod
    def _hold_from_anywhere(cls, demos: tuple[Path, ...]) -> tuple[Path, ...]:
        return tuple(path.absolute() if path.suffix == SUFFIX or path.is_file() else path for path in demos)

    @model_validator(mode="after")
    def _has_what_it_replays(self) -> "PPOExperimentConfiguration":
        if self.episodes.replays and not self.demos:
            raise LocatedError("there is nothing to replay: give recordings as `demos`", ("episodes", "replay"))
        return self

    @model_validator(mode="after")
    def _has_a_route_to_learn(self) -> "PPOExperimentConfiguration":
        if not self.curriculum.is_on:
            return self
        if not self.demos and self.curriculum.rule != "restarts":
            raise LocatedError("there is no route to learn: give a recording as `demos`", ("curriculum", "rule"))
        if highest_value(self.episodes.policy) == 0.0:
            raise LocatedError("a curriculum begins these episodes, and they never come", ("episodes", "policy"))
        return self

    @model_validator(mode="after")
    def _has_what_it_clones(self) -> "PPOExperimentConfiguration":
        if highest_value(self.imitation.bc_weight) and not self.demos:
            raise LocatedError("there is nothing to clone: give recordings as `demos`", ("imitation", "bc_weight"))
        return self

    @property
    def steps_per_update(self) -> int:
        """Agent steps that one rollout holds."""
        return self.num_envs * self.ppo.rollout_length
