# SPDX-License-Identifier: GPL-3.0-or-later
"""What an exported policy says about itself."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import onnx
from google.protobuf.message import DecodeError

from oakemu_rl.errors import UserError

__all__ = ["PolicyMetadata", "read_metadata"]

_PREFIX = "oakemu_rl."


@dataclass(frozen=True)
class PolicyMetadata:
    """Everything that somebody who has only the file must know to let the policy play.

    Attributes:
        game: Environment id, for example ``ZXSpectrum/Acorns-v0``.
        definition: The game's definition as plain values.
        actions: Names of the actions, in the order of the logits.
        observation: How the input is made: crop area, size, colour, stack, frameskip.
        steps: Agent steps that the policy was trained for.
        version: Version of OakEmu-RL that wrote the file.
    """

    game: str
    definition: Mapping[str, Any]
    actions: tuple[str, ...]
    observation: Mapping[str, Any]
    steps: int
    version: str

    def as_properties(self) -> dict[str, str]:
        """The metadata as ONNX metadata properties, every value JSON."""
        values = {
            "game": self.game,
            "definition": dict(self.definition),
            "actions": list(self.actions),
            "observation": dict(self.observation),
            "steps": self.steps,
            "version": self.version,
        }
        return {_PREFIX + name: json.dumps(value) for name, value in values.items()}


def read_metadata(path: Path) -> PolicyMetadata:
    """Reads the metadata of an exported policy.

    Raises:
        UserError: The file is not an ONNX file, or not one of ours.
    """
    try:
        model = onnx.load(path, load_external_data=False)
    except (OSError, DecodeError) as error:
        raise UserError(f"{path}: not an ONNX file ({type(error).__name__})") from error
    properties = {entry.key: entry.value for entry in model.metadata_props}
    try:
        values = {name: json.loads(properties[_PREFIX + name]) for name in PolicyMetadata.__dataclass_fields__}
    except (KeyError, json.JSONDecodeError) as error:
        raise UserError(f"{path}: not a policy exported by oakemu-rl (metadata missing: {error})") from error
    return PolicyMetadata(**{**values, "actions": tuple(values["actions"])})
