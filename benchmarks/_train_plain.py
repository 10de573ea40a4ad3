# SPDX-License-Identifier: GPL-3.0-or-later
"""PPO in one sitting, in the manner of CleanRL's single files: plain PyTorch, nothing tuned."""

import time

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from _train_setups import Returns, Seconds, Setup

__all__ = ["PlainTrainer"]


def _initialised(layer: nn.Conv2d | nn.Linear, gain: float = 2.0**0.5) -> nn.Module:
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.constant_(layer.bias, 0.0)  # type: ignore[arg-type] # these layers have one
    return layer


class _Agent(nn.Module):
    def __init__(self, setup: Setup, actions: int) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for convolution in setup.convolutions:
            layers += [_initialised(nn.Conv2d(*convolution)), nn.ReLU()]
        layers.append(nn.Flatten())
        with torch.no_grad():
            width, height = setup.size
            features = nn.Sequential(*layers)(torch.zeros(1, setup.stack, height, width)).shape[1]
        layers += [_initialised(nn.Linear(features, setup.hidden)), nn.ReLU()]
        self.network = nn.Sequential(*layers)
        self.actor = _initialised(nn.Linear(setup.hidden, actions), 0.01)
        self.critic = _initialised(nn.Linear(setup.hidden, 1), 1.0)

    def value(self, x: Tensor) -> Tensor:
        values: Tensor = self.critic(self.network(x / 255.0))
        return values.flatten()

    def act(self, x: Tensor, action: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        hidden = self.network(x / 255.0)
        policy = Categorical(logits=self.actor(hidden))
        if action is None:
            action = policy.sample()  # type: ignore[no-untyped-call] # torch's distributions have no annotations
        log_prob: Tensor = policy.log_prob(action)  # type: ignore[no-untyped-call] # as above
        entropy: Tensor = policy.entropy()  # type: ignore[no-untyped-call] # as above
        return action, log_prob, entropy, self.critic(hidden).flatten()


class PlainTrainer:
    """See `_train_setups.Trainer`."""

    def __init__(self, setup: Setup, threads: int) -> None:
        torch.set_num_threads(threads)
        torch.manual_seed(1)
        np.random.seed(1)  # noqa: NPY002 - as such scripts do
        self._setup = setup
        self._envs = setup.make_env(threads)
        shape = self._envs.single_observation_space.shape
        assert shape is not None  # noqa: S101 - for the type checker
        self._agent = _Agent(setup, int(self._envs.single_action_space.n))  # type: ignore[attr-defined] # Discrete
        self._optimizer = torch.optim.Adam(self._agent.parameters(), lr=setup.lr, eps=1e-5)
        cells = (setup.rollout_length, setup.num_envs)
        self._obs = torch.zeros(cells + shape)
        self._actions, self._log_probs, self._rewards, self._dones, self._values = (
            torch.zeros(cells) for _ in range(5)
        )
        self._next_obs = torch.Tensor(self._envs.reset(seed=1)[0])
        self._next_done = torch.zeros(setup.num_envs)
        self._returns = Returns()

    @property
    def mean_return(self) -> float:
        """Of the last hundred training episodes."""
        return self._returns.mean

    def train(self, updates: int) -> Seconds:
        """Collects and learns."""
        seconds = Seconds()
        for _ in range(updates):
            self._collect(seconds)
            begin = time.perf_counter()
            self._learn()
            seconds.learning += time.perf_counter() - begin
        return seconds

    def _collect(self, seconds: Seconds) -> None:
        for step in range(self._setup.rollout_length):
            self._obs[step] = self._next_obs
            self._dones[step] = self._next_done
            begin = time.perf_counter()
            with torch.no_grad():
                action, log_prob, _, value = self._agent.act(self._next_obs)
                self._values[step] = value
            self._actions[step] = action
            self._log_probs[step] = log_prob
            acted = time.perf_counter()
            next_obs, reward, terminated, truncated, infos = self._envs.step(action.numpy())
            seconds.inference += acted - begin
            seconds.environment += time.perf_counter() - acted
            self._rewards[step] = torch.tensor(reward).view(-1)
            self._next_obs, self._next_done = torch.Tensor(next_obs), torch.Tensor(np.logical_or(terminated, truncated))
            self._returns.note(infos)

    def _advantages(self) -> Tensor:
        setup = self._setup
        with torch.no_grad():
            next_value = self._agent.value(self._next_obs)
            advantages = torch.zeros_like(self._rewards)
            last: Tensor | float = 0.0
            for t in reversed(range(setup.rollout_length)):
                at_end = t == setup.rollout_length - 1
                alive = 1.0 - (self._next_done if at_end else self._dones[t + 1])
                after = next_value if at_end else self._values[t + 1]
                delta = self._rewards[t] + setup.gamma * after * alive - self._values[t]
                last = advantages[t] = delta + setup.gamma * setup.gae_lambda * alive * last
        return advantages

    def _learn(self) -> None:
        setup, agent = self._setup, self._agent
        advantages = self._advantages()
        returns = (advantages + self._values).reshape(-1)
        obs = self._obs.reshape(-1, *self._obs.shape[2:])
        actions, log_probs = self._actions.reshape(-1), self._log_probs.reshape(-1)
        advantages = advantages.reshape(-1)
        order = np.arange(setup.steps_per_update)
        clipped = []
        for _ in range(setup.epochs):
            np.random.shuffle(order)  # noqa: NPY002 - as such scripts do
            for start in range(0, setup.steps_per_update, setup.batch_size):
                rows = order[start : start + setup.batch_size]
                _, new_log_prob, entropy, new_value = agent.act(obs[rows], actions.long()[rows])
                log_ratio = new_log_prob - log_probs[rows]
                ratio = log_ratio.exp()
                with torch.no_grad():
                    _ = ((ratio - 1) - log_ratio).mean()
                    clipped += [((ratio - 1.0).abs() > setup.clip).float().mean().item()]
                chosen = advantages[rows]
                chosen = (chosen - chosen.mean()) / (chosen.std() + 1e-8)
                policy_loss = torch.max(
                    -chosen * ratio, -chosen * torch.clamp(ratio, 1 - setup.clip, 1 + setup.clip)
                ).mean()
                value_loss = ((new_value - returns[rows]) ** 2).mean()
                loss = policy_loss - setup.entropy * entropy.mean() + setup.value * value_loss
                self._optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call] # torch's backward has no annotations
                nn.utils.clip_grad_norm_(agent.parameters(), setup.grad_clip)
                self._optimizer.step()
