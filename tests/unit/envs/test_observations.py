# SPDX-License-Identifier: GPL-3.0-or-later
"""What observations are made of, and what they hold."""

import pickle
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from counting_game import DEFINITION, DIE, SCORE, STAY, write_game
from gymnasium.spaces import Box, Dict, flatten, flatten_space
from gymnasium.vector import AsyncVectorEnv, AutoresetMode
from gymnasium.wrappers import FlattenObservation, FrameStackObservation
from gymnasium.wrappers.vector import DictInfoToList, RecordEpisodeStatistics
from gymnasium.wrappers.vector import FlattenObservation as VectorFlattenObservation

from oakemu_rl.envs import SpectrumEnv, SpectrumVectorEnv
from oakemu_rl.errors import UserError

PICTURE = Box(0, 255, (2, 48, 64), np.uint8)
RAM = Box(0, 255, (49152,), np.uint8)
CELLS = Box(0, 255, (4, 6, 8), np.uint8)  # ink and paper of two frames of the 8x6 cells that 64x48 pixels cover
VARIABLES = {
    "frames": Box(0, 255, (1,), np.int64),
    "lives": Box(0, 255, (1,), np.int64),
    "score": Box(0, 65535, (1,), np.int64),
    "seed": Box(0, 65535, (1,), np.int64),
}
COMBINATION = ["attributes", "ram", "variables"]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(np.array_equal(one, other)) and one.dtype == other.dtype


@pytest.mark.parametrize(
    ("obs_type", "space"),
    [
        ("ink", PICTURE),
        ("attributes", CELLS),
        ("ram", RAM),
        ("variables", Dict(VARIABLES)),
        (["ink"], Dict({"ink": PICTURE})),
        (("ink", "ram"), Dict({"ink": PICTURE, "ram": RAM})),
        (COMBINATION, Dict({"attributes": CELLS, "ram": RAM, **VARIABLES})),
    ],
)
def test_spaces(counting: Path, obs_type: Any, space: Any) -> None:
    env = SpectrumEnv(counting, obs_type=obs_type)
    assert env.observation_space == space
    for _ in range(2):
        observation, _ = env.reset(seed=3)
        for _ in range(3):
            assert env.observation_space.contains(observation)
            observation, *_ = env.step(SCORE)
    envs = SpectrumVectorEnv(counting, 3, obs_type=obs_type)
    assert envs.single_observation_space == space
    observations, _ = envs.reset(seed=3)
    assert envs.observation_space.contains(observations)


def test_ram_is_what_the_machine_holds(counting: Path) -> None:
    env = SpectrumEnv(counting, obs_type="ram")
    observation, _ = env.reset(seed=1)
    for _ in range(4):
        assert np.array_equal(observation, env.get_ram())
        observation, *_ = env.step(SCORE)
    assert observation[0x5002] == 8  # the score


def test_ram_of_a_128k_machine_is_what_its_cpu_sees(tmp_path: Path) -> None:
    definition = DEFINITION.replace("machine: 48k", "machine: 128k").replace(
        "at_most_frames: 50", "at_most_frames: 500"
    )
    env = SpectrumEnv(write_game(tmp_path, definition), obs_type="ram")
    assert env.observation_space == RAM
    observation, _ = env.reset(seed=1)
    for _ in range(3):
        observation, *_ = env.step(SCORE)
    assert env.get_ram().shape == (131072,)
    assert np.array_equal(observation, env.get_ram()[:49152])  # the banks 5, 2 and 0, which are paged in
    assert observation[0x5002] == 6


def test_a_preset_may_ask_for_attributes(tmp_path: Path) -> None:
    path = write_game(tmp_path, DEFINITION.replace("colour: ink", "colour: attributes"))
    assert SpectrumEnv(path).observation_space == CELLS
    assert SpectrumEnv(path, obs_type="ink").observation_space == PICTURE


def test_variables_are_those_of_info(counting: Path) -> None:
    env = SpectrumEnv(counting, obs_type=["variables", "ink"])
    observation, info = env.reset(seed=1)
    for _ in range(4):
        assert {name: observation[name].item() for name in VARIABLES} == {name: info[name] for name in VARIABLES}
        observation, *_, info = env.step(SCORE)
    assert observation["score"].item() == 8


def test_attributes_are_the_levels_that_pixels_have(tmp_path: Path) -> None:
    # Ink 2, paper 5, bright, in the third cell of the second row; elsewhere the ROM's 0x38, black on white.
    definition = DEFINITION.replace(
        "variables:\n", "variables:\n  cell: {at: 0x5822, type: u8}\n  bits: {at: 0x4022, type: u8}\n"
    ).replace("at_most_frames: 50}\n", "at_most_frames: 50}\n  - set: {cell: 0x6A, bits: 0x0F}\n")
    path = write_game(tmp_path, definition)
    cells, _ = SpectrumEnv(path, obs_type="attributes", stack_num=1).reset(seed=1)
    pixels, _ = SpectrumEnv(path, obs_type="grayscale", stack_num=1).reset(seed=1)
    ink, paper = cells
    assert (paper[1, 2], ink[1, 2]) == (pixels[0, 8, 16], pixels[0, 8, 23])
    assert paper[1, 2] != ink[1, 2]
    elsewhere = np.ones((6, 8), np.bool_)
    elsewhere[1, 2] = False
    assert set(ink[elsewhere]) == {0}
    assert set(paper[elsewhere]) == {pixels[0, 47, 63]}


@pytest.mark.parametrize(
    ("area", "rows", "columns"),
    [((0, 0, 256, 192), 24, 32), ((3, 5, 10, 4), 2, 2), ((8, 16, 8, 8), 1, 1), ((7, 0, 1, 9), 2, 1)],
)
def test_every_cell_that_the_area_touches_is_shown(
    tmp_path: Path, area: tuple[int, int, int, int], rows: int, columns: int
) -> None:
    path = write_game(tmp_path, DEFINITION.replace("area: [0, 0, 64, 48]", f"area: {list(area)}"))
    env = SpectrumEnv(path, obs_type="attributes", stack_num=1)
    assert env.observation_space.shape == (2, rows, columns)
    assert env.options.size == (columns, rows)


def test_a_combination_holds_what_each_type_alone_shows(counting: Path) -> None:
    together = SpectrumEnv(counting, obs_type=COMBINATION)
    alone = {name: SpectrumEnv(counting, obs_type=name) for name in COMBINATION}  # type: ignore[arg-type]
    for _ in range(2):
        observation, _ = together.reset(seed=5)
        others = {name: env.reset(seed=5)[0] for name, env in alone.items()}
        for _ in range(4):
            wanted = {"attributes": others["attributes"], "ram": others["ram"], **others["variables"]}
            assert same(observation, {key: wanted[key] for key in observation})
            observation, *_ = together.step(SCORE)
            others = {name: env.step(SCORE)[0] for name, env in alone.items()}


def test_seeing_other_things_changes_nothing_else(counting: Path) -> None:
    seen = []
    for obs_type in ("ink", "ram", "variables", COMBINATION):
        env = SpectrumEnv(counting, obs_type=obs_type, frameskip=(1, 4), repeat_action_probability=0.25)  # type: ignore[arg-type]
        env.reset(seed=8)
        seen.append([env.step(SCORE)[1:] for _ in range(8)])
    assert seen[1:] == seen[:1] * 3


@pytest.mark.parametrize("obs_type", ["ram", "variables", COMBINATION])
def test_the_true_last_observation_is_told_where_the_next_episode_follows_at_once(
    counting: Path, obs_type: Any
) -> None:
    envs = SpectrumVectorEnv(counting, 2, obs_type=obs_type, autoreset_mode=AutoresetMode.SAME_STEP)
    single = SpectrumEnv(counting, obs_type=obs_type)
    envs.reset(seed=[4, 4])
    single.reset(seed=4)
    for _ in range(2):
        observations, *_, infos = envs.step(np.array([DIE, STAY]))
        last = single.step(DIE)[0]
    assert infos["_final_obs"].tolist() == [True, False]
    assert same(infos["final_obs"][0], last)
    first = {key: rows[0] for key, rows in observations.items()} if isinstance(observations, dict) else observations[0]
    assert same(first, single.reset()[0])
    assert not same(first, last)


def test_returned_dictionaries_are_never_changed_afterwards(counting: Path) -> None:
    envs = SpectrumVectorEnv(counting, 2, obs_type=COMBINATION)
    observations, _ = envs.reset(seed=1)
    kept = {key: rows.copy() for key, rows in observations.items()}
    envs.step(np.array([SCORE, STAY]))
    assert same(observations, kept)


def test_without_copying_a_dictionary_holds_the_cores_own_arrays(counting: Path) -> None:
    envs = SpectrumVectorEnv(counting, 2, obs_type=COMBINATION, copy=False)
    observations, _ = envs.reset(seed=1)
    later, *_ = envs.step(np.array([SCORE, STAY]))
    assert all(np.shares_memory(observations[key], later[key]) for key in observations)


def test_pickles_and_states_show_the_same(counting: Path) -> None:
    env = SpectrumEnv(counting, obs_type=COMBINATION)
    env.reset(seed=1)
    env.step(SCORE)
    state, copy = env.get_state(), pickle.loads(pickle.dumps(env))  # noqa: S301 - our own
    wanted = env.step(SCORE)[0]
    assert same(copy.step(SCORE)[0], wanted)
    restored, _ = env.reset(options={"state": state})
    assert restored["score"].item() == 2
    assert same(env.step(SCORE)[0], wanted)


def test_gymnasiums_wrappers_take_dictionaries(counting: Path) -> None:
    flat = FlattenObservation(SpectrumEnv(counting, obs_type=["ink", "variables"]))
    env = SpectrumEnv(counting, obs_type=["ink", "variables"])
    observation, _ = flat.reset(seed=1)
    plain, _ = env.reset(seed=1)
    assert np.array_equal(observation, flatten(env.observation_space, plain))
    assert flat.observation_space == flatten_space(env.observation_space)
    assert flat.observation_space.contains(observation)
    stacked = FrameStackObservation(SpectrumEnv(counting, obs_type=["ink", "variables"], stack_num=1), 3)
    stacked.reset(seed=1)
    observation, *_ = stacked.step(SCORE)
    assert observation["score"][:, 0].tolist() == [0, 0, 2]
    assert observation["ink"].shape == (3, 1, 48, 64)
    assert stacked.observation_space.contains(observation)


def test_gymnasiums_vector_wrappers_take_dictionaries(counting: Path) -> None:
    plain = SpectrumVectorEnv(counting, 2, obs_type=["ink", "variables"])
    envs = DictInfoToList(RecordEpisodeStatistics(VectorFlattenObservation(plain)))
    observations, infos = envs.reset(seed=1)
    assert observations.shape == (2, 2 * 48 * 64 + 4)
    for _ in range(2):
        *_, infos = envs.step(np.array([DIE, SCORE]))
    assert infos[0]["episode"]["l"] == 2
    assert "episode" not in infos[1]
    assert infos[1]["lives"] == 3


def test_worker_processes_share_dictionaries(counting: Path) -> None:
    def make() -> gymnasium.Env[Any, Any]:
        return SpectrumEnv(counting, obs_type=["attributes", "variables"])

    envs = AsyncVectorEnv([make] * 2)
    try:
        ours = SpectrumVectorEnv(counting, 2, obs_type=["attributes", "variables"])
        assert same(envs.reset(seed=1)[0], ours.reset(seed=1)[0])
        assert same(envs.step(np.array([SCORE, STAY]))[0], ours.step(np.array([SCORE, STAY]))[0])
    finally:
        envs.close()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"obs_type": []},
            "obs_type is an empty list; name at least one of grayscale, ink, rgb, attributes, ram, vari",
        ),
        ({"obs_type": ["ink", "ink"]}, "obs_type names 'ink' twice"),
        (
            {"obs_type": ["ink", "attributes"]},
            "names the pictures ink and attributes; an observation holds one at most",
        ),
        (
            {"obs_type": ["ink", "rma"]},
            r"obs_type must be one of .*, or a list of several, not 'rma' \(did you mean 'ram'",
        ),
        ({"obs_type": {"ink"}}, "obs_type must be one of .*, or a list of several, not {'ink'}"),
        (
            {"obs_type": "variables", "stack_num": 2},
            "stack_num=2 is about a picture, and obs_type='variables' shows none",
        ),
        ({"obs_type": ["ram", "variables"], "maxpool": True}, "maxpool=True is about a picture"),
        ({"obs_type": "attributes", "img_width": 32}, "img_width=32 is about pixels, and .*shows .*character cells"),
        ({"obs_type": ["attributes", "ram"], "maxpool": True}, "maxpool=True is about pixels"),
    ],
)
@pytest.mark.parametrize("env_class", [SpectrumEnv, SpectrumVectorEnv])
def test_combinations_that_are_refused(counting: Path, env_class: type, given: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        env_class(counting, **given)
    assert "\n" not in str(caught.value)


def test_a_variable_and_a_picture_of_one_name_are_refused(tmp_path: Path) -> None:
    path = write_game(tmp_path, DEFINITION.replace("frames: {at", "ink: {at"))
    assert "ink" in SpectrumEnv(path, obs_type="variables").observation_space.spaces  # type: ignore[attr-defined]
    with pytest.raises(UserError, match="the variable 'ink' of ZXSpectrum/Counting-v0 and the ink would have the same"):
        SpectrumEnv(path, obs_type=["ink", "variables"])


def test_variables_of_a_game_without_any_are_refused(tmp_path: Path) -> None:
    definition = (
        DEFINITION.split("variables:")[0] + "routines: {main_loop: 0x8007}\nactions: {stay: []}\nreward: 0\n"
    ).replace(", randomize: {seed: u16}", "")
    with pytest.raises(UserError, match="obs_type 'variables': ZXSpectrum/Counting-v0 has no variables"):
        SpectrumEnv(write_game(tmp_path, definition), obs_type="variables")
