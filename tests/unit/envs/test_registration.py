# SPDX-License-Identifier: GPL-3.0-or-later
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from counting_game import DEFINITION, SCORE, write_game
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import AsyncVectorEnv

from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv, register_all, register_game
from oakemu_rl.errors import UserError
from oakemu_rl.games import find_definition, list_games

GAME = "ZXSpectrum/Acorns-v0"
COUNTING = "ZXSpectrum/Counting-v0"


@pytest.fixture(scope="module")
def registered(counting: Path) -> str:
    return register_game(counting)


@pytest.mark.parametrize("game", [game for game in list_games() if find_definition(game).program.bundled])
def test_shipped_games_are_registered(game: str) -> None:
    assert isinstance(gymnasium.make(game).unwrapped, SpectrumEnv)
    assert isinstance(gymnasium.make_vec(game, num_envs=2).unwrapped, SpectrumVectorEnv)
    assert isinstance(gymnasium.make_vec(game, num_envs=2, vectorization_mode="vector_entry_point"), SpectrumVectorEnv)
    assert isinstance(gymnasium.make_vec(game, num_envs=2, vectorization_mode="sync"), gymnasium.vector.SyncVectorEnv)


def test_a_game_without_its_program_says_what_to_bring() -> None:
    with pytest.raises(
        UserError, match=r"ZXSpectrum/Jetpac-v0 is a file that you bring .*games add FILE --game Jetpac"
    ):
        gymnasium.make("ZXSpectrum/Jetpac-v0")


def test_registering_again_does_nothing(recwarn: pytest.WarningsRecorder) -> None:
    register_all()
    assert not recwarn.list


@pytest.mark.parametrize(
    "script",
    [
        "import oakemu_rl, gymnasium; gymnasium.make('ZXSpectrum/Acorns-v0')",
        "import gymnasium; gymnasium.make('oakemu_rl:ZXSpectrum/Acorns-v0')",
        "import gymnasium, oakemu_rl.envs; gymnasium.make_vec('ZXSpectrum/Acorns-v0', num_envs=2)",
    ],
)
def test_in_a_fresh_process(script: str) -> None:
    check = "; import sys; assert 'torch' not in sys.modules; assert 'pygame' not in sys.modules"
    subprocess.run([sys.executable, "-W", "error", "-c", script + check], check=True)


def test_a_spec_survives_json() -> None:
    spec = gymnasium.spec(GAME)
    assert gymnasium.make(EnvSpec.from_json(spec.to_json())).unwrapped.spec.id == GAME


def test_a_game_of_the_users(registered: str, counting: Path) -> None:
    assert registered == COUNTING
    assert register_game(counting) == COUNTING
    env = gymnasium.make(COUNTING, frameskip=3)
    env.reset(seed=1)
    assert env.step(SCORE)[1] == 3.0
    assert gymnasium.make_vec(COUNTING, num_envs=2).num_envs == 2


def test_an_id_of_another_game(tmp_path: Path) -> None:

    path = write_game(tmp_path, DEFINITION.replace("Counting-v0", "Acorns-v0"))
    with pytest.raises(UserError, match="the id ZXSpectrum/Acorns-v0 belongs to another game already"):
        register_game(path)


def test_a_game_of_the_users_in_spawned_processes(registered: str) -> None:  # B25
    envs = gymnasium.make_vec(
        registered, num_envs=2, vectorization_mode="async", vector_kwargs={"context": "spawn"}, frameskip=3
    )
    assert isinstance(envs, AsyncVectorEnv)
    try:
        envs.reset(seed=4)
        _, rewards, *_, infos = envs.step(np.array([SCORE, SCORE]))
        assert rewards.tolist() == [3.0, 3.0]
        assert infos["seed"].tolist() == [SpectrumEnv("counting").reset(seed=4 + i)[1]["seed"] for i in range(2)]
    finally:
        envs.close()


def test_a_mistyped_id_names_the_nearest() -> None:
    with pytest.raises(gymnasium.error.NameNotFound, match="Acorns"):
        gymnasium.make("ZXSpectrum/Acorn-v0")
