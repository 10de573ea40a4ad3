# SPDX-License-Identifier: GPL-3.0-or-later
"""Definitions out of the folders in which stable-retro keeps a game: data.json, scenario.json, metadata.json."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from oakemu_rl.errors import UserError
from oakemu_rl.games._names import RAM_END, RAM_START, Name
from oakemu_rl.games.keys import DIRECTIONS, Joystick
from oakemu_rl.games.retro_scenario import ScenarioReader
from oakemu_rl.games.retro_types import carry_variable
from oakemu_rl.games.settings import DISPLAY_HEIGHT, DISPLAY_WIDTH

__all__ = ["ImportedGame", "import_retro"]

_BUTTONS = {
    "LEFT": "left",
    "RIGHT": "right",
    "UP": "up",
    "DOWN": "down",
    "A": "fire",
    "B": "fire",
    "BUTTON": "fire",
    "FIRE": "fire",
}
_SINGLE: dict[str, list[str]] = {"stay": [], **{name: [name] for name in DIRECTIONS}}
_NAME: TypeAdapter[str] = TypeAdapter(Name)
# Keys of `info` that are not the game's.
_TAKEN = {
    "action_mask", "action_taken", "episode", "episode_frame_number", "episode_length", "episode_return", "final_info",
    "final_obs", "frame_number", "is_success", "outcome", "seeds", "start",
}  # fmt: skip


@dataclass
class ImportedGame:
    """What a folder of stable-retro's says, in terms of ours.

    Attributes:
        variables: Address and type by name.
        derived: Expressions by name.
        actions: What each action holds.
        joystick: Whose directions they are.
        reward: An expression.
        loss: A condition, or empty.
        area: x, y, width and height, or None for all of the display.
        hint: What to call the program.
        lost: What was not carried over, and why.
        changed: What was carried over, and has to be looked at.
    """

    hint: str
    joystick: Joystick
    variables: dict[str, tuple[int, str]] = field(default_factory=dict)
    derived: dict[str, str] = field(default_factory=dict)
    actions: dict[str, list[str]] = field(default_factory=dict)
    reward: str = "0"
    loss: str = ""
    area: tuple[int, int, int, int] | None = None
    lost: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    def lines(self) -> Iterator[str]:
        """The part of a definition from the joystick on, as YAML."""
        yield f"joystick: {self.joystick}"
        yield "actions:"
        for name, held in self.actions.items():
            yield f"  {name}: [{', '.join(held)}]"
        if self.area is not None:
            yield f"area: {list(self.area)}"
        if self.variables:
            yield "variables:"
            for name, (address, kind) in self.variables.items():
                yield f"  {name}: {{at: 0x{address:04X}, type: {_quoted(kind)}}}"
        if self.derived:
            yield "derived:"
            for name, expression in self.derived.items():
                yield f"  {name}: {_quoted(expression)}"
        yield f"reward: {_quoted(self.reward)}"
        if self.loss:
            yield f"loss: {_quoted(self.loss)}"


def import_retro(folder: Path, *, base: int = 0, joystick: Joystick = "kempston") -> ImportedGame:
    """Reads a folder.

    Args:
        folder: It holds data.json; scenario.json and metadata.json may be there.
        base: What to add to the addresses, where they are counted from another place than 0.
        joystick: Whose directions the buttons become.

    Raises:
        UserError: There is no data.json, or a file is not what it should be; ``file:line:column`` where it is no JSON.
    """
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder; give one with a data.json, as stable-retro has one for each game")
    data = _read(folder / "data.json")
    game = ImportedGame(folder.name, joystick)
    names = _variables(game, data, base, folder / "data.json")
    scenario = _read(folder / "scenario.json") if (folder / "scenario.json").exists() else {}
    reader = ScenarioReader(names)
    game.reward, game.loss = reader.reward(scenario), reader.done(scenario)
    game.lost += reader.lost
    game.changed += reader.changed
    if game.loss:
        game.changed.append("the end: it is the loss here; stable-retro does not tell wins from losses")
    _actions(game, scenario)
    _area(game, scenario)
    _other_files(game, folder)
    return game


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise UserError(f"{path}:{error.lineno}:{error.colno}: not valid JSON: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not a UTF-8 text") from error
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not isinstance(value, dict):
        raise UserError(f"{path}: must be an object, not {str(value)[:60]}")
    return value


def _variables(game: ImportedGame, data: Mapping[str, Any], base: int, path: Path) -> dict[str, str]:
    """Carries the variables over; returns what each of them is called now."""
    info = data.get("info")
    if not isinstance(info, Mapping):
        raise UserError(f"{path}: there is no object 'info' with the variables")
    names: dict[str, str] = {}
    for given, spec in info.items():
        try:
            address, text, mask = _spec(spec)
            name = _new_name(given, {*names.values(), *game.variables})
            carried = carry_variable(name, address + base, text, mask)
            for at in (address + base, address + base + int(text[-1]) - 1):  # a type ends with its bytes
                _check_address(at, base)
        except UserError as error:
            game.lost.append(f"variable {given}: {error}")
            continue
        game.variables.update(carried.variables)
        if carried.expression:
            game.derived[name] = carried.expression
            game.changed.append(f"variable {given}: {text} is put together of {', '.join(carried.variables)}")
        if name != given:
            game.changed.append(f"variable {given}: it is called {name} here")
        names[given] = name
    return names


def _spec(spec: object) -> tuple[int, str, int]:
    if not isinstance(spec, Mapping):
        raise UserError(f"it must be an object with address and type, not {str(spec)[:40]}")
    address, text, mask = spec.get("address"), spec.get("type"), spec.get("mask", (1 << 64) - 1)
    if not isinstance(address, int) or not isinstance(text, str) or not isinstance(mask, int):
        raise UserError("it needs a whole number as address and a text as type")
    return address, text, mask


def _check_address(address: int, base: int) -> None:
    if not RAM_START <= address < RAM_END:
        hint = "" if base or address >= RAM_END else "; --base 0x4000 adds what RAM begins with"
        raise UserError(f"the address 0x{address:X} is outside RAM, which is 0x4000 to 0xFFFF{hint}")


def _new_name(given: str, taken: set[str]) -> str:
    """A name that expressions can use, and nobody has."""
    name = re.sub(r"\W", "_", given, flags=re.ASCII).lstrip("_") or "variable"
    try:
        _NAME.validate_python(name)
    except ValidationError:
        name = f"the_{name}"
    if name in _TAKEN:
        name = f"game_{name}"
    while name in taken:
        name += "_"
    return name


def _actions(game: ImportedGame, scenario: Mapping[str, Any]) -> None:
    groups = scenario.get("actions")
    if not isinstance(groups, list) or not groups:
        game.actions = dict(_SINGLE)
        game.changed.append("actions: the scenario names none, so each direction and fire is one")
        return
    unknown: set[str] = set()
    found: dict[frozenset[str], list[str]] = {frozenset(): []}
    for choice in product(*groups):
        held: dict[str, None] = {}
        for button in (button for combination in choice for button in combination):
            if button in _BUTTONS:
                held[_BUTTONS[button]] = None
            else:
                unknown.add(str(button))
        found.setdefault(frozenset(held), list(held))
    game.actions = {"_".join(held) or "stay": held for held in found.values()}
    for button in sorted(unknown):
        game.lost.append(f"actions: there is no button {button} on a joystick; which key is it?")


def _area(game: ImportedGame, scenario: Mapping[str, Any]) -> None:
    crop = scenario.get("crop")
    if crop is None:
        return
    try:
        x, y, width, height = (int(number) for number in crop)
    except (TypeError, ValueError):
        game.lost.append(f"crop: {str(crop)[:60]} is not x, y, width, height")
        return
    area = (x, y, width or DISPLAY_WIDTH - x, height or DISPLAY_HEIGHT - y)  # 0 is as far as it goes
    if x < 0 or y < 0 or x + area[2] > DISPLAY_WIDTH or y + area[3] > DISPLAY_HEIGHT or min(area[2:]) < 1:
        game.lost.append(f"crop: {list(crop)} reaches beyond the display, which is 256 by 192 without its border")
        return
    if area != (0, 0, DISPLAY_WIDTH, DISPLAY_HEIGHT):
        game.area = area
        game.changed.append("crop: it is taken as of the display without its border")


def _other_files(game: ImportedGame, folder: Path) -> None:
    names = {path.name for path in folder.iterdir()}
    metadata = _read(folder / "metadata.json") if "metadata.json" in names else {}
    states = sorted(name for name in names if name.endswith(".state"))
    if states:
        first = metadata.get("default_state")
        which = f", of which {first} is the first" if first else ""
        game.lost.append(
            f"{len(states)} saved state(s){which}: they are another emulator's; "
            "a start script or a snapshot takes their place"
        )
    scripts = sorted(name for name in names if name.endswith(".lua"))
    if scripts:
        game.lost.append(f"the script(s) {', '.join(scripts)}")
    if "rom.sha" in names:
        game.lost.append("rom.sha: it holds an SHA-1, ours is an SHA-256; --program FILE fills it in")


def _quoted(text: str) -> str:
    return f'"{text}"' if re.search(r"[,:#\[\]{}]", text) else text
