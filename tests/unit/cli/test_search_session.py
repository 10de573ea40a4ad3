# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever is typed at the prompt of a search is done, or refused in one line; never anything else."""

from contextlib import suppress

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from oakemu_rl.cli.search_commands import COMMANDS
from oakemu_rl.cli.search_driver import MachineDriver
from oakemu_rl.cli.search_session import SearchSession
from oakemu_rl.errors import UserError
from oakemu_rl.games.search import Search
from oakemu_rl.playing.playable import open_playable

DRIVER = MachineDriver(open_playable("acorns", at_start=True))

NUMBERS = ["0", "1", "3", "-3", "0x10", "$f", "$", "0x", "99999999999", "1.5", "65535", "0x8400"]
OTHERS = ["by", "By", "o", "o+p", "+", "left", "o+", "score", "u8", "bcd4", "ascii0"]
words = st.sampled_from([*COMMANDS, *NUMBERS, *OTHERS])
lines = st.lists(words, max_size=5).map(" ".join)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.one_of(lines, st.text(max_size=20)), max_size=8))
@example(["increased by 1", "snap", "snap", "undo", "list 3"])
@example(["run", "digits", "digits 1 1", "unchanged", "less 3", "greater -1", "reset", "restart", "screen"])
def test_every_line_is_done_or_refused_in_one_line(commands: list[str]) -> None:
    said: list[str] = []
    session = SearchSession(DRIVER, Search(), report=said.append, play=lambda _frame, on_key: on_key("f2"))
    for command in commands:
        steps, count = list(session.search.steps), session.search.count
        refused = ""
        try:
            if not session.do(command):
                break
        except UserError as error:
            refused = str(error)
        if refused:
            assert "\n" not in refused
            assert (session.search.steps, session.search.count) == (steps, count), "what is refused changes nothing"
    assert all("\n" not in line for line in said)
    while session.search.steps:
        with suppress(UserError):
            session.do("undo")
    assert session.search.count == Search().count
