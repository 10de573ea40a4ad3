# SPDX-License-Identifier: GPL-3.0-or-later
"""Which runs of tracking services belong to a run folder, so that a resumed run goes on in the same one."""

import json
from pathlib import Path

from oakemu_rl._whole_file import write_whole

__all__ = ["find_tracked_run", "remember_tracked_run"]


def find_tracked_run(path: Path, service: str) -> str | None:
    """The run's id at a service; None if it was never tracked there.

    Args:
        path: The run folder's tracking.json.
        service: The service's name.

    Raises:
        ValueError: The file is damaged.
        OSError: It cannot be read.
    """
    return _read(path).get(service)


def remember_tracked_run(path: Path, service: str, run_id: str) -> None:
    """Writes the run's id at a service down, whole or not at all.

    Raises:
        ValueError: The file is damaged.
        OSError: It cannot be read or written.
    """
    known = _read(path)
    if known.get(service) == run_id:
        return
    write_whole(path, (json.dumps({**known, service: run_id}, indent=1) + "\n").encode())


def _read(path: Path) -> dict[str, str]:
    if not path.is_file():
        return {}
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is damaged: not JSON") from error
    if not isinstance(known, dict) or not all(isinstance(run_id, str) for run_id in known.values()):
        raise ValueError(f"{path} is damaged: not ids by service")
    return known
