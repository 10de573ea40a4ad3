# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether each action makes a difference, in states from all over the game."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from oakemu_rl.emulator import Spectrum
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import Game

__all__ = ["STEPS_HELD", "ActionEffect", "action_effects"]

STEPS_HELD = 8
"""Steps for which each action is held."""
_RAM_START = 0x4000
_DISPLAY_BYTES = 6912
# What the ROM's interrupt routine leaves of a held key, whether the game looks at it or not: the system variables
# KSTATE and LAST_K, FLAGS, and what is left of its calls below the stack pointer.
_KEY_STATE = slice(0x5C00 - _RAM_START, 0x5C09 - _RAM_START)
_FLAGS = 0x5C3B - _RAM_START
_CALLS_DEEP = 48  # bytes


@dataclass(frozen=True, slots=True)
class ActionEffect:
    """What holding an action changes, against holding nothing.

    Attributes:
        action: Its name.
        tried: In how many states it was allowed.
        different: In how many of them the memory differed afterwards, but for the traces of the ROM's keyboard routine.
        visible: In how many of them the display memory or a variable differed.
        twin: An action before it that led to the same in all states where both are allowed; empty if there is none.
    """

    action: str
    tried: int
    different: int
    visible: int
    twin: str = ""


def action_effects(game: Game, states: Sequence[bytes]) -> list[ActionEffect]:
    """Holds each action for a few steps from each state; the no-op action is left out."""
    env = SpectrumVectorEnv(game, len(states))
    try:
        noop = game.definition.noop_action
        idle = _Outcome(env, states, noop)
        effects = []
        before: dict[str, _Outcome] = {}
        for number, name in enumerate(env.get_action_meanings()):
            if number == noop:
                continue
            held = _Outcome(env, states, number)
            memory = held.differs_in_memory(idle) & held.taken
            visible = (held.seen != idle.seen).any(axis=1) & held.taken
            twin = next((other for other, outcome in before.items() if memory.any() and held.is_twin_of(outcome)), "")
            effects.append(ActionEffect(name, int(held.taken.sum()), int(memory.sum()), int(visible.sum()), twin))
            before[name] = held
        return effects
    finally:
        env.close()


class _Outcome:
    """Where an action, held in every state, leads.

    Attributes:
        memory: RAM without the traces of the ROM's keyboard routine, (N, bytes).
        seen: Display memory, and the variables, (N, numbers).
        taken: Whether the action was really taken in the first step: it is not where it is masked, (N,).
    """

    def __init__(self, env: SpectrumVectorEnv, states: Sequence[bytes], action: int) -> None:
        env.reset(seed=0)
        env.set_states(states)
        actions = np.full(env.num_envs, action)
        taken: npt.NDArray[np.bool_] | None = None
        for _ in range(STEPS_HELD):
            _, _, _, _, infos = env.step(actions)
            taken = infos["action_taken"] == action if taken is None else taken
        assert taken is not None  # noqa: S101 - there are steps
        self.taken = taken
        self.memory = np.stack([_without_traces(env, i) for i in range(env.num_envs)])
        names = [name for name in env.game.variable_names if name in infos]
        values = np.stack([infos[name] for name in names], axis=1) if names else np.zeros((env.num_envs, 0), np.int64)
        self.seen = np.concatenate([self.memory[:, :_DISPLAY_BYTES].astype(np.int64), values], axis=1)

    def differs_in_memory(self, other: "_Outcome") -> npt.NDArray[np.bool_]:
        """In which states the memory differs, (N,)."""
        differs: npt.NDArray[np.bool_] = (self.memory != other.memory).any(axis=1)
        return differs

    def is_twin_of(self, other: "_Outcome") -> bool:
        """Whether another action led to the same, wherever both were taken."""
        both = self.taken & other.taken
        return bool(both.any()) and not bool((self.differs_in_memory(other) & both).any())


def _without_traces(env: SpectrumVectorEnv, i: int) -> npt.NDArray[np.uint8]:
    ram = env.get_ram(i)
    spectrum = Spectrum(env.game.definition.machine)
    spectrum.load_state(env.machine_state(i))
    top = spectrum.registers.sp - _RAM_START
    ram[_KEY_STATE] = 0
    ram[_FLAGS] = 0
    ram[max(top - _CALLS_DEEP, 0) : max(top, 0)] = 0
    return ram
