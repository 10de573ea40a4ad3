# SPDX-License-Identifier: GPL-3.0-or-later
"""Go-Explore: goes back to where it has been seldom, and plays on from there at random.

Ecoffet, Huizinga, Lehman, Stanley and Clune 2021, "First return, then explore" (Nature 590), phase 1. Emulated
machines are put back in microseconds, so that "return" is free and no policy is needed for it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from oakemu_rl.demos import Demo, DemoRecorder
from oakemu_rl.envs import EnvKeywords, EnvOptions, SpectrumEnv
from oakemu_rl.envs._core_envs import CoreEnvs
from oakemu_rl.envs.options import check_count
from oakemu_rl.errors import UserError, nearest
from oakemu_rl.games import Game, load_game
from oakemu_rl.games.place_cells import with_cells

__all__ = ["CellTable", "ExplorationSettings", "Explorer"]

_PICTURE = (11, 8)  # of Ecoffet et al.'s cells without knowledge of the game
_MAX_COUNT = 1_000_000
_MAX_THREADS = 4096
_MAX_SEED = (1 << 64) - 1
_LOOKS = "sees nothing but its cells"
_NOT_FOR_EXPLORATIONS = {
    "obs_type": _LOOKS,
    "img_width": _LOOKS,
    "img_height": _LOOKS,
    "stack_num": _LOOKS,
    "maxpool": _LOOKS,
    "noop_max": "begins right at the start state",
    "repeat_action_probability": "plays what it says; `repeat` makes it play actions for longer",
    "reward_clipping": "looks for the highest return",
}


@dataclass(frozen=True, kw_only=True)
class ExplorationSettings:
    """How an exploration goes about it.

    Attributes:
        cells: Expressions of the definition's language. Moments of which all values, rounded, are the same are one
            cell. None: the definition's own (`cells`); where it has none, the picture in 11 by 8 pixels of 8 levels.
        start: The name of the start state in which all ways begin.
        seed: Of the random trips, and of what a reset of the game draws.
        num_threads: Threads; what is found does not depend on them.
        trips: Trips a round, which know nothing of each other.
        trip_steps: Steps a trip, at most.
        repeat: How likely a step plays the last action once more, from 0 to below 1.
    """

    cells: Sequence[str] | None = None
    start: str = "default"
    seed: int = 0
    num_threads: int = 1
    trips: int = 64
    trip_steps: int = 100
    repeat: float = 0.9


@dataclass(frozen=True)
class CellTable:
    """All cells that have been found, in that order; N of them, of K numbers each.

    Attributes:
        keys: What makes them, (N, K) int64.
        returns: The return of the best way to each, (N,) float64.
        steps: The steps of that way, (N,) int64.
        seen: How many trips came by, (N,) int64.
    """

    keys: NDArray[np.int64]
    returns: NDArray[np.float64]
    steps: NDArray[np.int64]
    seen: NDArray[np.int64]


class Explorer:
    """An exploration of a game, in the core.

    The best way to a cell is the one with the highest return and, of those, the fewest steps.

    Example:
        >>> explorer = Explorer("caverns", ExplorationSettings(cells=["room", "player_x // 8", "player_y // 8"]))
        >>> while explorer.num_frames < 1_000_000:
        ...     explorer.explore()
        >>> save_demo("best.demo", explorer.demo(int(explorer.cells().returns.argmax())))

    Args:
        game: An id, the path of a definition, or a `Game`.
        settings: How.
        **options: See `EnvKeywords`. With `episodic_life`, trips end where a life is lost: no way loses one. How the
            game is seen, no-op frames and sticky actions are not for an exploration.

    Raises:
        UserError: The game is unknown or not usable, or something is not allowed.
    """

    def __init__(
        self,
        game: str | Path | Game,
        settings: ExplorationSettings | None = None,
        **options: Unpack[EnvKeywords],
    ) -> None:
        self.settings = settings = settings or ExplorationSettings()
        self.game = load_game(game)
        texts = self.game.definition.cells if settings.cells is None else settings.cells
        self.cell_texts = tuple(texts)
        explored, names = with_cells(self.game, self.cell_texts)
        self._keywords = _playing(options)
        self.options = EnvOptions.resolve(self.game, self._keywords)
        _check_frameskip(self.game, self.options)
        width, height = _PICTURE
        seen: EnvKeywords = (
            {"obs_type": "variables"}
            if names
            else {"obs_type": "grayscale", "img_width": width, "img_height": height, "stack_num": 1}
        )
        core = CoreEnvs(
            explored,
            EnvOptions.resolve(explored, {**self._keywords, **seen}),
            num_envs=1,
            num_threads=1,
            autoreset="disabled",
        )
        columns = dict(zip(explored.variable_names, explored.variable_columns, strict=True))
        self._explorer = core.open_explorer(
            cell=[columns[name] for name in names],
            picture=not names,
            start=_start_number(self.game, settings.start),
            seed=check_count("seed", settings.seed, 0, _MAX_SEED),
            num_threads=check_count("num_threads", settings.num_threads, 1, _MAX_THREADS),
            trips=check_count("trips", settings.trips, 1, _MAX_COUNT),
            trip_steps=check_count("trip_steps", settings.trip_steps, 1, _MAX_COUNT),
            repeat=_checked_repeat(settings.repeat),
        )

    def explore(self, rounds: int = 1) -> None:
        """Plays rounds of trips; other Python threads run meanwhile."""
        for _ in range(rounds):
            self._explorer.explore()

    @property
    def num_cells(self) -> int:
        """Cells found so far."""
        return self._explorer.num_cells

    @property
    def num_trips(self) -> int:
        """Trips made; each puts a machine back once."""
        return self._explorer.num_trips

    @property
    def num_steps(self) -> int:
        """Steps played on all trips."""
        return self._explorer.num_steps

    @property
    def num_frames(self) -> int:
        """Frames emulated on all trips."""
        return self._explorer.num_frames

    @property
    def num_wins(self) -> int:
        """Trips that ended with a win."""
        return self._explorer.num_wins

    @property
    def nbytes(self) -> int:
        """Bytes of memory that cells, their machines and ways hold."""
        return self._explorer.nbytes

    @property
    def best_win(self) -> tuple[float, int] | None:
        """Return and steps of the best way that won."""
        return self._explorer.best_win()

    def cells(self) -> CellTable:
        """All cells as they stand; new arrays."""
        return CellTable(*self._explorer.cells())

    def way_to(self, cell: int) -> NDArray[np.int64]:
        """The actions from the start to a cell, (S,).

        Raises:
            IndexError: There is no such cell.
        """
        return np.array(self._explorer.way_to(cell), np.int64)

    def demo(self, cell: int) -> Demo:
        """The way to a cell as a recording.

        Raises:
            IndexError: There is no such cell.
            UserError: It is the start: there is nothing to record.
        """
        return self._record(self._explorer.way_to(cell))

    def winning_demo(self) -> Demo:
        """The best way that won as a recording.

        Raises:
            UserError: None did.
        """
        if self.best_win is None:
            raise UserError(f"{self.game.id}: no trip has won yet")
        return self._record(self._explorer.way_to_win())

    def _record(self, way: Sequence[int]) -> Demo:
        env = SpectrumEnv(self.game, **self._keywords)
        env.reset(options={"machine": self._explorer.start})
        recorder = DemoRecorder(self.game, env.options, env.machine_state(), source="explorer", seed=self.settings.seed)
        outcome, earned, frames = "running", 0.0, 0
        for action in way:
            info = env.step(action)[4]
            recorder.add_step(info["action_taken"], info["episode_frame_number"] - frames)
            outcome, earned, frames = info["outcome"], info["episode_return"], info["episode_frame_number"]
        return recorder.finish(outcome, earned)


def _playing(options: EnvKeywords) -> EnvKeywords:
    """The options with what an exploration decides itself.

    Raises:
        UserError: One is given that is not for an exploration.
    """
    for name in options:
        if name in _NOT_FOR_EXPLORATIONS:
            raise UserError(f"{name} is not for an exploration, which {_NOT_FOR_EXPLORATIONS[name]}")
    return {**options, "noop_max": 0, "repeat_action_probability": 0.0}


def _check_frameskip(game: Game, options: EnvOptions) -> None:
    low, high = options.frameskip
    if low != high:
        raise UserError(f"{game.id}: frameskip is {low} to {high}, but ways need steps of one length; give a number")


def _checked_repeat(value: object) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value < 1:
        raise UserError(f"repeat must be a number from 0 to below 1, not {value!r}")
    return float(value)


def _start_number(game: Game, name: str) -> int:
    if name not in game.start_names:
        known = ", ".join(game.start_names)
        raise UserError(f"there is no start state {name!r}{nearest(name, game.start_names)}; there are {known}")
    return game.start_names.index(name)
