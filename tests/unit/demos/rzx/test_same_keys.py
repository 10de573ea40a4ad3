# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys that do what an action does, though it holds others."""

import counting_game
import pytest
from played_recordings import Player, at_start

from oakemu_rl.demos import replay
from oakemu_rl.demos.rzx import Fit, ImportSettings, KnownGames, RzxImport, import_rzx
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game

ASKED = bytes([0x01, 0xFE, 0xDF])  # LD BC,DFFE: the half row of P and O


def counting(tmp_path, monkeypatch: pytest.MonkeyPatch, rows: int, text: str = counting_game.DEFINITION) -> Game:
    """The counting game, made to ask other half rows: 0xDB is that of P and O and that of Q and W together."""
    code = counting_game._CODE
    assert code.count(ASKED) == 1
    monkeypatch.setattr(counting_game, "_CODE", code.replace(ASKED, bytes([0x01, 0xFE, rows])))
    return load_game(counting_game.write_game(tmp_path, text))


def imported(game: Game, *held, settings: ImportSettings | None = None) -> RzxImport:
    player = Player(game, at_start(game))
    player.play(*held)
    return import_rzx(player.recording(), KnownGames.of([game]), settings)


def test_a_game_that_asks_several_half_rows_at_once_has_more_keys_than_its_actions(tmp_path, monkeypatch) -> None:
    game = counting(tmp_path, monkeypatch, 0xDB)
    found = imported(game, (6, ""), (4, "w"), (8, ""), (6, "o"), (8, ""), (4, "q"), (8, ""), (2, "p"), (6, ""))
    (play,) = found.plays
    assert play.share(Fit.EXACT) + play.share(Fit.SAME) == 1.0
    assert play.share(Fit.SAME) > 0.2
    demo = play.pieces[0].demo
    names = [game.action_names[action] for action in play.steps.actions]
    assert (names.count("score"), names.count("die")) == (5, 2)
    assert (demo.outcome, demo.episode_return) == ("loss", 10.0)


def test_keys_that_do_nothing_are_the_action_that_does_nothing(tmp_path, monkeypatch) -> None:
    game = counting(tmp_path, monkeypatch, 0xDF)
    found = imported(game, (4, "i"), (6, "o"), (9, "i"), (3, "o"), (8, "i"))
    (play,) = found.plays
    assert play.share(Fit.REFUSED) == 0
    assert play.share(Fit.SAME) > 0.5
    stay, score = 0, 1
    assert set(play.mapped.actions.tolist()) == {stay, score}
    # So that all of it is exact, as far as anybody can see.
    assert imported(game, (4, "i"), (6, "o"), (9, "i"), settings=ImportSettings(exact=True)).plays


def test_several_keys_at_once_are_what_the_machine_makes_of_them(tmp_path, monkeypatch) -> None:
    text = counting_game.DEFINITION.replace("die: [p]}", "die: [p], both: [o, p]}")
    game = counting(tmp_path, monkeypatch, 0xDF, text)
    found = imported(game, (4, ""), (2, "o p i"), (6, ""), (2, "o p i"), (6, ""))
    (play,) = found.plays
    assert set(play.mapped.actions.tolist()) == {0, game.action_names.index("both")}
    assert play.share(Fit.SAME) > 0.1


def test_the_nearest_action_stands_for_what_none_does(tmp_path, monkeypatch) -> None:
    game = counting(tmp_path, monkeypatch, 0xDF)
    held = [(4, ""), (4, "o"), (1, "o p"), (6, ""), (1, "p o"), (4, "")]
    (play,) = imported(game, *held).plays
    assert (play.mapped.count(Fit.NEAREST), play.mapped.count(Fit.SAME)) == (2, 0)
    names = [game.action_names[action] for action in play.mapped.actions[play.mapped.conflicts]]
    assert names == ["score", "score"]  # the one goes on, the other is the first
    assert play.pieces[0].demo.episode_return == 6.0  # what was really done counts
    with pytest.raises(
        UserError, match=r"played.rzx: frame 8: p \+ o is held, which no action of .*: stay \(nothing\)"
    ):
        imported(game, *held, settings=ImportSettings(exact=True))


def test_what_no_action_does_stays_refused(tmp_path, monkeypatch) -> None:
    text = counting_game.DEFINITION.replace(
        "actions: {stay: [], score: [o], die: [p]}", "actions: {stay: [], die: [p]}"
    )
    game = counting(tmp_path, monkeypatch, 0xDF, text)
    with pytest.raises(UserError, match=r"in 100% of those in which keys are held \(o\), which no action of"):
        imported(game, (4, ""), (6, "o"), (6, ""), (6, "o"), (6, ""))
    (play,) = imported(game, (4, ""), (1, "o"), (6, ""), (1, "p"), (3, ""), (1, "p"), (6, "")).plays
    assert play.mapped.count(Fit.REFUSED) == 1  # a third of what is held


def test_games_on_a_128k_machine_and_with_a_joystick_are_imported_as_well(tmp_path, monkeypatch) -> None:
    text = counting_game.DEFINITION.replace("machine: 48k", "machine: 128k")
    text = text.replace("actions:", "joystick: kempston\nactions:").replace("die: [p]}", "die: [p], fire: [fire]}")
    game = counting(tmp_path, monkeypatch, 0xDF, text)
    (play,) = imported(game, (6, ""), (4, "o"), (9, ""), (3, "o"), (8, "p")).plays
    (piece,) = play.pieces
    assert (piece.demo.machine, piece.demo.outcome, piece.demo.episode_return) == ("128k", "loss", 7.0)
    replay(piece.demo, game)
