# SPDX-License-Identifier: GPL-3.0-or-later
import shutil
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch

from oakemu_rl import __version__
from oakemu_rl.cli.main import main
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.evaluation import ModelPlayer
from oakemu_rl.export import read_metadata
from oakemu_rl.games import load_game
from oakemu_rl.training.agent import load_agent


@pytest.fixture(scope="module")
def run(tiny_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    return Path(shutil.copytree(tiny_run, tmp_path_factory.mktemp("export") / "run"))


def test_the_file_lies_in_the_run_s_folder_and_plays_by_the_printed_lines(run, capsys):
    assert main(["export", str(run)]) == 0
    out = capsys.readouterr().out
    path = run / "export" / "acorns.onnx"
    assert f"{path}: {path.stat().st_size:,} bytes, opset 18" in out
    assert "input   obs     uint8 (batch, 2, 44, 64)" in out
    assert "output  logits  float32 (batch, 3): stay, left, right" in out
    lines = [line.strip() for line in out.split("to use it:\n")[1].splitlines()]
    assert len(lines) == 3
    names: dict = {}
    exec("\n".join(lines), names)  # noqa: S102 # what is printed for people to run must run
    agent = load_agent(run)
    observation, _ = SpectrumEnv(agent.game, **agent.env_options).reset(seed=1)
    assert names["action"] == ModelPlayer(agent.model).choose(observation[np.newaxis], [])[0]
    assert names["env"].options.max_steps == 60


def test_the_file_says_all_about_itself(run, tmp_path):
    path = tmp_path / "agent.onnx"
    assert main(["export", str(run), "--output", str(path), "--opset", "19", "--quiet"]) == 0
    metadata = read_metadata(path)
    assert metadata.game == "ZXSpectrum/Acorns-v0"
    assert metadata.actions == ("stay", "left", "right")
    assert metadata.steps == 128
    assert metadata.version == __version__
    assert metadata.definition == load_game("acorns").definition.model_dump(mode="json")
    recipe = metadata.observation
    assert recipe["shape"] == [2, 44, 64]
    assert recipe["area"] == [0, 16, 256, 176]
    assert (recipe["obs_type"], recipe["stack"], recipe["frameskip"]) == ("grayscale", 2, [4, 4])
    session = onnxruntime.InferenceSession(path)
    assert [each.shape for each in session.get_inputs()] == [["batch", 2, 44, 64]]


def test_a_checkpoint_that_stands_alone(run, tmp_path):
    (checkpoint,) = (run / "checkpoints").iterdir()
    alone = Path(shutil.copytree(checkpoint, tmp_path / "lonely" / checkpoint.name))
    assert main(["export", str(alone), "--quiet"]) == 0
    assert (alone.parent / "acorns.onnx").is_file()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--opset", "9"], "opset 9 is not supported, allowed are 18 to 21"),
        (["--opset", "new"], "--opset"),
        (["--outptu", "a.onnx"], "did you mean '--output'"),
    ],
)
def test_mistakes_are_one_line(args, message, run, capsys):
    assert main(["export", str(run), *args]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_a_file_that_cannot_be_written(run, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["export", str(run), "-o", str(tmp_path / "file" / "a.onnx")]) == 2
    assert "file is not a folder" in capsys.readouterr().err
    assert main(["export", str(run), "-o", str(tmp_path)]) == 2
    assert list(tmp_path.iterdir()) == [tmp_path / "file"]


def test_a_bare_file_name_is_one_of_this_folder(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["export", str(run), "--output", "agent.onnx", "--quiet"]) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["agent.onnx"]
    assert read_metadata(Path("agent.onnx")).game == "ZXSpectrum/Acorns-v0"


@pytest.mark.parametrize("package", ["onnx", "onnxruntime"])
def test_without_a_package_it_says_what_to_install(package, run, tmp_path, monkeypatch, capsys):
    for name in [name for name in sys.modules if name.startswith(("oakemu_rl.export", "oakemu_rl.cli.export"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    assert main(["export", str(run), "--output", str(tmp_path / "agent.onnx")]) == 2
    assert capsys.readouterr().err == (
        f"oakemu-rl: error: export needs {package}, which is not installed: pip install 'oakemu-rl[train]'\n"
    )
    assert list(tmp_path.iterdir()) == []
