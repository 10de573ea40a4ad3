# SPDX-License-Identifier: GPL-3.0-or-later
"""The JSON Schema of definitions, with which editors complete and check YAML while it is written.

It is made from the models and published as a file beside this one; ``make schema`` writes it anew.
"""

import inspect
import json
import re
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from oakemu_rl.games.definition import Definition

__all__ = ["definition_schema", "schema_path", "schema_text", "write_schema"]

_Schema = dict[str, Any]

_FILE = "definition.schema.json"
_BOUNDS = {"ge": "minimum", "le": "maximum"}  # as pydantic leaves them where a validator of ours comes first
_NULL = {"type": "null"}
_ABOUT_PRESENCE = ("required", "minProperties", "oneOf")  # what an extended definition may say in its place


def definition_schema() -> _Schema:
    """The JSON Schema of definitions.

    A definition that extends another may leave out what that one says, and delete by null.
    """
    whole = Definition.model_json_schema(schema_generator=_Generator, ref_template="#/$defs/{model}")
    definitions = {name: _everywhere(_tidied, part) for name, part in whole.pop("$defs").items()}
    definitions["Definition"] = _everywhere(_tidied, whole)
    extensions = {f"{name}Extension": _everywhere(_loosened, part) for name, part in definitions.items()}
    extensions["DefinitionExtension"]["required"] = ["extends", "id"]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "OakEmu-RL game definition",
        "if": {"required": ["extends"]},
        "then": {"$ref": "#/$defs/DefinitionExtension"},
        "else": {"$ref": "#/$defs/Definition"},
        "$defs": definitions | extensions,
    }


def schema_text() -> str:
    """The published file's content."""
    return json.dumps(definition_schema(), indent=1) + "\n"


def schema_path() -> Path:
    """Where the published file is installed, for ``# yaml-language-server: $schema=`` at the top of a definition."""
    return Path(str(resources.files("oakemu_rl.games") / _FILE))


def write_schema() -> None:
    """Writes the file that is published."""
    schema_path().write_text(schema_text(), encoding="utf-8")


class _Generator(GenerateJsonSchema):
    """Describes each key by what the docstring of its model says about it."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        made = super().model_schema(schema)
        summary, attributes = _docstring(schema["cls"])
        made["description"] = summary
        for name, words in attributes.items():
            if name in made.get("properties", {}):
                made["properties"][name]["description"] = words
        return made


def _docstring(model: type[BaseModel]) -> tuple[str, dict[str, str]]:
    """The first paragraph of a model's docstring, and what it says about each attribute."""
    text = inspect.getdoc(model) or ""
    head, _, tail = text.partition("\nAttributes:\n")
    entries = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", tail, re.MULTILINE)
    return _flat(head), {name: _flat(words) for name, words in entries}


def _flat(text: str) -> str:
    return " ".join(text.replace("``", "").replace("`", "").split())


def _everywhere(change: Callable[[_Schema], _Schema], value: object) -> Any:  # noqa: ANN401 - JSON
    """The value with every mapping in it changed, the innermost first."""
    if isinstance(value, list):
        return [_everywhere(change, item) for item in value]
    if isinstance(value, dict):
        return change({key: _everywhere(change, item) for key, item in value.items()})
    return value


def _tidied(schema: _Schema) -> _Schema:
    """Without titles made of names, and with bounds as JSON Schema calls them."""
    # The title of a game is a property, and therefore a schema.
    return {_BOUNDS.get(key, key): item for key, item in schema.items() if key != "title" or isinstance(item, dict)}


def _loosened(schema: _Schema) -> _Schema:
    """The same for what is laid over another definition: nothing is needed, and null deletes."""
    loose = {key: item for key, item in schema.items() if key not in _ABOUT_PRESENCE}
    if "$ref" in loose:
        loose["$ref"] += "Extension"
    if isinstance(loose.get("properties"), dict):
        loose["properties"] = {name: _or_null(part) for name, part in loose["properties"].items()}
    if isinstance(loose.get("additionalProperties"), dict):
        loose["additionalProperties"] = _or_null(loose["additionalProperties"])
    return loose


def _or_null(schema: _Schema) -> _Schema:
    about = {key: item for key, item in schema.items() if key in ("description", "default")}
    rest = {key: item for key, item in schema.items() if key not in about}
    options = rest["anyOf"] if set(rest) == {"anyOf"} else [rest]
    return {"anyOf": [*options, *([] if _NULL in options else [_NULL])], **about}
