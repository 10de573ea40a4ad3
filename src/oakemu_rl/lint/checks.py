# SPDX-License-Identifier: GPL-3.0-or-later
"""From what was seen to what looks wrong. Each check looks at one thing."""

from collections.abc import Iterator, Mapping, Sequence

from oakemu_rl.emulator.port_reads import KEMPSTON_PORT
from oakemu_rl.games import Definition
from oakemu_rl.lint.effects import ActionEffect
from oakemu_rl.lint.findings import Finding
from oakemu_rl.lint.play import Played

__all__ = [
    "check_actions",
    "check_determinism",
    "check_digits",
    "check_episodes",
    "check_joystick",
    "check_reward",
    "check_variables",
]

_SPARSE = 0.9  # share of episodes without any reward
_LARGE = 20.0  # a reward of a step, in amount
_SMALL = 0.01
_FULLER_PORT = 0x7F
_ENDINGS = ("win", "loss", "life_lost")


def check_reward(played: Sequence[Played]) -> Iterator[Finding]:
    """Whether there is any, how often, and how much."""
    if not any(each.rewarded for each in played):
        steps = sum(each.steps for each in played)
        yield Finding(
            "error",
            "reward",
            f"not one of {steps:,} steps had a reward",
            "see that the reward's variables lie where the game keeps them (games watch), or reward smaller progress",
        )
        return
    for name in sorted(set().union(*(each.seen_parts for each in played))):
        if not any(each.seen_parts[name] for each in played):
            yield Finding(
                "warning",
                "reward",
                f"the part {name} was always 0",
                "see that its variables are right, or that chance can get that far",
            )
    random = played[0]
    episodes = len(random.returns)
    if episodes and random.zero_episodes / episodes > _SPARSE:
        yield Finding(
            "warning",
            "reward",
            f"{random.zero_episodes} of {episodes} random episodes had no reward at all",
            "an agent learns from what chance finds: reward progress that comes earlier",
        )
    largest, smallest = max(each.largest for each in played), min(each.smallest for each in played)
    if largest > _LARGE:
        yield Finding(
            "warning",
            "reward",
            f"a step is worth up to {largest:g}",
            f"learning is steadiest with about 1 a step: divide by {largest:g} or so",
        )
    elif largest < _SMALL:
        yield Finding(
            "warning",
            "reward",
            f"no step is worth more than {largest:g} (the smallest is {smallest:g})",
            "learning is steadiest with about 1 a step: multiply",
        )


def check_variables(played: Sequence[Played]) -> Iterator[Finding]:
    """Whether each of them ever changes."""
    bounds = {
        name: (min(int(each.low[row]) for each in played), max(int(each.high[row]) for each in played))
        for row, name in enumerate(played[0].names)
    }
    still = [f"{name} ({low})" for name, (low, high) in bounds.items() if low == high]
    if still:
        yield Finding(
            "warning",
            "variables",
            f"never changed: {', '.join(still)}",
            "chance may not get that far; if you do, see in games watch whether address and type are right",
        )


def check_digits(bad: Mapping[str, str]) -> Iterator[Finding]:
    """Whether what is said to be decimal digits is.

    Args:
        bad: Bytes in hexadecimal digits, by the name of the variable that they are no digits of.
    """
    for name, data in bad.items():
        yield Finding(
            "error",
            "variables",
            f"{name} was {data}, which are no decimal digits",
            "its address or type is wrong: see in games watch what it does, or find it with games search",
        )


def check_episodes(definition: Definition, played: Sequence[Played]) -> Iterator[Finding]:
    """Whether they end, and by what."""
    limits = definition.limits.model_dump(exclude_none=True)
    outcomes = {name for each in played for name in each.outcomes}
    steps = sum(each.steps for each in played)
    if definition.win is None and definition.loss is None:
        yield Finding(
            "warning",
            "episodes",
            "neither win nor loss is defined, so that only limits end an episode",
            "say what a lost game looks like, as in loss: lives == 0",
        )
    elif not outcomes & set(_ENDINGS):
        yield Finding(
            "warning",
            "episodes",
            f"neither win nor loss was true in {steps:,} steps",
            "see that their variables are right; hold the keys that lose a life in games watch",
        )
    if not limits:
        yield Finding(
            "warning" if outcomes & set(_ENDINGS) else "error",
            "episodes",
            "there is no limit" + ("" if outcomes else f", and no episode ended in {steps:,} steps"),
            "an agent that gets stuck plays on for ever: limits: {steps: 4500}",
        )
    shortest = min((length for each in played for length in each.lengths), default=None)
    if shortest is not None and shortest <= 1:
        yield Finding(
            "error" if all(length <= 1 for each in played for length in each.lengths) else "warning",
            "episodes",
            "there are episodes of one step",
            "an end condition is true at the start already: see where the start script leads (games show --picture)",
        )


def check_actions(effects: Sequence[ActionEffect]) -> Iterator[Finding]:
    """Whether each of them does something."""
    tried = [effect for effect in effects if effect.tried]
    dead = [effect for effect in tried if not effect.different]
    if not effects or (tried and len(dead) == len(tried)):
        yield Finding(
            "error",
            "actions",
            f"no action did anything in {max((effect.tried for effect in tried), default=0)} states"
            if effects
            else "there is no action but the one that holds nothing",
            "find out which keys the game reads (games new tries them), and whether the start leads into the game",
        )
        return
    for effect in effects:
        if not effect.tried:
            text, hint = "was never allowed", "see its condition in allow"
        elif not effect.different:
            text = f"did nothing: the machine was the same as without it, from all of {effect.tried} states"
            hint = "the game does not read these keys there: mend or remove the action"
        elif not effect.visible:
            text = f"changed nothing that is seen, from any of {effect.tried} states"
            hint = "the display and the variables stayed as without it: mend or remove the action"
        elif effect.twin:
            text = f"does the same as {effect.twin}, from all of {effect.tried} states"
            hint = "an agent learns faster without it, if it is so everywhere"
        else:
            continue
        yield Finding("warning", "actions", f"{effect.action} {text}", hint)


def check_joystick(definition: Definition, ports: Mapping[int, int]) -> Iterator[Finding]:
    """Whether the joystick that the game reads is the one that is attached."""
    low_bytes = {port & 0xFF for port in ports}
    if KEMPSTON_PORT in low_bytes and definition.joystick != "kempston":
        yield Finding(
            "warning",
            "joystick",
            f"the game reads the Kempston port, where joystick: {definition.joystick} attaches nothing",
            "an empty port may read as all directions held: joystick: kempston attaches one",
        )
    if definition.joystick == "kempston" and KEMPSTON_PORT not in low_bytes:
        yield Finding(
            "warning",
            "joystick",
            "joystick is kempston, but the game never read its port",
            "games often ask for the joystick in a menu: choose it in the start script",
        )
    if _FULLER_PORT in low_bytes:
        yield Finding(
            "warning",
            "joystick",
            "the game reads the port of a Fuller joystick, which is not emulated",
            "choose keys or another joystick in the game's menu",
        )


def check_determinism(
    first: Sequence[str], again: Sequence[str], threads: Sequence[str], idle: Sequence[str]
) -> Iterator[Finding]:
    """Whether the same seed plays the same, and another one another episode.

    Args:
        first: Hashes of what was played, by seed.
        again: The same once more.
        threads: The same on more threads.
        idle: The same with no action ever taken.
    """
    for what, other in (("a second time", again), ("on another number of threads", threads)):
        if list(first) != list(other):
            yield Finding(
                "error", "determinism", f"the same seeds played otherwise {what}", "this is an error of ours: report it"
            )
    if len(set(idle)) == 1 and len(idle) > 1:
        yield Finding(
            "warning",
            "start",
            f"{len(idle)} seeds begin the same episode",
            "an agent may learn it by heart: reset: {noops: [0, 30]}, or randomize what the game draws lots with",
        )
