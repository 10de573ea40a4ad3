# SPDX-License-Identifier: GPL-3.0-or-later
"""The sound of a film: a file that grows with it, and its place beside the pictures."""

import subprocess
import wave
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator.watching import SAMPLE_RATE

__all__ = ["SoundTrack", "join"]


class SoundTrack:
    """A WAV file of one channel of 16 bits.

    Args:
        path: Where it is written.

    Raises:
        OSError: It cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._file = wave.open(str(path), "wb")  # noqa: SIM115 - closed by `close`
        self._file.setnchannels(1)
        self._file.setsampwidth(2)
        self._file.setframerate(SAMPLE_RATE)

    def append(self, samples: NDArray[np.int16]) -> None:
        """Adds samples, (n,), 48,000 a second."""
        self._file.writeframesraw(samples.astype("<i2").tobytes())

    def close(self) -> None:
        """Completes the file."""
        self._file.close()


def join(movie: Path, sound: Path, path: Path) -> None:
    """Writes a film out of a silent MP4, whose pictures stay as they are, and a WAV file, which becomes AAC.

    Raises:
        OSError: It cannot be written.
    """
    import imageio_ffmpeg  # it comes with imageio; only films need it

    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-nostdin", "-y", "-v", "error", "-i", str(movie), "-i", str(sound)]
    command += ["-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "aac", "-b:a", "128k"]
    command += ["-movflags", "+faststart", str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - paths of ours
    if done.returncode != 0:
        complaint = done.stderr.strip().splitlines()
        raise OSError(complaint[-1] if complaint else f"ffmpeg ended with {done.returncode}")
