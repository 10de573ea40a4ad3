# SPDX-License-Identifier: GPL-3.0-or-later
import errno
import os
import signal
import subprocess
import sys
import types
from collections.abc import Callable, Sequence

import pytest

from oakemu_rl import __version__
from oakemu_rl.cli.main import main
from oakemu_rl.errors import UserError


def _verb(monkeypatch: pytest.MonkeyPatch, run: Callable[[Sequence[str]], int]) -> None:
    module = types.ModuleType("oakemu_rl.cli.games")
    module.run = run  # type: ignore[attr-defined] # a stand-in for the verb's module
    monkeypatch.setitem(sys.modules, "oakemu_rl.cli.games", module)


def _raising(error: BaseException) -> Callable[[Sequence[str]], int]:
    def run(_: Sequence[str]) -> int:
        raise error

    return run


@pytest.mark.parametrize("args", [[], ["--help"], ["-h"], ["help"]])
def test_without_a_verb_there_is_a_short_help_with_examples(
    args: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(args) == 0
    out = capsys.readouterr().out
    for verb in ("train", "evaluate", "watch", "play", "export", "games", "bench"):
        assert f"\n  {verb} " in out
    assert "oakemu-rl train --" in out or "oakemu-rl train GAME" in out
    assert len(out.splitlines()) < 25


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"oakemu-rl {__version__}\n"


@pytest.mark.parametrize(("given", "said"), [("trian", "did you mean 'train'"), ("--stpes", "unknown flag '--stpes'")])
def test_an_unknown_verb_is_one_line_and_2(given: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([given]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("oakemu-rl: error: ")
    assert said in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (UserError("this\nis wrong"), 2, "oakemu-rl: error: this is wrong\n"),
        (OSError(errno.ENOSPC, "No space left on device", "/x"), 2, "oakemu-rl: error: /x: No space left on device\n"),
        (PermissionError(errno.EACCES, "Permission denied", "/y"), 2, "oakemu-rl: error: /y: Permission denied\n"),
        (
            ModuleNotFoundError("No module named 'torch'", name="torch"),
            2,
            "oakemu-rl: error: games needs torch, which is not installed: pip install 'oakemu-rl[train]'\n",
        ),
        (
            ModuleNotFoundError("No module named 'pygame.display'", name="pygame.display"),
            2,
            "oakemu-rl: error: games needs pygame, which is not installed: pip install 'oakemu-rl[play]'\n",
        ),
        (KeyboardInterrupt(), 130, "oakemu-rl: stopped\n"),
        *(
            (error, 2, "oakemu-rl: error: games needs more memory than there is; give smaller numbers\n")
            for error in (
                MemoryError(),
                RuntimeError(
                    "[enforce fail at alloc_cpu.cpp:127] err == 0. DefaultCPUAllocator: can't allocate memory"
                ),
                RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB"),
            )
        ),
    ],
)
def test_mistakes_are_one_line(
    error: BaseException,
    code: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _verb(monkeypatch, _raising(error))
    assert main(["games"]) == code
    assert capsys.readouterr().err == said


def test_sigterm_ends_a_verb_as_ctrl_c_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    cleared: list[str] = []

    def verb(_: Sequence[str]) -> int:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            cleared.append("away")
        return 0

    previous = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # without the change the verb would just go on
    try:
        _verb(monkeypatch, verb)
        assert main(["games"]) == 130
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, previous)
    assert cleared == ["away"]
    assert capsys.readouterr().err == "oakemu-rl: stopped\n"


@pytest.mark.parametrize(
    "error",
    [ZeroDivisionError(), ModuleNotFoundError("no", name="oakemu_rl.nothing"), ValueError("x"), RuntimeError("x")],
)
def test_a_bug_is_not_dressed_up(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    _verb(monkeypatch, _raising(error))
    with pytest.raises(type(error)):
        main(["games"])


def test_the_verbs_exit_code_and_arguments_go_through(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Sequence[str]] = []
    _verb(monkeypatch, lambda args: seen.append(args) or 7)
    assert main(["games", "a", "--b"]) == 7
    assert seen == [["a", "--b"]]


def test_a_reader_that_has_left_is_no_error() -> None:
    script = "import sys; from oakemu_rl.cli.main import main; sys.exit(main(['--help']))"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate()
    assert err == b""


@pytest.mark.parametrize("line", ["", "--version", "games", "games show acorns", "train --help", "evaluate --help"])
def test_torch_is_only_imported_by_what_needs_it(line: str) -> None:
    allowed = line.startswith("train")
    script = (
        "import sys\nfrom oakemu_rl.cli.main import main\n"
        f"main({line.split()!r})\nsys.exit('torch' in sys.modules and not {allowed})"
    )
    finished = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env={**os.environ}, check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert finished.stderr == ""


def test_games_lists_and_shows(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["games"]) == 0
    assert "ZXSpectrum/Acorns-v0" in capsys.readouterr().out
    assert main(["games", "show", "acorns"]) == 0
    shown = capsys.readouterr().out
    assert "delta(score)" in shown
    assert "left" in shown


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("games shwo", "did you mean 'show'"),
        ("games list acorns", "games list takes nothing, not 'acorns'"),
        ("games show acrons", "did you mean 'acorns'"),
        ("games show --x", "unknown flag --x"),
        ("train acrons", "did you mean 'acorns'"),
        ("train --steps -5", "--steps: must be greater than 0"),
        ("train --stpes 5", "did you mean '--steps'"),
        ("train --config nowhere.yaml", "nowhere.yaml: cannot be read"),
        ("train --resume nowhere", "no run folder nowhere"),
        ("train --device gpu", "no device 'gpu'"),
        ("train --num-envs 0", "--num-envs: must be greater than 0"),
        ("train --model.conv-filters 16 99 4", "model:"),
        ("train --env.frameskip 0", "--env.frameskip"),
        ("evaluate nowhere", "no checkpoint or run folder nowhere"),
        ("evaluate --episodes 0", "--episodes: must be greater than 0"),
        ("export nowhere", "no checkpoint or run folder nowhere"),
        ("bench --seconds 0", "--seconds: must be greater than 0"),
    ],
)
def test_users_mistakes_are_one_line_and_2(
    line: str, said: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(str(tmp_path))
    assert main(line.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("oakemu-rl: error: ")
    assert said in err
    assert len(err.splitlines()) == 1
    assert os.listdir(str(tmp_path)) == []  # noqa: PTH208 # nothing is left half-written
