# SPDX-License-Identifier: GPL-3.0-or-later
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from oakemu_rl.cli.main import main

# A network of almost nothing, and episodes of 60 steps.
_TINY = """
    --num-envs 4 --num-threads 1 --torch-threads 1 --ppo.rollout-length 32 --ppo.ppo-epochs 1 --ppo.num-minibatches 1
    --model.conv-filters 4 8 8 --model.fcnet-hiddens 8 --env.max-episode-steps 60 --seed 5 --steps 128 --eval-every 0
    --no-film --no-tensorboard --quiet
""".split()  # noqa: SIM905  # a command line reads better in one piece


@pytest.fixture(autouse=True)
def _no_audio_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sound goes nowhere, wherever the tests run."""
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run, not to be changed."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("tiny") / "run"
    assert main(["train", "acorns", *_TINY, "--run-folder", str(folder)]) == 0
    return folder


@pytest.fixture
def search(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., list[str]]:
    """Runs `games search` with a script; returns what it said, line by line."""
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)

    def run(game: str, script: str, *flags: str) -> list[str]:
        (tmp_path / "script.txt").write_text(script)
        assert main(["games", "search", game, "--script", "script.txt", *flags]) == 0
        return capsys.readouterr().out.splitlines()

    return run
