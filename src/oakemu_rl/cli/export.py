# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl export`: writes an agent as an ONNX file."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import Field

from oakemu_rl import __version__
from oakemu_rl.cli.agent_arguments import AgentArguments, open_agent
from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.games import list_games

if TYPE_CHECKING:  # they bring torch, which is imported once the arguments are known to be sound
    from oakemu_rl.export import ExportReport
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
        sys.stdout.writelines(f"{line}\n" for line in _report(agent, report, arguments.opset))
    return 0


def _report(agent: "Agent", report: "ExportReport", opset: int) -> Iterator[str]:
    yield (
        f"{report.path}: {report.size:,} bytes, opset {opset}; onnxruntime agrees with the model "
        f"(largest difference {report.largest_difference:.1e})"
    )
    ports = list(_ports(agent))
    width = max(len(name) for _, name, _ in ports)
    yield from (f"  {direction:6}  {name:{width}}  {what}" for direction, name, what in ports)
    if agent.game.has_masks:
        yield f"  {agent.game.id} forbids actions by state: take the largest logit of those that action_mask allows"
    yield ""
    yield "to use it:"
    yield from (f"  {line}" for line in _usage(agent, report.path))


def _usage(agent: "Agent", path: Path) -> Iterator[str]:
    """A few lines of Python that let the file play."""
    game = repr(agent.game.id if agent.game.id in list_games() else "DEFINITION.yaml")
    options = "".join(f", {name}={value!r}" for name, value in agent.env_options.items())
    yield f"import {'numpy, ' if agent.model.state_size else ''}onnxruntime, oakemu_rl.envs"
    yield f"env, session = oakemu_rl.envs.SpectrumEnv({game}{options}), onnxruntime.InferenceSession({str(path)!r})"
    single, size = isinstance(agent.observation_shape, tuple), agent.model.state_size
    if single and not size:
        yield 'action = session.run(["action"], {"obs": env.reset(seed=1)[0][None]})[0][0]'
        return
    yield "observation = env.reset(seed=1)[0]"
    inputs = '{"obs": observation[None]}' if single else "{name: part[None] for name, part in observation.items()}"
    if not size:
        yield f'action = session.run(["action"], {inputs})[0][0]'
        return
    yield f'state = numpy.zeros((1, {size}), "float32")  # at the beginning of an episode'
    yield f'(action,), state = session.run(["action", "next_state"], {{**{inputs}, "state": state}})'


def _ports(agent: "Agent") -> Iterator[tuple[str, str, str]]:
    """Direction, name and description of each input and output."""
    form, actions, size = agent.observation_shape, agent.action_names, agent.model.state_size
    parts = (
        [("obs", agent.observation_dtype.name, form)]
        if isinstance(form, tuple)
        else [(part.name, part.dtype, part.shape) for part in form.parts]
    )
    for name, dtype, shape in parts:
        yield "input", name, f"{dtype} (batch, {', '.join(map(str, shape))}), as the environment gives it"
    if size:
        yield "input", "state", f"float32 (batch, {size}), zeros where an episode begins"
    yield "output", "logits", f"float32 (batch, {len(actions)}): {', '.join(actions)}"
    yield "output", "action", "int64 (batch,), the most probable action"
    if size:
        yield "output", "next_state", f"float32 (batch, {size}), the state to give with the next observation"


def _recipe(agent: "Agent") -> dict[str, Any]:
    """How an observation is made, complete with what the agent's options left to the game's presets."""
    from oakemu_rl.envs import EnvKeywords, EnvOptions

    options = EnvOptions.resolve(agent.game, cast("EnvKeywords", agent.env_options))
    from oakemu_rl.training.assembly import describe_form

    described = describe_form(agent.observation_shape, agent.observation_dtype)
    return {**described, "area": list(agent.game.definition.area), **asdict(options)}


def _beside(checkpoint: Path, name: str) -> Path:
    """The run's export folder; for a checkpoint that stands alone, beside it."""
    run = checkpoint.parent.parent
    return (run / "export" if (run / "config.yaml").is_file() else checkpoint.parent) / name
