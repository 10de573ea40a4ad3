# SPDX-License-Identifier: GPL-3.0-or-later
"""A definition to fill in, made of a program that nobody has defined yet."""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from oakemu_rl.emulator.container import Content
from oakemu_rl.games.beginning import Beginning, begin
from oakemu_rl.games.probing import Probe, probe

__all__ = ["Skeleton", "make_skeleton", "name_of"]

_MOST_ACTIONS = 8
_USUAL_PAIRS = {
    ("o", "p"): ("left", "right"),
    ("z", "x"): ("left", "right"),
    ("q", "a"): ("up", "down"),
    ("k", "m"): ("up", "down"),
}
"""Keys that usually go together, and what they usually do."""
_AGENT_PIXELS = 4  # of the game's, for one that the agent sees


@dataclass(frozen=True)
class Skeleton:
    """A definition to fill in.

    Attributes:
        text: The YAML.
        beginning: The start that was found.
        found: What was found out there.
    """

    text: str
    beginning: Beginning
    found: Probe


def name_of(file: str) -> str:
    """A name for an id out of a file's: ``JetFighter2`` of ``games.zip:jet fighter_2.tap``."""
    words = re.findall(r"[A-Za-z0-9]+", Path(file.rpartition(":")[2]).stem)
    name = "".join(word[:1].upper() + word[1:] for word in words)[:40]
    return name if name[:1].isalpha() else f"Game{name}"


def make_skeleton(content: Content, *, game_id: str, file: str) -> Skeleton:
    """Loads a program, tries what begins its game, and writes down what a definition of it needs.

    Args:
        content: A tape or a snapshot.
        game_id: The id of the new game.
        file: What to call the definition in the comments that say how to go on.

    Raises:
        UserError: It is neither, or a broken one, or it cannot be loaded.
    """
    beginning = begin(content)
    found = probe(beginning.spectrum)
    return Skeleton("\n".join(_lines(content, game_id, file, beginning, found)) + "\n", beginning, found)


def _lines(content: Content, game_id: str, file: str, beginning: Beginning, found: Probe) -> Iterable[str]:
    title = " ".join(re.split(r"[\s_]+", Path(content.name.rpartition(":")[2]).stem.strip())).capitalize()[:100]
    yield "# A definition to fill in; what each key means is in docs/definitions.md."
    yield f"# After every change, oakemu-rl games check {file} says what is wrong with it, and where."
    yield f"id: {game_id}"
    yield f"title: {json.dumps(title, ensure_ascii=False)}"
    yield "# description: What the player has to do, in a line."
    guess = _comment("guessed: the tape loads on it") if beginning.steps else ""
    yield f"machine: {beginning.spectrum.machine}{guess}"
    yield "program:"
    yield f"  sha256: [{hashlib.sha256(content.data).hexdigest()}]"
    yield ""
    yield from _start(beginning, file)
    yield "# Episodes begin after so many frames without a key, so that they differ."
    yield "reset: {noops: [0, 30]}"
    yield ""
    yield from _actions(found)
    yield ""
    yield from _picture(found)
    yield ""
    yield from _figures(file)


def _start(beginning: Beginning, file: str) -> Iterable[str]:
    yield "# What is done once after loading; every episode begins after the last step. Other steps are"
    yield "#   - until: {routine: name, at_most_frames: 500}    - set: {variable: value}"
    if not beginning.steps:
        yield "# A snapshot goes on where it was taken, so that nothing has to be done."
    else:
        yield f"# Found by trying keys; oakemu-rl games show {file} --picture start.png shows where it leads."
    yield from beginning.lines()


def _actions(found: Probe) -> Iterable[str]:
    if found.reads_kempston:
        yield "# The game looks for a Kempston joystick, too: with joystick: kempston, actions may hold left right up"
        yield "# down fire."
        yield "# joystick: kempston"
    yield "# What the agent may hold down, by names of yours; one action holds nothing. Keys are a to z, 0 to 9,"
    yield "# space, enter, shift, sym; several at once are a chord, as in left_fire: [o, space]."
    names = _action_names(found.keys[:_MOST_ACTIONS])
    if found.keys:
        yield f"# Keys that were seen to do something soon after the start: {' '.join(found.keys)}"
    else:
        yield "# No key was seen to do something soon after the start, so they are yours to add: left: [o]"
    yield "actions:"
    yield "  stay: []"
    for key, name in names.items():
        yield f"  {_key(name)}: [{_key(key)}]"


def _action_names(keys: Sequence[str]) -> dict[str, str]:
    """Names for keys: what they usually do, where a usual pair of them is there, else their own."""
    names: dict[str, str] = {}
    for pair, meanings in _USUAL_PAIRS.items():
        if set(pair) <= set(keys) and not set(meanings) & set(names.values()):
            names.update(zip(pair, meanings, strict=True))
    return {**names, **{key: key for key in keys if key not in names}}


def _picture(found: Probe) -> Iterable[str]:
    width, height = (max(length // _AGENT_PIXELS, 1) for length in found.area[2:])
    yield "# The part of the 256 by 192 display that the agent sees (x, y, width, height), as small as it is clear."
    yield f"area: {list(found.area)}"
    yield f"presets: {{frameskip: 4, size: [{width}, {height}], colour: grey, stack: 4}}"


def _figures(file: str) -> Iterable[str]:
    yield "# What a step is worth, as in reward: delta(score) / 10 - (delta(lives) < 0), and what ends an episode."
    yield "reward: 0"
    yield "# win: score >= 1000"
    yield "# loss: lives == 0"
    yield "limits: {steps: 4500}" + _comment("an episode is cut off then: 6 minutes at 4 frames a step")
    yield ""
    yield f"# Where the game keeps its figures: oakemu-rl games search {file} finds them, and writes"
    yield "# them here. Types are u8 i8 u16le u16be u24 bool bcdN asciiN bits(low,high)."
    yield "# variables:"
    yield "#   score: {at: 0x9000, type: u16le}"
    yield "#   lives: {at: 0x9002, type: u8}"


def _key(name: str) -> str:
    return f"'{name}'" if name.isdigit() else name


def _comment(text: str) -> str:
    return f"  # {text}"
