# SPDX-License-Identifier: GPL-3.0-or-later
"""Puts a variable into a definition file, and leaves everything else in it as its author wrote it."""

from pathlib import Path

import yaml
from pydantic import TypeAdapter, ValidationError

from oakemu_rl._validation import shorten
from oakemu_rl._whole_file import write_whole
from oakemu_rl.errors import UserError
from oakemu_rl.games._names import Name
from oakemu_rl.games.files import load_definition
from oakemu_rl.games.variables import Variable

__all__ = ["add_variable", "make_variable", "variable_line"]

_INDENT = 2


def make_variable(address: int, kind: str) -> Variable:
    """A variable of a definition.

    Raises:
        UserError: There is no such type, or it does not lie in RAM.
    """
    try:
        return Variable(at=address, type=kind)
    except ValidationError as error:
        raise UserError(error.errors()[0]["msg"].removeprefix("Value error, ")) from error


def variable_line(name: str, variable: Variable) -> str:
    """How a definition names it: ``score: {at: 0x8400, type: bcd4}``.

    Raises:
        UserError: The name is none.
    """
    try:
        TypeAdapter(Name).validate_python(name)
    except ValidationError as error:
        raise UserError(error.errors()[0]["msg"].removeprefix("Value error, ")) from error
    return f"{name}: {{at: 0x{variable.at:04X}, type: {variable.type}}}"


def add_variable(path: Path, name: str, variable: Variable) -> int:
    """Writes a variable into a definition file, behind those that it has.

    Args:
        path: The definition.
        name: What expressions call it.
        variable: Where it is.

    Returns:
        The number of the new line.

    Raises:
        UserError: The name is taken or none, or the definition would not be one any more; then it stays as it was.
        OSError: The file cannot be read or written.
    """
    text = path.read_text(encoding="utf-8")
    line = variable_line(name, variable)
    lines = text.splitlines()
    block = _block(path, text)
    if block is None:
        lines += ["variables:", " " * _INDENT + line]
        number = len(lines)
    else:
        taken = next((key for key, _ in block.value if key.value == name), None)
        if taken is not None:
            raise UserError(f"{path}:{taken.start_mark.line + 1}: there is a variable {shorten(name)} already")
        number = _last_line(block) + 1
        lines.insert(number - 1, " " * block.value[0][0].start_mark.column + line)
    write_whole(path, ("\n".join(lines) + "\n").encode())
    try:
        load_definition(path)
    except UserError:
        write_whole(path, text.encode())
        raise
    return number


def _block(path: Path, text: str) -> yaml.MappingNode | None:
    """The block of variables, None if there is none."""
    root = yaml.compose(text)
    pairs = root.value if isinstance(root, yaml.MappingNode) else []
    for key, value in pairs:
        if key.value != "variables":
            continue
        if not isinstance(value, yaml.MappingNode) or value.flow_style:
            raise UserError(
                f"{path}:{key.start_mark.line + 1}: variables are not written one a line here; add it by hand"
            )
        return value
    return None


def _last_line(node: yaml.Node) -> int:
    """The number of the last line that belongs to a node, without the comments behind it."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last_line(last[1] if isinstance(last, tuple) else last)
    end: int = node.end_mark.line + 1
    return end
