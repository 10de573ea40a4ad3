# SPDX-License-Identifier: GPL-3.0-or-later
"""The `oakemu-rl` command: finds the verb, runs it, and turns users' mistakes into one line and exit code 2."""

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from types import FrameType

from oakemu_rl import __version__
from oakemu_rl._stop_signals import EXIT_STOPPED
from oakemu_rl.cli.process import tune_for_learning
from oakemu_rl.errors import UserError, nearest

__all__ = ["VERBS", "main"]

VERBS = {
    "train": "train an agent on a game",
    "bc": "train an agent to do what was done in recordings",
    "evaluate": "play seeded episodes and say how good an agent is",
    "compare": "set runs side by side: curves, table, and whether one is better",
    "diagnose": "look into a run's network: what looks healthy, what does not, what to try",
    "watch": "see an agent play, in a window or as a film",
    "play": "play a game yourself",
    "export": "write an agent as an ONNX file",
    "games": "list the games, show one, make a definition of your own, find its variables, check it",
    "explore": "find ways through a game without learning, as recordings",
    "demos": "recordings of episodes: list, look into, replay, film, cut, import, export",
    "tape": "say what is on a tape, convert it, or load it",
    "bench": "measure the speed of this machine",
}

_LEARNING_VERBS = {"train", "bc", "bench", "evaluate", "compare", "diagnose", "watch"}

# What a verb may miss, and the extra that brings it.
_EXTRAS = {
    "torch": "train",
    "tensorboard": "train",
    "matplotlib": "train",
    "imageio": "train",
    "imageio_ffmpeg": "train",
    "PIL": "train",
    "onnx": "train",
    "onnxscript": "train",
    "onnxruntime": "train",
    "pygame": "play",
    "wandb": "wandb",
    "mlflow": "mlflow",
    "minari": "minari",
    "h5py": "minari",
}

_EXIT_USAGE = 2

_EXAMPLES = """\
  oakemu-rl train                             the default game, at most five minutes
  oakemu-rl watch runs/latest                 see what came of it
  oakemu-rl evaluate runs/latest              judge it over 100 episodes
  oakemu-rl train GAME --steps 2M --seed 3    another game, for longer
  oakemu-rl games show Acorns                 what the agent sees, and what it may press"""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line.

    Args:
        argv: The arguments after the command's name; those of the process by default.

    Returns:
        The exit code: 0 done, 2 a mistake in what was given, 130 stopped by Ctrl-C or SIGTERM.
    """
    args = list(sys.argv[1:] if argv is None else argv)
    _open_closed_streams()
    try:
        with _sigterm_as_ctrl_c():
            return _run(args)
    except UserError as error:
        return _fail(str(error))
    except KeyboardInterrupt:
        sys.stderr.write("oakemu-rl: stopped\n")
        return EXIT_STOPPED
    except BrokenPipeError:
        # The reader has left (`oakemu-rl games | head`); what Python still wants to flush has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        return _fail(f"{error.filename}: {error.strerror}" if error.filename and error.strerror else str(error))
    except (MemoryError, RuntimeError) as error:
        if not _is_lack_of_memory(error):
            raise
        return _fail(f"{args[0]} needs more memory than there is; give smaller numbers")
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _EXTRAS:
            raise
        return _fail(f"{args[0]} needs {package}, which is not installed: pip install 'oakemu-rl[{_EXTRAS[package]}]'")


def _is_lack_of_memory(error: Exception) -> bool:
    """Whether memory ran out; torch tells of it by a RuntimeError, on processors of none of its own kind."""
    return isinstance(error, MemoryError) or "allocate memory" in str(error) or "out of memory" in str(error)


def _open_closed_streams() -> None:
    """Whoever starts the command without a standard output (``>&-``) wants to hear nothing."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open as long as the process runs
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - open as long as the process runs


@contextmanager
def _sigterm_as_ctrl_c() -> Iterator[None]:
    """SIGTERM ends a verb as Ctrl-C does, so that half-written files are cleared away, too."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    if threading.current_thread() is not threading.main_thread():  # Python delivers signals to no other
        yield
        return
    previous = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, previous)


def _run(args: list[str]) -> int:
    if not args or args[0] in ("-h", "--help", "help"):
        sys.stdout.write(_usage())
        return 0
    if args[0] in ("-V", "--version", "version"):
        sys.stdout.write(f"oakemu-rl {__version__}\n")
        return 0
    verb = args[0]
    if verb not in VERBS:
        what = "flag" if verb.startswith("-") else "verb"
        raise UserError(f"unknown {what} {verb!r}{nearest(verb, VERBS)}; the verbs are {', '.join(VERBS)}")
    if verb in _LEARNING_VERBS:
        tune_for_learning()  # before the verb's module brings torch in
    try:
        return int(import_module(f"oakemu_rl.cli.{verb}").run(args[1:]))
    except SystemExit as stop:  # help was printed, or rich's reader has left
        if isinstance(stop.__context__, BrokenPipeError):
            return 0
        return stop.code if isinstance(stop.code, int) else 0


def _usage() -> str:
    verbs = "\n".join(f"  {verb:<10}{text}" for verb, text in VERBS.items())
    return (
        f"oakemu-rl {__version__}: train, watch, judge and ship agents that play ZX Spectrum games\n\n"
        f"usage: oakemu-rl VERB [ARGUMENTS]; every verb has --help\n\n{verbs}\n\nexamples:\n{_EXAMPLES}\n"
    )


def _fail(message: str) -> int:
    sys.stderr.write(f"oakemu-rl: error: {' '.join(message.split())}\n")
    return _EXIT_USAGE


if __name__ == "__main__":
    sys.exit(main())
