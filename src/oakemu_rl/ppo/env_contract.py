# SPDX-License-Identifier: GPL-3.0-or-later
"""What the actor needs to know about a vector environment."""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from gymnasium.spaces import Box, Dict, Discrete, Space
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray

from oakemu_rl.envs import GAME_REWARD, REWARD_PART
from oakemu_rl.errors import UserError
from oakemu_rl.ppo.model import PPOModel
from oakemu_rl.ppo.observation_parts import ObservationForm, ObservationParts, Observations, map_observations

__all__ = [
    "ADVANCE",
    "AnyVectorEnv",
    "check_env",
    "final_observations",
    "form_of",
    "game_rewards",
    "reward_parts",
    "state_masks",
    "storage_of",
]

ADVANCE = "reward_advance"
"""In infos: what a step's reward holds for the state that it led to, (N,); who ends the episode there takes it back."""

AnyVectorEnv: TypeAlias = VectorEnv[Any, Any, Any]


def check_env(env: AnyVectorEnv, model: PPOModel) -> AutoresetMode:
    """Whether an environment and a model fit each other.

    Returns:
        How the environment starts new episodes.

    Raises:
        UserError: The spaces do not fit the model, or the environment does not say how it starts new episodes.
    """
    form, actions = form_of(env.single_observation_space), env.single_action_space
    if form != model.observation_shape:
        wanted, shown = (
            f"shape {each}" if isinstance(each, tuple) else each for each in (model.observation_shape, form)
        )
        raise UserError(f"the model takes observations of {wanted}, the environment shows {shown}")
    if not isinstance(actions, Discrete) or int(actions.n) != model.action_shape or int(actions.start) != 0:
        raise UserError(f"the model has {model.action_shape} actions from 0, the environment takes {actions}")
    given = env.metadata.get("autoreset_mode")
    try:
        return AutoresetMode(given)
    except ValueError:
        names = ", ".join(each.name for each in AutoresetMode)
        raise UserError(f'env.metadata["autoreset_mode"] must be one of {names}, got {given!r}') from None


def form_of(space: Space[Any]) -> ObservationForm:
    """The shape of the observations of a space, or what parts they have.

    Raises:
        UserError: It is a space of which no network takes observations.
    """
    if isinstance(space, Dict):
        return ObservationParts.of_space(space)
    if not isinstance(space, Box):
        raise UserError(f"a network takes boxes of numbers and dictionaries of them, not {space}")
    return tuple(space.shape)


def storage_of(space: Space[Any]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """The shape and type with which step and rollout buffers keep observations of a space.

    Raises:
        UserError: As `form_of`.
    """
    form = form_of(space)
    return ((), form.dtype) if isinstance(form, ObservationParts) else (form, np.dtype(space.dtype))


def final_observations(
    mode: AutoresetMode, env_ids: NDArray[np.integer[Any]], observations: Observations, infos: Mapping[str, Any]
) -> Observations:
    r"""The true last observations of episodes that just ended.

    Args:
        mode: How the environment starts new episodes.
        env_ids: (B,) where episodes ended.
        observations: (N, \*observation_shape), as the step returned them.
        infos: As the step returned them.

    Returns:
        (B, \*observation_shape).

    Raises:
        UserError: The environment restarted in the same step and does not tell the last observation.
    """
    if mode is not AutoresetMode.SAME_STEP:
        kept: Observations = map_observations(lambda array: np.asarray(array[env_ids]), observations)
        return kept
    final = infos.get("final_obs")
    if final is None or any(final[env_id] is None for env_id in env_ids):
        raise UserError(
            'the environment restarts in the step that ends an episode, but its infos have no "final_obs" for '
            f"environments {env_ids.tolist()}: a time limit cannot be told from the end of the game without it"
        )
    if isinstance(observations, Mapping):
        return {
            name: np.stack([np.asarray(final[env_id][name], dtype=array.dtype) for env_id in env_ids])
            for name, array in observations.items()
        }
    return np.stack([np.asarray(final[env_id], dtype=observations.dtype) for env_id in env_ids])


def state_masks(infos: Mapping[str, Any], before: NDArray[np.bool_] | None = None) -> NDArray[np.bool_] | None:
    """Which actions are allowed now.

    Args:
        infos: As reset or step returned them; ``action_mask`` (N, actions), with the rows that it is about in
            ``_action_mask``.
        before: What was allowed before; kept in the rows that the infos are not about.

    Returns:
        (N, actions) bool, an array of the caller's; None if the environment has no masks.
    """
    given = infos.get("action_mask")
    if given is None:
        return before
    masks = np.array(given, dtype=np.bool_)
    present = infos.get("_action_mask")
    if before is not None and present is not None:
        masks[~present] = before[~present]
    return masks


def reward_parts(infos: Mapping[str, Any]) -> dict[str, NDArray[np.float64]]:
    """What each part of the reward came to in a step, (N,) by its name; empty if the environment names none.

    Args:
        infos: As the step returned them. Where it ended an episode and began the next, the parts are in ``final_info``.
    """
    final = infos.get("final_info")
    parts: dict[str, NDArray[np.float64]] = {}
    for key in infos:
        if key.startswith(REWARD_PART):
            last = final[key] if isinstance(final, Mapping) and key in final else 0.0
            parts[key.removeprefix(REWARD_PART)] = infos[key] + last
    return parts


def game_rewards(rewards: NDArray[Any], infos: Mapping[str, Any]) -> NDArray[np.float64]:
    """The game's own rewards of a step, (N,), before clipping and shaping.

    Args:
        rewards: (N,) as the environments gave them.
        infos: As the step returned them.
    """
    return np.asarray(infos.get(GAME_REWARD, rewards), dtype=np.float64)
