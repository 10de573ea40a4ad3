# SPDX-License-Identifier: GPL-3.0-or-later
"""A look into the network while it learns: units that do nothing, rank of the features, norms, probability ratios.

Everything is read off the update itself, by hooks that are there for one update only: no second pass is made, and what
is learnt is not touched.

Sources: Sokar et al., 2023, "The Dormant Neuron Phenomenon in Deep Reinforcement Learning" (the score of a unit and the
threshold); Kumar et al., 2021, "Implicit Under-Parameterization Inhibits Data-Efficient Deep Reinforcement Learning"
(the effective rank).
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from oakemu_rl.ppo import PPOLearner

__all__ = ["RATIO_BINS", "UpdateView", "effective_rank", "look_at_update"]

RATIO_BINS = ("below 0.5", "0.5-0.8", "0.8-0.9", "0.9-1.1", "1.1-1.25", "1.25-2", "above 2")
"""What the histogram of the probability ratios counts; the middle bin is where nothing happens."""

_RATIO_EDGES = (0.5, 0.8, 0.9, 1.1, 1.25, 2.0)
_DORMANT = 0.025  # of the layer's mean activity, as in section 3 of Sokar et al.
_RANK_TAIL = 0.01  # delta of Kumar et al.
_RANK_ROWS = 512  # observations from which the rank is taken; the time goes with the number of features, not with these
_ACTIVATIONS = (nn.ReLU, nn.LeakyReLU, nn.ELU, nn.GELU, nn.SiLU, nn.Tanh, nn.Sigmoid)


@dataclass
class _Units:
    """Activity of one layer's units over an update: sums and maxima of absolute outputs, (units,)."""

    total: Tensor
    highest: Tensor

    def add(self, total: Tensor, highest: Tensor) -> None:
        self.total += total
        self.highest = torch.maximum(self.highest, highest)


@dataclass
class UpdateView:
    """What was seen of one update.

    Attributes:
        units: Activity of each layer's units, by layer.
        gradients: Norm of each layer's gradient in each gradient step, before clipping.
        ratios: How many probability ratios fell into each of `RATIO_BINS`.
        features: What the heads saw last, (M, features); None if they were not called.
    """

    units: dict[str, _Units] = field(default_factory=dict)
    gradients: dict[str, list[Tensor]] = field(default_factory=dict)
    ratios: Tensor = field(default_factory=lambda: torch.zeros(len(RATIO_BINS), dtype=torch.int64))
    features: Tensor | None = None

    def metrics(self, model: nn.Module) -> dict[str, float]:
        """The ``diagnostics/`` tags.

        A unit (a neuron, or a channel of a convolution) is dead if it gave exactly 0 for everything that the update
        saw, and dormant if its mean absolute output is at most 0.025 of the layer's mean: dead ones are dormant, too.

        Args:
            model: The network that was looked at, for the norms of its weights.
        """
        values: dict[str, float] = {}
        for layer, units in self.units.items():
            score = units.total / units.total.mean().clamp(min=torch.finfo(units.total.dtype).tiny)
            values[f"diagnostics/dead/{layer}"] = float((units.highest == 0.0).float().mean())
            values[f"diagnostics/dormant/{layer}"] = float((score <= _DORMANT).float().mean())
        if self.features is not None:
            values["diagnostics/effective_rank"] = float(effective_rank(self.features))
            values["diagnostics/features"] = float(self.features.shape[1])
        for layer, parameters in _parameters_by_layer(model).items():
            norms = torch.stack([each.detach().float().norm() for each in parameters])
            values[f"diagnostics/weight_norm/{layer}"] = float(norms.norm())
            if layer in self.gradients:
                values[f"diagnostics/gradient_norm/{layer}"] = float(torch.stack(self.gradients[layer]).mean())
        total = int(self.ratios.sum())
        if total:
            shares = (self.ratios / total).tolist()
            values |= {f"diagnostics/ratio/{name}": share for name, share in zip(RATIO_BINS, shares, strict=True)}
        return values


def effective_rank(features: Tensor) -> int:
    """How many directions the features really use (``srank`` of Kumar et al., 2021, with delta 0.01).

    The least number of singular values, largest first, that add up to 0.99 of them all.

    Args:
        features: Shape (observations, features); the first 512 observations are taken.

    Returns:
        From 0 (all features are 0) to the number of features.
    """
    rows = features[:_RANK_ROWS].cpu().double()  # not every device has double precision
    # Squares of the singular values; in double precision those of the tail that could matter are exact enough.
    squares = torch.linalg.eigvalsh(rows.T @ rows)
    singular = squares.clamp(min=0.0).sqrt().flip(0)
    total = float(singular.sum())
    if total == 0.0:
        return 0
    return int((singular.cumsum(0) < (1.0 - _RANK_TAIL) * total).sum()) + 1


@contextmanager
def look_at_update(learner: PPOLearner) -> Iterator[UpdateView]:
    """Watches the `learner.update` inside the `with` block; the view is complete at its end.

    A network under ``torch_compile`` runs without hooks: of it there are no figures of units and features.
    """
    view = UpdateView()
    handles = [*_watch_units(learner.model, view), *_watch_gradients(learner, view)]

    def count_ratios(log_ratio: Tensor) -> None:
        edges = torch.tensor(_RATIO_EDGES, device=log_ratio.device)
        bins = torch.bucketize(log_ratio.float().exp(), edges, right=True)
        view.ratios = view.ratios.to(bins.device) + torch.bincount(bins, minlength=len(RATIO_BINS))

    learner.on_log_ratio = count_ratios
    try:
        yield view
    finally:
        learner.on_log_ratio = None
        for handle in handles:
            handle.remove()


def _watch_units(model: nn.Module, view: UpdateView) -> Iterator[RemovableHandle]:
    """Hooks that note the activity behind each activation function, under the name of the layer before it."""
    latest = ""
    labels: dict[str, str] = {}

    def note_layer(name: str) -> Callable[..., None]:
        def hook(*_: Any) -> None:  # noqa: ANN401  # torch hands the module, its inputs and its output over
            nonlocal latest
            latest = name

        return hook

    def note_activity(name: str) -> Callable[..., None]:
        def hook(_module: nn.Module, _inputs: Any, output: Tensor) -> None:  # noqa: ANN401  # as above
            if name not in labels:
                labels[name] = latest if latest and latest not in labels.values() else name
            activity = _activity(output.detach().float())
            label = labels[name]
            if label in view.units:
                view.units[label].add(*activity)
            else:
                view.units[label] = _Units(*activity)

        return hook

    def note_features(_module: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        view.features = inputs[0].detach().flatten(0, -2)

    for name, module in model.named_modules():
        if isinstance(module, _ACTIVATIONS):
            yield module.register_forward_hook(note_activity(name))
        elif next(module.parameters(recurse=False), None) is not None:
            yield module.register_forward_hook(note_layer(name))
    yield model.get_submodule("policy_head").register_forward_pre_hook(note_features)


def _activity(output: Tensor) -> tuple[Tensor, Tensor]:
    """Sums and maxima of absolute outputs, each (units,): units are channels of pictures, else the last dimension."""
    by_unit = output.abs().transpose(1, -1) if output.dim() == 4 else output.abs()
    rows = by_unit.reshape(-1, by_unit.shape[-1])
    return rows.sum(0), rows.amax(0)


def _watch_gradients(learner: PPOLearner, view: UpdateView) -> Iterator[RemovableHandle]:
    """Hooks that note the norm of each layer's gradient as soon as it is there."""
    for layer, parameters in _parameters_by_layer(learner.model).items():
        seen: dict[int, Tensor] = {}

        def note(
            parameter: Tensor,
            layer: str = layer,
            seen: dict[int, Tensor] = seen,
            wanted: int = len(parameters),
        ) -> None:
            if parameter.grad is None:
                return
            seen[id(parameter)] = parameter.grad.detach().float().norm() / learner.loss_scale
            if len(seen) == wanted:
                view.gradients.setdefault(layer, []).append(torch.stack(list(seen.values())).norm())
                seen.clear()

        for parameter in parameters:
            handle: RemovableHandle = parameter.register_post_accumulate_grad_hook(note)  # type: ignore[no-untyped-call]  # torch annotates it not
            yield handle


def _parameters_by_layer(model: nn.Module) -> Mapping[str, list[nn.Parameter]]:
    """Weights and biases together, by the name of the module that owns them."""
    layers: dict[str, list[nn.Parameter]] = {}
    for name, parameter in model.named_parameters():
        layers.setdefault(name.rpartition(".")[0], []).append(parameter)
    return layers
