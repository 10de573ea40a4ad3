# SPDX-License-Identifier: GPL-3.0-or-later
import itertools

import pytest

from oakemu_rl.training.budget import Budget
from oakemu_rl.training.curve_plot import plot_curve
from oakemu_rl.training.records import Record
from oakemu_rl.training.run_figures import Curve, RunFigures
from oakemu_rl.training.screen import Canvas, draw_screen, message_rows

FIGURES = {
    "time/fps": 5000.0,
    "time/time_elapsed": 100.0,
    "time/environment_share": 0.5,
    "time/inference_share": 0.25,
    "time/learning_share": 0.25,
    "time/evaluation_share": 0.0,
    "rollout/ep_rew_mean": 12.5,
    "rollout/outcome/win": 0.25,
    "rollout/outcome/loss": 0.75,
    "rollout/outcome/truncated": 0.0,
    "rollout/reward/score": 14.0,
    "rollout/reward/deaths": -1.5,
    "train/entropy": -0.0001,
    "train/approx_kl": 0.0123,
    "train/clip_fraction": 0.07,
    "train/explained_variance": 0.9,
    "train/learning_rate": 2.5e-4,
}


def figures(**other: float) -> RunFigures:
    run = RunFigures()
    for step in (250_000, 500_000):
        run.take(Record("metrics", step, {**FIGURES, "rollout/ep_rew_mean": step / 40_000, **other}))
    best = {"eval/mean_reward": 20.0, "eval/best_mean_reward": 20.0, "eval/best_timesteps": 500_000.0}
    run.take(Record("evaluation", 500_000, best))
    return run


def screen(run: RunFigures, width: int = 80, height: int = 23, **canvas: bool) -> list[str]:
    rows = draw_screen("Acorns, seed 1", run, Budget(1_000_000, None), [], Canvas(width, height, **canvas))
    return [row.plain.rstrip() for row in rows]


def test_everything_that_matters_is_on_a_small_screen() -> None:
    rows = screen(figures())
    assert rows[0] == "Acorns, seed 1"
    assert rows[1].endswith(" 50%")
    assert rows[2] == "500.0k of 1.00M steps  5,000 steps/s  1:40 left  1:40 gone"
    assert rows[4] == "return    ─ training 12.50  ● evaluation 20.00  best 20.00 at 500.0k"
    outcomes, reward, time, learning = rows[-4:]
    assert outcomes.endswith("█ win 25%  █ loss 75%")
    assert reward == "reward    score 14.00  deaths -1.50"
    assert time.endswith("█ env 50%  █ infer 25%  █ learn 25%")
    assert learning == "learning  entropy 0.000  KL 0.0123  clipped 7%  explained 0.90  lr 2.50e-04"


def test_a_run_that_imitates_says_how_far_that_is() -> None:
    run = RunFigures()  # as in a bootstrap, in which PPO does not learn
    run.take(Record("metrics", 1000, {"time/fps": 5000.0, "time/time_elapsed": 1.0, "imitation/bc_accuracy": 0.456}))
    assert screen(run)[-1] == "learning  cloned 46%"


def test_without_parts_of_rewards_and_outcomes_there_are_no_such_lines() -> None:
    run = RunFigures()
    run.take(Record("metrics", 1, {"time/fps": 0.0, "time/time_elapsed": 0.0}))
    rows = screen(run)
    assert not [row for row in rows if row.startswith(("outcomes", "reward", "learning"))]
    assert "no episode has ended" in rows[4]


@pytest.mark.parametrize(
    "size", list(itertools.product([20, 39, 40, 55, 75, 76, 80, 132, 240], [1, 5, 8, 13, 14, 20, 23, 60]))
)
def test_it_fits_whatever_the_terminal(size: tuple[int, int]) -> None:
    width, height = size
    names = {f"rollout/reward/a_part_with_a_long_name_{n}": 1234.5 for n in range(20)}
    rows = screen(figures(**names, **{"rollout/outcome/life_lost": 0.1}), width, height)
    assert 1 <= len(rows) <= height - message_rows(Canvas(width, height))
    assert max(map(len, rows)) <= width
    assert any("500.0k of 1.00M" in row for row in rows)


@pytest.mark.parametrize(("width", "height"), [(39, 24), (80, 7)])
def test_a_tiny_terminal_gets_the_line_of_steps(width: int, height: int) -> None:
    (row,) = screen(figures(), width, height)
    assert row.startswith("500.0k of 1.00M steps")


def test_a_narrow_terminal_leaves_whole_figures_out() -> None:
    (learning,) = [row for row in screen(figures(), width=45) if row.startswith("learning")]
    assert learning == "learning  entropy 0.000  KL 0.0123"


def test_bars_show_shares() -> None:
    (outcomes,) = [row for row in screen(figures(), colour=False) if row.startswith("outcomes")]
    bar = outcomes[10:30].rstrip()
    assert len(bar) == 19
    assert bar == "█" * 5 + "▓" * 14  # 4.75 and 14.25


def test_a_terminal_of_ascii_gets_ascii() -> None:
    for row in screen(figures(), ascii_only=True):
        assert row.isascii(), row


def test_times_are_weighed_by_how_long_they_were() -> None:
    run = RunFigures()
    shares = {"time/environment_share": 1.0, "time/learning_share": 0.0}
    run.take(Record("metrics", 1, {"time/time_elapsed": 1.0, **shares}))
    evaluation = {"time/environment_share": 0.0, "time/evaluation_share": 1.0}
    run.take(Record("metrics", 2, {"time/time_elapsed": 4.0, **evaluation}))
    assert run.times() == {"environment": 0.25, "inference": 0.0, "learning": 0.0, "evaluation": 0.75}


def test_a_long_curve_is_thinned_evenly_and_keeps_its_ends() -> None:
    curve = Curve()
    for step in range(100_000):
        curve.add(step, float(step))
    steps = [step for step, _ in curve.points]
    assert 1000 < len(steps) < 2100
    assert steps[0] == 0
    assert steps[-1] > 99_900
    assert len({b - a for a, b in itertools.pairwise(steps)}) == 1


def test_what_is_not_finite_is_not_drawn() -> None:
    curve = Curve()
    for value in (1.0, float("nan"), float("inf"), 2.0):
        curve.add(0, value)
    assert [value for _, value in curve.points] == [1.0, 2.0]


def test_the_plot_of_a_straight_line_is_its_diagonal() -> None:
    rows = plot_curve([(0, 0.0), (700, 3.0)], [], 12 + 6, 5, ascii_only=True)
    # Column c of twelve is at 3c/11 of three steps up, to the nearest.
    assert [row.plain.rstrip() for row in rows] == [
        "3.00 |          **",
        "     |      ****",
        "     |  ****",
        "0.00 |**",
        "      0  700 steps",
    ]


def test_braille_dots_of_a_plot() -> None:
    rows = plot_curve([(0, 0.0), (1, 7.0)], [], 2 + 6, 3)
    # Four columns of eight dots: at 0, 2.33, 4.67 and 7 of 7 from below, joined where they are steep. From the top,
    # that is row 7; rows 6 and 5; 4, 3 and 2; 1 and 0. Below: dots 7 5 6, and 1; above: dots 3 7 4 5.
    assert [row.plain[6:] for row in rows[:2]] == [" " + chr(0x2800 + 0x5C), chr(0x2800 + 0x70) + chr(0x2800 + 0x01)]


def test_marks_lie_over_the_line_and_share_its_axes() -> None:
    rows = plot_curve([(0, 0.0), (100, 0.0)], [(50, 10.0), (100, 0.0)], 5 + 7, 4)
    assert [row.plain.rstrip() for row in rows[:3]] == ["10.00 │  ●", "      │", " 0.00 │⣀⣀⣀⣀●"]


@pytest.mark.parametrize("points", [[(5, 2.0)], [(5, 2.0), (9, 2.0)]])
def test_a_flat_curve_has_one_label(points: list[tuple[float, float]]) -> None:
    rows = plot_curve(points, [], 30, 6)
    assert sum("2.00" in row.plain for row in rows) == 1
