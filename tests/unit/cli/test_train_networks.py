# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks of every kind, from training to the exported file."""

from pathlib import Path

import numpy as np
import pytest
import torch

from oakemu_rl.cli.main import main
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.evaluation import ModelPlayer, play_episode
from oakemu_rl.ppo.observation_parts import alone
from oakemu_rl.training.agent import load_agent
from oakemu_rl.training.checkpoint_store import find_checkpoint

TINY = """
    --num-envs 4 --num-threads 1 --torch-threads 1 --ppo.rollout-length 32 --ppo.ppo-epochs 1 --ppo.num-minibatches 1
    --model.conv-filters 4 8 8 --model.fcnet-hiddens 8 --env.max-episode-steps 60 --seed 5 --eval-every 0 --no-film
    --no-tensorboard --ppo.lr 1e-3 --quiet
""".split()  # noqa: SIM905  # a command line reads better in one piece
NETWORKS = {
    "picture and variables": "--env.obs-type ink variables",
    "variables": "--env.obs-type variables",
    "ram": "--env.obs-type ram",
    "gru": "--model.recurrent gru --model.recurrent-size 8",
    "lstm": "--env.obs-type variables --model.recurrent lstm --model.recurrent-size 8",
    "impala": "--model.network impala --model.impala-channels 4",
}


def weights(run: Path) -> torch.Tensor:
    tensors = find_checkpoint(run / "checkpoints")[1].tensors["model"]
    return torch.cat([tensor.flatten() for tensor in tensors.values()])


@pytest.mark.parametrize("flags", NETWORKS.values(), ids=NETWORKS)
def test_a_run_resumes_plays_and_exports(flags: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    straight, stopped = tmp_path / "straight", tmp_path / "stopped"
    assert main(["train", "acorns", *TINY, *flags.split(), "--steps", "512", "--output", str(straight)]) == 0
    assert main(["train", "acorns", *TINY, *flags.split(), "--steps", "256", "--output", str(stopped)]) == 0
    assert main(["train", "--resume", str(stopped), "--steps", "512", "--quiet"]) == 0
    assert torch.equal(weights(straight), weights(stopped))

    agent = load_agent(straight)
    env = SpectrumEnv(agent.game, **agent.env_options)
    *_, last = play_episode(env, ModelPlayer(agent.model), seed=1)
    assert last.ended
    capsys.readouterr()
    assert main(["export", str(straight)]) == 0
    lines = [line.strip() for line in capsys.readouterr().out.split("to use it:\n")[1].splitlines()]
    names: dict = {}
    exec("\n".join(lines), names)  # noqa: S102 # what is printed for people to run must run
    observation, _ = env.reset(seed=1)
    assert names["action"] == ModelPlayer(agent.model).choose(alone(observation), [np.random.default_rng(0)])[0]
