# SPDX-License-Identifier: GPL-3.0-or-later
from pathlib import Path

import matplotlib.image
import numpy as np

from oakemu_rl.training.json_lines import JsonLinesWriter
from oakemu_rl.training.learning_curve import draw_learning_curve, running_mean
from oakemu_rl.training.records import Record


def test_running_mean_by_hand() -> None:
    assert running_mean(np.array([1.0, 3.0, 5.0, 7.0]), 2).tolist() == [1.0, 2.0, 4.0, 6.0]
    assert running_mean(np.array([4.0]), 100).tolist() == [4.0]


def test_the_picture_shows_all_three_things(tmp_path: Path) -> None:
    episodes, metrics, picture = tmp_path / "e.jsonl", tmp_path / "m.jsonl", tmp_path / "curve.png"
    for step in range(0, 100_000, 1_000):
        JsonLinesWriter(episodes, "episode").write(Record("episode", step, {"return": step / 1000}))
    JsonLinesWriter(metrics, "evaluation").write(Record("evaluation", 50_000, {"eval/mean_reward": 40.0}))
    JsonLinesWriter(metrics, "metrics").write(Record("metrics", 50_000, {"time/fps": 1.0}))
    assert draw_learning_curve(episodes, metrics, picture, "A run")
    pixels = matplotlib.image.imread(picture)[..., :3]
    assert pixels.shape == (600, 1080, 3)
    grey, blue, orange = (0.7, 0.7, 0.7), (0x1F / 255, 0x77 / 255, 0xB4 / 255), (1.0, 0x7F / 255, 0x0E / 255)
    for colour in (grey, blue, orange):
        assert (np.abs(pixels - colour).max(axis=-1) < 0.02).sum() > 20, colour
    assert [path.name for path in tmp_path.glob("*.png")] == ["curve.png"]


def test_episodes_that_the_policy_did_not_play_are_not_in_the_curve(tmp_path: Path) -> None:
    episodes, picture = tmp_path / "e.jsonl", tmp_path / "curve.png"
    for route in ("random", "replay"):
        JsonLinesWriter(episodes, "episode").write(Record("episode", 100, {"return": 5.0, "route": route}))
    assert not draw_learning_curve(episodes, tmp_path / "m.jsonl", picture, "A run")
    JsonLinesWriter(episodes, "episode").write(Record("episode", 100, {"return": 5.0, "route": "silent"}))
    assert draw_learning_curve(episodes, tmp_path / "m.jsonl", picture, "A run")


def test_a_run_without_an_episode_has_no_picture(tmp_path: Path) -> None:
    assert not draw_learning_curve(tmp_path / "e", tmp_path / "m", tmp_path / "curve.png", "A run")
    assert not any(tmp_path.iterdir())
