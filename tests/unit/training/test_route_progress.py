# SPDX-License-Identifier: GPL-3.0-or-later
"""How far back a run has come: read from its figures, drawn, and filmed."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from oakemu_rl.training.route_film import route_frames
from oakemu_rl.training.route_progress import RouteProgress, draw_route


def line(step: int, starts: tuple[int, ...], success: tuple[float, ...], learnt: float) -> dict[str, object]:
    figures: dict[str, object] = {"kind": "metrics", "step": step, "curriculum/learnt": learnt}
    for leg, (start, rate) in enumerate(zip(starts, success, strict=True), 1):
        figures |= {f"curriculum/leg_{leg}/start": start, f"curriculum/leg_{leg}/success": rate}
    return figures


def written(path: Path, *lines: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in lines))
    return path


@pytest.fixture
def metrics(tmp_path: Path) -> Path:
    return written(
        tmp_path / "metrics.jsonl",
        {"kind": "metrics", "step": 5, "train/loss": 1.0},
        line(10, (8, 18), (0.0, 0.5), 0.2),
        {"kind": "evaluation", "step": 10, "eval/mean_reward": 1.0},
        line(20, (4, 18), (1.0, 0.25), 0.4),
    )


def test_the_figures_of_a_curriculum_are_read(metrics: Path) -> None:
    progress = RouteProgress.read(metrics)
    assert progress is not None
    assert progress.steps.tolist() == [10.0, 20.0]
    assert progress.starts.tolist() == [[8.0, 18.0], [4.0, 18.0]]
    assert progress.success.tolist() == [[0.0, 0.5], [1.0, 0.25]]
    assert progress.learnt.tolist() == [0.2, 0.4]


def test_a_run_without_a_curriculum_has_none(tmp_path: Path) -> None:
    assert RouteProgress.read(written(tmp_path / "metrics.jsonl", {"kind": "metrics", "step": 5})) is None


def test_the_plot_is_a_picture(metrics: Path, tmp_path: Path) -> None:
    progress = RouteProgress.read(metrics)
    assert progress is not None
    draw_route(progress, tmp_path / "route.png", "Way back")
    assert (tmp_path / "route.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["metrics.jsonl", "route.png"]


def test_the_film_shows_where_episodes_begin_and_how_many_succeed(metrics: Path) -> None:
    progress = RouteProgress.read(metrics)
    assert progress is not None
    shown: list[int] = []

    def picture_of(step: int) -> NDArray[np.uint8]:
        shown.append(step)
        return np.full((240, 320, 3), 255 if step == 4 else 205, np.uint8)

    frames = [frame.picture for frame in route_frames(progress, picture_of)]
    assert shown == [8, 18, 4]  # a picture once
    first, last = frames[0], frames[-1]
    assert first.shape == last.shape == (86, 214, 3)  # two tiles of 80 + 6 rows and 107 columns
    assert (first[:80, :107] == 205).all()
    assert (last[:80, :107] == 255).all()
    assert (last[:80, 107:] == 205).all()
    green = (last == (0, 255, 0)).all(axis=-1)
    assert green[82, :107].all()
    assert green[82, 107:].sum() == round(0.25 * 107)
    assert not green[:81].any()
