# SPDX-License-Identifier: GPL-3.0-or-later
"""Assemble a game of ours and write its tape.

    python programs/build.py acorns            writes src/oakemu_rl/games/programs/acorns.tap
    python programs/build.py acorns --check    only compares with it; exit status 1 if it differs

The same sources give the same bytes: no dates, no paths, one pinned order of everything.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent
TAPES = PROGRAMS.parent / "src" / "oakemu_rl" / "games" / "programs"
ORIGIN = 0x8000

# The letters that `colours` blocks of the art are drawn with: attributes on black paper, large letters are bright.
LETTERS = "kbrmgcyw"
COLOURS = {letter: ink for ink, letter in enumerate(LETTERS)} | {
    letter.upper(): 0x40 + ink for ink, letter in enumerate(LETTERS)
}
FIRST_GLYPH, LAST_GLYPH = ord(" "), ord("Z")

# Tokens of the Spectrum's BASIC.
CLEAR, LOAD, CODE, RANDOMIZE, USR = 0xFD, 0xEF, 0xAF, 0xF9, 0xC0
NUMBER = 0x0E


@dataclass(frozen=True)
class Built:
    """An assembled program.

    Attributes:
        tape: the whole .tap file.
        code: the bytes from `ORIGIN` on.
        labels: address of every label.
    """

    tape: bytes
    code: bytes
    labels: dict[str, int]


def _bits(row: str) -> list[int]:
    """Pack a row of `#` and `.` into bytes, leftmost pixel in bit 7."""
    if len(row) % 8 or set(row) - set("#."):
        raise ValueError(f"art row must be whole bytes of # and .: {row!r}")
    return [int(row[i : i + 8].replace("#", "1").replace(".", "0"), 2) for i in range(0, len(row), 8)]


def _defb(label: str, data: list[int]) -> str:
    lines = [f"{label}:"]
    lines += ["    defb " + ", ".join(f"${byte:02X}" for byte in data[i : i + 16]) for i in range(0, len(data), 16)]
    return "\n".join(lines) + "\n"


def _blocks(text: str) -> list[tuple[list[str], list[str]]]:
    """Split an art file into (words of the header line, rows)."""
    blocks: list[tuple[list[str], list[str]]] = []
    for line in text.splitlines():
        if not line or line.startswith(";"):
            continue
        if line.split()[0] in {"picture", "colours", "glyphs"}:
            blocks.append((line.split(), []))
        else:
            blocks[-1][1].append(line)
    return blocks


def art_to_assembly(files: list[Path]) -> str:
    """Turn the drawings into DEFB lines.

    Args:
        files: art files; blocks are `picture NAME`, `colours NAME` and `glyphs A B C`, each followed by its rows.

    Returns:
        Assembly text with the labels `picture_NAME`, `NAME` and `font`.
    """
    font = [[0] * 8 for _ in range(FIRST_GLYPH, LAST_GLYPH + 1)]
    parts: list[str] = []
    for path in files:
        for header, rows in _blocks(path.read_text(encoding="ascii")):
            kind, names = header[0], header[1:]
            if kind == "picture":
                parts.append(_defb(f"picture_{names[0]}", [byte for row in rows for byte in _bits(row)]))
            elif kind == "colours":
                parts.append(_defb(names[0], [COLOURS[letter] for row in rows for letter in row]))
            else:
                for column, name in enumerate(names):
                    font[ord(name) - FIRST_GLYPH] = [_bits(row.split(" ")[column])[0] for row in rows]
    parts.append(_defb("font", [byte for glyph in font for byte in glyph]))
    return "\n".join(parts)


def assemble(name: str) -> tuple[bytes, dict[str, int]]:
    """Assemble `programs/NAME/NAME.asm` with Boriel's zxbasm; what it includes lies beside it or in `programs/common`.

    Returns:
        The bytes from `ORIGIN` on, and the address of every label.

    Raises:
        OSError: the assembler is missing or reports an error.
    """
    beside = Path(sys.executable).parent / "zxbasm"
    zxbasm = str(beside) if beside.exists() else shutil.which("zxbasm")
    if zxbasm is None:
        raise OSError("zxbasm is not installed; it comes with: pip install zxbasic")
    source = PROGRAMS / name
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        for path in sorted([*(PROGRAMS / "common").glob("*.asm"), *source.glob("*.asm")]):
            shutil.copy(path, work)
        drawings = [path for folder in (PROGRAMS / "common", source) for path in sorted((folder / "art").glob("*.txt"))]
        (work / "art.asm").write_text(art_to_assembly(drawings), encoding="ascii")
        command = [zxbasm, "-o", "out.bin", "-M", "out.map", f"{name}.asm"]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
        if done.returncode or not (work / "out.bin").exists():
            raise OSError(f"zxbasm {name}.asm failed: {(done.stderr + done.stdout).strip()}")
        code = (work / "out.bin").read_bytes()
        lines = (work / "out.map").read_text(encoding="ascii").split("\n")
    labels = {line.split(": .")[1]: int(line.split(":")[0], 16) for line in lines if ": ." in line}
    if labels.get("start") != ORIGIN:
        raise OSError(f"{name}.asm must begin with the label start at {ORIGIN:#06x}")
    return code, labels


def _block(flag: int, data: bytes) -> bytes:
    body = bytes([flag]) + data
    parity = 0
    for byte in body:
        parity ^= byte
    return (len(body) + 1).to_bytes(2, "little") + body + bytes([parity])


def _header(kind: int, name: str, length: int, first: int, second: int) -> bytes:
    words = b"".join(value.to_bytes(2, "little") for value in (length, first, second))
    return _block(0x00, bytes([kind]) + name[:10].ljust(10).encode("ascii") + words)


def _number(value: int) -> bytes:
    """A BASIC number: its digits, then the hidden five-byte integer form."""
    return str(value).encode("ascii") + bytes([NUMBER, 0, 0]) + value.to_bytes(2, "little") + b"\x00"


def write_tape(name: str, code: bytes) -> bytes:
    """Make a .tap file: 10 CLEAR 32767: LOAD "" CODE: RANDOMIZE USR 32768, and the code."""
    statements = [
        bytes([CLEAR]) + _number(ORIGIN - 1),
        bytes([LOAD]) + b'""' + bytes([CODE]),
        bytes([RANDOMIZE, USR]) + _number(ORIGIN),
    ]
    line = b":".join(statements) + b"\r"
    basic = (10).to_bytes(2, "big") + len(line).to_bytes(2, "little") + line
    return b"".join(
        [
            _header(0, name, len(basic), 10, len(basic)),
            _block(0xFF, basic),
            _header(3, name, len(code), ORIGIN, 0x8000),
            _block(0xFF, code),
        ]
    )


def build(name: str) -> Built:
    """Assemble the game `name` and make its tape."""
    code, labels = assemble(name)
    return Built(tape=write_tape(name, code), code=code, labels=labels)


def _main() -> int:
    games = sorted(path.name for path in PROGRAMS.iterdir() if (path / f"{path.name}.asm").exists())
    parser = argparse.ArgumentParser(description="Assemble a game of ours and write its tape.")
    parser.add_argument("game", choices=games)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the committed tape differs")
    arguments = parser.parse_args()
    target = TAPES / f"{arguments.game}.tap"
    try:
        built = build(arguments.game)
        same = target.exists() and target.read_bytes() == built.tape
        if not arguments.check and not same:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(built.tape)
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if arguments.check and not same:
        print(
            f"error: {target.name} does not match its sources; run: python programs/build.py {arguments.game}",
            file=sys.stderr,
        )
        return 1
    print(f"{target.name}: {len(built.code)} bytes of code, {'unchanged' if same else 'written'}")
    return 0


if __name__ == "__main__":
    sys.exit(_main())
