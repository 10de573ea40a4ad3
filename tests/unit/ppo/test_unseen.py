# SPDX-License-Identifier: GPL-3.0-or-later
"""What of a picture a network looks at: which lines no output depends on, and how zeros around it change that."""

import pytest
import torch
from gymnasium.spaces import Box, Dict
from torch import nn

from oakemu_rl.ppo import PPOModel, PPOModelConfiguration
from oakemu_rl.ppo.observation_parts import ObservationParts
from oakemu_rl.ppo.unseen import describe_unseen, unseen_lines


def made(shape, filters, padding="valid"):
    return PPOModel(shape, 3, PPOModelConfiguration(conv_filters=filters, conv_padding=padding, fcnet_hiddens=[]))


def without_gradient(model, shape):
    """Rows and columns from which, with positive weights everywhere, no gradient comes: a second way to tell."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(0.01)
    x = torch.ones(1, *shape, requires_grad=True)
    model.conv(x).sum().backward()
    reached = x.grad[0].sum(0) > 0
    return [int(i) for i in (~reached.any(1)).nonzero()], [int(i) for i in (~reached.any(0)).nonzero()]


@pytest.mark.parametrize("padding", ["valid", "same"])
@pytest.mark.parametrize(
    ("shape", "filters"),
    [
        ((2, 44, 64), [(2, 4, 4), (2, 3, 2), (2, 3, 1)]),
        ((4, 84, 84), [(2, 8, 4), (2, 4, 2), (2, 3, 1)]),
        ((1, 23, 31), [(2, 5, 3), (2, 2, 5)]),
        ((1, 17, 12), [(2, 2, 5)]),
        ((1, 9, 6), [(2, 4, 1), (2, 3, 2)]),
        ((1, 3, 6), []),
    ],
)
def test_unseen_lines_are_those_without_a_gradient(shape, filters, padding):
    model = made(shape, filters, padding)
    found = unseen_lines(model.conv, shape[1], 0), unseen_lines(model.conv, shape[2], 1)
    assert found == without_gradient(model, shape)


def test_zeros_around_the_picture_show_all_of_it():
    assert unseen_lines(made((2, 44, 64), [(2, 4, 4), (2, 3, 2)]).conv, 64, 1) == [60, 61, 62, 63]
    assert unseen_lines(made((2, 44, 64), [(2, 4, 4), (2, 3, 2)], "same").conv, 64, 1) == []


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "output", "zeros"),
    [(64, 4, 4, 16, 0), (44, 8, 8, 6, 2), (11, 3, 2, 6, 1), (16, 3, 2, 8, 1), (16, 3, 1, 16, 1), (5, 7, 5, 1, 1)],
)
def test_same_divides_the_size_by_the_stride(size, kernel, stride, output, zeros):
    convolution, _, flatten = made((1, size, size), [(2, kernel, stride)], "same").conv
    assert isinstance(convolution, nn.Conv2d)
    assert convolution.padding == (zeros, zeros)
    assert convolution(torch.zeros(1, 1, size, size)).shape == (1, 2, output, output)
    assert flatten(torch.zeros(1, 2, output, output)).shape == (1, 2 * output**2)


def test_a_kernel_may_be_larger_than_a_picture_with_zeros_around():
    assert made((1, 3, 3), [(2, 5, 1)], "same").conv(torch.zeros(1, 1, 3, 3)).shape == (1, 18)
    with pytest.raises(ValueError, match="the kernel 5 is too large for its input of 3 x 3"):
        made((1, 3, 3), [(2, 5, 1)])
    with pytest.raises(ValueError, match=r"the kernel 6 is too large for its input of 3 x 3.*at most 5"):
        made((1, 3, 3), [(2, 6, 1)], "same")


@pytest.mark.parametrize(
    ("shape", "filters", "text"),
    [
        ((2, 44, 64), [(2, 4, 4), (2, 3, 2)], "columns 60-63 of 64 of its pictures"),
        ((1, 10, 14), [(2, 8, 4)], "rows 8-9 of 10 and columns 12-13 of 14 of its pictures"),
        ((1, 9, 9), [(2, 1, 4)], "rows 1-3, 5-7 of 9 and columns 1-3, 5-7 of 9 of its pictures"),
        ((1, 7, 8), [(2, 3, 2)], "does not see columns 7 of 8 of"),
        ((1, 8, 8), [(2, 4, 4)], None),
        ((1, 8, 8), [], None),
        ((12,), [], None),
    ],
)
def test_it_says_what_is_not_seen(shape, filters, text):
    said = describe_unseen(made(shape, filters))
    assert said is None if text is None else text in said
    assert said is None or "--model.conv-padding same" in said


def test_pictures_beside_numbers_are_looked_at_and_impala_sees_all():
    parts = ObservationParts.of_space(
        Dict({"lives": Box(0, 5, (1,), "int64"), "picture": Box(0, 255, (1, 10, 12), "uint8")})
    )
    assert "rows 8-9 of 10 of" in describe_unseen(made(parts, [(2, 8, 4)]))
    assert describe_unseen(made(ObservationParts.of_space(Dict({"lives": Box(0, 5, (1,), "int64")})), [])) is None
    assert describe_unseen(PPOModel((1, 10, 12), 3, PPOModelConfiguration(network="impala"))) is None
