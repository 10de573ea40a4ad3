# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl diagnose`: sets a run's network beside a fresh one and says what looks healthy and what does not."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, PositiveInt

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.files import write_bytes, write_text
from oakemu_rl.errors import UserError
from oakemu_rl.games import load_game

if TYPE_CHECKING:  # they bring torch, which is imported once the arguments are known to be sound
    from oakemu_rl.training.diagnosis import NetworkFigures
    from oakemu_rl.training.findings import Finding
    from oakemu_rl.training.run_folder import RunFolder

__all__ = ["run"]


class _DiagnoseArguments(BaseModel):
    """Set a run's network beside a fresh one and say what looks healthy, what does not, and what to try.

    Both play one rollout and learn from it once, in memory; the run itself is not changed. The page is written into the
    run folder, as diagnosis/diagnosis.md with two pictures.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: Path = Field(
        Path("runs/latest"),
        description="Run folder; its newest checkpoint is taken.",
        json_schema_extra={"positional": True, "metavar": "RUN"},
    )
    device: str = Field("auto", description="Where the networks compute: auto, cpu, cuda, cuda:1, mps.")
    num_threads: PositiveInt | None = Field(None, description="Emulation threads; None is one a processor.")
    quiet: bool = Field(default=False, description="Print nothing but errors.")


@dataclass(frozen=True)
class _Subject:
    """What is looked at.

    Attributes:
        title: Of the game.
        checkpoint: The folder of the checkpoint.
        step: Agent steps behind it.
        progress: The part of the training that these are.
        num_actions: Of the game.
        cells: Agent steps of a rollout.
        trained: What its network shows.
        fresh: What a fresh one shows.
    """

    title: str
    checkpoint: Path
    step: int
    progress: float
    num_actions: int
    cells: int
    trained: "NetworkFigures"
    fresh: "NetworkFigures"


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_DiagnoseArguments, args, prog="oakemu-rl diagnose")
    from oakemu_rl.training.findings import examine
    from oakemu_rl.training.json_lines import read_json_lines
    from oakemu_rl.training.run_folder import RunFolder

    folder = RunFolder.open(arguments.run)
    subject = _look(folder, arguments)
    lines = list(read_json_lines(folder.metrics))
    findings = examine(
        subject.trained, subject.fresh, lines, num_actions=subject.num_actions, progress=subject.progress
    )
    page = _write(folder, subject, findings, lines)
    if not arguments.quiet:
        _print(findings, page)
    return 0


def _look(folder: "RunFolder", arguments: _DiagnoseArguments) -> _Subject:
    from oakemu_rl.imitation import ImitationConfiguration
    from oakemu_rl.training.agent import same_game
    from oakemu_rl.training.assembly import assemble
    from oakemu_rl.training.checkpoint_store import CheckpointStore
    from oakemu_rl.training.configuration import PPOExperimentConfiguration
    from oakemu_rl.training.diagnosis import figures_beside
    from oakemu_rl.training.run_state import restore

    store = CheckpointStore(folder.checkpoints)
    if not store.paths():
        raise UserError(f"the run {folder.path} has no checkpoint yet")
    path, checkpoint, complaints = store.load_last()
    for complaint in complaints:
        sys.stderr.write(f"oakemu-rl: note: {complaint}; {path} is used\n")
    saved = PPOExperimentConfiguration.model_validate(checkpoint.info["configuration"])
    configuration = saved.model_copy(
        update={
            "device": arguments.device,
            "num_threads": arguments.num_threads,
            "overlap": False,  # nothing is played ahead here
            "initial": None,  # what it began with, and what it imitates, need not be there any more
            "imitation": ImitationConfiguration(),
            "ppo": saved.ppo.model_copy(update={"torch_compile": False}),  # under which networks cannot be looked into
        }
    )
    game = load_game(configuration.game)
    same_game(checkpoint, game)
    parts = assemble(configuration, game)
    restore(parts.trained, checkpoint.info, checkpoint.tensors)
    step = int(checkpoint.info["step"])
    progress = min(1.0, step / configuration.steps)
    trained, fresh = figures_beside(parts, assemble(configuration, game), progress)
    return _Subject(
        title=game.definition.title,
        checkpoint=path,
        step=step,
        progress=progress,
        num_actions=parts.trained.model.action_shape,
        cells=configuration.steps_per_update,
        trained=trained,
        fresh=fresh,
    )


def _write(
    folder: "RunFolder", subject: _Subject, findings: "Sequence[Finding]", lines: Sequence[Mapping[str, Any]]
) -> Path:
    from oakemu_rl.training import diagnosis_report as report

    title = f"{subject.title}: the network after {subject.step:,} steps"
    sentences = [
        f"Checkpoint `{subject.checkpoint.name}` of `{folder.path.name}`, beside a network as the run began with.",
        f"Each played a rollout of {subject.cells:,} steps and learnt from it once.",
        "Units and features were looked at on what the trained agent saw.",
        "What the words mean: docs/diagnostics.md.",
    ]
    page = folder.diagnosis / "diagnosis.md"
    write_bytes(folder.diagnosis / report.HISTORY_PICTURE, report.draw_history(lines))
    write_bytes(folder.diagnosis / report.NETWORK_PICTURE, report.draw_network(subject.trained, subject.fresh))
    write_text(page, report.write_page(title, sentences, findings, subject.trained, subject.fresh))
    return page


def _print(findings: "Sequence[Finding]", page: Path) -> None:
    for finding in sorted(findings, key=lambda each: each.healthy):
        sys.stdout.write(f"{'  ok  ' if finding.healthy else '  !!  '}{finding.text}\n")
        if finding.advice:
            sys.stdout.write(f"      try: {finding.advice}\n")
    sys.stdout.write(f"\nthe page is {page}\n")
