# SPDX-License-Identifier: GPL-3.0-or-later
"""What a time limit is worth on a real machine, beside one that is played on without a limit."""

from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import load_game
from oakemu_rl.ppo import PPOActor, PPOModel, PPOModelConfiguration, RolloutBuffer

GAMMA, LIMIT, ENVS = 0.9, 7, 3
NETWORK = PPOModelConfiguration(conv_filters=[(4, 8, 8)], fcnet_hiddens=[8])


class SeededEnv(SpectrumVectorEnv):
    """Remembers the seed of its first reset."""

    seed: Any = None

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> Any:
        self.seed = seed if options is None else self.seed
        return super().reset(seed=seed, options=options)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_a_limit_is_worth_the_value_of_what_is_shown_where_the_game_would_go_on(mode: AutoresetMode) -> None:
    torch.set_num_threads(1)
    torch.manual_seed(1)
    game = load_game("acorns")
    env = SeededEnv(game, ENVS, num_threads=1, autoreset_mode=mode, max_episode_steps=LIMIT, copy=False)
    model = PPOModel(env.single_observation_space.shape, int(env.single_action_space.n), NETWORK)
    rollout = RolloutBuffer(LIMIT + 3, ENVS, model.observation_shape, np.uint8)
    episodes = PPOActor(env, model, gamma=GAMMA, seed=5).collect(rollout).episodes
    env.close()
    assert [(episode.length, str(episode.outcome)) for episode in episodes] == [(LIMIT, "truncated")] * ENVS

    endless = SpectrumVectorEnv(game, ENVS, num_threads=1)
    shown, _ = endless.reset(seed=env.seed)
    rewards: NDArray[np.float64] = np.zeros(ENVS)
    for t in range(LIMIT):
        assert np.array_equal(shown, rollout.observations[t])
        shown, rewards, terminated, truncated, _ = endless.step(rollout.actions[t])
        assert not (terminated | truncated).any()
        if t < LIMIT - 1:
            np.testing.assert_array_equal(rollout.rewards[t], rewards.astype(np.float32))
    endless.close()
    with torch.inference_mode():
        values = model.get_value(torch.from_numpy(shown)).numpy()
    np.testing.assert_allclose(rollout.rewards[LIMIT - 1], rewards + GAMMA * values, rtol=1e-5)
    assert np.abs(values).min() > 1e-3  # else nothing was compared
    assert rollout.dones[LIMIT - 1].all()
    assert not np.array_equal(shown, rollout.observations[LIMIT + 1])
