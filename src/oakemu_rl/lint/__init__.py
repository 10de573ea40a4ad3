# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a game can be learnt from: plays it by chance and by rote, and says what looks wrong."""

from oakemu_rl.lint.findings import Finding, Level
from oakemu_rl.lint.linter import LintReport, lint_game

__all__ = ["Finding", "Level", "LintReport", "lint_game"]
