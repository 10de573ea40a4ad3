# SPDX-License-Identifier: GPL-3.0-or-later
import errno
import io
from collections.abc import Iterable

import pytest
from rich.console import Console
from terminal import Terminal

from oakemu_rl.training.budget import Budget
from oakemu_rl.training.live_progress import LiveProgress
from oakemu_rl.training.records import Record, WriterGroup

TITLE = "Acorns, seed 1: runs/mine"


def metrics(step: int, value: float = 1.5) -> Record:
    values = {
        "time/fps": 250.0,
        "time/time_elapsed": step / 250.0,
        "time/environment_share": 0.25,
        "time/learning_share": 0.75,
        "rollout/ep_rew_mean": value,
        "train/entropy": 0.5,
    }
    return Record("metrics", step, values)


def evaluation(step: int) -> Record:
    values = {"eval/mean_reward": float(step), "eval/best_mean_reward": float(step), "eval/best_timesteps": float(step)}
    return Record("evaluation", step, values)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def live(width: int = 80, height: int = 24, history: Iterable[Record] = ()) -> tuple[LiveProgress, Terminal]:
    terminal = Terminal(width, height)
    return LiveProgress(Budget(10_000, None), console_of(terminal, width, height), TITLE, history, Clock()), terminal


def console_of(file: io.StringIO, width: int, height: int) -> Console:
    return Console(file=file, force_terminal=True, color_system="standard", width=width, height=height, _environ={})


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 50), (60, 16), (45, 9), (30, 6), (20, 3)])
def test_the_screen_stays_one_screen(width: int, height: int) -> None:
    progress, terminal = live(width, height)
    for step in range(100, 2100, 100):
        progress.write(metrics(step))
    assert len(terminal.everything()) <= height
    assert sum("of 10.0k" in row for row in terminal.everything()) == 1
    assert all(len(row) <= width for row in terminal.everything())
    progress.close()


def test_no_message_is_lost_and_none_is_there_twice() -> None:
    progress, terminal = live()
    progress.message("before the first figures")
    progress.write(metrics(100))
    messages = [f"message {n:02d} [bold]as it is[/] " + "long " * (20 * (n % 3)) for n in range(30)]
    for message in messages:
        progress.message(message)
        progress.write(metrics(200))
    progress.close()
    progress.message("after the end")
    said = " ".join(" ".join(row.split()) for row in terminal.everything())
    expected = [
        "before the first figures",
        *(" ".join(message.split()) for message in messages),
        "after the end",
    ]
    places = [said.index(text) for text in expected]
    assert places == sorted(places)
    assert all(said.count(text[:32]) == 1 for text in expected)
    assert sum(row.startswith(TITLE) for row in terminal.everything()) == 1


def test_the_last_messages_are_on_the_screen() -> None:
    progress, terminal = live()
    progress.write(metrics(100))
    for step in range(1000, 6000, 1000):
        progress.write(evaluation(step))
    progress.write(Record("notice", 6000, {"text": "rolled back"}))
    assert terminal.shown()[-3:] == [
        "4000 steps: evaluation return 4000.00  (the best so far)",
        "5000 steps: evaluation return 5000.00  (the best so far)",
        "6000 steps: rolled back",
    ]
    progress.close()


def test_a_notice_stands_out() -> None:
    out = io.StringIO()
    progress = LiveProgress(Budget(10_000, None), console_of(out, 80, 24))
    progress.write(metrics(100))
    progress.write(Record("notice", 6000, {"text": "rolled back"}))
    progress.close()
    assert "\x1b[1;33m6000 steps: rolled back" in out.getvalue()


def test_a_terminal_without_room_for_messages_has_them_above() -> None:
    progress, terminal = live(60, 12)
    progress.write(metrics(100))
    progress.write(evaluation(1000))
    assert terminal.everything()[0].startswith("1000 steps: evaluation return 1000.00")
    progress.close()


def test_a_resumed_run_goes_on_with_its_curve() -> None:
    fresh, one = live()
    resumed, other = live(history=[metrics(100, 0.0), evaluation(150), metrics(200, 50.0)])
    for progress in (fresh, resumed):
        progress.write(metrics(300, 1.0))
        progress.close()
    assert "150.0" in "".join(other.everything())
    assert "150.0" not in "".join(one.everything())
    assert "●" in "".join(other.everything())


@pytest.mark.parametrize("error", [OSError(errno.EIO, "gone"), BrokenPipeError(errno.EPIPE, "gone")])
def test_a_terminal_that_is_gone_ends_the_screen_and_not_the_run(error: OSError) -> None:
    progress, terminal = live()
    complaints: list[str] = []
    group = WriterGroup([progress], complaints.append)
    group.write(metrics(100))

    def gone(_: str) -> int:
        raise error

    terminal.write = gone  # type: ignore[method-assign]
    group.write(metrics(200))
    group.write(metrics(300))
    progress.message("still here")
    progress.close()
    assert complaints == []


def test_a_fault_of_the_screen_is_told_in_a_plain_line(monkeypatch: pytest.MonkeyPatch) -> None:
    progress, terminal = live()
    group = WriterGroup([progress], progress.message)
    group.write(metrics(100))

    def broken(*_: object) -> None:
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr("oakemu_rl.training.live_progress.draw_screen", broken)
    group.write(metrics(200))
    group.write(metrics(300))
    group.write(evaluation(400))
    progress.message("still here")
    assert terminal.everything()[-4:] == [
        "the screen is left out: ZeroDivisionError: a fault",
        "400 steps: evaluation return 400.00  (the best so far)",
        "still here",
        "",
    ]


def test_a_message_that_finds_a_fault_of_the_screen_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    progress, terminal = live()
    progress.write(metrics(100))
    monkeypatch.setattr("oakemu_rl.training.live_progress.draw_screen", lambda *_: 1 / 0)
    progress.message("TensorBoard failed")
    assert terminal.everything()[-3:-1] == [
        "the screen is left out: ZeroDivisionError: division by zero",
        "TensorBoard failed",
    ]
