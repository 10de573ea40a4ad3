# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl diagnose` on the real game with a network of almost nothing."""

import hashlib
from pathlib import Path

import pytest
import torch

from oakemu_rl.cli.main import main

_TINY = """
    train --num-envs 4 --num-threads 1 --torch-threads 1 --ppo.rollout-length 32 --ppo.ppo-epochs 1 --seed 5
    --model.conv-filters 4 8 8 --model.fcnet-hiddens 8 --env.max-episode-steps 60 --no-film --no-tensorboard
    --steps 256 --eval-every 0 --quiet
""".split()  # noqa: SIM905  # a command line reads better in one piece


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("diagnose") / "tiny"
    assert main([*_TINY, "--run-folder", str(folder)]) == 0
    return folder


def _content(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file() and "diagnosis" not in path.parts)
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_it_writes_a_page_beside_the_run_and_leaves_the_run_alone(
    trained: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = _content(trained)
    assert main(["diagnose", str(trained), "--num-threads", "1"]) == 0
    out = capsys.readouterr().out
    assert f"the page is {trained / 'diagnosis' / 'diagnosis.md'}" in out
    assert "values: they explain" in out
    page = (trained / "diagnosis" / "diagnosis.md").read_text()
    assert page.startswith("# Acorns: the network after 256 steps\n")
    for layer in ("conv.0", "fc.0", "policy_head", "value_head"):
        assert f"| {layer} |" in page
    for name in ("history.png", "network.png"):
        assert f"({name})" in page
        assert (trained / "diagnosis" / name).stat().st_size > 1000
    assert _content(trained) == before


def test_the_same_run_gives_the_same_page(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = []
    for _ in range(2):
        assert main(["diagnose", str(trained), "--num-threads", "1", "--quiet"]) == 0
        pages.append((trained / "diagnosis" / "diagnosis.md").read_text())
    assert pages[0] == pages[1]
    assert capsys.readouterr() == ("", "")


def test_what_cannot_be_diagnosed_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diagnose", str(tmp_path / "nowhere")]) == 2
    assert "no run folder" in capsys.readouterr().err
    (tmp_path / "config.yaml").write_text("")
    assert main(["diagnose", str(tmp_path)]) == 2
    assert "has no checkpoint yet" in capsys.readouterr().err
