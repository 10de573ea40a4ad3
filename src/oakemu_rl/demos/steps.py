# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording as an agent sees it: observations, actions, rewards, and a state of the environment for every step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos.banked_states import BankedStates
from oakemu_rl.demos.checking import check_game, ram_hash
from oakemu_rl.demos.demo import Demo
from oakemu_rl.demos.errors import DesyncError
from oakemu_rl.emulator import Spectrum
from oakemu_rl.envs import EnvOptions, SpectrumEnv
from oakemu_rl.envs.actions import action_set
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game

__all__ = ["DemoSteps", "Observations", "demo_steps", "fitted_actions"]

Observations = NDArray[Any] | dict[str, NDArray[Any]]
"""(S + 1, ...), or a dictionary of such arrays, as the environment's observation space is one of arrays."""

# With sticky actions or a random frameskip a step comes out as recorded only now and then; this is never reached.
_MOST_TRIES = 10_000


@dataclass(frozen=True)
class DemoSteps:
    """An episode of S steps.

    Attributes:
        observations: Before each step and after the last, with stacks as the environment makes them.
        actions: The environment's numbers, (S,) int64.
        rewards: (S,) float64.
        variables: The game's variables before each step and after the last, each (S + 1,) int64.
        action_masks: Which actions were allowed then, (S + 1, A) bool; None where the game forbids none.
        states: What ``get_state`` of an environment with these options gave then; to be given to ``reset``, with a seed
            of its own, as the random stream in them is one that did what was recorded.
        outcome: How it ended; ``"running"`` where the recording ends before.
    """

    observations: Observations
    actions: NDArray[np.int64]
    rewards: NDArray[np.float64]
    variables: dict[str, NDArray[np.int64]]
    action_masks: NDArray[np.bool_] | None
    states: Sequence[bytes]
    outcome: str


def fitted_actions(demo: Demo, game: Game, options: EnvOptions) -> NDArray[np.int64]:
    """The actions of an environment that hold in each step what was held, (S,).

    Raises:
        UserError: The recording has no steps, or steps that such an environment cannot take.
    """
    ends, (low, high) = demo.step_ends, options.frameskip
    counts = np.diff(ends)
    wrong = np.flatnonzero((counts > high) | ((counts < low) & (ends[1:] < demo.frames)))
    if wrong.size:
        allowed = str(low) if low == high else f"{low} to {high}"
        raise UserError(
            f"step {wrong[0] + 1} of the recording has {counts[wrong[0]]} frames; the environment's frameskip is "
            f"{allowed}"
        )
    actions = action_set(game, full=options.full_action_space, action_type=options.action_type)
    numbers = {row.tobytes(): number for number, row in reversed(list(enumerate(actions.table)))}
    held = demo.keys[ends[:-1]]
    changed = np.flatnonzero((demo.keys != held.repeat(counts, axis=0)).any(axis=1))
    if changed.size:
        step = int(np.searchsorted(ends, changed[0], side="right"))
        raise UserError(f"step {step} of the recording changes its keys in frame {changed[0] + 1}")
    found = [numbers.get(row.tobytes()) for row in held]
    if None in found:
        step = found.index(None)
        name = "" if demo.actions is None else demo.action_meanings[demo.actions[step]]
        raise UserError(
            f"step {step + 1} of the recording plays {name or held[step].tolist()}, which is none of the "
            f"environment's actions: {', '.join(actions.names)}"
        )
    return np.array(found, np.int64)


def demo_steps(demo: Demo, game: Game, options: Mapping[str, Any]) -> DemoSteps:
    """Plays a recording in an environment, from its own start; sticky actions stay away.

    Args:
        demo: The recording; it has steps.
        game: Its game.
        options: Those of the environment, as keywords of `SpectrumEnv`; it may see the game in another way and have
            another reward than when it was recorded.

    Raises:
        UserError: The recording is of another game, or has steps that such an environment cannot take.
        DesyncError: The environment does something else than was recorded.
    """
    check_game(demo, game)
    env = SpectrumEnv(game, **options)
    try:
        if env.options.action_type != "discrete":
            raise UserError("a recording is played in steps with action_type='discrete' alone")
        return _Playing(demo, env).play()
    finally:
        env.close()


class _Playing:
    """Plays a recording in an environment, and notes what that tells."""

    def __init__(self, demo: Demo, env: SpectrumEnv) -> None:
        self._demo = demo
        self._env = env
        self._actions = fitted_actions(demo, env.game, env.options)
        self._ends = demo.step_ends
        self._machine = Spectrum(demo.machine)
        self._observations: list[Any] = []
        self._rewards: list[float] = []
        self._infos: list[dict[str, Any]] = []
        self._masks: list[NDArray[np.bool_]] = []
        self._states = BankedStates(env)

    def play(self) -> DemoSteps:
        env = self._env
        self._note(*env.reset(seed=0, options={"machine": self._demo.start}))
        for step, action in enumerate(self._actions.tolist()):
            observation, reward, terminated, truncated, info = self._step(step, action)
            self._rewards.append(reward)
            self._note(observation, info)
            self._check(step)
            if (terminated or truncated) and step + 1 < len(self._actions):
                raise UserError(
                    f"the environment ends the episode ({info['outcome']}) after step {step + 1} of the recording's "
                    f"{len(self._actions)}; its limits are set by max_episode_steps and stall_steps"
                )
        names = env.game.variable_names
        return DemoSteps(
            observations=_stacked(self._observations),
            actions=self._actions,
            rewards=np.array(self._rewards),
            variables={name: np.array([each[name] for each in self._infos], np.int64) for name in names},
            action_masks=np.array(self._masks) if self._masks else None,
            states=self._states,
            outcome=self._infos[-1]["outcome"],
        )

    def _step(self, step: int, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays a step as it was recorded. Where chance decides, streams are tried until one does what is wanted."""
        before, frames = self._states[-1], self._infos[-1]["episode_frame_number"]
        wanted = int(self._ends[step + 1] - self._ends[step])
        by_chance = self._env.options.repeat_action_probability > 0 or len(set(self._env.options.frameskip)) > 1
        for seed in range(_MOST_TRIES if by_chance else 1):
            result = self._env.step(action)
            info = result[4]
            if info["action_taken"] == action and info["episode_frame_number"] - frames == wanted:
                return result
            self._env.reset(seed=seed, options={"state": before})
        name = self._env.get_action_meanings()[action]
        raise DesyncError(
            f"step {step + 1} of the recording: the environment does not play {name} for {wanted} frames "
            f"(it plays {self._env.get_action_meanings()[info['action_taken']]} for "
            f"{info['episode_frame_number'] - frames})",
            int(self._ends[step]) + 1,
        )

    def _note(self, observation: object, info: dict[str, Any]) -> None:
        self._observations.append(observation)
        self._infos.append(info)
        self._states.append(self._env)
        if "action_mask" in info:
            self._masks.append(info["action_mask"])

    def _check(self, step: int) -> None:
        frame, demo = int(self._ends[step + 1]), self._demo
        if frame % demo.check_every and frame != demo.frames:
            return
        self._machine.load_state(self._env.machine_state())
        if ram_hash(self._machine.memory) != demo.checks[-(-frame // demo.check_every) - 1]:
            raise DesyncError(
                f"after step {step + 1} (frame {frame}) the RAM is not what was recorded: the environment does not "
                "play this recording as it was",
                frame,
            )


def _stacked(observations: list[Any]) -> Observations:
    if isinstance(observations[0], dict):
        return {name: np.stack([each[name] for each in observations]) for name in observations[0]}
    return np.stack(observations)
