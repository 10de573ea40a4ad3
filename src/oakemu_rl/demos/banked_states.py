# SPDX-License-Identifier: GPL-3.0-or-later
"""The states of an environment during one episode, which have most of their memory in common."""

from collections.abc import Sequence
from typing import overload

from oakemu_rl.envs import SpectrumEnv, StateBank

__all__ = ["BankedStates"]


class BankedStates(Sequence[bytes]):
    """States in their order, as ``get_state`` gives them; kept in a `StateBank`, and made whole when asked for.

    Args:
        env: An environment like those whose states are kept.
    """

    def __init__(self, env: SpectrumEnv) -> None:
        self._bank = StateBank(env)
        self._ids: list[int] = []

    def append(self, env: SpectrumEnv) -> None:
        """Adds the environment as it stands."""
        self._ids.append(self._bank.add(env))

    def __len__(self) -> int:
        return len(self._ids)

    @overload
    def __getitem__(self, place: int) -> bytes: ...

    @overload
    def __getitem__(self, place: slice) -> list[bytes]: ...

    def __getitem__(self, place: int | slice) -> bytes | list[bytes]:
        if isinstance(place, slice):
            return [self._bank.get(state_id) for state_id in self._ids[place]]
        return self._bank.get(self._ids[place])
