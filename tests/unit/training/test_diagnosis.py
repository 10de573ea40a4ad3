# SPDX-License-Identifier: GPL-3.0-or-later
from collections.abc import Mapping
from typing import Any

import pytest
import torch
from toy_run import make_parts

from oakemu_rl.training.diagnosis import NetworkFigures, figures_beside, layers_of
from oakemu_rl.training.diagnosis_report import draw_history, draw_network, write_page
from oakemu_rl.training.findings import Finding, examine

_PNG = b"\x89PNG"

SEEN = {
    "diagnostics/dead/fc.0": 0.0,
    "diagnostics/dormant/fc.0": 0.1,
    "diagnostics/effective_rank": 40.0,
    "diagnostics/features": 64.0,
    "diagnostics/weight_norm/fc.0": 8.0,
    "diagnostics/weight_norm/policy_head": 0.02,
    "diagnostics/gradient_norm/fc.0": 0.3,
    "diagnostics/ratio/0.9-1.1": 0.99,
    "diagnostics/ratio/below 0.5": 0.005,
    "diagnostics/ratio/above 2": 0.005,
}
LEARNT = {
    "explained_variance": 0.6,
    "entropy": 0.5,
    "approx_kl": 0.01,
    "clip_fraction": 0.1,
    "grad_norm": 0.5,
    "value_loss": 0.2,
}
FRESH = NetworkFigures(SEEN, LEARNT)


def _line(step: int, **values: float) -> dict[str, Any]:
    return {"step": step, "kind": "metrics", **{name.replace("__", "/"): value for name, value in values.items()}}


def _bad(
    seen: Mapping[str, float] | None = None,
    learnt: Mapping[str, float] | None = None,
    lines: list[dict[str, Any]] | None = None,
    progress: float = 0.9,
) -> list[Finding]:
    trained = NetworkFigures({**SEEN, **(seen or {})}, {**LEARNT, **(learnt or {})})
    found = examine(trained, FRESH, lines or [], num_actions=4, progress=progress)
    assert all(bool(finding.advice) is not finding.healthy for finding in found)
    return [finding for finding in found if not finding.healthy]


def test_a_healthy_network_is_called_so() -> None:
    curve = [_line(step, rollout__ep_rew_mean=float(step)) for step in range(5)]
    assert _bad(lines=curve) == []


@pytest.mark.parametrize(
    ("seen", "said", "advice"),
    [
        ({"diagnostics/dormant/fc.0": 0.31}, "31% of fc.0 (fresh 10%)", "leaky_relu"),
        ({"diagnostics/effective_rank": 9.0}, "effective rank 9 of 64 (fresh 40)", "ppo.entropy_coef"),
        ({"diagnostics/weight_norm/fc.0": 81.0}, "fc.0 10 times", "ppo.lr"),
        ({"diagnostics/gradient_norm/fc.0": 0.0}, "no gradient reaches fc.0", "ppo.lr"),
        ({"diagnostics/ratio/above 2": 0.06}, "6.5% of the probabilities", "ppo.max_kl"),
    ],
)
def test_what_a_network_shows_is_found(seen: dict[str, float], said: str, advice: str) -> None:
    (finding,) = _bad(seen)
    assert said in finding.text
    assert advice in finding.advice


@pytest.mark.parametrize(
    "seen",
    [
        {"diagnostics/dormant/fc.0": 0.3},
        {"diagnostics/effective_rank": 10.0},
        {"diagnostics/weight_norm/fc.0": 80.0},
        {"diagnostics/weight_norm/policy_head": 2.0},  # made small on purpose
    ],
)
def test_what_is_on_this_side_of_the_line_is_not(seen: dict[str, float]) -> None:
    assert _bad(seen) == []


@pytest.mark.parametrize(
    ("learnt", "said"),
    [
        ({"explained_variance": 0.1}, "they explain 10%"),
        ({"entropy": 0.02}, "nothing new is tried"),
        ({"entropy": 1.385}, "more than half of the training is over"),
        ({"approx_kl": 0.2}, "the policy jumps"),
        ({"approx_kl": 1e-7}, "the policy does not move"),
    ],
)
def test_what_an_update_shows_is_found(learnt: dict[str, float], said: str) -> None:
    (finding,) = _bad(learnt=learnt)
    assert said in finding.text


def test_at_the_beginning_random_play_is_healthy() -> None:
    assert _bad(learnt={"entropy": 1.385}, progress=0.2) == []


def test_the_last_updates_of_the_log_count_for_more_than_one() -> None:
    lines = [_line(step, train__explained_variance=0.9) for step in range(30)]
    assert _bad(learnt={"explained_variance": 0.0}, lines=lines) == []
    late = [*lines, *(_line(step, train__explained_variance=0.0) for step in range(30, 50))]
    assert len(_bad(lines=late)) == 1


def test_a_fall_from_the_best_is_found_with_a_threshold_to_set() -> None:
    returns = [-10.0, 0.0, 10.0, 3.0]
    (finding,) = _bad(lines=[_line(step, rollout__ep_rew_mean=value) for step, value in enumerate(returns)])
    assert "3.00 at the end, 10.00 at best (step 2)" in finding.text
    assert "rollback.drop 6" in finding.advice


def test_both_networks_are_looked_at_as_they_were_before_they_learn() -> None:
    trained, fresh = make_parts(), make_parts()
    with torch.no_grad():
        trained.trained.model.fc[0].weight.abs_()[:5] = 0.0  # type: ignore[operator] # a tensor
        trained.trained.model.fc[0].bias[:] = torch.tensor(5 * [-1.0] + 11 * [1.0])  # type: ignore[index] # a tensor
    before = {name: tensor.clone() for name, tensor in fresh.trained.model.state_dict().items()}
    one, other = figures_beside(trained, fresh, 0.0)
    assert layers_of(one, "dead") == {"fc.0": 5 / 16}
    whole = torch.cat([before["fc.0.weight"].flatten(), before["fc.0.bias"]])
    assert layers_of(other, "weight_norm")["fc.0"] == pytest.approx(float(whole.norm()))  # as it was before learning
    assert set(layers_of(one, "gradient_norm")) == {"fc.0", "policy_head", "value_head"}
    assert sum(layers_of(other, "ratio").values()) == pytest.approx(1.0)


def test_the_page_says_it_all() -> None:
    findings = [Finding(healthy=False, text="it jumps", advice="sit"), Finding(healthy=True, text="it is fed")]
    page = write_page("A dog", ["Looked at.", "Twice."], findings, FRESH, FRESH)
    assert page.startswith("# A dog\n\nLooked at. Twice.\n")
    assert "- **it jumps.** Try: sit.\n" in page
    assert page.index("does not look healthy") < page.index("it jumps") < page.index("it is fed")
    assert "| fc.0 | 0% / 0% | 10% / 10% | 8 / 8 | 0.3 / 0.3 |" in page
    assert "| policy_head | - / - | - / - | 0.02 / 0.02 | - / - |" in page
    assert "| explained variance | 0.6 | 0.6 |" in page


def test_pictures_are_drawn_from_much_and_from_nothing() -> None:
    lines = [_line(1, rollout__ep_rew_mean=1.0), {**_line(2), "train/entropy": None, "diagnostics/dormant/fc.0": 0.5}]
    pictures = [draw_history(lines), draw_history([]), draw_network(FRESH, FRESH)]
    assert all(picture.startswith(_PNG) for picture in pictures)
    assert pictures[0] != pictures[1]
