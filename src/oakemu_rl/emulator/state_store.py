# SPDX-License-Identifier: GPL-3.0-or-later
"""Very many saved states in little memory."""

from collections.abc import Iterator

from oakemu_rl import _core
from oakemu_rl.emulator.saved_state import state_bytes
from oakemu_rl.emulator.spectrum import Spectrum
from oakemu_rl.errors import UserError

__all__ = ["StateStore"]


class StateStore:
    """Keeps saved machines, of any models, and shares what they have in common.

    Equal pages of 256 bytes are kept once, so 100,000 moments of a game take some hundred megabytes and not 5
    gigabytes. Adding and fetching take a few microseconds. Threads may share a store; its methods run one at a time.

    Example:
        >>> store = StateStore()
        >>> moment = store.add(spectrum)
        >>> spectrum.run_frames(500)
        >>> store.load(moment, spectrum)  # 500 frames back
    """

    def __init__(self) -> None:
        self._store = _core.StateStore()

    def add(self, state: bytes | Spectrum) -> int:
        """Keeps a state.

        Args:
            state: What ``save_state`` returned, or a machine, whose present state is meant.

        Returns:
            Its id. Ids count up from 0 and are never given twice; each call gives a new one, for equal states, too.

        Raises:
            UserError: The bytes are not a saved machine, damaged, or of another version; then nothing is added.
        """
        try:
            if isinstance(state, Spectrum):
                return self._store.add_machine(state._machine)
            return self._store.add(state_bytes(state))
        except ValueError as error:
            raise UserError(str(error)) from None

    def get(self, state_id: int) -> bytes:
        """The state, as ``save_state`` of the machine would return it, uncompressed.

        Raises:
            UserError: There is no such state.
        """
        try:
            return self._store.get(_checked(state_id))
        except IndexError as error:
            raise UserError(str(error)) from None

    def load(self, state_id: int, spectrum: Spectrum) -> None:
        """Puts a state into a machine, faster than ``spectrum.load_state(store.get(state_id))``.

        Raises:
            UserError: There is no such state, or it is of another model of machine; then nothing has changed.
        """
        try:
            self._store.load(_checked(state_id), spectrum._machine)
        except (IndexError, ValueError) as error:
            raise UserError(str(error)) from None

    def discard(self, state_id: int) -> None:
        """Forgets a state. Its memory is kept for states to come.

        Raises:
            UserError: There is no such state.
        """
        try:
            self._store.discard(_checked(state_id))
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
        return f"StateStore({len(self)} states, {self.pages} pages, {self.nbytes} bytes)"


def _checked(state_id: object) -> int:
    if not isinstance(state_id, int):
        raise UserError(f"the id of a state is a number, not {type(state_id).__name__}")
    if not 0 <= state_id < 1 << 63:
        raise UserError(f"there is no state {state_id} in the store")
    return state_id
