# SPDX-License-Identifier: GPL-3.0-or-later
import hashlib
from importlib import resources
from pathlib import Path

import pytest

from oakemu_rl.emulator import load_rom
from oakemu_rl.errors import UserError


@pytest.fixture
def fresh_cache() -> None:
    load_rom.cache_clear()


def test_the_rom_is_the_genuine_one() -> None:
    assert hashlib.sha1(load_rom("48k")).hexdigest() == "5ea7c2b824672e914525d1d5c419d71b84a426a2"  # noqa: S324 - identity
    assert load_rom("48k") is load_rom("48k")


def test_an_unknown_machine_is_named() -> None:
    with pytest.raises(UserError, match=r"unknown machine '48', allowed are 48k, 128k, plus2 \(did you mean '48k'\?\)"):
        load_rom("48")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "48.rom is not in the package skoolkit; install it anew"),
        (b"\0" * 16384, "has SHA-1 .*, expected 5ea7c2b8"),
    ],
)
def test_a_missing_or_foreign_image_is_refused(
    content: bytes | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_cache: None
) -> None:
    (tmp_path / "resources").mkdir()
    if content is not None:
        (tmp_path / "resources" / "48.rom").write_bytes(content)
    with monkeypatch.context() as patch:
        patch.setattr(resources, "files", lambda _package: tmp_path)
        with pytest.raises(UserError, match=message):
            load_rom("48k")
    assert len(load_rom("48k")) == 16384
