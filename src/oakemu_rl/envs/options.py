# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of an environment: given as keywords, checked once, completed from the game's presets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Self, TypedDict, cast

import numpy as np

from oakemu_rl.errors import UserError, nearest
from oakemu_rl.games import Game

__all__ = ["EnvKeywords", "EnvOptions", "ObsType", "check_count", "check_flag"]

ObsType = Literal["grayscale", "ink", "rgb", "ram"]

_OBS_TYPES: tuple[ObsType, ...] = ("grayscale", "ink", "rgb", "ram")
_FROM_COLOUR: dict[str, ObsType] = {"grey": "grayscale", "ink": "ink", "rgb": "rgb"}
_MAX_FRAMESKIP = 1000
_MAX_NOOPS = 100_000
_MAX_STACK = 64
_MAX_PIXELS = 256
_MAX_LIMIT = 10**12

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
        obs_type: ``"grayscale"``, ``"ink"`` (1-bit bitmap), ``"rgb"`` or ``"ram"`` (49,152 bytes). Default: the preset.
        frameskip: Frames a step: a number of at least 1, or ``(lowest, highest)`` of a random one. Default: the preset.
        repeat_action_probability: Sticky actions: how likely a step takes the previous action again. Default: 0.0.
        full_action_space: Every combination of the keys that the game's actions hold; the game's own actions keep their
            numbers. Default: False.
        max_num_frames_per_episode: Frames after which an episode is truncated; 0 is never. Default: the game's limit.
            A limit given here, of frames or steps, takes the place of all limits of the game.
        max_episode_steps: Steps after which an episode is truncated; 0 is never. Default: the game's limit.
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

    obs_type: ObsType | None
    frameskip: int | tuple[int, int] | None
    repeat_action_probability: float | None
    full_action_space: bool | None
    max_num_frames_per_episode: int | None
    max_episode_steps: int | None
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
    max_frames: int
    max_steps: int
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
        obs_type = _obs_type(known.get("obs_type", _FROM_COLOUR[presets.colour]))
        if obs_type == "ram":
            _refuse_picture_options(known)
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
            max_frames=_limit(known, "max_num_frames_per_episode", limits.frames if own_limits else None),
            max_steps=_limit(known, "max_episode_steps", limits.steps if own_limits else None),
            noops=definition.reset.noops if noop_max is None else (0, check_count("noop_max", noop_max, 0, _MAX_NOOPS)),
            size=(
                check_count("img_width", known.get("img_width", presets.size[0]), 1, _MAX_PIXELS),
                check_count("img_height", known.get("img_height", presets.size[1]), 1, _MAX_PIXELS),
            ),
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


def _obs_type(value: object) -> ObsType:
    for known in _OBS_TYPES:
        if value == known:
            return known
    guess = nearest(value, _OBS_TYPES) if isinstance(value, str) else ""
    raise UserError(f"obs_type must be one of {', '.join(_OBS_TYPES)}, not {value!r}{guess}")


def _refuse_picture_options(known: Mapping[str, Any]) -> None:
    for name in ("img_width", "img_height", "stack_num", "maxpool"):
        if known.get(name):
            raise UserError(f"{name}={known[name]!r} is about a picture, and obs_type='ram' shows none")


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
