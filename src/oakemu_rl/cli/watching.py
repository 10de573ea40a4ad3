# SPDX-License-Identifier: GPL-3.0-or-later
"""A person who watches an agent: its episodes frame by frame in a window."""

from collections.abc import Callable, Iterable
from pathlib import Path

from oakemu_rl.cli.pictures import save_picture
from oakemu_rl.emulator.pacing import frame_rate
from oakemu_rl.emulator.speaker import Speaker
from oakemu_rl.emulator.window import Window
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.evaluation import EPILOGUE, Moment, Player, captioned, play_episode

__all__ = ["WatchSession", "describe_episode"]

_QUIT = {"escape", "q"}


def describe_episode(number: int, last: Moment, score: str | None) -> str:
    """One line about a finished episode.

    Args:
        number: Its number, from 1.
        last: Its last moment.
        score: Name of the variable that is the game's score, None if it has none.
    """
    points = f"score {last.info[score]}, " if score else ""
    return f"episode {number}: {points}return {last.episode_return:g}, {last.step:,} steps, {last.info['outcome']}"


class WatchSession:
    """Shows episodes until the window is closed or they are over.

    Args:
        env: The agent's environment.
        player: The agent.
        window: Where it is shown.
        speaker: Where it is heard; None for silence.
        report: Takes a line after each episode.
        pictures: Folder for pictures.
    """

    def __init__(
        self,
        env: SpectrumEnv,
        player: Player,
        window: Window,
        *,
        speaker: Speaker | None = None,
        report: Callable[[str], None],
        pictures: Path,
    ) -> None:
        self._env = env
        self._player = player
        self._window = window
        self._speaker = speaker
        self._rate = float(frame_rate(env.game.definition.machine))
        self._report = report
        self._pictures = pictures
        self._paused = False

    def run(self, seeds: Iterable[int]) -> None:
        """Shows one episode for each seed."""
        for number, seed in enumerate(seeds, start=1):
            if not self._show(number, seed):
                return

    def _show(self, number: int, seed: int) -> bool:
        """Shows an episode; false when the person has had enough."""
        definition = self._env.game.definition
        score = definition.score_variable
        self._window.set_title(f"{definition.title}: episode {number}")
        sound = self._speaker is not None
        for moment in play_episode(self._env, self._player, seed, epilogue=EPILOGUE, sound=sound):
            last = moment
            if self._speaker is not None:
                self._speaker.play(moment.samples)
            while True:
                pressed = self._window.poll()
                if self._window.closed or _QUIT.intersection(pressed):
                    return False
                if "n" in pressed:
                    return True
                self._react(pressed, moment)
                self._window.show(captioned(moment, score), self._rate)
                if not self._paused:
                    break
        self._report(describe_episode(number, last, score))
        return True

    def _react(self, pressed: list[str], moment: Moment) -> None:
        if pressed.count("space") % 2:
            self._paused = not self._paused
        if "f12" in pressed:
            save_picture(self._pictures, self._env.game.definition.name.lower(), moment.picture)
