# SPDX-License-Identifier: GPL-3.0-or-later
import math

import numpy as np
import pytest
import torch
from recorded import dataset_of, model_of, shown

from oakemu_rl.imitation import Cloner, CloningConfiguration, Judgement, judge


def sure_of(*actions: int, **changes: object) -> Cloner:
    """A network that does ``actions[symbol]`` when a symbol is shown, with e^2 to 1 against each other action."""
    model = model_of(fcnet_hiddens=[], **changes)
    with torch.no_grad():
        model.policy_head.weight.zero_()
        model.policy_head.bias.zero_()
        for symbol, action in enumerate(actions):
            model.policy_head.weight[action, symbol] = 2.0
    return Cloner(model, CloningConfiguration())


def test_confusion_by_hand() -> None:
    # 0 is taken for 2, the others for themselves; 3 is never recorded.
    found = judge(sure_of(2, 1, 2, 3), dataset_of(shown([0, 1, 1]), shown([2, 0, 1], [2, 0, 2])))
    assert found.confusion.tolist() == [[0, 0, 2, 0], [0, 2, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0]]
    assert found.steps == 6
    assert found.accuracy == 0.5
    assert found.counts.tolist() == [2, 2, 2, 0]
    assert found.share_found(1) == 1.0
    assert found.share_found(2) == 0.5
    assert math.isnan(found.share_found(3))
    assert found.most_taken_for(0) == (2, 1.0)
    assert found.most_taken_for(2) == (1, 0.5)
    assert found.most_taken_for(1) is None
    right, wrong = -math.log(math.e**2 / (math.e**2 + 3)), -math.log(1 / (math.e**2 + 3))
    assert found.loss == pytest.approx((right + wrong) / 2, rel=1e-5)


def test_it_judges_more_steps_than_fit_at_once() -> None:
    symbols = np.random.default_rng(1).integers(0, 4, 3000).tolist()
    found = judge(sure_of(0, 1, 2, 0), dataset_of(shown(symbols)))
    assert found.counts.tolist() == [symbols.count(action) for action in range(4)]
    assert found.accuracy == pytest.approx(1 - symbols.count(3) / 3000)


def test_a_network_that_remembers_reads_episodes_from_their_beginnings() -> None:
    model = model_of(recurrent="gru", recurrent_size=6)
    episodes = [[0, 1, 2, 3, 0, 1], [3, 3, 3]]
    found = judge(Cloner(model, CloningConfiguration()), dataset_of(*map(shown, episodes), state_size=model.state_size))
    confusion = np.zeros((4, 4), dtype=np.int64)
    for episode in episodes:
        state = torch.zeros(1, model.state_size)
        for symbol in episode:
            logits, _, state = model.step(torch.eye(4)[[symbol]], state)
            confusion[symbol, int(logits.argmax())] += 1
    assert isinstance(found, Judgement)
    assert found.confusion.tolist() == confusion.tolist()
