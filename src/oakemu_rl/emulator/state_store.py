# SPDX-License-Identifier: GPL-3.0-or-later
"""Very many saved states in little memory."""

from oakemu_rl import _core
from oakemu_rl.emulator.kept_states import KeptStates, checked_id
from oakemu_rl.emulator.saved_state import state_bytes
from oakemu_rl.emulator.spectrum import Spectrum
from oakemu_rl.errors import UserError

__all__ = ["StateStore"]


class StateStore(KeptStates):
    """Keeps saved machines, of any models, and shares what they have in common.

    Equal pages of 256 bytes are kept once, so 100,000 moments of a game take some hundred megabytes and not 5
    gigabytes. Adding and fetching take a few microseconds. Threads may share a store; its methods run one at a time.

    Example:
        >>> store = StateStore()
        >>> moment = store.add(spectrum)
        >>> spectrum.run_frames(500)
        >>> store.load(moment, spectrum)  # 500 frames back
    """

    _store: _core.StateStore

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

    def load(self, state_id: int, spectrum: Spectrum) -> None:
        """Puts a state into a machine, faster than ``spectrum.load_state(store.get(state_id))``.

        Raises:
            UserError: There is no such state, or it is of another model of machine; then nothing has changed.
        """
        try:
            self._store.load(checked_id(state_id), spectrum._machine)
        except (IndexError, ValueError) as error:
            raise UserError(str(error)) from None
