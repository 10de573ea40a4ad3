# SPDX-License-Identifier: GPL-3.0-or-later
"""What all stores of states have in common."""

from collections.abc import Iterator

from oakemu_rl import _core
from oakemu_rl.errors import UserError

__all__ = ["KeptStates", "checked_id"]


class KeptStates:
    """States by id in one of the core's stores. Its methods run one at a time, whoever calls them."""

    _store: _core.StateStore | _core.SlotStore

    def get(self, state_id: int) -> bytes:
        """The state as it was added, uncompressed.

        Raises:
            UserError: There is no such state.
        """
        try:
            return self._store.get(checked_id(state_id))
        except IndexError as error:
            raise UserError(str(error)) from None

    def discard(self, state_id: int) -> None:
        """Forgets a state. Its memory is kept for states to come.

        Raises:
            UserError: There is no such state.
        """
        try:
            self._store.discard(checked_id(state_id))
        except IndexError as error:
            raise UserError(str(error)) from None

    def clear(self) -> None:
        """Forgets all states, and gives their memory back. Ids go on counting."""
        self._store.clear()

    @property
    def nbytes(self) -> int:
        """Bytes of memory that the store holds."""
        return self._store.nbytes

    @property
    def pages(self) -> int:
        """How many different pages of 256 bytes there are in all its states."""
        return self._store.pages

    def __len__(self) -> int:
        return len(self._store)

    def __contains__(self, state_id: object) -> bool:
        return isinstance(state_id, int) and 0 <= state_id < 1 << 63 and state_id in self._store

    def __iter__(self) -> Iterator[int]:
        """The ids of its states when the iteration began, oldest first."""
        return iter(self._store.ids())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} states, {self.pages} pages, {self.nbytes} bytes)"


def checked_id(state_id: object) -> int:
    """An id that a store may have.

    Raises:
        UserError: It can be none.
    """
    if not isinstance(state_id, int):
        raise UserError(f"the id of a state is a number, not {type(state_id).__name__}")
    if not 0 <= state_id < 1 << 63:
        raise UserError(f"there is no state {state_id} in the store")
    return state_id
