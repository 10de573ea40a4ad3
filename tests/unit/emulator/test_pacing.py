# SPDX-License-Identifier: GPL-3.0-or-later
import pytest

from oakemu_rl.emulator.pacing import FRAMES_PER_SECOND, Pacer


class Time:
    """A clock that only sleeping and working move; sleeping lasts a little too long, as it does."""

    def __init__(self, overshoot: float = 0.0) -> None:
        self.now = 100.0
        self.overshoot = overshoot
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.slept.append(seconds)
        self.now += seconds + self.overshoot


def test_the_rate_is_that_of_the_machine():
    assert pytest.approx(50.08, abs=0.001) == FRAMES_PER_SECOND


def test_errors_of_single_waits_do_not_add_up():
    time = Time(overshoot=0.003)
    pacer = Pacer(time.clock, time.sleep)
    for _ in range(1001):
        pacer.wait(50.0)
    assert time.now == pytest.approx(100.0 + 1000 / 50.0 + 0.003)


def test_the_first_round_is_due_at_once():
    time = Time()
    Pacer(time.clock, time.sleep).wait(50.0)
    assert time.slept == []


def test_who_is_late_catches_up():
    time = Time()
    pacer = Pacer(time.clock, time.sleep)
    pacer.wait(10.0)
    time.now += 0.25  # the rounds at 0.1 and 0.2 are late, that at 0.3 is not
    for _ in range(3):
        pacer.wait(10.0)
    assert time.slept == [pytest.approx(0.05)]


def test_after_a_long_stop_time_starts_anew():
    time = Time()
    pacer = Pacer(time.clock, time.sleep)
    pacer.wait(10.0)
    time.now += 60.0
    pacer.wait(10.0)
    assert time.slept == []
    pacer.wait(10.0)
    assert time.slept == [pytest.approx(0.1)]


def test_the_rate_may_change():
    time = Time()
    pacer = Pacer(time.clock, time.sleep)
    for rate in (10.0, 5.0, 10.0):
        pacer.wait(rate)
    assert time.slept == [pytest.approx(0.1), pytest.approx(0.2)]
