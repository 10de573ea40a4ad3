# SPDX-License-Identifier: GPL-3.0-or-later
import pytest
import yaml
from pydantic import ValidationError

from oakemu_rl.imitation import ImitationConfiguration


def test_it_is_off_by_default() -> None:
    assert not ImitationConfiguration().is_on
    assert ImitationConfiguration(bc_weight=(0.0, 1.0)).is_on
    assert ImitationConfiguration(ppo_weight=((0.0, 0.0), (0.1, 1.0))).is_on


def test_yaml_reads_as_it_is_written() -> None:
    text = "{bc_weight: ['0:1', '0.2:0'], ppo_weight: {start: 0, end: 1, until: 0.1}, focus: [120, first key]}"
    found = ImitationConfiguration.model_validate(yaml.safe_load(text))
    assert found.bc_weight == ((0.0, 1.0), (0.2, 0.0))
    assert found.ppo_weight == (0.0, 1.0, 0.1)
    assert found.focus == ("120", "first key")


@pytest.mark.parametrize(
    "wrong",
    [
        {"label_smoothing": 1.0},
        {"class_weights": 1.5},
        {"lr": 0.0},
        {"lr": float("inf")},
        {"batch_size": 0},
        {"focus_share": 0.0},
        {"focus_before": -1},
        {"grad_clip": 0.0},
        {"bc_weight": -1.0},
        {"smoothing": 0.1},
    ],
)
def test_nonsense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ImitationConfiguration.model_validate(wrong)
