# SPDX-License-Identifier: GPL-3.0-or-later
"""What is taken for a saved state, compressed or not."""

import zstandard

from oakemu_rl.errors import UserError

__all__ = ["compressed", "state_bytes"]

# A frame of Zstandard begins so (RFC 8878, 3.1.1).
_ZSTD = b"\x28\xb5\x2f\xfd"
# No saved machine or environment comes near it.
_MAX_BYTES = 1 << 24


def state_bytes(state: object) -> bytes:
    """The state as bytes, decompressed; a bytearray, a memoryview or an array of bytes is as good.

    Raises:
        UserError: It is nothing of the kind, or compressed and damaged.
    """
    if type(state) is not bytes:
        try:
            state = memoryview(state).tobytes()  # type: ignore[arg-type]  # what is no buffer raises
        except TypeError as error:
            raise UserError(f"a saved state is bytes, not {type(state).__name__}") from error
    return _decompressed(state) if state[:4] == _ZSTD else state


def compressed(state: bytes) -> bytes:
    """The state as a frame of Zstandard, which :func:`state_bytes` knows."""
    return zstandard.ZstdCompressor().compress(state)


def _decompressed(state: bytes) -> bytes:
    try:
        size = zstandard.get_frame_parameters(state).content_size
        # Believing the frame could cost any amount of memory; one that does not tell is not ours.
        if not 0 <= size <= _MAX_BYTES:
            raise UserError(f"saved state: compressed, and would have more than {_MAX_BYTES} bytes, or does not say")
        decompressor = zstandard.ZstdDecompressor(max_window_size=_MAX_BYTES)
        return decompressor.decompress(state, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise UserError(f"saved state: compressed, and damaged ({error})") from None
