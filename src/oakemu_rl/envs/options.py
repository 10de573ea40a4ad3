# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of an environment: given as keywords, checked once, completed from the game's presets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypedDict, TypeVar, cast

import numpy as np

from oakemu_rl.envs.actions import ActionType
from oakemu_rl.envs.obs_types import (
    PICTURES,
    ObsKind,
    ObsType,
    cells_of,
    check_obs_type,
    picture_of,
    refuse_picture_options,
)
from oakemu_rl.errors import UserError, nearest
from oakemu_rl.games import Definition, Game
from oakemu_rl.games.game import RewardKind

__all__ = ["EnvKeywords", "EnvOptions", "check_count", "check_flag"]

_ACTION_TYPES: tuple[ActionType, ...] = ("discrete", "multibinary")
_REWARDS: tuple[RewardKind, ...] = ("training", "evaluation")
_FROM_COLOUR: dict[str, ObsKind] = {colour: kind for kind, colour in PICTURES.items()}
_MAX_FRAMESKIP = 1000
_MAX_NOOPS = 100_000
_MAX_STACK = 64
_MAX_PIXELS = 256
_MAX_LIMIT = 10**12
_Word = TypeVar("_Word", bound=str)

_UNSUPPORTED = {
    "sound_obs": "observations of sound are not supported",
    "mode": "a game has one mode; another one is a definition of its own",
    "difficulty": "a game has one difficulty; another one is a definition of its own",
    "grayscale": "say obs_type='grayscale', 'ink' or 'rgb'",
    "life_loss_info": "say episodic_life=True",
    "use_fire_reset": "the start script of a game's definition does what has to be done before an episode",
}


class EnvKeywords(TypedDict, total=False):
    """The keywords that `SpectrumEnv` and `SpectrumVectorEnv` have in common; None and leaving out mean the same.

    Attributes:
        obs_type: ``"grayscale"``, ``"ink"`` (1-bit bitmap), ``"rgb"``, ``"attributes"`` (ink and paper of each
            character cell), ``"ram"`` (49,152 bytes), ``"variables"`` (a dictionary), or a list of several, at most
            one of them a picture, for a dictionary of them. Default: the preset.
        frameskip: Frames a step: a number of at least 1, or ``(lowest, highest)`` of a random one. Default: the preset.
        repeat_action_probability: Sticky actions: how likely a step takes the previous action again. Default: 0.0.
        full_action_space: Every combination of the keys that the game's actions hold; the game's own actions keep their
            numbers. Default: False.
        action_type: ``"discrete"``, or ``"multibinary"``: a bit for each key that the game's actions hold. Default:
            ``"discrete"``.
        reward: ``"training"``, or ``"evaluation"``: the reward by which the game judges, where it has one of its own.
            Default: ``"training"``.
        max_num_frames_per_episode: Frames after which an episode is truncated; 0 is never. Default: the game's limit.
            A limit given here, of frames or steps, takes the place of the game's limits of both.
        max_episode_steps: Steps after which an episode is truncated; 0 is never. Default: the game's limit.
        stall_steps: Steps without a change of what the game watches for stalling after which an episode is truncated; 0
            is never. Default: the game's.
        noop_max: An episode starts with 0 to `noop_max` frames without a key. Default: the game's range.
        img_width: Width of the observation, 1 to 256. Default: the preset.
        img_height: Height of the observation, 1 to 256. Default: the preset.
        stack_num: Frames that an observation stacks, 1 to 64. Default: the preset.
        maxpool: Show the brighter pixel of a step's last two frames. Default: False.
        episodic_life: A lost life ends the episode (terminated), and the next one goes on from there. Default: False.
        reward_clipping: Reduce rewards to their sign. Default: False.
        contention: Exact timing of the ULA's memory contention. Default: True.
        episode_stats: Report ``info["episode"]`` (``r``, ``l``, ``t``) when an episode ends. Default: False, because
            Gymnasium's ``RecordEpisodeStatistics`` refuses environments that do; ``episode_return`` and
            ``episode_length`` are always there.
    """

    obs_type: ObsType | Sequence[ObsKind] | None
    frameskip: int | tuple[int, int] | None
    repeat_action_probability: float | None
    full_action_space: bool | None
    action_type: ActionType | None
    reward: RewardKind | None
    max_num_frames_per_episode: int | None
    max_episode_steps: int | None
    stall_steps: int | None
    noop_max: int | None
    img_width: int | None
    img_height: int | None
    stack_num: int | None
    maxpool: bool | None
    episodic_life: bool | None
    reward_clipping: bool | None
    contention: bool | None
    episode_stats: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvOptions:
    """The options of an environment, complete and checked; ranges include both ends, 0 is no limit."""

    obs_type: ObsType
    frameskip: tuple[int, int]
    repeat_action_probability: float
    full_action_space: bool
    action_type: ActionType
    reward: RewardKind
    max_frames: int
    max_steps: int
    stall_steps: int
    noops: tuple[int, int]
    size: tuple[int, int]
    stack: int
    maxpool: bool
    episodic_life: bool
    reward_clipping: bool
    contention: bool
    episode_stats: bool

    @classmethod
    def resolve(cls, game: Game, given: EnvKeywords) -> Self:
        """Checks what was given and takes the rest from the game.

        Raises:
            UserError: An option is unknown or its value is not allowed; it says which values are.
        """
        known = {name: value for name, value in _check_names(given).items() if value is not None}
        definition = game.definition
        presets, limits = definition.presets, definition.limits
        obs_type = check_obs_type(known.get("obs_type", _FROM_COLOUR[presets.colour]), game)
        refuse_picture_options(known, obs_type)
        own_limits = "max_num_frames_per_episode" not in known and "max_episode_steps" not in known
        noop_max = known.get("noop_max")
        episodic_life = _flag(known, "episodic_life")
        if episodic_life and definition.lives_variable is None:
            raise UserError(f"episodic_life: {game.id} has no variable that counts lives")
        return cls(
            obs_type=obs_type,
            frameskip=_frameskip(known["frameskip"]) if "frameskip" in known else presets.frameskip,
            repeat_action_probability=_probability(known.get("repeat_action_probability", 0.0)),
            full_action_space=_flag(known, "full_action_space"),
            action_type=_action_type(known, game),
            reward=_choice("reward", known.get("reward", "training"), _REWARDS),
            max_frames=_limit(known, "max_num_frames_per_episode", limits.frames if own_limits else None),
            max_steps=_limit(known, "max_episode_steps", limits.steps if own_limits else None),
            stall_steps=_stall_steps(known, game),
            noops=definition.reset.noops if noop_max is None else (0, check_count("noop_max", noop_max, 0, _MAX_NOOPS)),
            size=_size(known, definition, obs_type),
            stack=check_count("stack_num", known.get("stack_num", presets.stack), 1, _MAX_STACK),
            maxpool=_flag(known, "maxpool"),
            episodic_life=episodic_life,
            reward_clipping=_flag(known, "reward_clipping"),
            contention=_flag(known, "contention", default=True),
            episode_stats=_flag(known, "episode_stats"),
        )

    @property
    def mean_frameskip(self) -> float:
        """Frames a step, on average."""
        return sum(self.frameskip) / 2


def check_count(name: str, value: object, low: int, high: int) -> int:
    """The value, if it is a whole number from `low` to `high`.

    Raises:
        UserError: It is not.
    """
    if not _is_count(value, low, high):
        raise UserError(f"{name} must be a whole number from {low} to {high}, not {value!r}")
    return int(cast("int", value))


def check_flag(name: str, value: object) -> bool:
    """The value, if it is True or False.

    Raises:
        UserError: It is not.
    """
    if not isinstance(value, bool | np.bool_):
        raise UserError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def _is_count(value: object, low: int, high: int) -> bool:
    # Numbers drawn by numpy, as in a sweep of settings, are as good as Python's.
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and low <= int(value) <= high


def _check_names(given: EnvKeywords) -> Mapping[str, Any]:
    allowed = EnvKeywords.__annotations__
    for name in given:
        if name in _UNSUPPORTED:
            raise UserError(f"unknown option {name!r}: {_UNSUPPORTED[name]}")
        if name not in allowed:
            raise UserError(f"unknown option {name!r}{nearest(name, allowed)}; allowed are {', '.join(allowed)}")
    return cast("Mapping[str, Any]", given)


def _choice(name: str, value: object, allowed: tuple[_Word, ...]) -> _Word:
    for word in allowed:
        if value == word:
            return word
    guess = nearest(value, allowed) if isinstance(value, str) else ""
    raise UserError(f"{name} must be one of {', '.join(allowed)}, not {value!r}{guess}")


def _action_type(known: Mapping[str, Any], game: Game) -> ActionType:
    chosen = _choice("action_type", known.get("action_type", "discrete"), _ACTION_TYPES)
    if chosen == "multibinary" and known.get("full_action_space"):
        raise UserError("full_action_space: action_type='multibinary' has every combination of keys anyway")
    if chosen == "multibinary" and game.has_masks:
        raise UserError(
            f"action_type='multibinary': {game.id} allows actions by state, which takes actions that are numbers"
        )
    return chosen


def _stall_steps(known: Mapping[str, Any], game: Game) -> int:
    steps = _limit(known, "stall_steps", game.stall_steps)
    if steps and game.stall_steps is None:
        raise UserError(f"stall_steps={steps}: {game.id} does not say what stalls (limits: stall: value)")
    return steps


def _size(known: Mapping[str, Any], definition: Definition, obs_type: ObsType) -> tuple[int, int]:
    if picture_of(obs_type) == "attributes":
        return cells_of(definition.area)
    width, height = definition.presets.size
    return (
        check_count("img_width", known.get("img_width", width), 1, _MAX_PIXELS),
        check_count("img_height", known.get("img_height", height), 1, _MAX_PIXELS),
    )


def _frameskip(value: object) -> tuple[int, int]:
    if isinstance(value, tuple | list):
        if len(value) == 2 and all(_is_frameskip(frames) for frames in value) and value[0] < value[1]:
            return int(value[0]), int(value[1])
    elif _is_frameskip(value):
        frames = int(cast("int", value))
        return frames, frames
    raise UserError(
        f"frameskip must be a whole number from 1 to {_MAX_FRAMESKIP}, or two of them (lowest, highest) of which the "
        f"first is the smaller, not {value!r}"
    )


def _is_frameskip(value: object) -> bool:
    return _is_count(value, 1, _MAX_FRAMESKIP)


def _probability(value: object) -> float:
    known = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    if not known or not 0.0 <= cast("float", value) < 1.0:
        raise UserError(f"repeat_action_probability must be at least 0 and below 1, not {value!r}")
    return float(cast("float", value))


def _limit(known: Mapping[str, Any], name: str, default: int | None) -> int:
    return check_count(name, known.get(name, default or 0), 0, _MAX_LIMIT)


def _flag(known: Mapping[str, Any], name: str, *, default: bool = False) -> bool:
    return check_flag(name, known.get(name, default))
