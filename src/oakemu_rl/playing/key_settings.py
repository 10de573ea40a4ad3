# SPDX-License-Identifier: GPL-3.0-or-later
"""The file in which a person keeps the keys that they like: ``keys.yaml`` in their configuration folder.

For example::

    keys: {z: left, x: right, left shift: space}    # for every game
    hotkeys: {rewind: backspace}
    games:
      Caverns:                                      # for one, by name or id
        joystick: sinclair2
        keys: {z: o}
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from oakemu_rl._user_folders import configuration_folder
from oakemu_rl._validation import LocatedError, shorten
from oakemu_rl.emulator.host_keys import check_host_key
from oakemu_rl.errors import nearest
from oakemu_rl.games.keys import Joystick
from oakemu_rl.playing.hotkeys import Hotkey
from oakemu_rl.playing.key_map import Assignment
from oakemu_rl.yaml_source import Source, load_yaml, validate

__all__ = ["KeySettings", "key_settings_path", "read_key_settings"]


_HOTKEYS = tuple(hotkey.value for hotkey in Hotkey)


def _names(value: object) -> object:
    """``shift+5`` is as good as ``[shift, 5]``, and a digit needs no quotes."""
    items = value if isinstance(value, list) else str(value).split("+") if isinstance(value, str | int) else value
    return [str(item).lower() for item in items] if isinstance(items, list) else items


_Held = Annotated[tuple[str, ...], BeforeValidator(_names), Field(min_length=1)]


def _check_hosts(keys: dict[str, _Held], field: str) -> None:
    for host in keys:
        problem = check_host_key(host.lower())
        if problem:
            raise LocatedError(problem, (field, host), key=True)


class _GameKeys(BaseModel):
    """What differs in one game."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    keys: dict[str, _Held] = Field(default_factory=dict)
    joystick: Joystick | None = None

    @model_validator(mode="after")
    def _hosts(self) -> Self:
        _check_hosts(self.keys, "keys")
        return self


class _File(_GameKeys):
    """The whole file."""

    hotkeys: dict[str, str] = Field(default_factory=dict)
    games: dict[str, _GameKeys] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _hotkeys(self) -> Self:
        for name, host in self.hotkeys.items():
            if name not in _HOTKEYS:
                raise LocatedError(
                    f"there is no hotkey {shorten(name)}{nearest(name, _HOTKEYS)}; there are {', '.join(_HOTKEYS)}",
                    ("hotkeys", name),
                    key=True,
                )
            problem = check_host_key(host.lower())
            if problem:
                raise LocatedError(problem, ("hotkeys", name))
        return self


@dataclass(frozen=True, slots=True)
class KeySettings:
    """What a person wants in one game."""

    keys: tuple[Assignment, ...] = ()
    hotkeys: tuple[Assignment, ...] = ()
    joystick: Joystick | None = None


def key_settings_path() -> Path:
    """Where the file lies, if there is one: in the platform's folder for configuration, or in $OAKEMU_RL_HOME."""
    return configuration_folder() / "keys.yaml"


def read_key_settings(path: Path, game_names: tuple[str, ...] = ()) -> KeySettings:
    """Reads the file; without one, nothing is wanted.

    Args:
        path: The file.
        game_names: How the game may be called in it.

    Raises:
        UserError: It cannot be read or used; ``file:line:column: what is wrong``.
    """
    if not path.exists():
        return KeySettings()
    source = load_yaml(path)
    if source.data is None:  # nothing but comments
        return KeySettings()
    file = validate(_File, source)
    wanted = {name.lower() for name in game_names}
    keys = _assignments(source, file.keys, ("keys",))
    joystick = file.joystick
    for name, game in file.games.items():
        if name.lower() in wanted:
            keys += _assignments(source, game.keys, ("games", name, "keys"))
            joystick = game.joystick or joystick
    hotkeys = [
        Assignment(host.lower(), (name,), source.where(("hotkeys", name))) for name, host in file.hotkeys.items()
    ]
    return KeySettings(tuple(keys), tuple(hotkeys), joystick)


def _assignments(source: Source, keys: dict[str, tuple[str, ...]], loc: tuple[str, ...]) -> list[Assignment]:
    return [Assignment(host.lower(), held, source.where((*loc, host))) for host, held in keys.items()]
