# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of another run as the first ones of this."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from oakemu_rl.errors import UserError
from oakemu_rl.ppo import PPOModel
from oakemu_rl.training.checkpoint_store import find_checkpoint
from oakemu_rl.training.run_state import load_weights

__all__ = ["begin_with"]


def begin_with(model: PPOModel, path: Path, observation: Mapping[str, Any], actions: Sequence[str]) -> None:
    """Puts the weights of a run or checkpoint into a fresh network; nothing else of it is taken over.

    Args:
        model: Changed in place.
        path: A run folder (its best model is taken) or a checkpoint.
        observation: What the network sees, as checkpoints describe it.
        actions: The names of its actions.

    Raises:
        UserError: There is no whole checkpoint, or it is of another network, other observations or other actions.
    """
    folder, checkpoint, _ = find_checkpoint(path)
    try:
        sees, acts = checkpoint.info["observation"], checkpoint.info["game"]["actions"]
    except (KeyError, TypeError) as error:
        raise UserError(f"initial: {folder} is not an agent's checkpoint") from error
    if list(acts) != list(actions):
        raise UserError(f"initial: {folder} has the actions {', '.join(acts)}; this run has {', '.join(actions)}")
    if dict(sees) != dict(observation):
        raise UserError(f"initial: {folder} sees {_in_words(sees)}; this run sees {_in_words(observation)}")
    try:
        load_weights(model, checkpoint.tensors)
    except UserError as error:
        raise UserError(f"initial: {folder}: {error}") from error


def _in_words(observation: Mapping[str, Any]) -> str:
    if "parts" in observation:
        return ", ".join(f"{part['name']} {part['dtype']} {tuple(part['shape'])}" for part in observation["parts"])
    return f"{observation['dtype']} {tuple(observation['shape'])}"
