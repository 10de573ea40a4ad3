# SPDX-License-Identifier: GPL-3.0-or-later
"""The experiment loop and what surrounds it: configuration, run folder, checkpoints, metrics writers."""
