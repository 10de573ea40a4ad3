# SPDX-License-Identifier: GPL-3.0-or-later
"""Data flows left to right: no package may know one that comes after it. Checked by reading the sources."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = "oakemu_rl"
SOURCE = Path(__file__).parents[2] / "src" / PACKAGE

# A package imports itself and the levels before its own, not its neighbours; the base modules import one another.
LEVELS = (
    ("_core",),
    (
        *("errors", "quantities", "yaml_source"),
        *("_processors", "_stop_signals", "_user_folders", "_validation", "_whole_file"),
    ),
    ("emulator",),
    ("games",),
    ("envs", "playing"),
    ("demos",),
    ("__init__",),  # importing the whole registers the environments
    ("ppo", "lint", "exploration"),
    ("evaluation", "export", "imitation"),
    ("curricula",),
    ("training",),
    ("cli",),
    ("__main__",),
)
RANK = {name: rank for rank, names in enumerate(LEVELS) for name in names}
BASE = LEVELS[1]


def imported_modules(tree: ast.AST, package: str) -> Iterator[tuple[int, str]]:
    """Line and absolute name of everything that a module imports, at its top or anywhere inside."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                parent = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parent, node.module] if node.module else parent)
            else:
                base = node.module or ""
            if base == PACKAGE:
                yield from ((node.lineno, f"{PACKAGE}.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, base


def wrong_imports(path: str, text: str) -> list[str]:
    """The imports of one module (path inside the package) that go against the direction."""
    parts = Path(path).with_suffix("").parts
    importer = parts[0]
    package = ".".join([PACKAGE, *parts[:-1]])
    found = []
    for line, name in imported_modules(ast.parse(text), package):
        if not name.startswith(f"{PACKAGE}."):
            continue
        imported = name.split(".")[1]
        if imported not in RANK:
            # "from oakemu_rl import __version__" names no module.
            if imported != "__version__":
                found.append(f"{path}:{line} imports {name}, which has no place in LEVELS")
        elif imported != importer and not (RANK[imported] < RANK[importer] or (imported in BASE and importer in BASE)):
            found.append(f"{path}:{line} ({importer}) imports {name}")
    return found


def sources() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def test_no_arrow_points_left() -> None:
    paths = sources()
    assert len(paths) > 20
    wrong = [line for path in paths for line in wrong_imports(str(path.relative_to(SOURCE)), path.read_text("utf-8"))]
    assert not wrong, "\n".join(wrong)


def test_every_package_has_its_place() -> None:
    unplaced = {path.relative_to(SOURCE).with_suffix("").parts[0] for path in sources()} - set(RANK)
    assert not unplaced


@pytest.mark.parametrize(
    ("path", "text", "count"),
    [
        ("emulator/spectrum.py", "from oakemu_rl.games import Game", 1),
        ("emulator/spectrum.py", "import oakemu_rl.envs.options", 1),
        ("emulator/spectrum.py", "def f():\n    from oakemu_rl import training", 1),
        ("emulator/spectrum.py", "from ..games import Game", 1),
        ("emulator/spectrum.py", "from .. import cli", 1),
        ("emulator/spectrum.py", "from .tape import Tape\nfrom oakemu_rl.errors import UserError\nimport numpy", 0),
        ("emulator/deep/part.py", "from ...ppo import PPOModel", 1),
        ("emulator/deep/part.py", "from ..tape import Tape", 0),
        ("errors.py", "from oakemu_rl._validation import check", 0),
        ("errors.py", "import oakemu_rl.emulator", 1),
        ("evaluation/tester.py", "from oakemu_rl.export import OnnxExporter", 1),
        ("export/onnx.py", "from oakemu_rl.ppo import PPOModel", 0),
        ("training/x.py", "from oakemu_rl import __version__, envs, elsewhere", 1),
        ("__init__.py", "from oakemu_rl.envs import register", 0),
        ("__init__.py", "import oakemu_rl.ppo", 1),
    ],
)
def test_the_check_can_fail(path: str, text: str, count: int) -> None:
    assert len(wrong_imports(path, text)) == count


def loaded_modules(statement: str) -> set[str]:
    """The top-level modules that a fresh interpreter holds after a statement."""
    code = f"import sys\n{statement}\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    result = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(result.stdout.split())


@pytest.mark.parametrize(
    "module",
    [
        "oakemu_rl",
        "oakemu_rl.emulator",
        "oakemu_rl.games",
        "oakemu_rl.envs",
        "oakemu_rl.demos",
        "oakemu_rl.exploration",
        "oakemu_rl.lint",
        "oakemu_rl.playing",
    ],
)
def test_nothing_left_of_ppo_imports_torch(module: str) -> None:
    modules = loaded_modules(f"import {module}")
    assert "oakemu_rl" in modules
    assert not modules & {"torch", "matplotlib", "tensorboard", "onnx", "imageio", "pygame"}


def test_files_of_tests_have_names_of_their_own() -> None:
    """pytest imports them by name, so that two of one name end a run before its first test."""
    names = sorted(path.name for path in Path(__file__).parents[1].rglob("test_*.py"))
    assert [name for name in set(names) if names.count(name) > 1] == []
