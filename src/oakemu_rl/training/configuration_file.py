# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations in YAML: layers read with file and line in every error, and the effective one written back."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from oakemu_rl.errors import UserError
from oakemu_rl.training.configuration import RESUMABLE_CHANGES, PPOExperimentConfiguration
from oakemu_rl.yaml_source import load_yaml, validate

__all__ = ["changed_settings", "dump_configuration", "load_layer", "merge", "preset_layer", "refuse_changes"]

Layer = dict[str, Any]
"""Settings that somebody gave, nested as in YAML; what is absent was not given."""


def load_layer(path: str | Path) -> Layer:
    """The settings that a YAML file gives.

    Raises:
        UserError: Unreadable, not YAML, an unknown key, or a value out of range: one line with file and line.
    """
    source = load_yaml(path)
    if source.data is None:  # an empty file gives nothing
        return {}
    return validate(PPOExperimentConfiguration, source).model_dump(exclude_unset=True)


def preset_layer(game_id: str) -> Layer:
    """The settings that we ship: those for any game, and above them the game's own, if there are any.

    Args:
        game_id: As in the game's definition (``ZXSpectrum/Acorns-v0``).
    """
    name = game_id.rpartition("/")[2].rpartition("-v")[0].lower()
    presets = files("oakemu_rl.training") / "presets"
    own = presets / "games" / f"{name}.yaml"
    layers = [presets / "any.yaml", *([own] if name and own.is_file() else [])]
    return merge(*(load_layer(Path(str(layer))) for layer in layers))


def merge(*layers: Mapping[str, Any]) -> Layer:
    """One layer out of several; later ones win, key by key."""
    merged: Layer = {}
    for layer in layers:
        for key, value in layer.items():
            below = merged.get(key)
            both = isinstance(value, Mapping) and isinstance(below, Mapping)
            merged[key] = merge(below, value) if both else value  # type: ignore[arg-type]  # both are mappings
    return merged


def dump_configuration(configuration: PPOExperimentConfiguration) -> str:
    """The whole configuration as YAML that `load_layer` reads back to an equal one."""
    values = configuration.model_dump(mode="json")
    return yaml.safe_dump(values, sort_keys=False, default_flow_style=None, allow_unicode=True, width=120)


def changed_settings(
    before: PPOExperimentConfiguration, after: PPOExperimentConfiguration
) -> dict[str, tuple[object, object]]:
    """Settings in which two configurations differ: dotted name to (before, after)."""
    return dict(_differences(before.model_dump(), after.model_dump(), ""))


def refuse_changes(before: PPOExperimentConfiguration, after: PPOExperimentConfiguration) -> None:
    """Sees to it that a resumed run remains the same experiment.

    Raises:
        UserError: A setting differs that a resumed run cannot change.
    """
    for name, (was, given) in changed_settings(before, after).items():
        if name not in RESUMABLE_CHANGES:
            raise UserError(
                f"a resumed run cannot change {name}: the run has {was}, {given} was given; "
                f"it may change {', '.join(sorted(RESUMABLE_CHANGES - {'run_folder'}))}"
            )


def _differences(before: Mapping[str, Any], after: Mapping[str, Any], prefix: str) -> list[tuple[str, tuple[Any, Any]]]:
    found: list[tuple[str, tuple[Any, Any]]] = []
    for key, was in before.items():
        given = after[key]
        if isinstance(was, Mapping) and isinstance(given, Mapping):
            found += _differences(was, given, f"{prefix}{key}.")
        elif was != given:
            found.append((prefix + key, (was, given)))
    return found
