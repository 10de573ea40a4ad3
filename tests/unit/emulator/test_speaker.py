# SPDX-License-Identifier: GPL-3.0-or-later
"""The loudspeaker, on SDL's driver without a device, and its queue on a mixer that only notes."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from oakemu_rl.emulator.speaker import NoSoundError, Speaker

pygame = pytest.importorskip("pygame")

FRAME = 958


class NotingChannel:
    """Stands in for a mixer's channel: what is queued waits until it is taken."""

    def __init__(self) -> None:
        self.queued: list[np.ndarray] = []
        self.full = False

    def get_queue(self) -> object | None:
        return "a sound" if self.full else None

    def queue(self, sound: pygame.mixer.Sound) -> None:
        assert not self.full
        assert sound.get_volume() == pytest.approx(0.5, abs=0.01)
        self.queued.append(np.frombuffer(sound.get_raw(), np.int16))


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
    for samples in frames(4):
        speaker.play(samples)
    assert pygame.mixer.Channel(0).get_busy()
    speaker.close()
    assert pygame.mixer.get_init() is None
    speaker.close()


def test_samples_are_handed_over_in_order_a_few_frames_at_a_time(speaker):
    channel = speaker._channel = NotingChannel()
    for number, samples in enumerate(frames(9), start=1):
        speaker.play(samples)
        assert len(channel.queued) == number // 4  # 60 ms are more than three frames
    assert np.array_equal(np.concatenate(channel.queued), np.concatenate(frames(8)))


def test_what_waits_too_long_is_left_out(speaker):
    channel = speaker._channel = NotingChannel()
    channel.full = True
    for samples in frames(50):
        speaker.play(samples)
    channel.full = False
    speaker.play(np.full(FRAME, 51, np.int16))
    (sound,) = channel.queued
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
