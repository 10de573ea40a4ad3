# SPDX-License-Identifier: GPL-3.0-or-later
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from oakemu_rl.cli.main import main
from oakemu_rl.errors import UserError
from oakemu_rl.ppo.env_contract import ADVANCE
from oakemu_rl.training import CheckpointStore
from oakemu_rl.training.json_lines import read_json_lines
from oakemu_rl.training.shaping import ShapedVectorEnv, ShapingConfiguration

GAMMA = 0.9
CELLS = 6
LEFT, RIGHT = 0, 1


class _Chain(VectorEnv[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]):
    """Cells 0 to 5; 5 ends an episode with +1, 0 with +0.95; a time limit cuts it off. The potential may mislead."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 # Gymnasium's own way

    def __init__(
        self,
        num_envs: int = 1,
        limit: int = 10**6,
        start: int = 2,
        mode: AutoresetMode = AutoresetMode.SAME_STEP,
    ) -> None:
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": mode}
        self.single_observation_space = Box(0, CELLS - 1, (), np.int64)
        self.single_action_space = Discrete(2)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.cells = np.full(num_envs, start)
        self._limit, self._start = limit, start
        self._steps = np.zeros(num_envs, dtype=np.int64)

    def _height(self) -> NDArray[np.int64]:
        return np.array([5, 1, 7, -3, 0, 9])[self.cells]

    def reset(self, *, seed: Any = None, options: Any = None) -> tuple[NDArray[np.int64], dict[str, Any]]:
        del seed, options  # it always begins alike
        self.cells[:], self._steps[:] = self._start, 0
        return self.cells.copy(), {"height": self._height()}

    def step(self, actions: NDArray[np.int64]) -> Any:
        self.cells = self.cells + np.where(actions == RIGHT, 1, -1)
        self._steps += 1
        rewards = np.select([self.cells == CELLS - 1, self.cells == 0], [1.0, 0.95], 0.0)
        terminated = (self.cells == 0) | (self.cells == CELLS - 1)
        truncated = ~terminated & (self._steps >= self._limit)
        ended = terminated | truncated
        final = {"height": np.where(ended, self._height(), 0), "_height": ended}
        restarts = ended & (self.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP)
        self.cells[restarts], self._steps[restarts] = self._start, 0
        infos: dict[str, Any] = {"height": self._height(), "_height": np.ones(self.num_envs, dtype=bool)}
        if restarts.any():
            infos |= {"final_info": final, "_final_info": ended}
        return self.cells.copy(), rewards, terminated, truncated, infos

    def get_state(self, index: int) -> bytes:
        return pickle.dumps((int(self.cells[index]), int(self._steps[index])))

    def set_state(self, index: int, state: bytes) -> None:
        self.cells[index], self._steps[index] = pickle.loads(state)  # noqa: S301 # our own bytes


def _shaped(chain: _Chain, scale: float = 0.5) -> ShapedVectorEnv:
    return ShapedVectorEnv(chain, ShapingConfiguration(variable="height", scale=scale), GAMMA, ("height",))


def _values(scale: float) -> NDArray[np.float64]:
    """Q of every inner cell and action, (4, 2), by value iteration on what the environments say."""
    rewards, following = np.zeros((CELLS, 2)), np.full((CELLS, 2), -1)
    for cell in range(1, CELLS - 1):
        for action in (LEFT, RIGHT):
            env = _shaped(_Chain(start=cell), scale)
            env.reset()
            observations, reward, terminated, *_ = env.step(np.array([action]))
            rewards[cell, action] = reward[0]
            following[cell, action] = -1 if terminated[0] else observations[0]
    q = np.zeros((CELLS, 2))
    for _ in range(500):
        q = rewards + GAMMA * np.where(following >= 0, q.max(axis=1)[following], 0.0)
    return q[1 : CELLS - 1]


@pytest.mark.parametrize("scale", [0.5, -2.0, 30.0])
def test_the_best_policy_stays_the_best(scale: float) -> None:
    plain, shaped = _values(0.0), _values(scale)
    assert plain.argmax(axis=1).tolist() == [LEFT, LEFT, RIGHT, RIGHT]
    assert shaped.argmax(axis=1).tolist() == plain.argmax(axis=1).tolist()
    potentials = scale * np.array([1, 7, -3, 0])
    np.testing.assert_allclose(shaped, plain - potentials[:, None])  # Ng et al., 1999, corollary 2


def _return_of(actions: list[int], limit: int = 10**6) -> float:
    env = _shaped(_Chain(limit=limit))
    env.reset()
    return sum(GAMMA**t * float(env.step(np.array([action]))[1][0]) for t, action in enumerate(actions))


def test_an_episode_that_ends_is_changed_by_its_first_potential_alone() -> None:
    for actions, reward in (([RIGHT] * 3, 1.0), ([LEFT] * 2, 0.95), ([RIGHT, LEFT, LEFT, LEFT], 0.95)):
        expected = GAMMA ** (len(actions) - 1) * reward - 0.5 * 7
        assert _return_of(actions) == pytest.approx(expected)


def test_where_a_time_limit_cuts_an_episode_off_its_true_last_potential_counts() -> None:
    # Cell 4 has height 0, and the next episode's first cell 7, which must not count.
    assert _return_of([RIGHT, LEFT, RIGHT, RIGHT], limit=4) == pytest.approx(GAMMA**4 * 0.5 * 0 - 0.5 * 7)
    assert _return_of([RIGHT], limit=1) == pytest.approx(GAMMA * 0.5 * -3 - 0.5 * 7)


def test_the_next_episode_begins_at_its_own_potential() -> None:
    env = _shaped(_Chain(2))
    env.reset()
    for actions in ([LEFT, RIGHT], [LEFT, LEFT]):  # the first environment ends, the second is back at its start
        env.step(np.array(actions))
    shaped = env.step(np.array([RIGHT, RIGHT]))[1]
    assert shaped.tolist() == pytest.approx([0.5 * (GAMMA * -3 - 7)] * 2)


def test_a_saved_slot_holds_its_potential() -> None:
    env = _shaped(_Chain(1))
    env.reset()
    env.step(np.array([RIGHT]))
    state = env.get_state(0)
    expected = env.step(np.array([RIGHT]))[1]
    other = _shaped(_Chain(1))
    other.reset()
    other.set_state(0, state)
    assert other.step(np.array([RIGHT]))[1] == expected


@pytest.mark.parametrize(("actions", "limit"), [([RIGHT], 1), ([RIGHT, LEFT, RIGHT, RIGHT], 4), ([LEFT, LEFT], 10)])
def test_where_the_user_restarts_episodes_their_last_state_is_the_one_shown(actions: list[int], limit: int) -> None:
    rewards = []
    for mode in (AutoresetMode.SAME_STEP, AutoresetMode.DISABLED):
        env = _shaped(_Chain(limit=limit, mode=mode))
        env.reset()
        rewards.append([float(env.step(np.array([action]))[1][0]) for action in actions])
    assert rewards[0] == rewards[1]


@pytest.mark.parametrize("mode", [AutoresetMode.SAME_STEP, AutoresetMode.DISABLED])
def test_infos_say_what_was_given_for_the_state_to_come(mode: AutoresetMode) -> None:
    env = _shaped(_Chain(2, limit=2, mode=mode))
    env.reset()
    assert env.step(np.array([RIGHT, LEFT]))[4][ADVANCE].tolist() == [GAMMA * 0.5 * -3, GAMMA * 0.5 * 1]
    # The first comes back and is cut off there; the second is at the end of the chain, after which there is nothing.
    assert env.step(np.array([LEFT, LEFT]))[4][ADVANCE].tolist() == [GAMMA * 0.5 * 7, 0.0]


def test_what_cannot_be_shaped_is_refused() -> None:
    with pytest.raises(UserError, match=r"no variable 'hight' \(did you mean 'height'\?\)"):
        ShapedVectorEnv(_Chain(), ShapingConfiguration(variable="hight"), GAMMA, ("height",))
    with pytest.raises(ValueError, match="SAME_STEP or DISABLED"):
        _shaped(_Chain(mode=AutoresetMode.NEXT_STEP))


_TINY = """
    --num-envs 4 --num-threads 1 --torch-threads 1 --ppo.rollout-length 32 --ppo.ppo-epochs 1 --seed 5
    --ppo.lr 1e-3 --ppo.entropy-coef 0.01
    --model.conv-filters 4 8 8 --model.fcnet-hiddens 8 --env.max-episode-steps 60 --no-film --no-tensorboard
    --eval-every 0 --quiet
""".split()  # noqa: SIM905  # a command line reads better in one piece


def _train(folder: Path, *flags: str) -> dict[str, torch.Tensor]:
    torch.set_num_threads(1)
    assert main(["train", *_TINY, "--run-folder", str(folder), *flags]) == 0
    return dict(CheckpointStore(folder / "checkpoints").load_last()[1].tensors["model"])


def test_a_shaped_run_tells_the_games_own_returns_and_resumes_to_what_it_would_have_been(tmp_path: Path) -> None:
    shaping = ["--shaping.variable", "score", "--shaping.scale", "0.25"]
    straight = _train(tmp_path / "straight", "--steps", "512", *shaping)
    plain = _train(tmp_path / "plain", "--steps", "512")
    neutral = _train(tmp_path / "neutral", "--steps", "512", *shaping[:2], "--shaping.scale", "0")
    assert all(torch.equal(plain[name], neutral[name]) for name in plain)
    assert not all(torch.equal(plain[name], straight[name]) for name in plain)
    first = [line for line in read_json_lines(tmp_path / "straight" / "episodes.jsonl") if line["step"] == 128]
    assert first == [line for line in read_json_lines(tmp_path / "plain" / "episodes.jsonl") if line["step"] == 128]
    _train(tmp_path / "parts", "--steps", "256", *shaping)
    assert main(["train", "--resume", str(tmp_path / "parts"), "--steps", "512", "--quiet"]) == 0
    resumed = CheckpointStore(tmp_path / "parts" / "checkpoints").load_last()[1].tensors["model"]
    assert all(torch.equal(straight[name], resumed[name]) for name in straight)


def test_a_variable_that_the_game_lacks_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", *_TINY, "--run-folder", str(tmp_path / "run"), "--shaping.variable", "scor"]) == 2
    assert "shaping.variable: no variable 'scor' (did you mean 'score'?)" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
