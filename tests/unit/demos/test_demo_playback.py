# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings played again: to the end with every check, or up to any moment."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from counting_game import DEFINITION, write_game

from oakemu_rl.demos import Demo, DemoReader, DesyncError, machine_of, replay
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game


def test_a_recording_replays_to_its_end(caverns: Demo) -> None:
    frames: list[int] = []
    machine = replay(caverns, load_game("caverns"), on_frame=frames.append)
    assert frames[:2] == [10, 20]
    assert frames[-1] == 4396
    assert load_game("caverns").read(machine.visible_ram())["won"] == 1


def test_the_first_desync_is_named(caverns: Demo) -> None:
    keys = caverns.keys.copy()
    keys[19] = 0  # in frame 20 the player stops
    with pytest.raises(DesyncError, match=r"desyncs at frame 20 \(one of the frames 11 to 20 is the first") as error:
        replay(replace(caverns, keys=keys), load_game("caverns"))
    assert error.value.frame == 20
    # The next keyframe is that of frame 250.
    assert "; at frame 250, " in str(error.value)
    assert re.search(r"player_x is \d+ \(recorded 205\), .*\d+ bytes of RAM differ$", str(error.value))


def test_a_desync_is_named_without_keyframes_too(counted: Demo, game: Game) -> None:
    keys = counted.keys.copy()
    keys[66, 5] ^= 2  # within the last check, which is that of the last frame
    with pytest.raises(DesyncError, match=r"at frame 68 \(one of the frames 61 to 68 is the first that differs\)$"):
        replay(replace(counted, keys=keys), game)


def test_another_game_is_refused(counted: Demo, game: Game, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is of ZXSpectrum/Counting-v0, not of ZXSpectrum/Caverns-v0"):
        replay(counted, load_game("caverns"))
    other = load_game(write_game(tmp_path, DEFINITION.replace("reward: delta(score)", "reward: 2 * delta(score)")))
    with pytest.raises(UserError, match="of another definition or program of ZXSpectrum/Counting-v0"):
        replay(counted, other)


def test_a_reader_goes_to_any_moment(caverns: Demo) -> None:
    reader, machine = DemoReader(caverns), machine_of(caverns)
    wanted = {0: machine.save_state()}
    for frame, row in enumerate(caverns.keys, start=1):
        machine.hold_row(row)
        machine.run_frames(1)
        if frame in (1, 249, 250, 251, 2222, 4396):
            wanted[frame] = machine.save_state()
    for frame in np.random.default_rng(0).permutation(list(wanted)).tolist():
        assert reader.state_at(frame=frame) == wanted[frame]
    assert reader.state_at(step=1099) == wanted[4396]
    assert reader.state_at(step=0) == caverns.start


def test_what_a_reader_gives_is_ones_own(caverns: Demo) -> None:
    reader = DemoReader(caverns)
    machine = reader.machine_at(frame=100)
    before = machine.save_state()
    assert reader.state_at(frame=300) != before
    assert machine.save_state() == before
    machine.run_frames(30)
    assert reader.state_at(frame=100) == before


@pytest.mark.parametrize("frame", [-1, 69])
def test_a_moment_that_is_not_there_is_refused(counted: Demo, frame: int) -> None:
    reader = DemoReader(counted)
    with pytest.raises(UserError, match=f"no frame {frame}; it has 0 to 68"):
        reader.state_at(frame=frame)
    with pytest.raises(UserError, match=r"no step 35; it has 0 to 34"):
        reader.state_at(step=35)
    with pytest.raises(ValueError, match="by its frame or by its step"):
        reader.state_at()


def test_keyframes_make_it_fast(caverns: Demo) -> None:
    """No moment is further than 250 frames from one that is known."""
    known = [0, *(frame for frame, _ in caverns.keyframes), caverns.frames]
    assert max(np.diff(known)) <= 250
