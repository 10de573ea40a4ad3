# SPDX-License-Identifier: GPL-3.0-or-later
"""A trained agent out of a checkpoint: what `evaluate`, `watch` and `export` need of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game
from oakemu_rl.games.identity import describe_game
from oakemu_rl.ppo import PPOModel
from oakemu_rl.ppo.observation_parts import ObservationForm
from oakemu_rl.training.assembly import build_model, form_described, shapes_of
from oakemu_rl.training.checkpoint import Checkpoint
from oakemu_rl.training.checkpoint_store import find_checkpoint
from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.run_state import load_weights

__all__ = ["Agent", "load_agent", "same_game"]


@dataclass(frozen=True)
class Agent:
    """Weights and the game that they play.

    Attributes:
        model: In evaluation mode, on the device that was asked for.
        game: What it was trained on.
        env_options: Keyword arguments of `SpectrumEnv` with which whole episodes are played as the agent knows them.
        observation_shape: What it sees: a shape, or several parts.
        observation_dtype: In which type; of several parts, the one in which buffers keep them.
        action_names: What it may do, in the order of its logits.
        step: Agent steps that it was trained for.
        checkpoint: Where it was loaded from.
        notes: What the user should know about the choice of checkpoint, a line each.
    """

    model: PPOModel
    game: Game
    env_options: Mapping[str, Any]
    observation_shape: ObservationForm
    observation_dtype: np.dtype[Any]
    action_names: tuple[str, ...]
    step: int
    checkpoint: Path
    notes: tuple[str, ...] = ()


def load_agent(path: Path, *, game: str | None = None, device: torch.device | str = "cpu") -> Agent:
    """Loads an agent.

    Args:
        path: A checkpoint, a folder of checkpoints, or a run folder (its best model is taken).
        game: Must be what the agent was trained on, or a definition that it can play as well; None takes the
            checkpoint's.
        device: Where the network computes.

    Raises:
        UserError: There is no whole checkpoint, or it is of another game or network; one line.
    """
    folder, checkpoint, passed_over = find_checkpoint(path)
    notes = [f"{complaint}; {folder} is used" for complaint in passed_over]
    try:
        saved = checkpoint.info["game"]
        played = load_game(game or saved["name"])
        configuration = PPOExperimentConfiguration.model_validate(checkpoint.info["configuration"])
        shape, dtype = form_described(checkpoint.info["observation"])
        step = int(checkpoint.info["step"])
        action_names = tuple(saved["actions"])
    except UserError:
        raise
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{folder} is not an agent's checkpoint: {type(error).__name__} {error}") from error
    own = describe_game(played)
    if own["id"] != saved["id"]:
        raise UserError(f"{folder} was trained on {saved['id']}, not on {own['id']}")
    if own["fingerprint"] != saved["fingerprint"]:
        notes.append(f"the definition of {own['id']} has changed since {folder} was trained")
    options = configuration.env.as_evaluation_kwargs()
    _check_fit(folder, played, options, shape, action_names)
    model = build_model(shape, len(action_names), configuration.model)
    load_weights(model, checkpoint.tensors)
    return Agent(
        model.to(device).eval(),
        played,
        options,
        shape,
        dtype,
        action_names,
        step,
        checkpoint=folder,
        notes=tuple(notes),
    )


def same_game(checkpoint: Checkpoint, game: Game) -> None:
    """Sees to it that a run goes on with the game that it began with.

    Raises:
        UserError: It is another game, or its definition or program has changed.
    """
    saved, own = checkpoint.info["game"], describe_game(game)
    if saved["id"] != own["id"]:
        raise UserError(f"the checkpoint is of {saved['id']}, not of {own['id']}")
    if saved["fingerprint"] != own["fingerprint"]:
        raise UserError(
            f"the definition or program of {own['id']} has changed since the checkpoint: the run cannot go on as it was"
        )


def _check_fit(
    folder: Path, game: Game, options: Mapping[str, Any], form: ObservationForm, action_names: tuple[str, ...]
) -> None:
    env = SpectrumVectorEnv(game, 1, **dict(options))
    try:
        sees, acts = shapes_of(env)[0], tuple(env.get_action_meanings())
    finally:
        env.close()
    if sees != form:
        wanted, shown = (f"pictures of shape {each}" if isinstance(each, tuple) else each for each in (form, sees))
        raise UserError(f"{folder} sees {wanted}, {game.id} now shows {shown}")
    if acts != action_names:
        raise UserError(f"{folder} has the actions {', '.join(action_names)}; {game.id} now has {', '.join(acts)}")
