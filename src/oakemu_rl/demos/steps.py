# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording as an agent sees it: observations, actions, rewards, and a state of the environment for every step."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos.banked_states import BankedStates
from oakemu_rl.demos.checking import check_game, ram_hash
from oakemu_rl.demos.demo import Demo
from oakemu_rl.demos.errors import DesyncError
from oakemu_rl.demos.game_memory import opens_game
from oakemu_rl.emulator import Spectrum
from oakemu_rl.envs import GAME_REWARD, EnvOptions, SpectrumEnv
from oakemu_rl.envs.actions import action_set
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game

__all__ = ["DemoSteps", "Observations", "demo_steps", "fitted_actions"]

Observations = NDArray[Any] | dict[str, NDArray[Any]]
"""(S + 1, ...), or a dictionary of such arrays, as the environment's observation space is one of arrays."""


@dataclass(frozen=True)
class DemoSteps:
    """An episode of S steps.

    Attributes:
        observations: Before each step and after the last, with stacks as the environment makes them.
        actions: The environment's numbers, (S,) int64.
        rewards: (S,) float64.
        game_rewards: The same before clipping, (S,).
        variables: The game's variables before each step and after the last, each (S + 1,) int64.
        action_masks: Which actions were allowed then, (S + 1, A) bool; None where the game forbids none.
        states: What ``get_state`` of an environment with these options gave then; to be given to ``reset``, with a seed
            of its own, as the random stream in them is one that did what was recorded.
        outcome: How it ended; ``"running"`` where the recording ends before.
        exact: Whether each step held just what its action holds, so that whoever takes these actions does the same.
            With a person's keys, which change within steps, it is the recording's keys that do.
        opens: Whether it begins where a game begins, and not in the middle of one.
        demo: The recording.
    """

    observations: Observations
    actions: NDArray[np.int64]
    rewards: NDArray[np.float64]
    game_rewards: NDArray[np.float64]
    variables: dict[str, NDArray[np.int64]]
    action_masks: NDArray[np.bool_] | None
    states: Sequence[bytes]
    outcome: str
    exact: bool
    opens: bool
    demo: Demo


def fitted_actions(demo: Demo, game: Game, options: EnvOptions) -> NDArray[np.int64]:
    """The actions of an environment for the steps of a recording, (S,).

    A step is the action that holds what was held. Where a person's keys are none, or change within the step, it is the
    action of the name that the recording gives the step.

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
    by_keys = {row.tobytes(): number for number, row in enumerate(actions.table)}
    by_name = {name: number for number, name in enumerate(actions.names)}
    found = []
    for step, (begin, end) in enumerate(pairwise(ends.tolist()), start=1):
        held = demo.keys[begin:end]
        number = by_keys.get(held[0].tobytes()) if (held == held[0]).all() else None
        if number is None:
            name = "" if demo.actions is None else demo.action_meanings[demo.actions[step - 1]]
            number = by_name.get(name)
            if number is None:
                raise UserError(
                    f"step {step} of the recording plays {name}, which is none of the environment's actions: "
                    f"{', '.join(actions.names)}"
                )
        found.append(number)
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
        self._game_rewards: list[float] = []
        self._infos: list[dict[str, Any]] = []
        self._masks: list[NDArray[np.bool_]] = []
        self._states = BankedStates(env)

    def play(self) -> DemoSteps:
        env = self._env
        self._note(*env.reset(seed=0, options={"machine": self._demo.start}))
        for step, action in enumerate(self._actions.tolist()):
            held = self._demo.keys[self._ends[step] : self._ends[step + 1]]
            observation, reward, terminated, truncated, info = env.step_held(action, held)
            self._rewards.append(reward)
            self._game_rewards.append(float(info.get(GAME_REWARD, reward)))
            self._note(observation, info)
            self._check(step)
            if (terminated or truncated) and step + 1 < len(self._actions):
                raise self._early_end(step, info["outcome"])
        names = env.game.variable_names
        return DemoSteps(
            observations=_stacked(self._observations),
            actions=self._actions,
            rewards=np.array(self._rewards),
            game_rewards=np.array(self._game_rewards),
            variables={name: np.array([each[name] for each in self._infos], np.int64) for name in names},
            action_masks=np.array(self._masks) if self._masks else None,
            states=self._states,
            outcome=self._infos[-1]["outcome"],
            exact=self._is_exact(),
            opens=opens_game(env.game, self._demo.start),
            demo=self._demo,
        )

    def _is_exact(self) -> bool:
        options = self._env.options
        table = action_set(self._env.game, full=options.full_action_space, action_type=options.action_type).table
        return bool((table[self._actions].repeat(np.diff(self._ends), axis=0) == self._demo.keys).all())

    def _early_end(self, step: int, outcome: str) -> UserError:
        hint = "its limits are set by max_episode_steps and stall_steps"
        if outcome != "truncated":
            hint = "oakemu-rl demos trim cuts off what comes after"
        return UserError(
            f"the environment ends the episode ({outcome}) after step {step + 1} of the recording's "
            f"{len(self._actions)}; {hint}"
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
