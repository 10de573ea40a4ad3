# SPDX-License-Identifier: GPL-3.0-or-later
"""From nothing to a film and a file to ship, by the commands of the README, each in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import imageio_ffmpeg
from PIL import Image

# A network of almost nothing on the real game; one process after the other keeps to one core.
_TINY = """
    --num-envs 4 --num-threads 1 --torch-threads 1 --ppo.rollout-length 32 --ppo.ppo-epochs 1 --ppo.num-minibatches 1
    --model.conv-filters 4 8 8 --model.fcnet-hiddens 8 --eval-episodes 2 --eval-every 256 --env.max-episode-steps 40
    --steps 256 --no-tensorboard
""".split()  # noqa: SIM905  # a command line reads better in one piece


def command(folder: Path, *args: str, code: int = 0) -> str:
    """Runs `oakemu-rl` in a folder, on a machine without a display; returns what it says."""
    env = {name: value for name, value in os.environ.items() if not name.endswith("DISPLAY") and "SDL" not in name}
    result = subprocess.run(
        [sys.executable, "-m", "oakemu_rl", *args],
        cwd=folder,
        env={**env, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout + result.stderr


def test_train_evaluate_watch_and_export(tmp_path):
    command(tmp_path, "train", "acorns", *_TINY)
    run = (tmp_path / "runs" / "latest").resolve()
    assert run.name.startswith("ZXSpectrum_Acorns-v0__ppo__1__")

    # The best of five episodes: 40 steps of 4 frames, and 2 seconds of what the game says in the end.
    assert imageio_ffmpeg.count_frames_and_secs(str(run / "videos" / "best.mp4"))[0] == 260
    with Image.open(run / "videos" / "best.gif") as image:
        assert image.size == (320, 266)
    assert (run / "videos" / "best.gif").stat().st_size < 3_000_000
    assert len(list((run / "best").iterdir())) == 1

    said = command(tmp_path, "evaluate", "runs/latest", "--episodes", "3", "--json", "figures.json")
    assert "95% interval" in said
    assert "good acorns caught in levels 1 to 3" in said
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert figures["step"] == 256
    assert figures["length"]["mean"] == 40

    said = command(tmp_path, "watch", "runs/latest", code=2)
    assert said.count("\n") == 1
    assert "--film FILE.mp4 writes a film instead" in said
    said = command(tmp_path, "watch", "runs/latest", "--film", "film.gif", "--seed", "2")
    assert "episode 1: score" in said
    assert (tmp_path / "film.gif").is_file()

    said = command(tmp_path, "export", "runs/latest")
    assert (run / "export" / "acorns.onnx").is_file()
    lines = [line.strip() for line in said.split("to use it:\n")[1].splitlines()]
    subprocess.run([sys.executable, "-c", "\n".join([*lines, "assert action in (0, 1, 2)"])], cwd=tmp_path, check=True)
