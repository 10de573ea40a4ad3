# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl demos info`: what a recording says of itself."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.demo_text import clock, duration_of
from oakemu_rl.demos import Demo, load_demo
from oakemu_rl.demos.checking import check_game
from oakemu_rl.errors import UserError
from oakemu_rl.games import load_game

__all__ = ["run"]


class _InfoArguments(BaseModel):
    """What a recording says of itself, and whether it is of the game as it is now."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    demo: str = Field("", description="The recording.", json_schema_extra={"positional": True, "metavar": "DEMO"})
    as_json: bool = Field(default=False, description="Print it as JSON.", json_schema_extra={"aliases": ["--json"]})


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_InfoArguments, args, prog="oakemu-rl demos info")
    if not arguments.demo:
        raise UserError("DEMO is missing: give a recording, or the name of a game of which one ships")
    demo = load_demo(arguments.demo)
    if arguments.as_json:
        sys.stdout.write(json.dumps(_figures(demo), indent=1) + "\n")
    else:
        sys.stdout.writelines(f"{line}\n" for line in _lines(demo))
    return 0


def _figures(demo: Demo) -> dict[str, Any]:
    return {
        "game": demo.game_id,
        "fingerprint": demo.fingerprint,
        "fits": _misfit(demo) is None,
        "machine": demo.machine,
        "source": demo.source,
        "seed": demo.seed,
        "outcome": demo.outcome,
        "return": demo.episode_return,
        "steps": demo.steps,
        "frames": demo.frames,
        "settings": dict(demo.settings),
        "actions": _counts(demo),
        "checks": len(demo.checks),
        "keyframes": len(demo.keyframes),
        "markers": [{"frame": frame, "name": name} for frame, name in demo.markers],
    }


def _lines(demo: Demo) -> Iterator[str]:
    misfit = _misfit(demo)
    steps = "no steps" if demo.steps is None else f"{demo.steps:,} steps"
    yield f"game      {demo.game_id} ({'as it is now' if misfit is None else misfit})"
    yield f"played    by {_PLAYERS[demo.source]}, {steps}, {demo.frames:,} frames, {duration_of(demo)}"
    earned = "" if demo.episode_return is None else f", return {demo.episode_return:g}"
    yield f"outcome   {demo.outcome}{earned}"
    said = {name: value for name, value in demo.settings.items() if value is not False and value != 0}
    yield f"settings  {', '.join(f'{name}={value!r}' for name, value in said.items())}"
    counts = _counts(demo)
    if counts:
        shares = (f"{name} {count / sum(counts.values()):.0%}" for name, count in counts.items() if count)
        yield f"actions   {', '.join(shares)}"
    yield f"checks    {len(demo.checks):,}, one every {demo.check_every} frames; {len(demo.keyframes)} keyframes"
    for frame, name in demo.markers:
        yield f"marker    {clock(frame, demo.machine):>6}  frame {frame:<6} {name}"


_PLAYERS: Mapping[str, str] = {
    "hand": "a person",
    "agent": "an agent",
    "rzx": "a person (from an RZX recording)",
    "explorer": "exploration",
    "script": "a program",
    "minari": "somebody (from a Minari dataset)",
}


def _counts(demo: Demo) -> dict[str, int]:
    """How often each action was played."""
    if demo.actions is None:
        return {}
    played = demo.actions.tolist()
    return {name: played.count(number) for number, name in enumerate(demo.action_meanings) if number in played}


def _misfit(demo: Demo) -> str | None:
    """Why the recording cannot be played now; None if it can."""
    try:
        check_game(demo, load_game(demo.game_id))
    except UserError as error:
        return str(error)
    return None
