# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole run of behaviour cloning, as `oakemu-rl bc` does it."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import torch

from oakemu_rl._stop_signals import StopSignals
from oakemu_rl._whole_file import write_whole
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import Game
from oakemu_rl.imitation import (
    Cloner,
    CloningTrainer,
    Epoch,
    Focus,
    Judgement,
    hold_out,
    make_sampler,
)
from oakemu_rl.ppo import PPOModel
from oakemu_rl.ppo.env_contract import storage_of
from oakemu_rl.ppo.seeding import derive_generator
from oakemu_rl.training.assembly import describe_run, first_model
from oakemu_rl.training.checkpoint_store import CheckpointStore
from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.imitation_parts import Storage, dataset_of, find_focuses, watch_recordings
from oakemu_rl.training.json_lines import JsonLinesWriter
from oakemu_rl.training.records import Record
from oakemu_rl.training.run_folder import RunFolder

__all__ = ["CloningOutcome", "CloningPlan", "CloningRun"]

_SPLIT_STREAM, _ORDER_STREAM = (6, 2), (6, 3)


@dataclass(frozen=True)
class CloningPlan:
    """How long a network is cloned, and by what it is judged.

    Attributes:
        epochs: Passes over the recordings, at most.
        validation: Part of the recordings that is held out.
        patience: Passes without getting better on what was held out before it ends; 0 for never.
    """

    epochs: int
    validation: float
    patience: int


@dataclass(frozen=True)
class CloningOutcome:
    """What cloning came to.

    Attributes:
        best: The epoch whose weights were kept.
        epochs: How many there were.
        steps: Recorded steps that the network had been shown by then.
        data_share: Part of the time that putting batches together took.
        signal: The signal that stopped it, None if it ended by itself.
    """

    best: Epoch
    epochs: int
    steps: int
    data_share: float
    signal: int | None


class CloningRun:
    """Behaviour cloning into a run folder. The constructor reads the recordings; nothing is written before `run`.

    Args:
        configuration: Game, environments, network, recordings, seed, and how is cloned (`imitation`).
        plan: How long.
        game: The game that it names.

    Attributes:
        recordings: The files, by number of the episode.
        held_out: Numbers of those that only judge; none if there is but one, or nothing was to be held out.
        actions: The names of the actions.

    Raises:
        UserError: A recording cannot be used, they are too short, or settings do not go together.
    """

    def __init__(self, configuration: PPOExperimentConfiguration, plan: CloningPlan, game: Game) -> None:
        if configuration.torch_threads is not None:
            torch.set_num_threads(configuration.torch_threads)
        settings, seed = configuration.imitation, configuration.seed
        env = SpectrumVectorEnv(game, 1, num_threads=1, **configuration.env.as_kwargs())
        try:
            self._model: PPOModel = first_model(configuration, env)
            self._description = describe_run(configuration, game, env)
            self.actions = tuple(env.get_action_meanings())
            storage = Storage(*storage_of(env.single_observation_space))
        finally:
            env.close()
        self.recordings = configuration.demos
        episodes = watch_recordings(configuration.demos, game, configuration.env)
        self.held_out = hold_out(len(episodes), plan.validation, derive_generator(seed, *_SPLIT_STREAM))
        learnt = [number for number in range(len(episodes)) if number not in self.held_out]
        training = dataset_of([episodes[i] for i in learnt], storage, self._model, settings.batch_size)
        validation = (
            dataset_of([episodes[i] for i in self.held_out], storage, self._model, 1) if self.held_out else None
        )
        cloner = Cloner(
            self._model,
            settings,
            class_weights=training.class_weights(settings.class_weights),
            mixed_precision=configuration.ppo.mixed_precision,
        )
        focuses = [
            Focus(learnt.index(each.episode), each.begin, each.end)
            for each in find_focuses(configuration.demos, settings)
            if each.episode in learnt
        ]
        sampler = make_sampler(training, settings, focuses, derive_generator(seed, *_ORDER_STREAM))
        self._steps = len(training)
        self._batch_size = settings.batch_size
        self._plan = plan
        self._trainer = CloningTrainer(
            self._model,
            cloner,
            training,
            validation,
            sampler,
            batches=-(-self._steps // self._batch_size),
            patience=plan.patience,
        )

    def run(self, folder: RunFolder, on_epoch: Callable[[Epoch], None]) -> CloningOutcome:
        """Clones, and leaves the best weights as the folder's best model, and the figures in ``cloning.json``.

        Args:
            folder: The run's.
            on_epoch: Called at the end of each epoch.

        Raises:
            UserError: Numbers became non-finite, or the folder cannot be written.
        """
        writer = JsonLinesWriter(folder.metrics, "metrics")
        self._write(folder, {})  # which says of the folder, whatever comes, that nothing is trained in it
        epochs: list[Epoch] = []
        with StopSignals() as stop, closing(self._trainer.run(self._plan.epochs)) as passes:
            for epoch in passes:
                epochs.append(epoch)
                writer.write(Record("metrics", self._shown(epoch.index), dict(_figures(epoch))))
                on_epoch(epoch)
                if stop.received is not None:
                    break
        best = next(epoch for epoch in reversed(epochs) if epoch.is_best)
        self._write(
            folder,
            {
                "epochs": len(epochs),
                "best_epoch": best.index,
                "training": _judged(best.training),
                "validation": None if best.validation is None else _judged(best.validation),
            },
        )
        shown = self._shown(best.index)
        info = {**self._description, "step": shown}
        CheckpointStore(folder.best).save(shown, info, {"model": self._model.state_dict()})
        data_share = sum(each.data_seconds for each in epochs) / max(sum(each.seconds for each in epochs), 1e-9)
        return CloningOutcome(best, len(epochs), shown, data_share, stop.received)

    def _shown(self, epochs: int) -> int:
        return epochs * -(-self._steps // self._batch_size) * self._batch_size

    def _write(self, folder: RunFolder, figures: Mapping[str, Any]) -> None:
        """Writes ``cloning.json``: what is learnt from, and what came of it."""
        recordings = [
            {"file": str(path), "held_out": number in self.held_out} for number, path in enumerate(self.recordings)
        ]
        text = json.dumps({"recordings": recordings, "actions": list(self.actions), **figures}, indent=1)
        write_whole(folder.cloning, text.encode())


def _figures(epoch: Epoch) -> Iterator[tuple[str, float]]:
    """An epoch by tag."""
    yield "bc/epoch", float(epoch.index)
    for prefix, judged in (("bc/", epoch.training), ("bc/validation_", epoch.validation)):
        if judged is not None:
            yield f"{prefix}loss", judged.loss
            yield f"{prefix}accuracy", judged.accuracy
    yield "time/data_share", epoch.data_seconds / max(epoch.seconds, 1e-9)


def _judged(judgement: Judgement) -> dict[str, Any]:
    """A judgement as plain values; the rows of the confusion are what was recorded."""
    return {
        "steps": judgement.steps,
        "loss": judgement.loss,
        "accuracy": judgement.accuracy,
        "confusion": judgement.confusion.tolist(),
    }
