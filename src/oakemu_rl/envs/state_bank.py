# SPDX-License-Identifier: GPL-3.0-or-later
"""Very many states of environments in little memory."""

from oakemu_rl import _core
from oakemu_rl.emulator.kept_states import KeptStates
from oakemu_rl.emulator.saved_state import state_bytes
from oakemu_rl.envs.single import SpectrumEnv
from oakemu_rl.envs.vector import SpectrumVectorEnv
from oakemu_rl.errors import UserError

__all__ = ["StateBank"]


class StateBank(KeptStates):
    """Keeps states of environments of one game and one set of options, and shares what they have in common.

    Equal pages of 256 bytes of their machines and of their stacked frames are kept once. Where `StateStore` of
    `oakemu_rl.emulator` keeps machines, this one keeps all of an environment: what ``get_state`` returns comes back to
    the byte.

    Args:
        env: An environment like those whose states are kept.

    Example:
        >>> bank = StateBank(envs)
        >>> moment = bank.add(envs, 3)
        >>> envs.step(actions)
        >>> bank.put(envs, 5, moment)  # environment 5 goes on from where 3 was
        >>> envs.reset(options={"reset_mask": first, "states": [bank.get(moment), None]})
    """

    _store: _core.SlotStore

    def __init__(self, env: SpectrumEnv | SpectrumVectorEnv) -> None:
        self._store = env._open().open_store()

    def add(self, env: SpectrumEnv | SpectrumVectorEnv, i: int = 0) -> int:
        """Keeps environment i as it stands.

        Returns:
            The id. Ids count up from 0 and are never given twice; each call gives a new one, for equal states, too.

        Raises:
            UserError: The environment is of another game or has other options; then nothing is added.
            IndexError: There is no environment i.
        """
        return env._open().store_state(self._store, i)

    def add_state(self, state: bytes) -> int:
        """Keeps what ``get_state`` of such an environment returned; returns its id.

        Raises:
            UserError: The bytes are damaged or of another configuration; then nothing is added.
        """
        try:
            return self._store.add_bytes(state_bytes(state))
        except ValueError as error:
            raise UserError(str(error)) from None

    def put(self, env: SpectrumEnv | SpectrumVectorEnv, i: int, state_id: int) -> None:
        """Puts a state into environment i, as its ``set_state`` does.

        Raises:
            UserError: There is no such state, or the environment has another configuration; then nothing has changed.
            IndexError: There is no environment i.
        """
        state = self.get(state_id)
        if isinstance(env, SpectrumVectorEnv):
            env.set_state(i, state)
        elif i == 0:
            env.set_state(state)
        else:
            raise IndexError(f"environment {i}: there is one, number 0")
