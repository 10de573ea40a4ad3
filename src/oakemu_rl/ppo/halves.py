# SPDX-License-Identifier: GPL-3.0-or-later
"""A network that takes a minibatch in two halves at once."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeAlias, TypeVar

import torch
from torch import Tensor

from oakemu_rl.ppo.configuration import MixedPrecision
from oakemu_rl.ppo.model import PPOModel
from oakemu_rl.ppo.observation_parts import map_observations
from oakemu_rl.ppo.precision import autocast

__all__ = ["HalvedNetwork"]

_Input: TypeAlias = Tensor | Mapping[str, Tensor]
_Given = TypeVar("_Given")
_Made = TypeVar("_Made")


class HalvedNetwork:
    """Computes one half of a minibatch in the calling thread and the other in a thread of its own.

    A small network gains more from that than from threads inside each of its many short operations. The halves, and the
    order in which their gradients are added, are always the same: no number depends on the time that either takes.

    Each thread has as many of torch's threads as the calling one had when this was made.

    Args:
        model: On the CPU, and not recurrent.
        mixed_precision: In which it computes.
    """

    def __init__(self, model: PPOModel, mixed_precision: MixedPrecision) -> None:
        self._model = model
        self._mixed_precision = mixed_precision
        self._weights = list(model.parameters())
        self._thread = ThreadPoolExecutor(1, "second half", torch.set_num_threads, (torch.get_num_threads(),))
        self._parts: list[tuple[Tensor, Tensor]] = []  # as each thread has computed them
        self._whole: tuple[Tensor, ...] = ()  # the same put together, from which gradients come back

    def forward(self, observations: _Input) -> tuple[Tensor, Tensor]:
        r"""Logits (M, actions) and values (M, 1) of observations (M, \*observation_shape).

        Where gradients are recorded, they reach back as far as these two; `backward` goes on from there.
        """
        recorded = torch.is_grad_enabled()

        def compute(half: _Input) -> tuple[Tensor, Tensor]:
            with torch.set_grad_enabled(recorded):  # which every thread has for itself
                return self._call(half)

        parts = self._both(compute, *_halves(observations))
        logits, values = (torch.cat([each.detach() for each in same]) for same in zip(*parts, strict=True))
        if recorded:
            self._parts, self._whole = parts, (logits.requires_grad_(), values.requires_grad_())
        return logits, values

    def backward(self) -> None:
        """Takes the gradients of what `forward` gave on into those of the weights, which it overwrites.

        Nothing happens if nothing was recorded since the last time.
        """
        if not self._whole:
            return
        halves = [torch.tensor_split(output.grad, 2) for output in self._whole if output.grad is not None]

        def carry_on(index: int) -> tuple[Tensor | None, ...]:
            reached = [half[index] for half in halves]
            return torch.autograd.grad(self._parts[index], self._weights, reached, allow_unused=True)

        first, second = self._both(carry_on, 0, 1)
        for weight, one, other in zip(self._weights, first, second, strict=True):
            if one is None or other is None:
                weight.grad = None
            else:  # laid out in memory as the weight, which fused optimisers rely on
                weight.grad = torch.add(one, other, out=torch.empty_like(weight))
        self._parts, self._whole = [], ()

    def in_turn(self, observations: _Input) -> tuple[Tensor, Tensor]:
        """As `forward`, to the bit, for those who watch the network: in one thread, with gradients that go all the way.

        They are the same as well: there is but one way to add two numbers.
        """
        parts = [self._call(half) for half in _halves(observations)]
        logits, values = (torch.cat(same) for same in zip(*parts, strict=True))
        return logits, values

    def _call(self, observations: _Input) -> tuple[Tensor, Tensor]:
        with autocast(self._mixed_precision, torch.device("cpu")):
            logits, values = self._model(observations)
        return logits, values

    def _both(self, compute: Callable[[_Given], _Made], first: _Given, second: _Given) -> list[_Made]:
        other = self._thread.submit(compute, second)
        try:
            own = compute(first)
        finally:
            wait([other])
        return [own, other.result()]


def _halves(observations: _Input) -> tuple[_Input, _Input]:
    """Of an odd number the first has one more, as `torch.tensor_split` cuts."""
    whole = len(next(iter(observations.values()))) if isinstance(observations, Mapping) else len(observations)
    middle = (whole + 1) // 2
    return (
        map_observations(lambda each: each[:middle], observations),
        map_observations(lambda each: each[middle:], observations),
    )
