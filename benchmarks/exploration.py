# SPDX-License-Identifier: GPL-3.0-or-later
"""Explorations against emulation alone, and what very many restart states cost: `python benchmarks/exploration.py`."""

import argparse
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from _resident import resident
from oakemu_rl.curricula import RestartPool
from oakemu_rl.emulator import Spectrum
from oakemu_rl.envs import SpectrumVectorEnv, StateBank
from oakemu_rl.exploration import ExplorationSettings, Explorer
from oakemu_rl.games import Game, load_game

from _busy_game import busy_game
from _timing import Rate, rates, ratio

_FRAMESKIP = 4
_FRAMES = 8_000
_LIMIT = 0.7
_MOST_BYTES = 1e9


def _emulation(game: Game, threads: int) -> Callable[[], float]:
    """Frames of machines that hold the keys of random actions, with nothing around them."""
    random = np.random.default_rng(1)
    chosen = game.action_table[random.integers(0, len(game.action_table), _FRAMES // _FRAMESKIP)]
    machines = [Spectrum(game.definition.machine) for _ in range(threads)]

    def play(machine: Spectrum) -> float:
        machine.load_state(game.start_state())
        for row in chosen:
            machine.hold_row(row)
            machine.run_frames(_FRAMESKIP)
        return float(len(chosen) * _FRAMESKIP)

    pool = ThreadPoolExecutor(threads)
    return lambda: sum(pool.map(play, machines))


def _exploring(game: Game, threads: int, cells: list[str] | None) -> Callable[[], float]:
    """Frames of an exploration that goes on and on."""
    explorer = Explorer(game, ExplorationSettings(cells=cells, num_threads=threads), frameskip=_FRAMESKIP)

    def explore() -> float:
        before = explorer.num_frames
        while explorer.num_frames - before < _FRAMES * threads:
            explorer.explore()
        return float(explorer.num_frames - before)

    return explore


def _speed(rounds: int) -> bool:
    met = True
    for name, game, cells in (("busy code", busy_game(), ["passes // 4"]), ("Caverns", load_game("caverns"), None)):
        for threads in (1, 2):
            measured: dict[str, Rate] = rates(
                {"alone": _emulation(game, threads), "exploring": _exploring(game, threads, cells)}, rounds=rounds
            )
            share = ratio(measured["exploring"], measured["alone"])
            met = met and share >= _LIMIT
            print(
                f"{name}, {threads} thread(s): {measured['exploring'].median:,.0f} frames/s exploring, "
                f"{measured['alone'].median:,.0f} emulating: {share:.0%} (limit {_LIMIT:.0%})"
            )
    return met


def _memory(name: str, bucket: str, states: int) -> bool:
    """A pool of states to begin again from, one after every step of 16 environments that play at random."""
    envs = SpectrumVectorEnv(name, 16)
    envs.reset(seed=1)
    before = resident()
    pool, random = RestartPool(states, keeper=StateBank(envs)), np.random.default_rng(1)
    added, size = 0, 0
    while added < states:
        infos = envs.step(random.integers(0, envs.single_action_space.n, envs.num_envs))[4]
        for env in range(min(envs.num_envs, states - added)):
            state = envs.get_state(env)
            pool.add(int(infos[bucket][env]), state)
            added, size = added + 1, len(state)
    taken = resident() - before
    packed = pool.state_dict()["packed"].numel()
    print(
        f"{len(pool):,} restart states of {name}: {taken / 1e6:,.0f} MB in memory (limit for 100,000: 1 GB), "
        f"{packed / 1e6:,.0f} MB in a checkpoint; {size * added / 1e6:,.0f} MB as bytes"
    )
    return taken * 100_000 / states < _MOST_BYTES


def main() -> int:
    """Measures; returns 1 if a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--states", type=int, default=100_000)
    given = parser.parse_args()
    met = [
        _speed(given.rounds),
        _memory("caverns", "room", given.states),
        _memory("nightraid", "wave", given.states),
    ]
    return 0 if all(met) else 1


if __name__ == "__main__":
    raise SystemExit(main())
