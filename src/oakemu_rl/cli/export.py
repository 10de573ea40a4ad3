# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl export`: writes an agent as an ONNX file."""

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import Field

from oakemu_rl import __version__
from oakemu_rl.cli.agent_arguments import AgentArguments, open_agent
from oakemu_rl.cli.arguments import parse_flags

if TYPE_CHECKING:  # it brings torch, which is imported once the arguments are known to be sound
    from oakemu_rl.training.agent import Agent

__all__ = ["run"]


class _ExportArguments(AgentArguments):
    """Write an agent as an ONNX file: raw observations in, logits and the greedy action out."""

    output: Path | None = Field(
        None,
        description="The file; None is export/<game>.onnx in the run folder.",
        json_schema_extra={"aliases": ["-o"], "metavar": "FILE"},
    )
    opset: int = Field(18, description="ONNX operator set, 18 to 21.")
    quiet: bool = Field(default=False, description="Print nothing but errors.")


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_ExportArguments, args, prog="oakemu-rl export")
    agent = open_agent(arguments)
    from oakemu_rl.export import OnnxExporter, PolicyMetadata

    path = arguments.output or _beside(agent.checkpoint, f"{agent.game.definition.name.lower()}.onnx")
    metadata = PolicyMetadata(
        game=agent.game.id,
        definition=agent.game.definition.model_dump(mode="json"),
        actions=agent.action_names,
        observation=_recipe(agent),
        steps=agent.step,
        version=__version__,
    )
    exporter = OnnxExporter(
        agent.model,
        observation_shape=agent.observation_shape,
        observation_dtype=agent.observation_dtype,
        metadata=metadata,
    )
    report = exporter.export(path, opset=arguments.opset)
    if not arguments.quiet:
        sys.stdout.write(
            f"{report.path}: {report.size:,} bytes, opset {arguments.opset}; onnxruntime agrees with the model "
            f"(largest difference {report.largest_difference:.1e})\n"
        )
    return 0


def _recipe(agent: "Agent") -> dict[str, Any]:
    """How an observation is made, complete with what the agent's options left to the game's presets."""
    from oakemu_rl.envs import EnvKeywords, EnvOptions

    options = EnvOptions.resolve(agent.game, cast("EnvKeywords", agent.env_options))
    return {"shape": list(agent.observation_shape), "area": list(agent.game.definition.area), **asdict(options)}


def _beside(checkpoint: Path, name: str) -> Path:
    """The run's export folder; for a checkpoint that stands alone, beside it."""
    run = checkpoint.parent.parent
    return (run / "export" if (run / "config.yaml").is_file() else checkpoint.parent) / name
