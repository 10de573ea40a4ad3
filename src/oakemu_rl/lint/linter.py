# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays a game for some seconds, and gathers what all checks say about it."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.port_reads import count_port_reads
from oakemu_rl.games import Game
from oakemu_rl.lint.checks import (
    check_actions,
    check_determinism,
    check_digits,
    check_episodes,
    check_joystick,
    check_reward,
    check_variables,
)
from oakemu_rl.lint.determinism import play_hashes
from oakemu_rl.lint.digits import find_bad_digits
from oakemu_rl.lint.effects import STEPS_HELD, ActionEffect, action_effects
from oakemu_rl.lint.findings import Finding
from oakemu_rl.lint.play import Moment, Played, hold_each, play, random_player

__all__ = ["LintReport", "lint_game"]

_ENVS = 16
_RANDOM_STEPS, _RANDOM_SECONDS = 3000, 6.0
_HELD_STEPS, _HELD_SECONDS = 1500, 4.0
_EFFECT_SECONDS = 4.0
_LEAST_STATES = 8
_PORT_STATES, _PORT_FRAMES = 8, 25
_HASH_SEEDS, _HASH_STEPS = range(4), 60
_THREADS = 3


@dataclass(frozen=True)
class LintReport:
    """What was seen and what looks wrong.

    Attributes:
        game: The game's id.
        random: What chance came to.
        held: What holding one action all the time came to.
        effects: What each action does.
        ports: Which ports the game reads, and how often.
        findings: What looks wrong, errors first.
    """

    game: str
    random: Played
    held: Played
    effects: list[ActionEffect]
    ports: Counter[int]
    findings: list[Finding] = field(default_factory=list)

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.level == "error" for finding in self.findings)

    @property
    def frames_per_second(self) -> float:
        """Frames that all threads together emulated in a second of random play, observations included."""
        return self.random.frames / self.random.seconds

    def as_dict(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "game": self.game,
            "findings": [asdict(finding) for finding in self.findings],
            "frames_per_second": round(self.frames_per_second),
            "random": _figures(self.random),
            "held": _figures(self.held),
            "actions": [asdict(effect) for effect in self.effects],
            "ports": {f"0x{port:04X}": count for port, count in sorted(self.ports.items())},
        }


def lint_game(game: Game, *, seed: int = 0, progress: Callable[[str], None] | None = None) -> LintReport:
    """Plays a game for at most some 15 seconds and says what looks wrong.

    Args:
        game: The game.
        seed: Of what chance does.
        progress: Told what is being done.

    Raises:
        UserError: The game cannot be played at all.
    """
    say = progress or (lambda _: None)
    actions = len(game.action_names)
    say("random episodes")
    player = random_player(np.random.default_rng(seed))
    random = play(game, player, num_envs=_ENVS, steps=_RANDOM_STEPS, seconds=_RANDOM_SECONDS, seed=seed)
    say("each action held")
    num_envs = actions * max(1, -(-_ENVS // actions))
    player = hold_each(num_envs, actions)
    held = play(game, player, num_envs=num_envs, steps=_HELD_STEPS, seconds=_HELD_SECONDS, seed=seed)
    say("what actions do")
    effects = action_effects(
        game, [moment.env for moment in _as_many(random.moments, _affordable_states(random, actions))]
    )
    say("which ports are read")
    machines = _machines(game, random)
    bad_digits = find_bad_digits(game.definition, (machine.visible_ram() for machine in machines))
    ports = sum((count_port_reads(machine, _PORT_FRAMES) for machine in machines), Counter[int]())
    say("whether seeds repeat")
    plays = [
        play_hashes(game, seeds=_HASH_SEEDS, steps=_HASH_STEPS, num_threads=threads, random=chance)
        for threads, chance in ((1, True), (1, True), (_THREADS, True), (1, False))
    ]
    findings = [
        *check_reward([random, held]),
        *check_episodes(game.definition, [random, held]),
        *check_actions(effects),
        *check_digits(bad_digits),
        *check_variables([random, held]),
        *check_joystick(game.definition, ports),
        *check_determinism(*plays),
    ]
    findings.sort(key=lambda finding: finding.level != "error")  # else as they are
    return LintReport(game.id, random, held, effects, ports, findings)


def _machines(game: Game, played: Played) -> list[Spectrum]:
    """Machines at some of the moments."""
    machines = []
    for moment in _as_many(played.moments, _PORT_STATES):
        spectrum = Spectrum(game.definition.machine)
        spectrum.load_state(moment.machine)
        machines.append(spectrum)
    return machines


def _affordable_states(played: Played, actions: int) -> int:
    """From how many states all actions can be tried in time, at the speed of what was played."""
    steps = _EFFECT_SECONDS * played.steps / played.seconds
    return max(_LEAST_STATES, int(steps / (actions * STEPS_HELD)))


def _as_many(moments: Sequence[Moment], count: int) -> list[Moment]:
    """At most so many of them, from all over."""
    chosen = np.unique(np.linspace(0, len(moments) - 1, min(count, len(moments))).astype(int))
    return [moments[place] for place in chosen]


def _figures(played: Played) -> dict[str, Any]:
    episodes = len(played.returns)
    return {
        "steps": played.steps,
        "frames": played.frames,
        "seconds": round(played.seconds, 3),
        "rewarded_steps": played.rewarded,
        "largest_reward": played.largest,
        "smallest_reward": played.smallest if played.rewarded else 0.0,
        "episodes": episodes,
        "zero_reward_episodes": played.zero_episodes,
        "mean_return": float(np.mean(played.returns)) if episodes else None,
        "mean_length": float(np.mean(played.lengths)) if episodes else None,
        "outcomes": dict(played.outcomes),
        "reward_parts": dict(played.seen_parts),
        "variables": {
            name: [int(low), int(high)] for name, low, high in zip(played.names, played.low, played.high, strict=True)
        },
    }
