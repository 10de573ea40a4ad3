# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl demos` as tests call it."""

import pytest

from oakemu_rl.cli.main import main

__all__ = ["complaint", "said"]


def said(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """What it prints when all is well."""
    assert main(["demos", *args]) == 0
    return capsys.readouterr().out


def complaint(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    """The one line in which it says what is wrong."""
    assert main(["demos", *args]) == 2
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    return captured.err.removeprefix("oakemu-rl: error: ").strip()
