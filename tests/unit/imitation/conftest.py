# SPDX-License-Identifier: GPL-3.0-or-later
import pytest
import torch


@pytest.fixture(autouse=True, scope="session")
def _one_torch_thread() -> None:
    torch.set_num_threads(1)
