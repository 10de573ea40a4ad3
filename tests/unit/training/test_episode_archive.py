# SPDX-License-Identifier: GPL-3.0-or-later
"""The best training episodes are kept as recordings, whoever else plays beside the policy."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from oakemu_rl.demos import EpisodeNotes, RecordedRoute, load_demo, replay
from oakemu_rl.envs import SpectrumVectorEnv
from oakemu_rl.games import load_game
from oakemu_rl.training.episode_archive import EpisodeArchive
from oakemu_rl.training.records import Record

OPTIONS = {"obs_type": "variables", "max_episode_steps": 60}


def archive(size: int = 3) -> EpisodeArchive:
    return EpisodeArchive(size, SpectrumVectorEnv("acorns", 2, num_threads=1, autoreset_mode="same_step", **OPTIONS))


def play(kept: EpisodeArchive, steps: int, *, route: str | None = None, seed: int | None = 5) -> list[float]:
    """Plays, and tells of the episodes as a run does; returns what they came to."""
    if seed is not None:
        kept.env.reset(seed=seed)
    chance, returns = np.random.default_rng(1), []
    for step in range(steps):
        infos = kept.env.step(chance.integers(0, 3, 2))[4]
        for i in np.flatnonzero(infos.get("_final_info", np.zeros(2))):
            final = infos["final_info"]
            values = {"env": int(i), "length": int(final["episode_length"][i]), "return": 0.0, "outcome": "loss"}
            kept.write(Record("episode", step, values | ({} if route is None else {"route": route})))
            returns.append(float(final["episode_return"][i]))
    return returns


def returns_in(folder: Path) -> list[float]:
    return [
        load_demo(folder / f"best_{number}.demo").episode_return for number in range(1, len(list(folder.iterdir())) + 1)
    ]


def test_the_best_are_kept_best_first(tmp_path: Path) -> None:
    kept = archive().open(tmp_path / "demos")
    returns = play(kept, 700)
    assert len(set(returns)) > 3
    assert not (tmp_path / "demos").exists()
    kept.write(Record("evaluation", 700, {}))
    assert returns_in(tmp_path / "demos") == sorted(returns, reverse=True)[:3]
    game = load_game("acorns")
    for path in (tmp_path / "demos").iterdir():
        assert replay(load_demo(path), game).frame


def test_what_the_policy_did_not_play_is_not_kept(tmp_path: Path) -> None:
    kept = archive().open(tmp_path / "demos")
    play(kept, 300, route="replay")
    kept.close("finished")
    assert not (tmp_path / "demos").exists()
    silent = play(kept, 300, route="silent", seed=6)
    kept.close("finished")
    assert returns_in(tmp_path / "demos") == sorted(silent, reverse=True)[:3]


def test_only_what_has_changed_is_written(tmp_path: Path) -> None:
    kept = archive(1).open(tmp_path / "demos")
    play(kept, 700)
    kept.write(Record("evaluation", 700, {}))
    path = tmp_path / "demos" / "best_1.demo"
    path.write_bytes(b"mine")
    kept.write(Record("evaluation", 701, {}))
    kept.close("stopped")
    assert path.read_bytes() == b"mine"


def test_a_run_that_goes_on_keeps_what_was_better(tmp_path: Path) -> None:
    straight = archive().open(tmp_path / "straight")
    play(straight, 730)
    first = archive().open(tmp_path / "demos")
    play(first, 730)
    slots = [first.env.get_state(i) for i in range(2)]
    second = archive().open(tmp_path / "demos")
    second.env.reset()
    for i, slot in enumerate(slots):
        second.env.set_state(i, slot)
    second.load_state_dict(first.state_dict())
    for kept in (straight, second):
        play(kept, 200, seed=None)
        kept.close("finished")
    names = [path.name for path in sorted((tmp_path / "straight").iterdir())]
    assert names == ["best_1.demo", "best_2.demo", "best_3.demo"]
    for name in names:
        one, other = (load_demo(tmp_path / folder / name) for folder in ("straight", "demos"))
        assert (one.start, one.episode_return, one.seed) == (other.start, other.episode_return, other.seed)
        assert (one.keys == other.keys).all()


def test_the_same_episode_twice_is_kept_once(tmp_path: Path) -> None:
    kept = archive(50).open(tmp_path / "demos")
    returns = play(kept, 200) + play(kept, 200)
    kept.close("finished")
    assert len(returns) < 50
    assert len(list((tmp_path / "demos").iterdir())) == len(returns) // 2


def test_an_episode_of_which_there_are_no_notes_is_passed_over(tmp_path: Path) -> None:
    kept = archive().open(tmp_path / "demos")
    kept.env.reset(seed=5)
    for i in range(2):
        kept.env.set_state(i, kept.env.get_state(i))  # as when a run is resumed
    returns = play(kept, 400, seed=None)
    kept.close("finished")
    assert len(returns) > 5
    assert returns_in(tmp_path / "demos") == sorted(returns[2:], reverse=True)[:3]


def test_an_archive_that_nobody_has_opened_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kept = archive()
    play(kept, 200)
    kept.close("finished")
    assert not list(tmp_path.iterdir())


def tell(kept: EpisodeArchive, notes: EpisodeNotes, *, told: bool = True) -> None:
    """An episode ends in the environments, and, unless something broke it off, in the actor."""
    kept._note(notes)
    if told:
        kept.write(Record("episode", 0, {"env": notes.env_id, "length": len(notes.actions), "return": 0.0}))


def ended(outcome: str, earned: float, length: int, *, whole: bool = True) -> EpisodeNotes:
    steps = np.full(length, 4)
    start = load_game("acorns").start_state()
    return EpisodeNotes(0, None, start, np.zeros(length, np.int64), steps, outcome, earned, whole=whole)


def test_wins_come_first_then_returns_then_the_shorter(tmp_path: Path) -> None:
    kept = archive(5).open(tmp_path / "demos")
    for notes in (
        ended("loss", 9, 3),
        ended("loss", 7, 8),
        ended("win", 1, 5),
        ended("loss", 9, 2),
        ended("win", 2, 9),
    ):
        tell(kept, notes)
    kept.close("finished")
    demos = [load_demo(tmp_path / "demos" / f"best_{number}.demo") for number in range(1, 6)]
    assert [(demo.outcome, demo.episode_return, demo.steps) for demo in demos] == [
        ("win", 2, 9),
        ("win", 1, 5),
        ("loss", 9, 2),
        ("loss", 9, 3),
        ("loss", 7, 8),
    ]


def test_what_began_in_the_middle_is_not_kept(tmp_path: Path) -> None:
    kept = archive().open(tmp_path / "demos")
    tell(kept, ended("win", 50, 3, whole=False))
    kept.close("finished")
    assert not (tmp_path / "demos").exists()


def test_what_was_played_before_a_saved_state_is_no_part_of_the_episode_that_is_told_of(tmp_path: Path) -> None:
    kept = archive().open(tmp_path / "demos")
    joined = replace(ended("win", 50, 9), steps_before=4, markers=((4, "hall"),))
    kept._note(joined)
    kept.write(Record("episode", 0, {"env": 0, "length": 5, "return": 0.0}))
    kept.close("stopped")
    demo = load_demo(tmp_path / "demos" / "best_1.demo")
    assert (demo.steps, demo.episode_return, demo.markers) == (9, 50, ((16, "hall"),))


def test_what_begins_as_a_recording_has_to_surpass_it(tmp_path: Path) -> None:
    kept = archive(2).open(tmp_path / "demos")
    shown = ended("win", 50, 9)
    kept.add_route(RecordedRoute([bytes([step]) for step in range(10)], shown, np.ones(9)))
    for earned, length in ((40, 6), (50, 9), (50, 12)):
        tell(kept, replace(ended("win", earned, length), shown_steps=3))
    kept.close("stopped")
    assert not (tmp_path / "demos").exists()
    for notes in (ended("win", 50, 8), ended("win", 51, 30), ended("loss", 90, 5)):
        tell(kept, replace(notes, shown_steps=3))
    tell(kept, ended("loss", 7, 4))
    kept.close("stopped")
    assert sorted(path.name for path in (tmp_path / "demos").iterdir()) == [
        "best_1.demo",
        "route_1.demo",
        "route_2.demo",
    ]
    routes = [load_demo(tmp_path / "demos" / f"route_{number}.demo") for number in (1, 2)]
    assert [(route.episode_return, route.steps) for route in routes] == [(51, 30), (50, 8)]


def test_notes_without_a_record_do_not_stand_in_the_way(tmp_path: Path) -> None:
    kept = archive().open(tmp_path / "demos")
    tell(kept, ended("truncated", 50, 4), told=False)
    tell(kept, ended("loss", 3, 6))
    kept.close("finished")
    assert returns_in(tmp_path / "demos") == [3]
