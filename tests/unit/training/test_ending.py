# SPDX-License-Identifier: GPL-3.0-or-later
"""The lines that a finished run ends with."""

from oakemu_rl.training.ending import what_next


def test_commands_begin_in_one_column_however_long_a_run_s_name_is() -> None:
    long = "runs/" + "x" * 100
    head, *lines = what_next({"see it play": f"watch {long}", "judge it": "evaluate runs/a"})
    assert head == "what next:"
    assert lines == [f"  see it play  oakemu-rl watch {long}", "  judge it     oakemu-rl evaluate runs/a"]
