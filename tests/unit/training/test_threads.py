# SPDX-License-Identifier: GPL-3.0-or-later
from typing import Any

import pytest

from oakemu_rl.training.configuration import PPOExperimentConfiguration
from oakemu_rl.training.threads import ThreadShares, share_threads

_RECURRENT = {"model": {"recurrent": "gru"}}
_COMPILED = {"ppo": {"torch_compile": True}}


@pytest.mark.parametrize(
    ("settings", "processors", "expected"),
    [
        ({}, 1, ThreadShares(None, 1, 1, halves=False)),
        ({}, 2, ThreadShares(None, 1, 1, halves=True)),
        ({}, 9, ThreadShares(None, 4, 4, halves=True)),
        ({"num_threads": 3, "torch_threads": 1}, 8, ThreadShares(3, 1, 1, halves=False)),
        ({"num_threads": 3, "torch_threads": 4}, 8, ThreadShares(3, 2, 2, halves=True)),
        (_RECURRENT, 8, ThreadShares(None, 8, 8, halves=False)),
        (_COMPILED, 8, ThreadShares(None, 8, 8, halves=False)),
        ({"overlap": True}, 1, ThreadShares(1, 1, 1, halves=False)),
        ({"overlap": True}, 2, ThreadShares(1, 1, 1, halves=False)),
        ({"overlap": True}, 16, ThreadShares(5, 5, 5, halves=True)),
        ({"overlap": True, **_RECURRENT}, 16, ThreadShares(5, 5, 11, halves=False)),
        ({"overlap": True, "num_threads": 4}, 16, ThreadShares(4, 4, 6, halves=True)),
        ({"overlap": True, "torch_threads": 1}, 16, ThreadShares(5, 5, 1, halves=False)),
    ],
)
def test_threads_are_shared(settings: dict[str, Any], processors: int, expected: ThreadShares) -> None:
    assert share_threads(PPOExperimentConfiguration.model_validate(settings), processors, "cpu") == expected


def test_a_gpu_has_no_halves() -> None:
    assert share_threads(PPOExperimentConfiguration(), 8, "cuda") == ThreadShares(None, 8, 8, halves=False)
