# SPDX-License-Identifier: GPL-3.0-or-later
"""Learning in smaller floating types, and with a compiled network."""

import functools

import pytest
import torch
from test_learner import make_model, make_rollout, update, weights

from oakemu_rl.errors import UserError
from oakemu_rl.ppo import PPOConfiguration, PPOLearner, scoring


def test_bfloat16_learns_nearly_the_same() -> None:
    plain, small = update(make_rollout(16, 4))[0], update(make_rollout(16, 4), mixed_precision="bfloat16")[0]
    start = weights(make_model())
    assert not torch.equal(weights(plain), weights(small))
    moved, moved_too = weights(plain) - start, weights(small) - start
    assert torch.cosine_similarity(moved, moved_too, dim=0) > 0.9
    assert all(parameter.dtype == torch.float32 for parameter in small.parameters())


def test_float16_on_a_cpu_is_refused() -> None:
    with pytest.raises(ValueError, match="float16 needs a GPU"):
        PPOLearner(make_model(), PPOConfiguration(mixed_precision="float16"))


@pytest.fixture
def float16_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """CPUs compute float16 slowly, which is why users may not ask them to; in a test it is as good as a GPU."""
    monkeypatch.setattr(scoring, "check_precision", lambda *_: None)


@pytest.mark.usefixtures("float16_anywhere")
def test_float16_learns_nearly_the_same() -> None:
    plain, small = update(make_rollout(16, 4))[0], update(make_rollout(16, 4), mixed_precision="float16")
    start = weights(make_model())
    moved, moved_too = weights(plain) - start, weights(small[0]) - start
    assert torch.cosine_similarity(moved, moved_too, dim=0) > 0.9
    unscaled = small[1]["grad_norm"] * 16 / (16 - small[1]["skipped_steps"])  # a skipped step counts as 0
    assert unscaled == pytest.approx(update(make_rollout(16, 4))[1]["grad_norm"], rel=0.05)
    assert all(parameter.dtype == torch.float32 for parameter in small[0].parameters())


@pytest.mark.usefixtures("float16_anywhere")
def test_a_step_that_the_scaler_overflows_is_skipped_and_the_scale_halved() -> None:
    model = make_model()
    trained = PPOLearner(model, PPOConfiguration(mixed_precision="float16", ppo_epochs=1, num_minibatches=1))
    state = trained.state_dict()
    state["scaler"]["scale"] = 2.0**120
    trained.load_state_dict(state)
    metrics = trained.update(make_rollout(8, 4), 0.0)
    assert torch.equal(weights(model), weights(make_model()))
    assert (metrics["skipped_steps"], metrics["n_updates"], metrics["grad_norm"]) == (1.0, 0.0, 0.0)
    assert trained.state_dict()["scaler"]["scale"] == 2.0**119


def test_a_compiled_network_learns_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    # The eager backend takes the same way through the compiler's front, without minutes of C++.
    monkeypatch.setattr(torch, "compile", functools.partial(torch.compile, backend="eager"))
    compiled, plain = update(make_rollout(8, 4), torch_compile=True)[0], update(make_rollout(8, 4))[0]
    torch.testing.assert_close(weights(compiled), weights(plain))
    assert not torch.equal(weights(compiled), weights(make_model()))


def test_a_machine_that_cannot_compile_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def backend(*_: object) -> None:
        raise RuntimeError("no C++ compiler here")

    monkeypatch.setattr(torch, "compile", functools.partial(torch.compile, backend=backend))
    with pytest.raises(UserError, match="torch_compile does not work on this machine, turn it off"):
        update(make_rollout(8, 4), torch_compile=True)
