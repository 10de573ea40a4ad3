# SPDX-License-Identifier: GPL-3.0-or-later
"""An agent's episode frame by frame, as a person would see it on a television."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.caption import Line, caption
from oakemu_rl.emulator.keyboard import KEYS
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.envs.actions import action_set
from oakemu_rl.evaluation.players import Player
from oakemu_rl.evaluation.tester import episode_chance
from oakemu_rl.ppo.observation_parts import alone

__all__ = ["Moment", "Twin", "captioned", "play_episode"]

_WHITE = (255, 255, 255)
_YELLOW = (255, 255, 0)
_CYAN = (0, 255, 255)
_SILENCE = np.zeros(0, np.int16)


@dataclass(frozen=True)
class Moment:
    """One emulated frame of an episode.

    Attributes:
        picture: What the beam drew, with its border, shape (240, 320, 3).
        samples: What was heard, (n,), 48,000 a second; empty where nobody listens.
        step: Agent steps taken so far.
        action: Name of the action that is held.
        episode_return: Sum of the rewards so far.
        info: The environment's info after the step that this frame belongs to.
        ended: Whether the episode ended with this step.
    """

    picture: NDArray[np.uint8]
    samples: NDArray[np.int16]
    step: int
    action: str
    episode_return: float
    info: dict[str, Any]
    ended: bool


class Twin:
    """A second machine that does what an environment's does, so that the frames within a step can be seen.

    Args:
        env: The environment.
        sound: Whether it is heard as well.
    """

    def __init__(self, env: SpectrumEnv, *, sound: bool = False) -> None:
        actions = action_set(env.game, full=env.options.full_action_space, action_type=env.options.action_type)
        self.action_names, self._table = actions.names, actions.table
        kempston = env.game.definition.joystick == "kempston"
        self.machine = Spectrum(env.game.definition.machine, contention=env.options.contention, kempston=kempston)
        self._watcher = self.machine.watch(sound=sound)
        self._sound = sound

    def begin(self, state: bytes) -> None:
        """Takes over the machine as it was before a step (`SpectrumEnv.machine_state`)."""
        self.machine.load_state(state)

    def hold(self, action: int) -> None:
        """Holds the keys and joystick of an action."""
        row = self._table[action]
        self.machine.release_all()
        self.machine.press(*(name for name, key in KEYS.items() if row[key.row] >> key.bit & 1))
        joystick = int(row[8])
        if joystick:
            self.machine.joystick(
                right=bool(joystick & 1),
                left=bool(joystick & 2),
                down=bool(joystick & 4),
                up=bool(joystick & 8),
                fire=bool(joystick & 16),
            )

    def run_frame(self) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
        """Runs one frame; returns its picture (240, 320, 3) and its samples (n,), none without sound."""
        frame = self._watcher.run_frame()
        return frame.picture, frame.samples if self._sound else _SILENCE


def play_episode(
    env: SpectrumEnv, player: Player, seed: int, *, epilogue: int = 0, sound: bool = False
) -> Iterator[Moment]:
    """Plays one episode and shows every frame of it, those between two decisions too.

    The environment itself only shows what is there after each decision. A second machine therefore starts from the
    same state and is given the same keys; emulation is deterministic, so it shows exactly what the agent's does.
    It is the episode that `Tester.play` plays from this seed.

    Args:
        env: A fresh or used environment; it is reset.
        player: Chooses the actions.
        seed: Of the episode.
        epilogue: Frames to show after the end, with no key held: what the game itself then says.
        sound: Whether the moments have samples.

    Yields:
        One moment a frame.
    """
    observation, info = env.reset(seed=seed)
    chance = [episode_chance(seed)]
    twin = Twin(env, sound=sound)
    player.begin(np.ones(1, dtype=np.bool_))
    total, ended = 0.0, False
    while not ended:
        frames_before = info["episode_frame_number"]
        twin.begin(env.machine_state())
        masks = env.action_masks()[np.newaxis] if "action_mask" in info else None
        action = int(player.choose(alone(observation), chance, masks)[0])
        observation, reward, terminated, truncated, info = env.step(action)
        ended = terminated or truncated
        total += reward
        taken = info["action_taken"]
        twin.hold(taken)
        for _ in range(info["episode_frame_number"] - frames_before):
            name = twin.action_names[taken]
            yield Moment(*twin.run_frame(), info["episode_length"], name, total, info, ended)
    twin.machine.release_all()
    for _ in range(epilogue):
        yield Moment(*twin.run_frame(), info["episode_length"], "", total, info, ended)


def captioned(moment: Moment, score: str | None) -> NDArray[np.uint8]:
    """The moment's picture with the score, the return, the step and the held action beneath it.

    Args:
        moment: What is shown.
        score: Name of the variable that is the game's score, None if it has none.

    Returns:
        Shape (266, 320, 3).
    """
    points = f"SCORE {moment.info[score]:<6d} " if score else ""
    result: Line = (str(moment.info["outcome"]).upper(), _YELLOW) if moment.ended else (moment.action, _CYAN)
    first: Line = (f"{points}RETURN {moment.episode_return:g}", _WHITE)
    second: Line = (f"STEP  {moment.step:<6d} ", _WHITE)
    return caption(moment.picture, [[first], [second, result]])
