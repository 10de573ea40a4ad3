# SPDX-License-Identifier: GPL-3.0-or-later
"""Observations of several parts: from the space through buffers to the network."""

import json
import math

import numpy as np
import pytest
import torch
from gymnasium.spaces import Box, Dict, Discrete
from gymnasium.vector import AutoresetMode
from parts_env import PARTS, PartsVectorEnv, shown
from scripted_env import Episode

from oakemu_rl.errors import UserError
from oakemu_rl.ppo import NonFiniteError, PPOActor, PPOModel, PPOModelConfiguration, RolloutBuffer, RolloutFinalizer
from oakemu_rl.ppo.layout import fields_of
from oakemu_rl.ppo.number_scaling import number_features
from oakemu_rl.ppo.observation_parts import ObservationPart, ObservationParts

SMALL = PPOModelConfiguration(conv_filters=[(3, 2, 1)], fcnet_hiddens=[8], vector_hiddens=[6])


def batch(count: int = 3) -> dict[str, torch.Tensor]:
    rows = [shown(100.0 * i) for i in range(count)]
    return {name: torch.from_numpy(np.stack([row[name] for row in rows])) for name in rows[0]}


def value_is_speed() -> PPOModel:
    """A model of the three parts whose value is the first of the two speeds."""
    model = PPOModel(PARTS, 3, PPOModelConfiguration(conv_filters=[], fcnet_hiddens=[], vector_hiddens=[]))
    with torch.no_grad():
        model.value_head.weight.zero_()
        model.value_head.weight[0, 40 + 2] = 1.0  # behind the picture's pixels and the score's two features
    return model


def test_a_space_s_parts_survive_json() -> None:
    assert PARTS.picture is not None
    assert (PARTS.picture.name, PARTS.picture.shape, PARTS.picture.limits) == ("picture", (2, 4, 5), (0, 255))
    assert [(part.name, part.limits) for part in PARTS.numbers] == [("score", (0, 999_999)), ("speed", None)]
    assert ObservationParts.of_plain(json.loads(json.dumps(PARTS.as_plain(), allow_nan=False))) == PARTS


@pytest.mark.parametrize(
    ("space", "message"),
    [
        (Dict({"a": Discrete(3)}), "'a' is Discrete"),
        (Dict({"a": Box(0, 1, (1, 2, 2)), "b": Box(0, 1, (1, 2, 2))}), "2 parts with the pictures a, b"),
        (Dict({}), "0 parts with the pictures none"),
    ],
)
def test_spaces_that_no_network_takes_are_refused(space: Dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        ObservationParts.of_space(space)


def test_scores_tell_size_and_magnitude() -> None:
    part = ObservationPart("score", (1,), "int64", (-9, 999))
    features = number_features(torch.tensor([[0], [999], [-9], [99]]), part, torch.float32)
    expected = [[0, 0], [1, 1], [-9 / 999, -math.log(10) / math.log(1000)], [99 / 999, math.log(100) / math.log(1000)]]
    torch.testing.assert_close(features, torch.tensor(expected))


def test_the_greater_limit_counts_whatever_its_sign() -> None:
    part = ObservationPart("height", (1,), "int16", (-999, 9))
    features = number_features(torch.tensor([[-999], [9]], dtype=torch.int16), part, torch.float32)
    torch.testing.assert_close(features, torch.tensor([[-1, -1], [9 / 999, math.log(10) / math.log(1000)]]))


def test_limits_hold_all_of_a_part() -> None:
    box = Box(np.array([-3, 0]), np.array([5, 70]), (2,), np.int64)
    (part,) = ObservationParts.of_space(Dict({"a": box})).parts
    assert part.limits == (-3, 70)


def test_bytes_and_floats_are_scaled_as_everywhere() -> None:
    ram = number_features(
        torch.tensor([[0, 51, 255]], dtype=torch.uint8), ObservationPart("ram", (3,), "uint8", None), torch.float32
    )
    torch.testing.assert_close(ram, torch.tensor([[0.0, 0.2, 1.0]]))
    speed = torch.tensor([[-3.0, 1e3]])
    assert torch.equal(number_features(speed, ObservationPart("speed", (2,), "float32", None), torch.float32), speed)


def test_the_network_joins_what_it_sees_and_what_it_reads() -> None:
    model, x = PPOModel(PARTS, 3, SMALL), batch()
    seen = model.conv(x["picture"].float() / 255)
    score, speed = x["score"].float(), x["speed"]
    read = model.vectors(torch.cat([score / 999_999, score.log1p() / math.log1p(999_999), speed], dim=1))
    assert (seen.shape, read.shape) == ((3, 3 * 3 * 4), (3, 6))
    logits, values = model(x)
    features = model.fc(torch.cat([seen, read], dim=1))
    torch.testing.assert_close(logits, model.policy_head(features))
    torch.testing.assert_close(values, model.value_head(features))
    torch.testing.assert_close(model.get_value(x), values[:, 0])
    torch.testing.assert_close(
        model.get_action_bundle(x, action_mask=torch.tensor([True, False, False])).values, values[:, 0]
    )


def test_without_a_picture_the_numbers_go_to_the_common_layers() -> None:
    model = PPOModel(ObservationParts(PARTS.numbers), 3, SMALL)
    assert (len(model.conv), len(model.vectors), model.fc[0].in_features) == (0, 0, 4)
    model.get_logits({name: tensor for name, tensor in batch().items() if name != "picture"})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"score": None}, "dictionary of picture .* got those of picture, speed"),
        ({"lives": torch.zeros(3, 1)}, "got those of picture, score, speed, lives"),
        ({"score": torch.zeros(3, 2)}, r"score must have the shape \(batch, 1\), got \(3, 2\)"),
        ({"picture": torch.zeros(3, 4, 5, 2)}, r"picture must have the shape \(batch, 2, 4, 5\)"),
    ],
)
def test_other_dictionaries_are_refused(changes: dict[str, torch.Tensor | None], message: str) -> None:
    x = {name: tensor for name, tensor in {**batch(), **changes}.items() if tensor is not None}
    with pytest.raises(ValueError, match=message):
        PPOModel(PARTS, 3, SMALL)(x)
    with pytest.raises(ValueError, match="got Tensor"):
        PPOModel(PARTS, 3, SMALL)(torch.zeros(3, 4))


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_every_part_goes_through_a_rollout_whole(mode: AutoresetMode) -> None:
    scripts = [[Episode((0.0, 0.0, 1.0), terminated=False, truncated=True)], [Episode((0.0,) * 9)]]
    env, model = PartsVectorEnv(scripts, mode), value_is_speed()
    actor = PPOActor(env, model, gamma=0.5, seed=0)
    buffer = RolloutBuffer(5, 2, (), PARTS.dtype)
    actor.collect(buffer)
    fields = fields_of(buffer.observations)
    numbers = [0, 1, 2, 3, 100] if mode is AutoresetMode.NEXT_STEP else [0, 1, 2, 100, 101]
    for env_id, expected in ((0, numbers), (1, [1000, 1001, 1002, 1003, 1004])):
        for row, number in enumerate(expected):
            for name, array in shown(number).items():
                np.testing.assert_array_equal(fields[name][row, env_id], array)
    np.testing.assert_array_equal(buffer.values[:, 1], [1000, 1001, 1002, 1003, 1004])
    assert buffer.rewards[2, 0] == 1.0 + 0.5 * 3.0  # the value of the true last observation
    RolloutFinalizer(model, gamma=0.5, gae_lambda=1.0).finalize(buffer, actor.observations)
    assert buffer.returns[4, 1] == 0.5 * 1005.0
    cells = {}
    for minibatch in buffer.get_minibatches(3, "cpu"):
        assert isinstance(minibatch.observations, dict)
        torch.testing.assert_close(model.get_value(minibatch.observations), minibatch.values)
        for i, score in enumerate(minibatch.observations["score"][:, 0].tolist()):
            cells[score] = minibatch.observations["picture"][i]
    assert len(cells) == 9 if mode is AutoresetMode.NEXT_STEP else 10
    np.testing.assert_array_equal(cells[1003], shown(1003)["picture"])
    assert cells[1003].stride()[0] == 1  # channels last


def test_storage_is_that_of_the_parts() -> None:
    buffer = RolloutBuffer(6, 2, (), PARTS.dtype)
    bytes_of_parts = 40 + 8 + 8
    rest = 12 * (8 + 6 * 4 + 1)
    assert buffer.memory_bytes == 12 * bytes_of_parts + rest


def test_an_actor_goes_on_from_its_saved_state() -> None:
    scripts = [[Episode((0.0,) * 9)]] * 2
    first = PPOActor(PartsVectorEnv(scripts, AutoresetMode.SAME_STEP), value_is_speed(), gamma=0.5, seed=0)
    first.collect(RolloutBuffer(3, 2, (), PARTS.dtype))
    second = PPOActor(PartsVectorEnv(scripts, AutoresetMode.SAME_STEP), value_is_speed(), gamma=0.5, seed=1)
    second.load_state_dict(first.state_dict())
    assert isinstance(second.observations, dict)
    assert second.observations["score"].tolist() == [[3], [1003]]


def test_a_part_that_is_not_finite_is_named() -> None:
    env = PartsVectorEnv([[Episode((0.0,) * 9)]] * 2, AutoresetMode.SAME_STEP)
    actor = PPOActor(env, value_is_speed(), gamma=0.5, seed=0)
    plain = env.step

    def step(actions: np.ndarray) -> tuple:
        observations, *rest = plain(actions)
        observations["speed"][1, 0] = np.nan
        return observations, *rest

    env.step = step  # type: ignore[method-assign]  # one step of a scripted environment goes wrong
    with pytest.raises(NonFiniteError, match=r"observation 'speed'.* environment 1, step 1"):
        actor.collect(RolloutBuffer(3, 2, (), PARTS.dtype))


def test_models_of_other_parts_are_refused() -> None:
    env = PartsVectorEnv([[Episode((0.0,))]], AutoresetMode.SAME_STEP)
    other = ObservationParts(PARTS.numbers)
    with pytest.raises(UserError, match=r"the model takes observations of score .*the environment shows picture"):
        PPOActor(env, PPOModel(other, 3, SMALL), gamma=0.5, seed=0)
