# SPDX-License-Identifier: GPL-3.0-or-later
"""What is noted of an episode is what a machine plays again."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from counting_game import DIE, SCORE, STAY, write_game
from demo_making import record

from oakemu_rl.demos import Demo, DemoRecorder, machine_of
from oakemu_rl.emulator import Spectrum
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game
from oakemu_rl.games.identity import fingerprint


def test_a_recording_says_what_was_played(counted: Demo, game: Game) -> None:
    assert (counted.game_id, counted.fingerprint, counted.machine) == (game.id, fingerprint(game), "48k")
    assert (counted.frames, counted.steps, counted.seed, counted.source) == (68, 34, 5, "script")
    assert (counted.outcome, counted.episode_return) == ("win", 30.0)
    assert counted.action_meanings == ("stay", "score", "die")
    assert counted.settings["frameskip"] == 2
    assert counted.markers == ((34, "half"),)
    assert counted.step_ends.tolist() == list(range(0, 70, 2))
    assert int((counted.actions == SCORE).sum()) == 15
    # O is bit 1 of the half row of Y to P, which is the sixth.
    assert counted.keys.nonzero()[1].tolist() == [5] * 30
    assert set(counted.keys[:, 5].tolist()) == {0, 2}


def test_the_machine_at_the_end_is_the_environments(game: Game) -> None:
    env = SpectrumEnv(game)
    demo = record(env, [STAY, SCORE, SCORE, DIE, SCORE])
    machine = machine_of(demo)
    for row in demo.keys:
        machine.hold_row(row)
        machine.run_frames(1)
    assert machine.save_state() == env.machine_state()
    digest = hashlib.blake2b(machine.memory.tobytes(), digest_size=8).digest()
    assert demo.checks.tolist() == [int.from_bytes(digest, "little")]


def test_checks_and_keyframes_are_of_their_frames(caverns: Demo) -> None:
    machine = machine_of(caverns)
    keyframes = dict(caverns.keyframes)
    marked = {frame for frame, _ in caverns.markers if frame}
    assert list(keyframes) == sorted({*range(250, 4396, 250), *marked})
    for frame, row in enumerate(caverns.keys[:1005], start=1):
        machine.hold_row(row)
        machine.run_frames(1)
        if frame in keyframes:
            assert machine.save_state() == keyframes[frame]
        if frame % caverns.check_every == 0:
            digest = hashlib.blake2b(machine.memory.tobytes(), digest_size=8).digest()
            assert int(caverns.checks[frame // caverns.check_every - 1]) == int.from_bytes(digest, "little")


def test_sticky_actions_are_recorded_as_they_were_played(game: Game) -> None:
    env = SpectrumEnv(game, repeat_action_probability=0.5, frameskip=(1, 4))
    demo = record(env, [STAY, SCORE] * 5)
    assert demo.actions is not None
    assert demo.actions.tolist() != [STAY, SCORE] * 5
    assert len(set(np.diff(demo.step_ends).tolist())) > 1
    machine = machine_of(demo)
    for row in demo.keys:
        machine.hold_row(row)
        machine.run_frames(1)
    assert machine.save_state() == env.machine_state()
    assert (demo.settings["frameskip"], demo.settings["repeat_action_probability"]) == ([1, 4], 0.5)


def test_frames_without_steps(game: Game) -> None:
    env = SpectrumEnv(game)
    recorder = DemoRecorder(game, env.options, game.start_state(), source="hand")
    rows = np.zeros((25, 9), np.uint8)
    rows[3:7, 5] = 2
    for row in rows:
        recorder.add_frame(row)
    rows[:] = 9  # the recorder has copies
    demo = recorder.finish()
    assert (demo.frames, demo.steps, len(demo.checks)) == (25, None, 3)
    assert game.read(_end(demo).visible_ram())["score"] == 4
    with pytest.raises(UserError, match="it has keys, but no steps"):
        _ = demo.step_ends


def _end(demo: Demo) -> Spectrum:
    machine = machine_of(demo)
    for row in demo.keys:
        machine.hold_row(row)
        machine.run_frames(1)
    return machine


def test_nothing_is_no_recording(game: Game) -> None:
    recorder = DemoRecorder(game, SpectrumEnv(game).options, game.start_state())
    with pytest.raises(UserError, match="it is empty"):
        recorder.finish()
    recorder.add_step(STAY, 2)
    recorder.add_frame(np.zeros(9, np.uint8))
    with pytest.raises(ValueError, match="by steps or by frames"):
        recorder.finish()


def test_multibinary_actions_are_recorded_by_their_keys(tmp_path: Path) -> None:
    game = load_game(write_game(tmp_path))
    env = SpectrumEnv(game, action_type="multibinary", noop_max=0)
    _, info = env.reset(seed=1)
    recorder = DemoRecorder(game, env.options, env.machine_state())
    for bits in ([1, 0], [0, 0], [1, 0]):
        info = env.step(np.array(bits))[4]
        recorder.add_step(info["action_taken"], 2)
    demo = recorder.finish()
    assert [demo.action_meanings[number] for number in demo.actions] == ["o", "", "o"]
    assert _end(demo).save_state() == env.machine_state()
