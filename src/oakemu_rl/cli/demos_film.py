# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl demos film`: a recording as a film."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.files import check_writable
from oakemu_rl.cli.recordings import film_shown
from oakemu_rl.cli.shown_recording import shown_demo
from oakemu_rl.errors import UserError

__all__ = ["run"]

_FILMS = (".mp4", ".gif")


class _FilmArguments(BaseModel):
    """Write a recording as a film: .mp4 (every frame, with sound) or .gif (25 pictures a second, the first 30 seconds).

    Beneath the picture stand the time, the score, the marker that was passed last, and what was held. In a window,
    `oakemu-rl watch FILE.demo` shows the same.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    demo: str = Field("", description="The recording.", json_schema_extra={"positional": True, "metavar": "DEMO"})
    out: Path | None = Field(
        None, description="The file to write.", json_schema_extra={"positional": True, "metavar": "FILE"}
    )
    no_sound: bool = Field(default=False, description="A silent film.", json_schema_extra={"aliases": ["--mute"]})
    quiet: bool = Field(default=False, description="Print nothing but errors.")


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_FilmArguments, args, prog="oakemu-rl demos film")
    if not arguments.demo or arguments.out is None:
        raise UserError("give DEMO, a recording, and FILE, where the film goes")
    if arguments.out.suffix.lower() not in _FILMS:
        raise UserError(f"FILE: {arguments.out} must end in {' or '.join(_FILMS)}")
    shown = shown_demo(arguments.demo)
    check_writable(arguments.out)
    film_shown(shown, arguments.out, mute=arguments.no_sound, quiet=arguments.quiet)
    return 0
