# SPDX-License-Identifier: GPL-3.0-or-later
"""One checkpoint on disk: a folder of ``checkpoint.json`` and ``tensors.pt``, complete or absent.

It is written to a folder with a temporary name, synced to the disk and then renamed, so that a kill at any moment
leaves either the whole checkpoint or none. Tensors are loaded with ``weights_only``: a checkpoint cannot run code.
"""

import contextlib
import hashlib
import io
import json
import os
import shutil
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

from oakemu_rl.errors import UserError

__all__ = [
    "Checkpoint",
    "is_checkpoint_file",
    "is_temporary",
    "read_checkpoint",
    "remove_checkpoint",
    "write_checkpoint",
]

_FORMAT_VERSION = 3  # 2 knew no plans of episodes, 1 had no checksum of its plain values
_FORMAT = "oakemu-rl checkpoint"
_INFO = "checkpoint.json"
_INFO_SUM = "info_sha256"
_TENSORS = "tensors.pt"
_TEMPORARY = ".tmp-"


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint holds.

    Attributes:
        info: Plain values: game, step counts, random streams, statistics, configuration.
        tensors: Nested dictionaries and lists of tensors and numbers: weights, optimiser, machine states.
    """

    info: Mapping[str, Any]
    tensors: Mapping[str, Any]


def is_checkpoint_file(path: Path) -> bool:
    """Whether a file's name is one of those that a checkpoint consists of."""
    return path.name in (_INFO, _TENSORS)


def write_checkpoint(folder: Path, checkpoint: Checkpoint, admit: Callable[[int], None] | None = None) -> None:
    """Writes a checkpoint as `folder`, which appears complete or not at all.

    Args:
        folder: Must not exist; its parent must.
        checkpoint: What to write.
        admit: Called with the bytes that will be written before they are; may raise OSError.

    Raises:
        OSError: The disk is full or not writable, or `admit` says so; nothing is left behind.
    """
    buffer = io.BytesIO()  # torch would report a full disk as a RuntimeError
    torch.save(checkpoint.tensors, buffer)
    tensors = buffer.getbuffer()
    header = {
        "format": _FORMAT,
        "format_version": _FORMAT_VERSION,
        "tensors_bytes": len(tensors),
        "tensors_sha256": hashlib.sha256(tensors).hexdigest(),
    }
    signed = {**checkpoint.info, **header}
    info = json.dumps({**signed, _INFO_SUM: _checksum(signed)}, indent=1, allow_nan=False).encode()
    if admit is not None:
        admit(len(tensors) + len(info))
    draft = _temporary_name(folder)
    try:
        draft.mkdir()
        _write_synced(draft / _TENSORS, tensors)
        _write_synced(draft / _INFO, info)
        _sync_folder(draft)
        draft.rename(folder)
        _sync_folder(folder.parent)
    except OSError:
        shutil.rmtree(draft, ignore_errors=True)
        raise


def read_checkpoint(folder: Path) -> Checkpoint:
    """Reads a checkpoint and sees to it that it is whole.

    Raises:
        UserError: Not a checkpoint, of a newer version, truncated or damaged; one line.
    """
    try:
        info = json.loads((folder / _INFO).read_bytes())
        if not isinstance(info, dict) or info.get("format") != _FORMAT:
            raise UserError(f"{folder / _INFO} was not written by oakemu-rl")
        if info.get("format_version") != _FORMAT_VERSION:
            version = info.get("format_version")
            raise UserError(f"{folder}: checkpoint format {version!r}, this version reads {_FORMAT_VERSION}")
        if info.pop(_INFO_SUM, None) != _checksum(info):
            raise UserError(f"{folder / _INFO} is damaged: its checksum is not the one of what it holds")
        tensors = (folder / _TENSORS).read_bytes()
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{folder / _INFO} is damaged: not JSON ({error})") from error
    except OSError as error:
        raise UserError(f"{folder} is not a whole checkpoint: {error.filename}: {error.strerror}") from error
    expected = info.get("tensors_bytes")
    if len(tensors) != expected:
        raise UserError(f"{folder / _TENSORS} is truncated: {len(tensors)} bytes of {expected}")
    if hashlib.sha256(tensors).hexdigest() != info.get("tensors_sha256"):
        raise UserError(f"{folder / _TENSORS} is damaged: its checksum is not the one in {_INFO}")
    try:
        loaded = torch.load(io.BytesIO(tensors), weights_only=True, map_location="cpu")
    except (RuntimeError, UnpicklingError, zipfile.BadZipFile, EOFError) as error:
        raise UserError(f"{folder / _TENSORS} cannot be loaded: {str(error).splitlines()[0]}") from error
    return Checkpoint(info, loaded)


def remove_checkpoint(folder: Path) -> None:
    """Removes a checkpoint, which disappears at once and not file by file; what cannot be removed stays."""
    condemned = _temporary_name(folder)
    with contextlib.suppress(OSError):
        folder.rename(condemned)
        shutil.rmtree(condemned, ignore_errors=True)


def is_temporary(path: Path) -> bool:
    """Whether this is what an interrupted `write_checkpoint` left behind."""
    return path.name.startswith(".") and _TEMPORARY in path.name


def _checksum(info: Mapping[str, Any]) -> str:
    """Of the plain values, however they are laid out; only what JSON gives back unchanged counts the same again."""
    as_read = json.loads(json.dumps(info, allow_nan=False))
    return hashlib.sha256(json.dumps(as_read, sort_keys=True).encode()).hexdigest()


def _temporary_name(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}{_TEMPORARY}{os.getpid()}")


def _write_synced(path: Path, content: bytes | memoryview) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(path: Path) -> None:
    """Makes the names in a folder durable, which on POSIX the files' own sync does not."""
    if os.name == "nt":  # Windows opens no folders
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
