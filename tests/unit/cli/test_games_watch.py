# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games watch`: chance, agents, recordings and people play; the figures are those of the environment."""

import io
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from scripted_window import ScriptedWindow, hold

from oakemu_rl.cli import games_watch, hand_play
from oakemu_rl.cli.glance import Glance
from oakemu_rl.cli.main import main
from oakemu_rl.cli.moments import Moments, RecordedMoments
from oakemu_rl.cli.watch_table import WatchTable
from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.rzx import PlayedKeys, RzxRecorder, rzx_bytes
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.games import load_game
from oakemu_rl.games.keys import action_row
from oakemu_rl.games.settings import Limits


def watch(capsys: pytest.CaptureFixture[str], *args: str) -> list[str]:
    assert main(["games", "watch", *args]) == 0
    return capsys.readouterr().out.splitlines()


def figures(line: str) -> dict[str, str]:
    return dict(word.split("=") for word in line.split() if "=" in word)


def lines_of(lines: list[str]) -> list[dict[str, str]]:
    return [figures(line) for line in lines if line.startswith("frame=")]


def test_chance_plays(capsys: pytest.CaptureFixture[str]) -> None:
    lines = watch(capsys, "acorns", "--random", "--frames", "1500", "--every", "100")
    found = lines_of(lines)
    assert [int(each["frame"]) for each in found[:4]] == [0, 100, 200, 300]
    assert int(found[-1]["frame"]) <= 1500
    assert found[0]["lives"] == "5"
    ends = [line for line in lines if line.startswith("frame=") and line.endswith(" loss")]
    assert ends
    assert {figures(line)["lives"] for line in ends} == {"0"}
    for end in map(figures, ends):  # a point an acorn, and five lives lost
        assert int(end["total"]) == int(end["score"]) - 5
    frames = [int(each["frame"]) for each in found]
    assert frames == sorted(frames)
    assert {each["episode"] for each in found} >= {"1", "2", "3"}
    assert len({each["basket_x"] for each in found}) > 3
    assert re.search(r"^Acorns: frame [\d,]+, episode \d+, \d loss$", "\n".join(lines), re.MULTILINE)
    assert any(re.match(r"  lives: \d, 0 to 5, last changed \d+ frames ago", line) for line in lines)


def test_the_same_seed_plays_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    def play(seed: str) -> list[str]:
        return watch(capsys, "acorns", "--random", "--frames", "400", "--seed", seed)

    assert play("3") == play("3")
    assert play("3") != play("4")


def test_an_agent_plays(capsys: pytest.CaptureFixture[str], tiny_run: Path) -> None:
    lines = watch(capsys, "--run", str(tiny_run), "--frames", "120", "--every", "40")
    assert [int(each["frame"]) for each in lines_of(lines)[:3]] == [0, 40, 80]
    assert lines[-1].startswith("  ")


def machine_of_acorns() -> Spectrum:
    spectrum = Spectrum()
    spectrum.load_state(load_game("acorns").start_state())
    return spectrum


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """To the first acorn, which is caught, and until the second one is lost."""
    spectrum = machine_of_acorns()
    with RzxRecorder(spectrum) as recorder:
        spectrum.run_frames(60)
        spectrum.press("o")
        spectrum.run_frames(100)
        spectrum.release_all()
        spectrum.run_frames(70)
        (tmp_path / "played.rzx").write_bytes(rzx_bytes(recorder.recording("played")))
    return tmp_path / "played.rzx"


def test_a_recording_plays(capsys: pytest.CaptureFixture[str], recording: Path) -> None:
    lines = watch(capsys, "acorns", "--rzx", str(recording), "--every", "1")
    found = lines_of(lines)
    assert [int(each["frame"]) for each in found] == list(range(231))
    scores = [each["score"] for each in found]
    assert scores.index("1") == 159
    assert [each["total"] for each in found][158:160] == ["0", "1"]
    assert (found[-1]["lives"], found[-1]["total"]) == ("4", "0")
    assert not capsys.readouterr().err


def test_frames_that_go_another_way_than_their_keys_say_are_left_out() -> None:
    game = load_game("acorns")
    far = machine_of_acorns()
    far.run_frames(200)  # a life has been lost

    class Jumping:
        """The machine is another one after its second frame, which no key explains."""

        frame, frames = 0, 3

        def __init__(self) -> None:
            self.spectrum = machine_of_acorns()

        def run_frames(self, count: int) -> PlayedKeys:
            self.frame += count
            self.spectrum.run_frames(count)
            if self.frame == 2:
                self.spectrum.load_state(far.save_state())
            return PlayedKeys(np.zeros((1, 9), np.uint8), np.zeros((1, 9), np.uint8))

    moments = RecordedMoments(game, Jumping())
    seen = list(moments)
    assert [each.frame for each in seen] == [0, 1, 2, 3]
    assert [each.variables["lives"] for each in seen] == [5, 5, 4, 4]
    assert [each.reward for each in seen] == [0, 0, 0, 0]
    assert moments.unknown == 1


RULES = """
extends: acorns
id: ZXSpectrum/Ruled-v0
derived: {luck: score * 10 + lives}
reward: {points: delta(score), deaths: "delta(lives) * 2"}
allow: {left: basket_x > 100, right: basket_x > 300}
limits: {frames: 20}
starts:
  late: {weight: 0, start: [{wait: {frames: 100}}, {press: {keys: [space], frames: 2}}, {wait: {frames: 170}}]}
"""


@pytest.fixture
def ruled(tmp_path: Path) -> str:
    (tmp_path / "ruled.yaml").write_text(RULES)
    return str(tmp_path / "ruled.yaml")


def test_derived_variables_parts_masks_and_starts(capsys: pytest.CaptureFixture[str], ruled: str) -> None:
    found = lines_of(watch(capsys, ruled, "--random", "--frames", "100", "--every", "4"))
    assert {each["luck"] for each in found} == {"5"}
    assert all({"total", "total/points", "total/deaths"} <= set(each) for each in found)
    places = [int(each["basket_x"]) for each in found]
    assert min(places) < 128
    assert max(places) == 128, "right is never allowed"
    found = lines_of(watch(capsys, ruled, "--random", "--start", "late", "--frames", "4"))
    assert found[0]["lives"] == "4"
    assert main(["games", "watch", ruled, "--random", "--start", "lat"]) == 2
    assert "late" in capsys.readouterr().err


def test_single_frames_know_the_rules_but_no_limits(ruled: str) -> None:
    game = load_game(ruled)
    game = replace(game, definition=game.definition.model_copy(update={"limits": Limits(steps=1)}))
    moments = Moments(game)
    machine = Spectrum()
    machine.load_state(game.start_state("late"))
    held = action_row(["p"], "none")  # what no agent may hold, a person may
    glances = []
    for frame in range(1, 60):
        state = machine.save_state()
        machine.hold_row(held)
        machine.run_frames(1)
        glances.append(moments.look(state, held, frame=frame)[1])
    assert {each.outcome for each in glances} == {"running"}
    assert glances[20].variables["basket_x"] > 150
    assert glances[-1].variables["lives"] == 3
    assert glances[-1].variables["luck"] == 3
    assert sum(each.parts["deaths"] for each in glances) == -2
    assert sum(each.reward for each in glances) == -2


def test_a_person_plays(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    window = ScriptedWindow({**hold((60, 40, "o")), 170: ("escape",)})
    monkeypatch.setattr(hand_play, "Window", lambda *_args, **_kwargs: window)
    found = lines_of(watch(capsys, "acorns", "--every", "10"))
    assert len(window.pictures) == 170
    assert [int(each["frame"]) for each in found] == list(range(0, 171, 10))
    assert (found[-1]["score"], found[-1]["lives"], found[-1]["total"]) == ("1", "5", "1")


def test_a_person_is_stopped_after_some_frames(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    window = ScriptedWindow({1000: ("escape",)})
    monkeypatch.setattr(hand_play, "Window", lambda *_args, **_kwargs: window)
    found = lines_of(watch(capsys, "acorns", "--frames", "30", "--every", "10"))
    assert int(found[-1]["frame"]) == 30
    assert window.closed


def test_without_a_display_others_can_play(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    assert main(["games", "watch", "acorns"]) == 2
    error = capsys.readouterr().err
    assert "there is no display" in error
    assert "--random, --run RUN and --rzx FILE need none" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        ([], "name the game to watch"),
        (["acorns", "--random", "--rzx", "x.rzx"], "--random and --rzx: only one can play"),
        (["acrons", "--random"], "did you mean 'acorns'"),
        (["acorns", "--rzx", "missing.rzx"], "missing.rzx"),
        (["acorns", "--run", "missing"], "missing"),
        (["acorns", "--frames", "0"], "--frames"),
        (["acorns", "--randm"], "unknown flag --randm (did you mean '--random'?)"),
    ],
)
def test_wrong_arguments(capsys: pytest.CaptureFixture[str], args: list[str], complaint: str) -> None:
    assert main(["games", "watch", *args]) == 2
    error = capsys.readouterr().err
    assert complaint in error
    assert error.count("\n") == 1


def test_ctrl_c_ends_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(self: SpectrumEnv, action: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(SpectrumEnv, "step", interrupt)
    assert main(["games", "watch", "acorns", "--random"]) == 130
    assert capsys.readouterr().err == "oakemu-rl: stopped\n"


def test_in_a_terminal_it_is_a_table(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=100, height=50)
    monkeypatch.setattr(games_watch, "Console", lambda: terminal)
    assert main(["games", "watch", "acorns", "--random", "--frames", "200", "--fast"]) == 0
    text = screen.getvalue()
    assert "frames ago" in text
    assert "\x1b[?25h" in text, "the cursor is shown again"
    assert "loss: lives == 0" in text
    assert "frame=" not in capsys.readouterr().out


def glance(frame: int, lives: int, reward: float, outcome: str = "running", *, begins: bool = False) -> Glance:
    parts = {"points": reward + 1.0, "deaths": -1.0} if reward else {"points": 0.0, "deaths": 0.0}
    return Glance(frame, {"lives": lives}, reward, parts, outcome, begins)


def shown(table: WatchTable) -> str:
    console = Console(file=io.StringIO(), width=120)
    console.print(table.table())
    file = console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def row(table: WatchTable, name: str) -> list[str]:
    return next(line for line in shown(table).splitlines() if line.startswith(f"{name} ")).split()[1:]


def test_the_table_keeps_account() -> None:
    table = WatchTable(load_game("acorns").definition)
    table.take(glance(0, 5, 0.0, begins=True))
    assert row(table, "lives") == ["5", "-", "-", "5", "5"]
    table.take(glance(4, 4, 9.0))
    table.take(glance(8, 4, 0.0))
    assert row(table, "lives") == ["4", "-1", "4", "4", "5"]
    assert row(table, "reward") == ["9", "+9", "4"]
    assert row(table, "reward/points") == ["10", "+10", "4"]
    assert row(table, "reward/deaths") == ["-1", "-1", "4"]
    assert row(table, "loss:")[-1] == "no"
    table.take(glance(12, 0, -1.0, "loss"))
    assert row(table, "loss:")[-1] == "yes"
    assert row(table, "win:")[-1] == "no"
    table.take(glance(12, 5, 0.0, begins=True))
    assert row(table, "reward") == ["0", "-", "-"]
    assert row(table, "lives") == ["5", "+5", "0", "0", "5"]
    assert "Acorns: frame 12, episode 2, 1 loss" in shown(table)
    assert figures(table.line())["total/points"] == "0"


def test_moments_are_what_the_environment_says() -> None:
    game = load_game("acorns")
    env = SpectrumEnv(game, frameskip=1, noop_max=0)
    env.reset(seed=5)
    moments = Moments(game)
    spectrum = Spectrum()
    chance = np.random.default_rng(2)
    for frame in range(1, 250):
        state = env.machine_state()
        action = int(chance.integers(3))
        _, reward, _, _, info = env.step(action)
        held = list(game.definition.actions.values())[action]
        _, after = moments.look(state, action_row(held, "none"), frame=frame)
        assert after.reward == reward
        assert after.variables == {name: info[name] for name in game.variable_names}
        spectrum.load_state(state)
        spectrum.press(*held)
        spectrum.run_frames(1)
    assert info["lives"] < 5
