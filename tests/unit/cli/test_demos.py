# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl demos`: listing, saying what there is, playing again, cutting."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from demo_words import complaint, said

from oakemu_rl.cli.main import main
from oakemu_rl.demos import Demo, find_demo, load_demo, save_demo


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture(scope="module")
def caverns() -> Demo:
    return load_demo("caverns")


def test_the_list_has_what_ships_and_what_is_ones_own(
    caverns: Demo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "home" / "recordings" / "caverns" / "mine.demo"
    mine.parent.mkdir(parents=True)
    save_demo(mine, replace(caverns, actions=None, step_frames=None, episode_return=None, source="hand"))
    header, *lines = said(capsys).splitlines()
    assert header.split() == ["game", "source", "outcome", "return", "steps", "time", "recording"]
    rows = {line.split()[-1]: line.split()[:-1] for line in lines}
    assert rows["caverns"] == ["ZXSpectrum/Caverns-v0", "script", "win", "50", "1,099", "1:27.8"]
    assert rows[str(mine)] == ["ZXSpectrum/Caverns-v0", "hand", "win", "1:27.8"]


def test_the_list_of_a_folder_names_what_is_broken(
    caverns: Demo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_demo(tmp_path / "good.demo", caverns)
    (tmp_path / "bad.demo").write_bytes(b"nothing")
    assert main(["demos", "list", str(tmp_path), "--json"]) == 0
    captured = capsys.readouterr()
    (entry,) = json.loads(captured.out)
    assert entry == {
        "file": str(tmp_path / "good.demo"),
        "game": "ZXSpectrum/Caverns-v0",
        "source": "script",
        "outcome": "win",
        "return": 50.0,
        "steps": 1099,
        "frames": 4396,
    }
    assert captured.err == f"{tmp_path / 'bad.demo'}: not a recording (.demo)\n"
    assert said(capsys, "list", str(tmp_path / "good.demo")).count("\n") == 2
    assert complaint(capsys, "list", str(tmp_path / "bad.demo")) == f"{tmp_path / 'bad.demo'}: not a recording (.demo)"


def test_empty_folders_and_missing_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "list", str(tmp_path)) == "there are no recordings\n"
    assert "there is no " in complaint(capsys, "list", str(tmp_path / "nowhere"))


def test_info_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    lines = said(capsys, "info", "caverns").splitlines()
    assert lines[0] == "game      ZXSpectrum/Caverns-v0 (as it is now)"
    assert lines[1] == "played    by a program, 1,099 steps, 4,396 frames, 1:27.8"
    assert lines[2] == "outcome   win, return 50"
    assert lines[4].startswith("actions   stay 69%, left 10%, right 13%")
    assert lines[-1].split() == ["marker", "1:13.2", "frame", "3668", "room", "6"]


def test_info_as_json_says_whether_the_game_is_the_same(
    caverns: Demo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_demo(tmp_path / "old.demo", replace(caverns, fingerprint="0123456789abcdef"))
    assert json.loads(said(capsys, "info", "caverns", "--json"))["fits"] is True
    told = json.loads(said(capsys, "info", str(tmp_path / "old.demo"), "--json"))
    assert told["fits"] is False
    assert (told["actions"]["stay"], told["keyframes"], told["steps"]) == (755, 22, 1099)
    assert "another definition or program" in said(capsys, "info", str(tmp_path / "old.demo"))
    save_demo(tmp_path / "gone.demo", replace(caverns, game_id="ZXSpectrum/Gone-v0"))
    assert "unknown game" in said(capsys, "info", str(tmp_path / "gone.demo"))


def test_replay_finds_everything_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "replay", "caverns") == "caverns: 4,396 frames (1:27.8) as recorded, 440 checks agree\n"


def test_replay_names_what_differs(caverns: Demo, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    keys = caverns.keys.copy()
    keys[19] = 0
    bad, old = tmp_path / "bad.demo", tmp_path / "old.demo"
    save_demo(bad, replace(caverns, keys=keys))
    save_demo(old, replace(caverns, fingerprint="0123456789abcdef"))
    assert complaint(capsys, "replay", str(bad)).startswith(
        f"{bad}: the recording of ZXSpectrum/Caverns-v0 desyncs at frame 20"
    )
    assert f"{old}: the recording is of another definition" in complaint(capsys, "replay", str(old))


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["lisst"], "unknown word 'lisst' after demos (did you mean 'list'?)"),
        (["info"], "DEMO is missing"),
        (["replay"], "DEMO is missing"),
        (["info", "cavens"], "there is no recording 'cavens' (did you mean 'caverns'?)"),
        (["info", "nowhere.demo"], "nowhere.demo: No such file or directory"),
        (["replay", "caverns", "--game", "acorns"], "is of ZXSpectrum/Caverns-v0, not of ZXSpectrum/Acorns-v0"),
    ],
)
def test_mistakes_are_one_line(args: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert text in complaint(capsys, *args)


def test_truncated_files_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = find_demo("caverns").read_bytes()
    for length in (5, 15, 300, 20_000):
        (tmp_path / "cut.demo").write_bytes(data[:length])
        text = complaint(capsys, "replay", str(tmp_path / "cut.demo"))
        assert text.startswith(f"{tmp_path / 'cut.demo'}: ")
        assert "cut off" in text or "not a recording" in text


def test_help_names_every_word(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(capsys, "--help")
    for word in ("list", "info", "replay", "film", "trim", "renew"):
        assert f"oakemu-rl demos {word}" in text
        assert main(["demos", word, "--help"]) == 0
        assert capsys.readouterr().out.startswith(f"usage: oakemu-rl demos {word}")


@pytest.mark.parametrize(
    ("args", "frames"),
    [
        (["--begin", "room 3", "--end", "room 4"], (1408, 2160)),
        (["--from", "100", "--to", "101"], (400, 404)),
        (["--begin", "f403", "--end", "f409"], (400, 408)),
        (["--begin", "1:20.0"], (4004, 4396)),  # 50.08 frames a second
        (["--end", "2s"], (0, 100)),
        (["--end", "1099"], (0, 4396)),
    ],
)
def test_a_part_is_cut_out(
    args: list[str], frames: tuple[int, int], caverns: Demo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "part.demo"
    text = said(capsys, "trim", "caverns", str(out), *args)
    part, count = load_demo(out), frames[1] - frames[0]
    assert text.startswith(f"{out}: {count // 4:,} steps, {count:,} frames, ")
    assert (part.keys == caverns.keys[frames[0] : frames[1]]).all()
    assert said(capsys, "replay", str(out))


def test_moments_of_a_recording_without_steps_are_frames(
    caverns: Demo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_demo(tmp_path / "keys.demo", replace(caverns, actions=None, step_frames=None))
    text = said(capsys, "trim", str(tmp_path / "keys.demo"), str(tmp_path / "part.demo"), "--begin", "3", "--end", "9")
    assert text == f"{tmp_path / 'part.demo'}: 6 frames, 0:00.1\n"


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ([], "give DEMO, a recording, and FILE"),
        (["caverns", "part.rzx", "--end", "3"], "FILE: part.rzx does not end in .demo"),
        (["caverns", "part.demo"], "nothing is to be cut off: give --begin, --end, or both"),
        (["caverns", "part.demo", "--begin", "roam 3"], "'roam 3' is no moment (did you mean 'room 3'?)"),
        (["caverns", "part.demo", "--begin", "1100"], "the recording ends before: it has 4396 frames, 1:27.8, 1099"),
        (["caverns", "part.demo", "--begin", "9", "--end", "9"], "nothing would be left"),
    ],
)
def test_mistakes_in_cutting_are_one_line(
    args: list[str], text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert text in complaint(capsys, "trim", *args)
    assert not list(tmp_path.glob("*.demo"))


def test_a_recording_of_an_older_definition_is_renewed(
    caverns: Demo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = tmp_path / "old.demo", tmp_path / "new.demo"
    save_demo(old, replace(caverns, fingerprint="0123456789abcdef", outcome="running", episode_return=None))
    assert said(capsys, "renew", str(old), str(new)) == f"{new}: 1,099 steps, 1:27.8, win, return 50\n"
    assert said(capsys, "replay", str(new))
    definition = tmp_path / "mine.yaml"
    definition.write_text("extends: caverns\nid: ZXSpectrum/Mine-v0\nreward: delta(keys_taken)\n")
    text = said(capsys, "renew", str(old), str(new), "--game", str(definition))
    assert text.endswith("win, return 20\n")
    assert load_demo(new).game_id == "ZXSpectrum/Mine-v0"


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["caverns"], "give DEMO, a recording, and FILE"),
        (["caverns", "new.rzx"], "FILE: new.rzx does not end in .demo"),
        (["nowhere.demo", "new.demo"], "nowhere.demo: No such file"),
    ],
)
def test_mistakes_in_renewing_are_one_line(args: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert text in complaint(capsys, "renew", *args)
