# SPDX-License-Identifier: GPL-3.0-or-later
"""The training loop: collect, returns, update, log, evaluate, save."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from oakemu_rl._stop_signals import StopSignals
from oakemu_rl.envs import REWARD_PART
from oakemu_rl.errors import UserError
from oakemu_rl.evaluation.result import EvaluationResult
from oakemu_rl.ppo import NonFiniteError, PPOModel, RolloutBuffer, RolloutFinalizer, RolloutStatistics, Route
from oakemu_rl.training.budget import Budget
from oakemu_rl.training.checkpoint import Checkpoint
from oakemu_rl.training.checkpoint_store import CheckpointStore
from oakemu_rl.training.companion import Companion, Companions
from oakemu_rl.training.disk_budget import DiskBudget
from oakemu_rl.training.episode_archive import EpisodeArchive
from oakemu_rl.training.json_lines import cut_back, size_of
from oakemu_rl.training.metrics import evaluation_metrics, update_metrics
from oakemu_rl.training.phase_clock import PhaseClock
from oakemu_rl.training.records import MetricsWriter, Record
from oakemu_rl.training.rollouts import Overlap, Rollout, make_rollouts
from oakemu_rl.training.run_folder import RunFolder
from oakemu_rl.training.run_state import Best, Counters, TrainedParts, capture, restore
from oakemu_rl.training.safety import Safety, SafetySettings

__all__ = ["ExperimentParts", "PPOExperiment", "Pace", "RunOutcome"]


@dataclass(frozen=True)
class Pace:
    """How long a run goes on and what it does in between.

    Attributes:
        budget: When it ends.
        eval_every: Steps between evaluations, 0 for never.
        checkpoint_every: Steps between checkpoints, 0 for only at the end.
        keep_last: How many checkpoints are kept.
    """

    budget: Budget
    eval_every: int = 0
    checkpoint_every: int = 0
    keep_last: int = 3


@dataclass(frozen=True)
class ExperimentParts:
    """Finished parts that the loop puts to use.

    Attributes:
        trained: Environments, model, actor and learner.
        finalizer: Computes advantages and returns.
        rollout_buffer: Holds one rollout.
        evaluate: Judges the weights; None for a run that never does.
        description: Goes into every checkpoint: game, configuration, shapes.
        companions: What learns beside PPO, in this order.
        overlap: What playing while learning needs; None if they take turns.
        archive: Keeps the best episodes; None where nobody does.
    """

    trained: TrainedParts
    finalizer: RolloutFinalizer
    rollout_buffer: RolloutBuffer
    evaluate: Callable[[PPOModel], EvaluationResult] | None
    description: Mapping[str, Any]
    companions: Sequence[Companion] = ()
    overlap: Overlap | None = None
    archive: EpisodeArchive | None = None


@dataclass(frozen=True)
class RunOutcome:
    """What a run came to.

    Attributes:
        counters: How far it got.
        elapsed: Seconds, over all resumptions.
        signal: The signal that stopped it, None if its budget did.
        evaluation: The last evaluation, None if there was none.
    """

    counters: Counters
    elapsed: float
    signal: int | None
    evaluation: EvaluationResult | None


class PPOExperiment:
    """One run of PPO in one run folder.

    Args:
        parts: What plays and learns.
        pace: How long, and how often what.
        run: Where checkpoints go.
        writers: Where records go; must not raise.
        safety: What watches over it; None watches nothing.
    """

    def __init__(
        self,
        parts: ExperimentParts,
        pace: Pace,
        run: RunFolder,
        writers: MetricsWriter,
        safety: SafetySettings | None = None,
    ) -> None:
        self._parts = parts
        self._pace = pace
        self._run = run
        self._writers = writers
        safety = SafetySettings() if safety is None else safety
        self._disk = DiskBudget(run, safety.disk_budget)
        self._checkpoints = CheckpointStore(run.checkpoints, pace.keep_last, self._disk.admit)
        self._best = CheckpointStore(run.best, 1, self._disk.admit, self._checkpoints)
        self._counters = Counters()
        self._clock = PhaseClock()
        self._safety = Safety(safety, parts.trained)
        self._companions = Companions(parts.companions)
        self._rollouts = make_rollouts(parts.trained, parts.finalizer, parts.rollout_buffer, parts.overlap)
        self._first_step = 0
        self._log_sizes = (0, 0)  # of metrics.jsonl and episodes.jsonl where this run goes on
        self._evaluation: EvaluationResult | None = None

    def resume(self, checkpoint: Checkpoint) -> None:
        """Goes back to a checkpoint: state, clock, and (when the run starts) the JSON-lines files as they were.

        Raises:
            UserError: It does not fit.
        """
        self._counters = restore(self._parts.trained, checkpoint.info, checkpoint.tensors)
        self._safety.load_state_dict(checkpoint.info["safety"], checkpoint.tensors["safety"])
        self._companions.load_state_dict(checkpoint.tensors["companions"])
        self._rollouts.load_state_dict(checkpoint.tensors)
        if self._parts.archive is not None:
            self._parts.archive.load_state_dict(checkpoint.tensors["archive"])
        self._first_step = self._counters.step
        self._clock = PhaseClock(elapsed_before=float(checkpoint.info["elapsed"]))
        self._log_sizes = int(checkpoint.info["metrics_bytes"]), int(checkpoint.info["episodes_bytes"])

    def run(self) -> RunOutcome:
        """Trains until the budget is used up or a signal asks to stop; either way the last state is saved.

        A rollout that has been played ahead is learnt from before that.

        Raises:
            UserError: Numbers became non-finite, the disk budget is used up, or a checkpoint could not be written;
                earlier ones are intact.
        """
        counters, clock = self._counters, self._clock
        self._tidy()
        with StopSignals() as stop, self._last_good_named(), self._rollouts as rollouts:
            while rollouts.waiting or (stop.received is None and not self._is_over(counters.step)):
                if not rollouts.waiting:
                    self._require_room()
                before = counters.step
                rollout = rollouts.take(self._progress(before))
                statistics = rollout.statistics
                clock.add("environment", statistics.environment_seconds)
                clock.add("inference", statistics.inference_seconds)
                after = before + statistics.env_steps
                ahead = stop.received is None and self._may_play_ahead(before, after)
                learnt, beside = self._learn(rollout, self._progress(before), self._progress(after) if ahead else None)
                counters.step = after
                figures = self._log(statistics, learnt, beside)
                if _due(self._pace.eval_every, before, counters.step):
                    figures |= self._evaluate()
                for notice in self._safety.watch(counters.step, figures):
                    self._writers.write(notice)
                if _due(self._pace.checkpoint_every, before, counters.step):
                    self._save()
            # Saved before the last evaluation: a run that goes on from here is the run that never paused.
            self._save()
            if stop.received is None and counters.evaluated_at != counters.step:
                self._evaluate()
        return RunOutcome(counters, clock.elapsed, stop.received, self._evaluation)

    def _learn(
        self, rollout: Rollout, progress: float, ahead: float | None
    ) -> tuple[Mapping[str, float], Mapping[str, float]]:
        """Learns from a rollout, if it teaches, and from what stands beside it.

        Args:
            rollout: The rollout.
            progress: The part of the training that was over when it began.
            ahead: The same of the next one, if that may be played while PPO learns; None if not.

        Returns:
            Figures of PPO's learner, none if it did not learn, and of all else by tag.
        """
        learnt: Mapping[str, float] = {}
        seen: Mapping[str, float] = {}
        teaches = rollout.statistics.trainable_cells > 0
        weight = self._companions.ppo_weight(progress) if teaches else 0.0
        with self._rollouts.learning(ahead), self._clock.phase("learning"):
            if weight > 0.0:
                with self._safety.look(self._counters.updates) as seen:
                    learnt = self._parts.trained.learner.update(rollout.buffer, progress, weight)
        # Alone: companions may know what directs the episodes.
        with self._clock.phase("learning"):
            beside = self._companions.learn(rollout.buffer if teaches else None, progress)
        self._counters.updates += teaches
        return learnt, {**seen, **beside, **self._rollouts.figures()}

    def _may_play_ahead(self, before: int, after: int) -> bool:
        """Whether the next rollout may be played before this one is learnt: none is waiting where the run is saved."""
        if self._is_over(after) or _due(self._pace.checkpoint_every, before, after):
            return False
        try:
            self._disk.check()
        except UserError:
            return False
        return True

    def _progress(self, step: int) -> float:
        return min(1.0, step / self._pace.budget.steps)

    def _tidy(self) -> None:
        """Removes what a killed run left behind: half-written checkpoints, and lines from after the last whole one."""
        self._checkpoints.clean()
        self._best.clean()
        cut_back(self._run.metrics, self._log_sizes[0])
        cut_back(self._run.episodes, self._log_sizes[1])

    @contextmanager
    def _last_good_named(self) -> Iterator[None]:
        """Where numbers stop being finite, says what the run can go on from; nothing is saved any more."""
        try:
            yield
        except NonFiniteError as error:
            kept = self._checkpoints.paths()
            text = "alarm: stopped by a number that is not finite"
            self._writers.write(Record("notice", self._counters.step, {"text": text, "alarm/nan": 1.0}))
            last = f"the last good checkpoint is {kept[-1]}" if kept else "there is no checkpoint yet"
            raise UserError(f"{error}; {last}") from error

    def _require_room(self) -> None:
        """Where the disk budget ends, the run does, too, while there is room to save it."""
        try:
            self._disk.check()
        except UserError:
            self._save()
            raise

    def _is_over(self, step: int) -> bool:
        return self._pace.budget.done(step, self._clock.elapsed) >= 1.0

    def _log(
        self, statistics: RolloutStatistics, learnt: Mapping[str, float], beside: Mapping[str, float]
    ) -> dict[str, float]:
        """Writes everything about one update down; returns its figures by tag."""
        counters = self._counters
        for episode in statistics.episodes:
            counters.statistics.add(episode)
            values: dict[str, float | str] = {
                "env": episode.env_id,
                "return": episode.episode_return,
                "length": episode.length,
                "outcome": str(episode.outcome),
                **{f"{REWARD_PART}{name}": part for name, part in episode.reward_parts.items()},
                **({"label": episode.label} if episode.label else {}),
                **({"route": str(episode.route)} if episode.route is not Route.POLICY else {}),
            }
            self._writers.write(Record("episode", counters.step, values))
        new_steps = counters.step - self._first_step
        numbers = {**update_metrics(counters, new_steps, self._clock, learnt), **beside, **statistics.figures}
        self._writers.write(Record("metrics", counters.step, numbers))
        return numbers

    def _evaluate(self) -> dict[str, float]:
        """Judges the present weights, and keeps them if none were better; returns the figures by tag."""
        if self._parts.evaluate is None:
            return {}
        counters = self._counters
        counters.evaluated_at = counters.step
        with self._clock.phase("evaluation"):
            result = self._parts.evaluate(self._parts.trained.model)
        self._evaluation = result
        mean = result.returns.mean
        if counters.best is None or mean > counters.best.mean_return:
            counters.best = Best(counters.step, mean)
            info = {**self._parts.description, "step": counters.step, "evaluation": result.as_dict()}
            self._best.save(counters.step, info, {"model": self._parts.trained.model.state_dict()})
        figures = evaluation_metrics(result, counters.best)
        self._writers.write(Record("evaluation", counters.step, figures))
        return figures

    def _save(self) -> Path:
        info, tensors = capture(self._parts.trained, self._counters)
        info["safety"], tensors["safety"] = self._safety.state_dict()
        tensors |= {"companions": self._companions.state_dict(), **self._rollouts.state_dict()}
        if self._parts.archive is not None:
            tensors["archive"] = self._parts.archive.state_dict()
        logs = {"metrics_bytes": size_of(self._run.metrics), "episodes_bytes": size_of(self._run.episodes)}
        info = {**self._parts.description, **info, **logs, "elapsed": self._clock.elapsed}
        return self._checkpoints.save(self._counters.step, info, tensors)


def _due(every: int, before: int, now: int) -> bool:
    """Whether a multiple of `every` lies in (before, now]: needs no memory, so that a resumed run keeps the beat."""
    return every > 0 and before // every < now // every
