# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds out by a machine's memory which of the known games it runs."""

from collections.abc import Iterable
from dataclasses import dataclass

from oakemu_rl.demos.game_memory import GameMemory, ram_of
from oakemu_rl.emulator import Spectrum
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, list_games, load_game

__all__ = ["KnownGames", "Recognised", "Recogniser"]

_LEAST = 0.8
"""Likeness from which on a memory counts as that of a game. Another program at the same place has a few hundredths."""


@dataclass(frozen=True)
class Recognised:
    """A game that a machine runs.

    Attributes:
        memory: The game, with what its memory looks like.
        likeness: How much of the game's program is in the machine's memory, 0 to 1.
    """

    memory: GameMemory
    likeness: float


@dataclass(frozen=True)
class KnownGames:
    """The games among which a recording's is looked for.

    Attributes:
        memories: Those that can be started.
        missing: The ids of the others: their programs are not there.
    """

    memories: tuple[GameMemory, ...]
    missing: tuple[str, ...] = ()

    @classmethod
    def of(cls, games: Iterable[Game]) -> "KnownGames":
        """Certain games.

        Raises:
            UserError: One of them cannot be started.
        """
        return cls(tuple(GameMemory(game) for game in games))

    @classmethod
    def all(cls) -> "KnownGames":
        """All that are known by name and have their programs."""
        memories: list[GameMemory] = []
        missing: list[str] = []
        for game_id in list_games():
            try:
                memories.append(GameMemory(load_game(game_id)))
            except UserError:
                missing.append(game_id)
        return cls(tuple(memories), tuple(missing))


class Recogniser:
    """Looks for the game of one recording.

    Args:
        games: Those that it may be.
    """

    def __init__(self, games: KnownGames) -> None:
        self._games = games
        self._best: dict[str, float] = {}

    def recognise(self, spectrum: Spectrum) -> Recognised | None:
        """The game that a machine runs; None if it is none of the games.

        Raises:
            UserError: It may be several, or is one for another machine.
        """
        ram = ram_of(spectrum)
        found = []
        for memory in self._games.memories:
            likeness = memory.likeness(ram)
            self._best[memory.game.id] = max(likeness, self._best.get(memory.game.id, 0.0))
            if likeness >= _LEAST:
                found.append(Recognised(memory, likeness))
        if not found:
            return None
        most = max(each.likeness for each in found)
        found = [each for each in found if each.likeness == most]
        if len(found) > 1:
            names = " and ".join(each.memory.game.id for each in found)
            raise UserError(f"the program is that of {names}; say which one is meant with --game")
        machine = found[0].memory.game.definition.machine
        if machine != spectrum.machine:
            raise UserError(
                f"it is {found[0].memory.game.id} on a machine {spectrum.machine}; the game is defined for {machine}"
            )
        return found[0]

    def describe_failure(self) -> str:
        """Why a recording's game has not been found: what came nearest, and what was not looked at."""
        known = sorted(self._best.items(), key=lambda item: -item[1])
        nearest = ", ".join(f"{game_id} {likeness:.0%}" for game_id, likeness in known[:3])
        text = f"its memory is that of no known game (likest: {nearest or 'none'}; from {_LEAST:.0%} on it would be)"
        if self._games.missing:
            text += f"; not looked at, as their programs are not there: {', '.join(self._games.missing)}"
        return text
