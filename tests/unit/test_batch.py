# SPDX-License-Identifier: GPL-3.0-or-later
"""The batch as Python sees it: what crosses the border. How it plays is tested in tests/core/batch_tests.cpp."""

import contextlib
import os
import signal
import threading
from typing import Any

import numpy as np
import pytest
from batch_game import FRAMES, KEYS, RANDOM, ROM, ROUTINE, BatchGame, make_arrays, settings, start_state, variable

from oakemu_rl import _core

_RANDOM_SETTINGS: dict[str, Any] = {
    "frameskip": (1, 4),
    "repeat_action_probability": 0.25,
    "noops": (0, 5),
    "random_pokes": [(RANDOM, 2)],
    "hooks": [ROUTINE],
    "max_steps": 13,
    "loss": [("variable", 1.0), ("constant", 30.0), ("greater", 0.0)],
    "rewards": [[("variable", 1.0), ("before", 1.0), ("subtract", 0.0), ("called", 0.0), ("add", 0.0)]],
}


def test_facts() -> None:
    batch = _core.Batch(**settings(num_envs=3, num_threads=8, colour="rgb", stack=4))
    assert (batch.num_envs, batch.num_threads, batch.num_actions, batch.num_variables) == (3, 3, 3, 2)
    assert batch.observation_shape == (12, 16, 21)


def test_a_step_writes_every_array() -> None:
    game = BatchGame(num_envs=2, frameskip=(4, 4), hooks=[ROUTINE], rewards=[[("called", 0.0)]])
    game.reset()
    assert game["actions_taken"].tolist() == [-1, -1]
    game.step(1, 2)
    game.step(0, 2)
    assert game["variables"].tolist() == [[8, 4], [8, 16]]
    assert game["rewards"].tolist() == [4.0, 4.0]
    assert game["episode_return"].tolist() == [8.0, 8.0]
    assert game["episode_length"].tolist() == [2, 2]
    assert game["episode_frame_number"].tolist() == game["frame_number"].tolist() == [8, 8]
    assert game["actions_taken"].tolist() == [0, 2]
    for name in ("terminated", "truncated", "outcome"):
        assert not game[name].any(), name
    assert game["observations"].any()


@pytest.mark.parametrize("mode", ["next_step", "same_step", "disabled"])
def test_episodes_have_three_steps_in_every_mode(mode: str) -> None:
    game = BatchGame(loss=[("variable", 0.0), ("constant", 3.0), ("greater_equal", 0.0)], autoreset=mode)
    game.reset()
    episodes = []
    for _ in range(24):
        game.step(0)
        if game["terminated"][0]:
            episodes.append((game["episode_return"][0], game["episode_length"][0], game["outcome"][0]))
            last = game["final_variables" if mode == "same_step" else "variables"]
            assert last[0, 0] == 3
            if mode == "disabled":
                game.reset(np.array([True]))
    assert episodes == [(3.0, 3, 2)] * (6 if mode == "next_step" else 8)


def test_same_step_final_observation_is_what_no_reset_would_have_shown() -> None:
    changes: dict[str, Any] = {"loss": [("variable", 0.0), ("constant", 5.0), ("greater_equal", 0.0)]}
    same, other = BatchGame(autoreset="same_step", **changes), BatchGame(autoreset="disabled", **changes)
    for game in (same, other):
        game.reset()
        first = game["observations"].copy()
        for _ in range(5):
            game.step(0)
    np.testing.assert_array_equal(same["final_observations"], other["observations"])
    np.testing.assert_array_equal(same["observations"], first)
    assert not np.array_equal(same["observations"], same["final_observations"])


@pytest.mark.parametrize("mode", ["next_step", "same_step"])
def test_threads_do_not_matter(mode: str) -> None:
    games = [BatchGame(num_envs=9, num_threads=n, autoreset=mode, **_RANDOM_SETTINGS) for n in (1, 4)]
    digests: list[list[str]] = []
    for game in games:
        game.batch.seed(np.arange(9, dtype=np.uint64) * 12345)
        game.reset()
        rng = np.random.default_rng(0)
        seen = [game.digest()]
        for _ in range(150):
            game.step(*rng.integers(0, 3, 9))
            seen.append(game.digest())
        digests.append(seen)
    assert digests[0] == digests[1]
    assert len(set(digests[0])) == 151


def test_states_carry_on_in_another_batch() -> None:
    one, other = BatchGame(**_RANDOM_SETTINGS), BatchGame(num_envs=2, **_RANDOM_SETTINGS)
    for game in (one, other):
        game.reset()
    for _ in range(20):
        one.step(1)
    saved = one.batch.get_state(0)
    other.batch.set_state(1, saved)
    assert other.batch.get_state(1) == saved
    for action in (0, 1, 2, 2, 1) * 8:
        one.step(action)
        other.step(action)
        for name in one.arrays:
            np.testing.assert_array_equal(other[name][1], one[name][0], err_msg=name)


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b"", "too short"), (b"OAKS" + bytes(60), "not of this kind"), (bytes(range(256)), "not of this kind")],
)
def test_foreign_bytes_are_no_state(data: bytes, reason: str) -> None:
    game = BatchGame()
    before = game.batch.get_state(0)
    with pytest.raises(ValueError, match=reason):
        game.batch.set_state(0, data)
    with pytest.raises(ValueError, match="truncated"):
        game.batch.set_state(0, before[:-1])
    with pytest.raises(ValueError, match="another configuration"):
        BatchGame(frameskip=(2, 2)).batch.set_state(0, before)
    assert game.batch.get_state(0) == before


def test_the_machine_can_be_looked_at() -> None:
    game = BatchGame(num_envs=2)
    game.reset()
    game.step(0, 2)
    machine = _core.Machine(ROM)
    machine.restore(game.batch.machine_state(1))
    assert machine.read(KEYS) == 2
    ram = game.batch.ram(1)
    np.testing.assert_array_equal(ram, machine.ram)
    np.testing.assert_array_equal(game.batch.render(1), machine.rgb_with_border())
    ram[FRAMES - 0x4000] = 99
    assert game.batch.ram(1)[FRAMES - 0x4000] == 1
    assert game.batch.ram(0)[KEYS - 0x4000] == 0


@pytest.mark.parametrize("env", [-1, 2])
def test_an_environment_that_does_not_exist(env: int) -> None:
    game = BatchGame(num_envs=2)
    for call in (game.batch.get_state, game.batch.machine_state, game.batch.ram, game.batch.render):
        with pytest.raises(IndexError, match=f"environment {env}: the batch has 2"):
            call(env)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"frameskip": (0, 0)}, r"frameskip \(0, 0\)"),
        ({"frameskip": (5, 2)}, r"frameskip \(5, 2\)"),
        ({"num_envs": 0}, "num_envs 0"),
        ({"num_envs": 2**40}, "num_envs"),
        ({"colour": "mauve"}, "'mauve' is no colour; known: grey, ink, rgb, attributes"),
        ({"autoreset": "never"}, "'never' is no autoreset mode; known: next_step"),
        (
            {"variables": [variable(0x8000), variable(0x8000, "u9")]},
            "variables: row 1: 'u9' is no variable type",
        ),
        ({"variables": [variable(70000)]}, "variables: row 0: address is 70000, allowed are 0 to 65535"),
        ({"variables": [variable(0x8000, "bcd", 300)]}, "variables: row 0: num_bytes is 300"),
        ({"hooks": [5, -1]}, "hooks: row 1: address is -1"),
        (
            {"rewards": [[("constant", 1.0), ("power", 0.0)]]},
            "rewards: program 0: instruction 1: 'power' is no operation",
        ),
        ({"loss": [("add", 0.0)]}, r"loss: instruction 0 \(add\): needs 2 value"),
        ({"actions": np.zeros((3, 8), np.uint8)}, r"actions: uint8 \(3, 8\) given, wanted uint8 \(3, 9\)"),
        ({"actions": np.zeros((3, 9), np.int64)}, r"actions: int64 \(3, 9\) given, wanted uint8 \(3, 9\)"),
        ({"actions": np.zeros((9, 3), np.uint8).T}, "actions: the array is not C-contiguous"),
        ({"actions": np.full((1, 9), 32, np.uint8)}, "actions: row 0 has a mask above 31"),
        ({"actions": np.full((1, 9), 1, np.uint8)}, "Kempston"),
        ({"start_states": [b"junk"]}, "start_states: item 0: saved state: too short"),
    ],
)
def test_wrong_settings_are_named(change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        _core.Batch(**settings(**change))


def test_kempston_actions_move_a_fitted_joystick() -> None:
    actions = np.full((1, 9), 1, np.uint8)
    _core.Batch(**settings(actions=actions, start_states=[start_state(kempston=True)]))


def test_wrong_arrays_are_named() -> None:
    batch = _core.Batch(**settings(num_envs=2))
    arrays = make_arrays(batch)

    def refuse(error: type[Exception], reason: str, **change: object) -> None:
        with pytest.raises(error, match=reason):
            _core.Outputs(**(arrays | change))  # type: ignore[arg-type]  # wrong arguments are the point

    refuse(ValueError, r"rewards: float32 \(2,\) given, wanted float64 \(2,\)", rewards=np.zeros(2, np.float32))
    refuse(ValueError, r"truncated: bool \(3,\) given, wanted bool \(2,\)", truncated=np.zeros(3, np.bool_))
    refuse(ValueError, "terminated: uint8", terminated=np.zeros(2, np.uint8))
    refuse(ValueError, "observations: shape", observations=np.zeros((2, 5), np.uint8))
    refuse(
        ValueError, "observations: the array is not C-contiguous", observations=arrays["observations"][:, :, :, ::-1]
    )
    refuse(ValueError, "final_variables: int64", final_variables=np.zeros((2, 1), np.int64))
    read_only = np.zeros(2, np.uint8)
    read_only.flags.writeable = False
    refuse(TypeError, "outcome: wanted a writable array", outcome=read_only)
    refuse(TypeError, "outcome: wanted a writable array", outcome=[0, 0])

    other = _core.Outputs(**make_arrays(_core.Batch(**settings(num_envs=3))))
    with pytest.raises(
        ValueError, match=r"outputs: observations of shape \(3, 2, 16, 21\) given, the batch has \(2, 2, 16, 21\)"
    ):
        batch.reset(None, other)


def test_final_arrays_are_needed_for_same_step_only() -> None:
    for mode in ("next_step", "same_step"):
        batch = _core.Batch(**settings(autoreset=mode))
        arrays = make_arrays(batch)
        outputs = _core.Outputs(**{name: array for name, array in arrays.items() if not name.startswith("final")})
        batch.reset(None, outputs)
        if mode == "next_step":
            batch.step(np.zeros(1, np.int64), outputs)
        else:
            with pytest.raises(ValueError, match="'same_step' needs final_observations"):
                batch.step(np.zeros(1, np.int64), outputs)


def test_wrong_actions_seeds_and_masks_are_named() -> None:
    game = BatchGame(num_envs=2)
    game.reset()
    with pytest.raises(ValueError, match="action 3 for environment 1: allowed are 0 to 2"):
        game.step(0, 3)
    wrong: list[Any] = [np.zeros(2, np.int32), np.zeros(3, np.int64), np.zeros((2, 1), np.int64)]
    for actions in wrong:
        with pytest.raises(ValueError, match=r"actions: .* wanted int64 \(2,\)"):
            game.batch.step(actions, game.outputs)
    with pytest.raises(ValueError, match=r"seeds: uint64 \(1,\) given, wanted uint64 \(2,\)"):
        game.batch.seed(np.zeros(1, np.uint64))
    with pytest.raises(ValueError, match=r"mask: bool \(3,\) given"):
        game.reset(np.zeros(3, np.bool_))
    assert game["episode_length"].tolist() == [0, 0]


def test_stepping_an_ended_environment_is_an_error_without_autoreset() -> None:
    game = BatchGame(num_envs=2, max_steps=1, autoreset="disabled")
    with pytest.raises(RuntimeError, match="environment 0 has never been reset"):
        game.step(0)
    game.reset()
    game.step(0)
    game.reset(np.array([True, False]))
    with pytest.raises(RuntimeError, match="environment 1 has ended its episode; reset it before stepping"):
        game.step(0)


def test_arrays_are_kept_alive() -> None:
    batch = _core.Batch(**settings())
    outputs = _core.Outputs(**make_arrays(batch))
    batch.reset(None, outputs)
    for _ in range(10):
        batch.step(np.zeros(1, np.int64), outputs)


def test_the_gil_is_released_while_machines_run() -> None:
    """Without the GIL another thread finds the batch busy, which it could never see otherwise."""
    machine = _core.Machine(ROM)
    machine.ram[0x4000:0x4002] = (0x18, 0xFE)  # JR to itself
    machine.set_register("pc", 0x8000)
    game = BatchGame(start_states=[machine.save()], frameskip=(300, 300))
    game.reset()

    def step() -> None:
        with contextlib.suppress(RuntimeError):  # get_state below may come first
            game.step(0)

    for _ in range(100):
        thread = threading.Thread(target=step)
        thread.start()
        busy = False
        while thread.is_alive() and not busy:
            try:
                game.batch.get_state(0)
            except RuntimeError as error:
                busy = "in use by another thread" in str(error)
        thread.join()
        if busy:
            return
    pytest.fail("the batch was never seen busy")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_is_survived() -> None:
    games = [BatchGame(num_envs=4, num_threads=2, **_RANDOM_SETTINGS) for _ in range(2)]
    for game in games:
        game.reset()
        game.step(1)  # threads are running now
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that hangs is a failure, not a hanging test
        try:
            for _ in range(20):
                games[0].step(2)
            digest = games[0].digest()
            games.clear()  # pools of another process are let go, not joined
            os.write(writer, digest.encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    for game in games:
        for _ in range(20):
            game.step(2)
        assert game.digest() == answer
