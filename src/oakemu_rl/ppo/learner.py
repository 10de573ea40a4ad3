# SPDX-License-Identifier: GPL-3.0-or-later
"""Learning: from a full rollout buffer to better weights."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from oakemu_rl.ppo.configuration import PPOConfiguration
from oakemu_rl.ppo.errors import NonFiniteError
from oakemu_rl.ppo.finite import first_non_finite, first_non_finite_row
from oakemu_rl.ppo.losses import approximate_kl, clip_fraction, normalised, policy_loss, value_loss
from oakemu_rl.ppo.minibatch import RolloutMinibatch
from oakemu_rl.ppo.model import PPOModel
from oakemu_rl.ppo.rollout_buffer import RolloutBuffer
from oakemu_rl.ppo.schedule import schedule_value
from oakemu_rl.ppo.scoring import Scorer
from oakemu_rl.ppo.seeding import derive_generator

__all__ = ["PPOLearner"]

_SHUFFLE_STREAM = (2, 0)
_ADAM_EPSILON = 1e-5  # Customary for PPO since its authors' code; torch's 1e-8 makes the first steps wilder.
_STEP_METRICS = ("loss", "policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction", "grad_norm")


class PPOLearner:
    """Proximal policy optimisation with the clipped surrogate (Schulman et al., 2017).

    The loss is ``policy_loss + value_loss_coef * value_loss - entropy_coef * entropy``; see `losses` for the terms.

    Args:
        model: Changed in place.
        configuration: The hyper-parameters.
        seed: Of the order in which cells are visited.
        action_mask: (actions,) bool, True where allowed; the same as the actor's. Masks of single states come with the
            rollout.
        halves: Compute each minibatch in two halves at once (`HalvedNetwork`), each on as many threads as torch has
            now; for a network on the CPU that is neither recurrent nor compiled.

    Attributes:
        model: As given.
        configuration: As given.
        optimizer: Adam.
        generator: Of the order, on the CPU.
        n_updates: Gradient steps so far.
        on_log_ratio: Called, if set, with the log-ratios (M,) of new to old probabilities of each minibatch.

    Raises:
        UserError: The device cannot compute in the configured precision, or the network cannot be compiled.
        ValueError: The network cannot be computed in halves.
    """

    def __init__(
        self,
        model: PPOModel,
        configuration: PPOConfiguration,
        *,
        seed: int = 0,
        action_mask: Tensor | None = None,
        halves: bool = False,
    ) -> None:
        self.model = model
        self.configuration = configuration
        self._device = next(model.parameters()).device
        self._scorer = Scorer(model, configuration, action_mask, halves=halves)
        self.optimizer = torch.optim.Adam(
            model.parameters(),
            lr=schedule_value(configuration.lr, 0.0),
            eps=_ADAM_EPSILON,
            fused=self._device.type in ("cpu", "cuda"),
        )
        self.generator = derive_generator(seed, *_SHUFFLE_STREAM)
        self.n_updates = 0
        self.on_log_ratio: Callable[[Tensor], None] | None = None
        # float16 gradients underflow without scaling; the scaler skips steps in which it scaled too far.
        self._scaler = torch.amp.GradScaler(self._device.type, enabled=configuration.mixed_precision == "float16")

    def update(self, rollout_buffer: RolloutBuffer, progress: float, lr_factor: float = 1.0) -> dict[str, float]:
        """Learns from one rollout.

        Where there are too few trainable cells for the configured number of minibatches, fewer are made, so that none
        is empty, and none holds a single cell while advantages are normalised. A recurrent network's minibatches are of
        whole environments, so that there are no more than these.

        In a lagging rollout, the log-probabilities and values of the weights that acted give way to those of the
        present ones, from which the policy is clipped and divergence counted.

        Args:
            rollout_buffer: Full, with advantages.
            progress: The part of the training that is over, in [0, 1], for the schedules.
            lr_factor: What the scheduled learning rate is multiplied by.

        Returns:
            Means over the gradient steps of loss, policy_loss, value_loss, entropy, approx_kl, clip_fraction and
            grad_norm (before clipping, 0 for skipped steps); explained_variance of the returns by the values before
            the update; lr, entropy_coef and clip_coef as used; n_updates, gradient steps so far; epochs begun;
            num_minibatches; skipped_steps (float16 only); stopped_early, 1 if max_kl ended the update; of a lagging
            rollout, lag_kl, how far the policy had moved between acting and this update.

        Raises:
            NonFiniteError: The rollout, what the network makes of it, a loss or the gradient holds NaN or infinity, and
                the step was not made; or a step made a weight so.
            RolloutBufferError: The buffer is not full or has no advantages.
        """
        config = self.configuration
        num_minibatches = self._num_minibatches(rollout_buffer)
        rollout_buffer.check_finite()
        lag = {} if rollout_buffer.weights is None else self._catch_up(rollout_buffer, num_minibatches)
        lr = schedule_value(config.lr, progress) * lr_factor
        entropy_coef = schedule_value(config.entropy_coef, progress)
        clip_coef = schedule_value(config.clip_coef, progress)
        for group in self.optimizer.param_groups:
            group["lr"] = lr

        history: list[list[float]] = []
        skipped, stopped_early, epoch = 0, False, 0
        for epoch in range(config.ppo_epochs):
            minibatches = rollout_buffer.get_minibatches(num_minibatches, self._device, generator=self.generator)
            for index, minibatch in enumerate(minibatches):
                metrics = self._compute_gradient(
                    minibatch, entropy_coef, clip_coef, f"epoch {epoch}, minibatch {index}"
                )
                history.append(metrics)
                if config.max_kl is not None and metrics[_STEP_METRICS.index("approx_kl")] > config.max_kl:
                    stopped_early = True
                    break
                skipped += not self._step_optimizer()
            if stopped_early:
                break
        self.optimizer.zero_grad(set_to_none=True)
        self._require_finite_weights()

        means = np.asarray(history, dtype=np.float64).mean(axis=0)
        return {
            **dict(zip(_STEP_METRICS, means.tolist(), strict=True)),
            "explained_variance": _explained_variance(rollout_buffer),
            "lr": lr,
            "entropy_coef": entropy_coef,
            "clip_coef": clip_coef,
            "n_updates": float(self.n_updates),
            "epochs": float(epoch + 1),
            "num_minibatches": float(num_minibatches),
            "skipped_steps": float(skipped),
            "stopped_early": float(stopped_early),
            **lag,
        }

    @property
    def loss_scale(self) -> float:
        """What gradients are multiplied by until the step is taken: 1, unless float16 wants it otherwise."""
        return float(self._scaler.get_scale())

    def state_dict(self) -> dict[str, Any]:
        """Everything but the weights, as plain values and tensors."""
        return {
            "optimizer": self.optimizer.state_dict(),
            "generator": self.generator.get_state(),
            "scaler": self._scaler.state_dict(),
            "n_updates": self.n_updates,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes up where `state_dict` stood."""
        self.optimizer.load_state_dict(state["optimizer"])
        self.generator.set_state(state["generator"])
        self._scaler.load_state_dict(state["scaler"])
        self.n_updates = int(state["n_updates"])

    def _num_minibatches(self, rollout_buffer: RolloutBuffer) -> int:
        smallest = 2 if self.configuration.normalize_advantages else 1
        most = min(rollout_buffer.trainable_size // smallest, rollout_buffer.max_minibatches)
        return max(1, min(self.configuration.num_minibatches, most))

    def _compute_gradient(
        self, minibatch: RolloutMinibatch, entropy_coef: float, clip_coef: float, where: str
    ) -> list[float]:
        """Leaves the gradient of one minibatch in the weights; returns the step's metrics, all finite."""
        config = self.configuration
        logits, bundle = self._scorer.score(minibatch, watched=self.on_log_ratio is not None)
        advantages = normalised(minibatch.advantages) if config.normalize_advantages else minibatch.advantages
        log_ratio = bundle.log_probs - minibatch.log_probs
        policy_term = policy_loss(log_ratio, advantages, clip_coef, minibatch.weights)
        value_term = value_loss(bundle.values, minibatch.values, minibatch.returns, config.value_clip)
        entropy = bundle.entropy.mean()
        loss = policy_term + config.value_loss_coef * value_term - entropy_coef * entropy

        self.optimizer.zero_grad(set_to_none=True)
        self._scaler.scale(loss).backward()  # type: ignore[no-untyped-call]  # torch's backward has no annotations
        self._scorer.backward()
        self._scaler.unscale_(self.optimizer)
        grad_norm = nn.utils.get_total_norm([p.grad for p in self.model.parameters() if p.grad is not None])
        if self.on_log_ratio is not None:
            self.on_log_ratio(log_ratio.detach())
        with torch.no_grad():
            kl, clipped = approximate_kl(log_ratio), clip_fraction(log_ratio, clip_coef)
            # A logit of minus infinity shows nowhere else: its action has probability 0 and no gradient.
            sound = torch.isfinite(logits).all().float()
            # One transfer for all: on a GPU each would wait for the device.
            metrics: list[float] = torch.stack(
                (loss, policy_term, value_term, entropy, kl, clipped, grad_norm, sound)
            ).tolist()
        infinite = [name for name, value in zip(_STEP_METRICS, metrics, strict=False) if not math.isfinite(value)]
        overflown = infinite == ["grad_norm"] and self._scaler.is_enabled()
        if metrics.pop() == 0.0 or (infinite and not overflown):
            per_cell = {
                "logit": logits,
                "value": bundle.values,
                "probability ratio": log_ratio.exp(),
                "policy loss": log_ratio.exp() * advantages,
                "value loss": (bundle.values - minibatch.returns).square(),
            }
            raise self._non_finite(per_cell, minibatch, infinite, where)
        if overflown:
            metrics[_STEP_METRICS.index("grad_norm")] = 0.0  # Of the scaler's making: the step will be skipped.
        if config.grad_clip is not None:
            nn.utils.clip_grads_with_norm_(self.model.parameters(), config.grad_clip, grad_norm)
        return metrics

    def _non_finite(
        self, per_cell: Mapping[str, Tensor], minibatch: RolloutMinibatch, metrics: Sequence[str], where: str
    ) -> NonFiniteError:
        """The error that names the cell of the rollout from which it comes, else the weight whose gradient it is."""
        found = first_non_finite_row(per_cell)
        if found is not None:
            tensor, index = found
            row, env_id = divmod(int(minibatch.cells[index]), minibatch.num_envs)
            return NonFiniteError(tensor, f"environment {env_id}, row {row} of the rollout, {where}")
        weight = first_non_finite((name, parameter.grad) for name, parameter in self.model.named_parameters())
        return NonFiniteError(metrics[0] if weight is None else f"gradient of {weight}", where)

    def _require_finite_weights(self) -> None:
        with torch.no_grad():
            norm = nn.utils.get_total_norm(list(self.model.parameters()))
        if math.isfinite(norm):
            return
        weight = first_non_finite(self.model.named_parameters())
        if weight is not None:
            raise NonFiniteError(f"weight {weight}", f"after gradient step {self.n_updates}")

    def _step_optimizer(self) -> bool:
        """Takes the step, unless the scaler found it overflown; returns whether it was taken."""
        scale = self._scaler.get_scale()
        self._scaler.step(self.optimizer)
        self._scaler.update()
        taken = self._scaler.get_scale() >= scale
        self.n_updates += taken
        return taken

    @torch.no_grad()
    def _catch_up(self, rollout_buffer: RolloutBuffer, num_minibatches: int) -> dict[str, float]:
        """Rebases a lagging rollout on the present weights; returns how far these are from those that acted."""
        order = torch.Generator()  # which does not matter, and takes nothing from the stream of gradient steps
        for minibatch in rollout_buffer.get_minibatches(num_minibatches, self._device, generator=order):
            _, bundle = self._scorer.score(minibatch, watched=self.on_log_ratio is not None)
            rollout_buffer.rebase(minibatch.cells, bundle.log_probs, bundle.values)
        rollout_buffer.check_finite()
        assert rollout_buffer.weights is not None  # noqa: S101 - otherwise it does not lag
        weights = torch.from_numpy(rollout_buffer.weights[rollout_buffer.trainable])
        return {"lag_kl": float(approximate_kl(weights.clamp(min=torch.finfo(weights.dtype).tiny).log()))}


def _explained_variance(rollout_buffer: RolloutBuffer) -> float:
    """1 where the values foresaw the returns, 0 where they knew no more than a constant, and 0 if nothing varies."""
    cells = rollout_buffer.trainable
    returns = rollout_buffer.returns[cells].astype(np.float64)
    variance = returns.var()
    if variance == 0.0:
        return 0.0
    return float(1.0 - (returns - rollout_buffer.values[cells]).var() / variance)
