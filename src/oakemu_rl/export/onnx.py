# SPDX-License-Identifier: GPL-3.0-or-later
"""ONNX export that checks itself before it reports success."""

import contextlib
import copy
import logging
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from oakemu_rl.errors import UserError
from oakemu_rl.export.metadata import PolicyMetadata
from oakemu_rl.ppo import PPOModel
from oakemu_rl.ppo.observation_parts import ObservationForm, ObservationPart, ObservationParts

__all__ = ["ExportReport", "OnnxExporter"]

_OPSETS = range(18, 22)
_BATCHES = (1, 3, 5)
_TOLERANCE = 1e-4


@dataclass(frozen=True)
class ExportReport:
    """What was written and how well it agrees with the model.

    Attributes:
        path: The file.
        size: Its bytes.
        largest_difference: Largest absolute difference between onnxruntime's logits and the model's.
    """

    path: Path
    size: int
    largest_difference: float


class _Policy(nn.Module):
    """The exported graph: raw observations in (several parts in their order), logits and the greedy action out.

    Of a recurrent network the last input is its state, and the last output the next one.
    """

    def __init__(self, model: PPOModel, action_mask: Tensor | None) -> None:
        super().__init__()
        form = model.observation_shape
        self._names = [part.name for part in form.parts] if isinstance(form, ObservationParts) else None
        self._model = model
        mask = torch.ones(model.action_shape, dtype=torch.bool) if action_mask is None else action_mask
        self._mask: Tensor
        self.register_buffer("_mask", mask)

    def forward(self, *inputs: Tensor) -> tuple[Tensor, ...]:
        """Logits (batch, actions), actions (batch,) and, of a recurrent network, states (batch, state_size)."""
        seen = inputs[:-1] if self._model.state_size else inputs
        obs = seen[0] if self._names is None else dict(zip(self._names, seen, strict=True))
        after: list[Tensor] = []
        if self._model.state_size:
            logits, _, *after = self._model.step(obs, inputs[-1])
        else:
            logits = self._model.get_logits(obs)
        masked = torch.where(self._mask, logits, torch.full_like(logits, -torch.inf))
        return masked, masked.argmax(dim=-1), *after


class OnnxExporter:
    """Writes a policy as ONNX.

    Input ``obs`` (batch, *shape), or each part of the observations under its own name; outputs ``logits`` (batch,
    actions) and the greedy ``action`` (batch,). Scaling of the observations and the action mask are inside the graph,
    so that a user feeds the bytes that the environment gives and needs nothing else. The first axis is free.

    A recurrent network has another input ``state`` (batch, state_size), zeros where an episode begins, and another
    output ``next_state``, to be given to it with the next observations.

    Args:
        model: The policy; it is copied to the CPU, not changed.
        observation_shape: Shape of one observation, or its parts.
        observation_dtype: Its type, ``uint8`` for pictures; parts have their own.
        metadata: What the file says about itself.
        action_mask: Actions that are ever allowed, shape (actions,), None for all. The others get a logit of -inf.

    Raises:
        ValueError: The mask has a wrong shape, or allows nothing.
    """

    def __init__(
        self,
        model: PPOModel,
        *,
        observation_shape: ObservationForm,
        observation_dtype: np.dtype[np.generic],
        metadata: PolicyMetadata,
        action_mask: NDArray[np.bool_] | None = None,
    ) -> None:
        mask = None if action_mask is None else torch.as_tensor(action_mask, dtype=torch.bool)
        if mask is not None and mask.shape != (model.action_shape,):
            raise ValueError(f"action_mask has shape {tuple(mask.shape)}, the model has {model.action_shape} actions")
        if mask is not None and not mask.any():
            raise ValueError("action_mask allows no action")
        self._policy = _Policy(copy.deepcopy(model).to("cpu").float(), mask).eval()
        self._inputs = _inputs_of(observation_shape, observation_dtype)
        self._outputs = ["logits", "action"]
        if model.state_size:
            self._inputs += (ObservationPart("state", (model.state_size,), "float32", None),)
            self._outputs.append("next_state")
        self._metadata = metadata

    def export(self, path: Path, *, opset: int = 18) -> ExportReport:
        """Writes the file, plays random observations through it and through the model, and only then gives it its name.

        Args:
            path: Where the file goes; its folder is made. Only a file that passed the check replaces an existing one.
            opset: ONNX operator set, 18 to 21.

        Raises:
            UserError: The opset is not supported, the file cannot be written, or onnxruntime disagrees with the model.
        """
        if opset not in _OPSETS:
            raise UserError(f"opset {opset} is not supported, allowed are {_OPSETS.start} to {_OPSETS.stop - 1}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_name(f".{path.stem}-{os.getpid()}.part.onnx")
            try:
                self._write(temporary, opset)
                difference = self._check(temporary)
                temporary.replace(path)
            finally:
                temporary.unlink(missing_ok=True)
        except OSError as error:
            # Making a folder where a file is fails with "File exists", which would mislead.
            in_the_way = isinstance(error, FileExistsError)
            reason = f"{path.parent} is not a folder" if in_the_way else error.strerror or str(error)
            raise UserError(f"cannot write {path}: {reason}") from error
        return ExportReport(path, path.stat().st_size, difference)

    def _write(self, path: Path, opset: int) -> None:
        batch = torch.export.Dim("batch", min=1)
        example = self._examples(2, np.random.default_rng(0))
        with _quiet():
            program = torch.onnx.export(
                self._policy,
                tuple(map(torch.from_numpy, example.values())),
                input_names=list(example),
                output_names=self._outputs,
                dynamic_shapes={"inputs": tuple({0: batch} for _ in example)},
                opset_version=opset,
                dynamo=True,
                external_data=False,
                verbose=False,
            )
        if program is None:
            raise RuntimeError("the exporter returned no program")
        model = program.model_proto
        onnx.helper.set_model_props(model, self._metadata.as_properties())
        onnx.checker.check_model(model, full_check=True)
        onnx.save(model, path)

    def _check(self, path: Path) -> float:
        """Largest difference over random batches; raises UserError when the file is not the model."""
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        rng = np.random.default_rng(1)
        largest = 0.0
        for batch in _BATCHES:
            examples = self._examples(batch, rng)
            logits, actions, *states = session.run(self._outputs, examples)
            with torch.inference_mode():
                expected, _, *after = (each.numpy() for each in self._policy(*map(torch.from_numpy, examples.values())))
            allowed = np.isfinite(expected)
            if logits.shape != expected.shape or not np.array_equal(np.isfinite(logits), allowed):
                raise UserError(f"self-check failed at batch {batch}: logits {logits.shape}, expected {expected.shape}")
            differences = [logits[allowed] - expected[allowed], *map(np.subtract, states, after)]
            largest = max(largest, *(float(np.abs(each).max()) for each in differences))
            chosen = np.take_along_axis(expected, actions[:, None], axis=1)[:, 0]
            # A tie within the tolerance may fall either way; anything else must be the model's own choice.
            if largest > _TOLERANCE or (chosen < expected.max(axis=1) - _TOLERANCE).any():
                raise UserError(
                    f"self-check failed at batch {batch}: onnxruntime differs from the model by {largest:.2g} "
                    f"(at most {_TOLERANCE:g} is allowed) or chooses other actions"
                )
        return largest

    def _examples(self, batch: int, rng: np.random.Generator) -> dict[str, NDArray[Any]]:
        """Random numbers for each input."""
        return {part.name: _random_numbers(part, batch, rng) for part in self._inputs}


def _inputs_of(form: ObservationForm, dtype: np.dtype[Any]) -> tuple[ObservationPart, ...]:
    """What the graph takes; an observation that is one array is called ``obs``."""
    return form.parts if isinstance(form, ObservationParts) else (ObservationPart("obs", form, dtype.name, None),)


def _random_numbers(part: ObservationPart, batch: int, rng: np.random.Generator) -> NDArray[Any]:
    shape, dtype = (batch, *part.shape), np.dtype(part.dtype)
    if dtype.kind not in "iu":
        return rng.standard_normal(shape).astype(dtype)
    low, high = part.limits or (np.iinfo(dtype).min, np.iinfo(dtype).max)
    return rng.integers(int(low), int(high), size=shape, endpoint=True, dtype=dtype)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Keeps the exporter's progress chatter and its notes about itself off the user's console."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(None):
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
