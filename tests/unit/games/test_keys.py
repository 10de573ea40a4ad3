# SPDX-License-Identifier: GPL-3.0-or-later
import pytest

from oakemu_rl.games.keys import Joystick, action_row, check_key, split_held

# Half rows in the order of the ports FEFE to 7FFE: shift-v, a-g, q-t, 1-5, 0-6, p-y, enter-h, space-b; then Kempston.
NOTHING = [0] * 9


def row(**held: int) -> list[int]:
    """A row in which some places (r0 to r8) are not 0."""
    return [held.get(f"r{index}", 0) for index in range(9)]


@pytest.mark.parametrize(
    ("held", "joystick", "expected"),
    [
        ([], "none", NOTHING),
        (["shift"], "none", row(r0=0x01)),
        (["v"], "none", row(r0=0x10)),
        (["o", "p"], "none", row(r5=0x03)),
        (["space", "enter", "sym"], "none", row(r6=0x01, r7=0x03)),
        (["6", "0"], "none", row(r4=0x11)),
        (["left", "fire"], "kempston", row(r8=0x12)),
        (["right", "down", "up"], "kempston", row(r8=0x0D)),
        (["left", "o"], "kempston", row(r5=0x02, r8=0x02)),
        (["left"], "sinclair1", row(r4=0x10)),
        (["right"], "sinclair1", row(r4=0x08)),
        (["down"], "sinclair1", row(r4=0x04)),
        (["up"], "sinclair1", row(r4=0x02)),
        (["fire"], "sinclair1", row(r4=0x01)),
        (["left", "right", "down", "up", "fire"], "sinclair2", row(r3=0x1F)),
        (["left"], "sinclair2", row(r3=0x01)),
        (["right"], "sinclair2", row(r3=0x02)),
        (["down"], "sinclair2", row(r3=0x04)),
        (["up"], "sinclair2", row(r3=0x08)),
        (["fire"], "sinclair2", row(r3=0x10)),
        (["left"], "cursor", row(r3=0x10)),
        (["down"], "cursor", row(r4=0x10)),
        (["up"], "cursor", row(r4=0x08)),
        (["right"], "cursor", row(r4=0x04)),
        (["fire"], "cursor", row(r4=0x01)),
    ],
)
def test_rows(held: list[str], joystick: Joystick, expected: list[int]) -> None:
    assert action_row(held, joystick).tolist() == expected


def test_split() -> None:
    assert split_held(["o", "left", "fire"], "kempston") == (["o"], ["left", "fire"])
    assert split_held(["o", "left", "fire"], "cursor") == (["o", "5", "0"], [])


@pytest.mark.parametrize(
    ("name", "joystick", "words"),
    [
        ("o", "none", ""),
        ("left", "cursor", ""),
        ("left", "none", "the game has none (joystick: none)"),
        ("entr", "none", "(did you mean 'enter'?); allowed are a-z, 0-9, space, enter, shift, sym"),
        (
            "fir",
            "kempston",
            "(did you mean 'fire'?); allowed are a-z, 0-9, space, enter, shift, sym, left, right, up, down",
        ),
        ("!", "none", "unknown key '!'; allowed"),
    ],
)
def test_check(name: str, joystick: Joystick, words: str) -> None:
    problem = check_key(name, joystick)
    assert words in problem
    assert bool(problem) == bool(words)
