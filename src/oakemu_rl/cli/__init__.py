# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: one file a verb."""

__all__: list[str] = []
