# SPDX-License-Identifier: GPL-3.0-or-later
"""What is taken for a saved state."""

from oakemu_rl.errors import UserError

__all__ = ["state_bytes"]


def state_bytes(state: object) -> bytes:
    """The state as bytes; a bytearray, a memoryview or an array of bytes is as good.

    Raises:
        UserError: It is nothing of the kind.
    """
    try:
        return memoryview(state).tobytes()  # type: ignore[arg-type]  # what is no buffer raises
    except TypeError as error:
        raise UserError(f"a saved state is bytes, not {type(state).__name__}") from error
