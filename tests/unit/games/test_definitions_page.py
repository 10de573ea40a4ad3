# SPDX-License-Identifier: GPL-3.0-or-later
"""Every definition, and every piece of one, in the page about them."""

import re
from pathlib import Path

import pytest
from json_schema import problems

from oakemu_rl.errors import UserError
from oakemu_rl.games import Definition, definition_schema, load_definition
from oakemu_rl.games._operators import FUNCTIONS
from oakemu_rl.yaml_source import Source, parse_yaml, validate

PAGE = (Path(__file__).parents[3] / "docs" / "definitions.md").read_text(encoding="utf-8")
WHOLE, *PIECES = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
SCHEMA = definition_schema()


def read(text: str, name: str = "mine.yaml") -> Source:
    return parse_yaml(text, name=name)


def test_the_whole_one() -> None:
    assert validate(Definition, read(WHOLE)).id == "ZXSpectrum/Acorns-v0"
    assert list(problems(read(WHOLE).data, SCHEMA, SCHEMA)) == []


@pytest.mark.parametrize("piece", [piece for piece in PIECES if not piece.startswith("extends:")])
def test_pieces(piece: str) -> None:
    source = read(piece)
    definition = validate(Definition, source.laid_over(read(WHOLE)))
    assert definition != validate(Definition, read(WHOLE))
    extension = {**source.data, "extends": "acorns", "id": "ZXSpectrum/Mine-v0"}
    assert list(problems(extension, SCHEMA, SCHEMA)) == []


def test_an_extension(tmp_path: Path) -> None:
    (piece,) = [piece for piece in PIECES if piece.startswith("extends:")]
    path = tmp_path / "mine.yaml"
    path.write_text(piece, encoding="utf-8")
    definition = load_definition(path)
    assert (definition.reward, definition.presets.size, definition.presets.stack) == ("won", (32, 22), 2)
    assert "mode" not in definition.variables
    assert list(problems(read(piece).data, SCHEMA, SCHEMA)) == []


def test_the_message_of_a_mistake() -> None:
    with pytest.raises(UserError) as caught:
        validate(Definition, read(WHOLE.replace("delta(score)", "delta(scor)")))
    assert str(caught.value) in PAGE


def test_nothing_is_left_out() -> None:
    fields = PAGE[PAGE.index("## Fields") : PAGE.index("## Variables")]
    named = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (.*?) \|", fields, re.MULTILINE))))
    assert named == set(Definition.model_fields)
    for function in FUNCTIONS:
        assert re.search(rf"`{function}\W", PAGE) or f"`{function}`" in PAGE, function
