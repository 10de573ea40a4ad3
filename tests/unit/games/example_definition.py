# SPDX-License-Identifier: GPL-3.0-or-later
"""The example of the design, and changes to it."""

from hypothesis import strategies as st

__all__ = ["EXAMPLE", "NONSENSE", "with_line"]

# One setting a line, so that messages about lines can be checked.
EXAMPLE = """\
id: ZXSpectrum/Acorns-v0
title: Acorns
machine: 48k
program: {bundled: acorns.tap}
start:
  - wait: {frames: 100}
  - press: {keys: [space], frames: 5}
  - until: {routine: main_loop, at_most_frames: 500}
reset: {noops: [0, 30], randomize: {seed: u16}}
area: [0, 16, 256, 176]
variables:
  score: {at: 0x8400, type: bcd4}
  lives: {at: 0x8404, type: u8}
  seed: {at: 0x8410, type: u16le}
routines: {main_loop: 0x8100, caught: 0x8233}
joystick: none
actions: {stay: [], left: [o], right: [p], fire: [space], left_fire: [o, space]}
reward: delta(score)
win: score >= 100
loss: lives == 0
limits: {steps: 4500}
presets: {frameskip: 4, size: [64, 44], colour: grey, stack: 2}
"""


def with_line(start: str, replacement: str) -> str:
    """The example with the line that starts so replaced."""
    lines = EXAMPLE.splitlines()
    index = next(index for index, line in enumerate(lines) if line.startswith(start))
    return "\n".join([*lines[:index], *replacement.splitlines(), *lines[index + 1 :]]) + "\n"


MEANINGFUL = """
score lives seed u8 u16 o left stay at type count stride keys frames file wait press until set load routine condition
steps value stall reward weight after start snapshot default delta(score) lives==0 main_loop noops randomize a.z80
"""
WORDS = st.sampled_from(MEANINGFUL.split())
NONSENSE = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), WORDS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(st.text(max_size=8), WORDS), inner, max_size=3)
    ),
    max_leaves=8,
)
