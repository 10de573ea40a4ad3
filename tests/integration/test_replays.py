# SPDX-License-Identifier: GPL-3.0-or-later
"""Restored moments of every bundled game go on as they did: again, elsewhere, later, and in environments."""

import hashlib
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from oakemu_rl.emulator import Spectrum, StateStore
from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv
from oakemu_rl.games import Game, load_definition, load_game

DEFINITIONS = Path(__file__).parents[2] / "src" / "oakemu_rl" / "games" / "definitions"
POINTS = 50
FRAMES = 500


def bundled_games() -> list[str]:
    """The games that come with their programs."""
    definitions = [load_definition(path) for path in sorted(DEFINITIONS.glob("*.yaml"))]
    return [definition.id for definition in definitions if definition.program.bundled is not None]


GAMES = bundled_games()


def spectrum_of(game: Game) -> Spectrum:
    definition = game.definition
    return Spectrum(definition.machine, kempston=definition.joystick == "kempston")


def hashes(spectrum: Spectrum, seed: int, table: np.ndarray, frames: int = FRAMES) -> Iterator[str]:
    """Plays random actions; gives a hash of what a player sees and has at five moments, the last one of everything."""
    rng = np.random.default_rng(seed)
    for chunk in range(5):
        for _ in range(frames // 20):
            held = table[rng.integers(len(table))]
            spectrum._machine.keys[:] = held[:8]
            spectrum._machine.kempston = int(held[8])
            spectrum.run_frames(4)
        state = spectrum.save_state() if chunk == 4 else b""
        yield hashlib.blake2b(spectrum.screen().tobytes() + spectrum.memory.tobytes() + state).hexdigest()


def play(spectrum: Spectrum, seed: int, table: np.ndarray) -> list[str]:
    return list(hashes(spectrum, seed, table))


@pytest.fixture(scope="module", params=GAMES)
def moments(request: pytest.FixtureRequest) -> tuple[Game, list[bytes], list[list[str]]]:
    """A game, 50 random points of it, and how each went on when it was first played."""
    game = load_game(request.param)
    table = game.action_table
    spectrum = spectrum_of(game)
    rng = np.random.default_rng(20)
    states, played = [], []
    for seed in range(POINTS):
        if seed % 5 == 0:
            spectrum.load_state(game.start_state())
        for _ in range(int(rng.integers(1, 30))):
            spectrum._machine.keys[:] = table[rng.integers(len(table))][:8]
            spectrum.run_frames(3)
        spectrum.run_tstates(int(rng.integers(70_000)))
        states.append(spectrum.save_state())
        played.append(play(spectrum, seed, table))
    assert len(set(states)) == POINTS
    return game, states, played


def test_restored_moments_go_on_the_same(moments: tuple[Game, list[bytes], list[list[str]]]) -> None:
    game, states, played = moments
    spectrum, store = spectrum_of(game), StateStore()
    ids = [store.add(state) for state in states]
    for seed in np.random.default_rng(1).permutation(POINTS).tolist():
        if seed % 2:
            spectrum.load_state(states[seed])
        else:
            store.load(ids[seed], spectrum)
        assert play(spectrum, seed, game.action_table) == played[seed]


def test_forks_go_on_the_same(moments: tuple[Game, list[bytes], list[list[str]]]) -> None:
    game, states, played = moments
    spectrum = spectrum_of(game)
    for seed in range(0, POINTS, 5):
        spectrum.load_state(states[seed])
        fork = spectrum.fork()
        assert play(spectrum, seed, game.action_table) == played[seed]
        assert play(fork, seed, game.action_table) == played[seed]


def test_they_do_after_a_thousand_cycles(moments: tuple[Game, list[bytes], list[list[str]]]) -> None:
    game, states, played = moments
    spectrum = spectrum_of(game)
    spectrum.load_state(states[7])
    for cycle in range(1000):
        state = spectrum.save_state()
        spectrum.run_tstates(cycle)
        spectrum.load_state(state)
    assert play(spectrum, 7, game.action_table) == played[7]


_ELSEWHERE = """
import pickle, sys
sys.path.insert(0, sys.argv[1])
from test_replays import play, spectrum_of
from oakemu_rl.games import load_game

name, states, seeds = pickle.load(sys.stdin.buffer)
game = load_game(name)
spectrum = spectrum_of(game)
played = []
for seed in seeds:
    spectrum.load_state(states[seed])
    played.append(play(spectrum, seed, game.action_table))
sys.stdout.buffer.write(pickle.dumps(played))
"""


def test_they_do_in_another_process(
    moments: tuple[Game, list[bytes], list[list[str]]], request: pytest.FixtureRequest
) -> None:
    game, states, played = moments
    seeds = list(range(0, POINTS, 3))
    done = subprocess.run(
        [sys.executable, "-c", _ELSEWHERE, str(request.path.parent)],
        input=pickle.dumps((game.id, states, seeds)),
        capture_output=True,
        check=True,
    )
    assert pickle.loads(done.stdout) == [played[seed] for seed in seeds]  # noqa: S301 - our own


Step = tuple[np.ndarray, float, bool, bool]


@pytest.mark.parametrize("name", GAMES)
def test_environments_go_on_the_same_after_a_restore(name: str) -> None:
    env = SpectrumEnv(name, repeat_action_probability=0.25)
    rng = np.random.default_rng(3)

    def go(steps: int) -> list[Step]:
        actions = np.random.default_rng(4)
        seen = []
        for _ in range(steps):
            observation, reward, terminated, truncated, _ = env.step(int(actions.integers(env.action_space.n)))
            seen.append((observation, float(reward), terminated, truncated))
            if terminated or truncated:
                env.reset()
        return seen

    env.reset(seed=5)
    for _ in range(10):
        for _ in range(int(rng.integers(20))):
            _, _, terminated, truncated, _ = env.step(int(rng.integers(env.action_space.n)))
            if terminated or truncated:
                env.reset()
        state = env.get_state()
        first = go(100)
        env.set_state(state)
        assert env.get_state() == state
        again = go(100)
        assert all(np.array_equal(a, b) and rest == more for (a, *rest), (b, *more) in zip(first, again, strict=True))


@pytest.mark.parametrize("name", GAMES)
def test_a_reset_lets_every_key_go(name: str) -> None:
    """A key that was held when the episode ended must not be held in the next one."""
    fresh, used = (SpectrumVectorEnv(name, num_envs=1, num_threads=1) for _ in range(2))
    noop = _action_without_keys(load_game(name))
    start = fresh.reset(seed=9)[0]
    for action in range(used.single_action_space.n):
        used.reset(seed=9)
        for _ in range(3):
            used.step(np.array([action]))
        assert np.array_equal(used.reset(seed=9)[0], start)
    for _ in range(30):
        mine, other = (env.step(np.array([noop])) for env in (fresh, used))
        assert np.array_equal(mine[0], other[0])
    assert np.array_equal(*(spectrum_with(name, env).memory for env in (fresh, used)))


def _action_without_keys(game: Game) -> int:
    return next(number for number, held in enumerate(game.action_table) if not held.any())


def spectrum_with(name: str, env: SpectrumVectorEnv) -> Spectrum:
    spectrum = spectrum_of(load_game(name))
    machine_state: Callable[[int], bytes] = env.machine_state
    spectrum.load_state(machine_state(0))
    return spectrum
