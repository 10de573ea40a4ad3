# SPDX-License-Identifier: GPL-3.0-or-later
"""The loudspeaker, on SDL's driver without a device, and its queue on a mixer that only notes."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from oakemu_rl.emulator.speaker import NoSoundError, Speaker

pygame = pytest.importorskip("pygame")

FRAME = 958


class TimedChannel:
    """Stands in for a mixer's channel; time passes when the test says so."""

    def __init__(self) -> None:
        self.heard: list[np.ndarray] = []
        self.playing: list[np.ndarray] = []
        self.left = 0
        self.gaps = 0

    def get_busy(self) -> bool:
        return bool(self.playing)

    def get_queue(self) -> object | None:
        return self.playing[1] if len(self.playing) > 1 else None

    def queue(self, sound: pygame.mixer.Sound) -> None:
        assert len(self.playing) < 2
        assert sound.get_volume() == pytest.approx(0.5, abs=0.01)
        self.playing.append(np.frombuffer(sound.get_raw(), np.int16))
        self.heard.append(self.playing[-1])
        if len(self.playing) == 1:
            self.left = self.playing[0].size

    def pass_time(self, samples: int) -> None:
        while samples and self.playing:
            step = min(samples, self.left)
            samples, self.left = samples - step, self.left - step
            if not self.left:
                self.playing.pop(0)
                self.left = self.playing[0].size if self.playing else 0
        self.gaps += samples > 0 and bool(self.heard)


@pytest.fixture
def speaker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Speaker]:
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    speaker = Speaker()
    yield speaker
    speaker.close()


def frames(count: int) -> list[np.ndarray]:
    return [np.full(FRAME, number + 1, np.int16) for number in range(count)]


def test_it_plays(speaker):
    assert pygame.mixer.get_init() == (48_000, -16, 1)
    for samples in frames(8):
        speaker.play(samples)
    assert pygame.mixer.Channel(0).get_busy()
    speaker.close()
    assert pygame.mixer.get_init() is None
    speaker.close()


@pytest.mark.parametrize("late", [0, 500, 2500])
def test_there_is_no_gap_where_frames_come_a_little_late(speaker, late):
    channel = speaker._channel = TimedChannel()
    rng = np.random.default_rng(late)
    now = 0
    for number, samples in enumerate(frames(500)):
        due = number * FRAME + (int(rng.integers(late)) if late and number > 20 else 0)
        channel.pass_time(max(0, due - now))
        now = max(now, due)
        speaker.play(samples)
    assert channel.gaps == 0
    heard = np.concatenate(channel.heard)
    assert np.array_equal(heard, np.concatenate(frames(500))[: heard.size])
    assert heard.size > 490 * FRAME


def test_after_a_gap_it_goes_on(speaker):
    channel = speaker._channel = TimedChannel()
    for number in range(60):
        channel.pass_time(FRAME if number != 30 else 20 * FRAME)
        speaker.play(frames(60)[number])
    assert channel.gaps < 10
    assert np.concatenate(channel.heard)[-1] > 50


def test_what_waits_too_long_is_left_out(speaker):
    channel = speaker._channel = TimedChannel()
    for samples in frames(50):
        speaker.play(samples)
    channel.pass_time(10 * FRAME)
    speaker.play(np.full(FRAME, 51, np.int16))
    sound = np.concatenate(channel.heard[2:])
    assert 10_000 < sound.size <= 12_000
    assert sound[-1] == 51
    assert set(np.diff(sound).tolist()) == {0, 1}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere SDL has no driver that is sure to fail")
def test_without_a_device_it_is_one_line(monkeypatch, capfd):
    monkeypatch.setenv("SDL_AUDIODRIVER", "nonsense")
    with pytest.raises(NoSoundError, match="there is no sound") as caught:
        Speaker()
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_without_pygame(monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(ModuleNotFoundError):
        Speaker()
