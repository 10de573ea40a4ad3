# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl explore`: what it says and writes."""

from pathlib import Path

import pytest
from counting_game import DEFINITION, write_game

from oakemu_rl.cli.main import main
from oakemu_rl.demos import load_demo, replay
from oakemu_rl.exploration import Explorer
from oakemu_rl.games import load_game

ARGUMENTS = ["--cell", "score", "--trips", "8", "--trip-steps", "10", "--repeat", "0.5", "--num-threads", "1"]


@pytest.fixture(scope="module")
def counting(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The definition of the counting game, in which a step of two frames may score 2, the first one 1."""
    return write_game(tmp_path_factory.mktemp("counting"), DEFINITION + "cells: [lives]\n")


def test_ways_are_written_as_recordings(counting: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "ways"
    assert main(["explore", str(counting), *ARGUMENTS, "--steps", "4k", "--keep", "3", "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "ZXSpectrum/Counting-v0: " in told
    assert "won with 31 in 16 steps" in told
    assert "a cell is: score\n" in told
    assert sorted(path.name for path in out.iterdir()) == [f"counting-way-{number}.demo" for number in (1, 2, 3)]
    game = load_game(counting)
    demos = [load_demo(out / f"counting-way-{number}.demo") for number in (1, 2, 3)]
    assert [demo.outcome for demo in demos] == ["win", "running", "running"]
    assert [demo.episode_return for demo in demos] == [31.0, 29.0, 28.0]
    for demo in demos:
        assert game.read(replay(demo, game).memory)["score"] == demo.episode_return


def test_it_ends_with_the_first_win(counting: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", str(counting), *ARGUMENTS, "--until-win", "--out", str(tmp_path)]) == 0
    steps = int(capsys.readouterr().out.partition(": ")[2].partition(" steps")[0].replace(",", ""))
    assert steps < 100_000  # of a million


def test_ways_of_one_life_lose_none(counting: Path, tmp_path: Path) -> None:
    flags = ["--cell", "lives", "--episodic-life", "--steps", "4k", "--keep", "9", "--out", str(tmp_path)]
    assert main(["explore", str(counting), *ARGUMENTS, *flags]) == 0
    game = load_game(counting)
    for path in tmp_path.iterdir():
        demo = load_demo(path)
        assert demo.settings["episodic_life"]
        assert game.read(replay(demo, game).memory)["lives"] == 3


def test_ctrl_c_keeps_what_was_found(
    counting: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    explore = Explorer.explore

    def interrupted(self: Explorer, rounds: int = 1) -> None:
        if self.num_trips >= 80:
            raise KeyboardInterrupt
        explore(self, rounds)

    monkeypatch.setattr(Explorer, "explore", interrupted)
    assert main(["explore", str(counting), *ARGUMENTS, "--out", str(tmp_path)]) == 130
    assert "(stopped)" in capsys.readouterr().out
    assert load_demo(tmp_path / "counting-way-1.demo").source == "explorer"


def test_nothing_found_is_nothing_written(counting: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = counting.with_name("worthless.yaml")
    path.write_text(counting.read_text("utf-8").replace("reward: delta(score)", "reward: 0"), "utf-8")
    arguments = [*ARGUMENTS[2:], "--trip-steps", "2", "--steps", "16", "--out", str(tmp_path)]
    assert main(["explore", str(path), *arguments]) == 0
    told = capsys.readouterr().out
    assert "a cell is: lives\n" in told
    assert "no way earns more than standing at the start; nothing was written" in told
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "GAME is missing"),
        (["acornz"], "acornz"),
        (["GAME", "--cell", "scor"], "cell 'scor': unknown variable 'scor' (did you mean 'score'?)"),
        (["GAME", "--steps", "0"], "--steps"),
        (["GAME", "--repeat", "1"], "--repeat"),
        (["GAME", "--start", "there"], "there is no start state 'there'; there are default"),
        (["GAME", "--out", "FILE"], "cannot be written"),
    ],
)
def test_what_cannot_be_is_one_line(
    counting: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    given = [{"GAME": str(counting), "FILE": str(counting / "folder")}.get(word, word) for word in arguments]
    assert main(["explore", *given]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert told in captured.err
