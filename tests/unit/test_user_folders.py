# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the user's own files lie."""

from pathlib import Path

import platformdirs
import pytest

from oakemu_rl._user_folders import configuration_folder, data_folder


def test_one_variable_moves_them_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path))
    assert data_folder() == configuration_folder() == tmp_path


@pytest.mark.parametrize("home", [None, ""])
def test_by_default_they_are_the_platforms(home: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OAKEMU_RL_HOME")
    if home is not None:
        monkeypatch.setenv("OAKEMU_RL_HOME", home)
    assert data_folder() == platformdirs.user_data_path("oakemu-rl")
    assert configuration_folder() == platformdirs.user_config_path("oakemu-rl")
