# SPDX-License-Identifier: GPL-3.0-or-later
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from oakemu_rl.training.records import Record, WriterGroup
from oakemu_rl.training.tensorboard_writer import TensorBoardWriter


def metrics(step: int, value: float = 0.5) -> Record:
    return Record("metrics", step, {"rollout/ep_rew_mean": value, "note": "text"})


def read(folder: Path) -> EventAccumulator:
    accumulator = EventAccumulator(str(folder), size_guidance={"scalars": 0, "images": 0, "tensors": 0})
    accumulator.Reload()
    return accumulator


def test_it_has_the_conventional_tags_and_hides_what_a_resume_repeats(tmp_path: Path) -> None:
    first = TensorBoardWriter(tmp_path, "seed: 1")
    for step in (100, 200, 300):
        first.write(metrics(step, float(step)))
    first.write(Record("episode", 300, {"return": 9.0}))
    first.close("failed")
    second = TensorBoardWriter(tmp_path, "seed: 1", resumed_at=100)
    second.write(metrics(200, -1.0))
    second.close("finished")
    events = read(tmp_path)
    assert events.Tags()["scalars"] == ["rollout/ep_rew_mean"]
    assert [(event.step, event.value) for event in events.Scalars("rollout/ep_rew_mean")] == [(100, 100.0), (200, -1.0)]


def test_what_is_written_is_there_at_once(tmp_path: Path) -> None:
    writer = TensorBoardWriter(tmp_path, "seed: 1")
    writer.write(metrics(100))
    assert [event.step for event in read(tmp_path).Scalars("rollout/ep_rew_mean")] == [100]
    writer.close("finished")


def test_settings_and_notices_are_texts(tmp_path: Path) -> None:
    writer = TensorBoardWriter(tmp_path, "seed: 1\nppo:\n  lr: 0.1\n")
    writer.write(Record("notice", 300, {"text": "rolled back"}))
    writer.close("finished")
    events = read(tmp_path)
    (settings,) = events.Tensors("hyperparameters")
    assert b"    seed: 1\n    ppo:\n      lr: 0.1" in settings.tensor_proto.string_val[0]
    (notice,) = events.Tensors("notices")
    assert (notice.step, notice.tensor_proto.string_val[0]) == (300, b"    rolled back")


@pytest.mark.parametrize("films", [True, False])
def test_films_are_written_if_asked_for(tmp_path: Path, *, films: bool) -> None:
    gif = tmp_path / "best.gif"
    frames = [Image.fromarray(np.full((6, 260, 3), shade, dtype=np.uint8)) for shade in (0, 255)]
    frames[0].save(gif, save_all=True, append_images=frames[1:])
    writer = TensorBoardWriter(tmp_path, "seed: 1", films=films)
    writer.write(Record("film", 300, {"mp4": "best.mp4", "gif": str(gif)}))
    writer.close("finished")
    events = read(tmp_path)
    assert events.Tags()["images"] == (["films/best"] if films else [])
    if films:
        (film,) = events.Images("films/best")
        assert (film.step, film.width, film.height) == (300, 260, 6)
        assert film.encoded_image_string == gif.read_bytes()


_FULL_DISK = """
import resource, sys
from pathlib import Path
from oakemu_rl.training.records import Record, WriterGroup
from oakemu_rl.training.tensorboard_writer import TensorBoardWriter

resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
group = WriterGroup([], lambda line: print(line, flush=True))
group.open("TensorBoard", lambda: TensorBoardWriter(Path(sys.argv[1]), "seed: 1"))
for step in range(200):
    group.write(Record("metrics", step, {"rollout/ep_rew_mean": 0.5}))
group.close("finished")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="a limit on the size of files stands for the full disk")
def test_a_full_disk_is_told_in_one_line_and_nothing_else(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FULL_DISK, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    (line,) = done.stdout.splitlines()
    assert line.startswith("TensorBoard failed at step ")
    assert "is left out: OSError: [Errno 27] File too large" in line
    # What fitted can still be read.
    assert len(read(tmp_path).Scalars("rollout/ep_rew_mean")) > 5


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    complaints: list[str] = []
    group = WriterGroup([], complaints.append)
    group.open("TensorBoard", lambda: TensorBoardWriter(tmp_path / "none", "seed: 1"))
    group.write(metrics(1))
    group.close("finished")
    (line,) = complaints
    assert line.startswith("TensorBoard cannot be used and is left out: FileNotFoundError")
