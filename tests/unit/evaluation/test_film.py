# SPDX-License-Identifier: GPL-3.0-or-later
import subprocess
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.pacing import frame_rate
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.errors import UserError
from oakemu_rl.evaluation import FilmFrame, ModelPlayer, episode_seeds, make_episode_env, record_film, write_film
from oakemu_rl.evaluation.gif import GifWriter
from oakemu_rl.evaluation.tester import Tester as EpisodeTester

COLOURS = [(0, 0, 0), (0, 0, 205), (205, 0, 0), (205, 0, 205), (0, 205, 205), (0, 255, 0), (255, 255, 0)]


def pictures(count: int, size: tuple[int, int] = (16, 24)) -> list[np.ndarray]:
    """Each of one colour, other than its neighbours'."""
    return [np.full((*size, 3), COLOURS[i % len(COLOURS)], np.uint8) for i in range(count)]


def frames(count: int) -> list[FilmFrame]:
    return [FilmFrame(picture) for picture in pictures(count)]


def ffmpeg(*args: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([imageio_ffmpeg.get_ffmpeg_exe(), *args], check=False, capture_output=True)


def frames_of_gif(path: Path) -> list[np.ndarray]:
    with Image.open(path) as image:
        result = []
        for i in range(image.n_frames):
            image.seek(i)
            result.append(np.asarray(image.convert("RGB")))
        return result


def test_mp4_has_every_frame_at_twice_the_size(tmp_path):
    path = tmp_path / "new" / "film.mp4"
    assert write_film(frames(11), mp4=path) == 11
    about = ffmpeg("-i", str(path)).stderr.decode()
    assert "h264" in about
    assert "48x32" in about
    assert " 50.08 fps" in about  # as many as the machine makes
    assert "Audio" not in about
    raw = ffmpeg("-i", str(path), "-f", "rawvideo", "-pix_fmt", "rgb24", "-").stdout
    shown = np.frombuffer(raw, np.uint8).reshape(-1, 32, 48, 3).astype(int)
    assert len(shown) == 11
    for frame, picture in zip(shown, pictures(11), strict=True):
        assert np.abs(frame.mean(axis=(0, 1)) - picture[0, 0]).max() < 12
    assert [path.name for path in path.parent.iterdir()] == ["film.mp4"]


def test_gif_has_every_second_frame_in_the_very_colours(tmp_path):
    path = tmp_path / "film.gif"
    write_film(frames(9), gif=path)
    shown = frames_of_gif(path)
    assert len(shown) == 5
    for frame, picture in zip(shown, pictures(9)[::2], strict=True):
        assert np.array_equal(frame, picture)
    with Image.open(path) as image:
        assert image.info["duration"] == 40
        assert image.info["loop"] == 0


def test_gif_keeps_the_screen_s_colours(tmp_path):
    spectrum = Spectrum()
    spectrum.memory[:6144] = np.random.default_rng(1).integers(0, 256, 6144)
    spectrum.memory[6144:6912] = np.arange(768) % 128
    path = tmp_path / "film.gif"
    write_film([FilmFrame(spectrum.screen())], gif=path)
    assert np.array_equal(frames_of_gif(path)[0], spectrum.screen())
    with pytest.raises(ValueError, match="colours that a Spectrum has not"):
        GifWriter(25).append(np.full((2, 2, 3), 100, np.uint8))


def test_gif_stays_below_its_limits(tmp_path):
    rng = np.random.default_rng(0)
    writer = GifWriter(25, largest=20_000, longest=2.0)
    for _ in range(80):
        writer.append((rng.integers(0, 2, size=(40, 40, 1)) * 205).astype(np.uint8).repeat(3, axis=2))
    writer.write(tmp_path / "film.gif")
    assert 10_000 < (tmp_path / "film.gif").stat().st_size <= 20_000
    longer = GifWriter(25, longest=2.0)
    for picture in pictures(80):
        longer.append(picture)
    longer.write(tmp_path / "film.gif")
    assert len(frames_of_gif(tmp_path / "film.gif")) == 50
    with pytest.raises(ValueError, match="at least one picture"):
        GifWriter(25).write(tmp_path / "none.gif")


def sounding(count: int, rate: Fraction) -> list[FilmFrame]:
    """Frames with a beep of 1000 Hz, each with the samples of its time."""
    ends = [int(number * 48_000 / rate) for number in range(count + 1)]
    wave = (8000 * np.sign(np.sin(2 * np.pi * 1000 * (np.arange(ends[-1]) + 0.5) / 48_000))).astype(np.int16)
    return [
        FilmFrame(picture, wave[begin:end])
        for picture, (begin, end) in zip(pictures(count), pairwise(ends), strict=True)
    ]


@pytest.mark.parametrize("model", ["48k", "128k"])
def test_mp4_has_sound_as_long_as_its_pictures(tmp_path, model):
    path, rate = tmp_path / "film.mp4", frame_rate(model)
    assert write_film(sounding(600, rate), mp4=path, rate=rate) == 600
    about = ffmpeg("-i", str(path)).stderr.decode()
    assert "aac" in about
    assert "48000 Hz, mono" in about
    assert f" {float(rate):.2f} fps" in about
    count, seconds = imageio_ffmpeg.count_frames_and_secs(str(path))
    assert count == 600
    heard = np.frombuffer(ffmpeg("-i", str(path), "-f", "s16le", "-").stdout, np.int16)
    assert abs(heard.size / 48_000 - 600 / rate) < 0.1 / rate
    assert abs(seconds - 600 / rate) < 1 / rate
    middle = heard[48_000:-48_000].astype(int)
    rising = np.flatnonzero((middle[:-1] < 0) & (middle[1:] >= 0))
    assert (len(rising) - 1) / ((rising[-1] - rising[0]) / 48_000) == pytest.approx(1000, rel=1e-3)
    assert np.abs(middle).mean() == pytest.approx(8000, rel=0.1)
    assert [each.name for each in tmp_path.iterdir()] == ["film.mp4"]


def test_a_film_that_fails_leaves_the_old_one_and_nothing_else(tmp_path):
    def failing():
        yield from sounding(3, frame_rate("48k"))
        raise KeyboardInterrupt

    mp4, gif = tmp_path / "film.mp4", tmp_path / "film.gif"
    mp4.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        write_film(failing(), mp4=mp4, gif=gif)
    assert mp4.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["film.mp4"]


@pytest.mark.parametrize("name", ["film.mp4", "film.gif"])
def test_a_film_that_cannot_be_written_is_one_line(tmp_path, name):
    (tmp_path / "file").write_text("in the way")
    path = tmp_path / "file" / name
    with pytest.raises(UserError, match="cannot write the film") as caught:
        write_film(sounding(2, frame_rate("48k")), **{path.suffix[1:]: path})
    assert "\n" not in str(caught.value)


def test_progress_is_told(tmp_path):
    done = []
    write_film(frames(4), gif=tmp_path / "film.gif", on_frame=done.append)
    assert done == [1, 2, 3, 4]


def test_the_best_of_some_episodes_is_filmed(acorns, model, tmp_path):
    options = {"max_episode_steps": 110}
    report = record_film(model, acorns, options, None, tmp_path / "best.gif", 3, candidates=4)
    tester = EpisodeTester(lambda n: make_episode_env(acorns, n, options), variables=acorns.variable_names)
    episodes = tester.play(ModelPlayer(model), episode_seeds(3, 4)).episodes
    best = max(episodes, key=lambda episode: (episode.variables["score"], episode.episode_return))
    assert report.episode == best
    env = SpectrumEnv(acorns, **options)
    env.reset(seed=best.seed)
    assert report.frames == best.length * 4 + 100
    assert (tmp_path / "best.gif").stat().st_size < 3_000_000
    assert len({(episode.variables["score"], episode.episode_return) for episode in episodes}) > 1
