# SPDX-License-Identifier: GPL-3.0-or-later
"""Which keys do what: by themselves, by the game, by flags and by the person's file."""

from pathlib import Path

import numpy as np
import pytest

from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.host_keys import HOST_KEYS, check_host_key
from oakemu_rl.emulator.rzx import held_names
from oakemu_rl.errors import UserError
from oakemu_rl.games import Definition, find_definition
from oakemu_rl.playing.hotkeys import HOTKEY_TEXTS, Hotkey, Hotkeys
from oakemu_rl.playing.key_map import Assignment, KeyMap, make_key_map, parse_assignments
from oakemu_rl.playing.key_settings import KeySettings, key_settings_path, read_key_settings


def acorns(**changes: object) -> Definition:
    return find_definition("acorns").model_copy(update=changes)


def held(keys: KeyMap, *hosts: str) -> set[str]:
    return set(held_names(keys.row(hosts)))


class TestKeyMap:
    def test_the_spectrum_s_keys_are_themselves(self) -> None:
        keys = make_key_map(None)
        assert held(keys, "a", "left shift", "return", "nonsense") == {"a", "shift", "enter"}
        assert held(keys) == set()
        assert held(keys, "backspace") == {"shift", "0"}
        assert held(keys, "left") == {"shift", "5"}
        assert keys.special == {}

    def test_arrows_do_what_the_actions_of_their_names_do(self) -> None:
        keys = make_key_map(acorns())
        assert held(keys, "left") == {"o"}
        assert held(keys, "left", "right", "x") == {"o", "p", "x"}
        assert held(keys, "up") == {"shift", "7"}  # the game has no such action
        assert keys.special == {"left": "o", "right": "p"}

    def test_arrows_and_alt_are_the_game_s_joystick(self) -> None:
        actions = {"stay": [], "left": ["left"], "fire": ["fire"]}
        kempston = make_key_map(acorns(joystick="kempston", actions=actions))
        assert held(kempston, "left", "left alt", "a") == {"joystick left", "joystick fire", "a"}
        sinclair = make_key_map(acorns(joystick="sinclair1", actions=actions))
        assert held(sinclair, "left", "right alt") == {"6", "0"}

    @pytest.mark.parametrize(
        ("joystick", "left", "fire"),
        [
            ("kempston", "joystick left", "joystick fire"),
            ("sinclair1", "6", "0"),
            ("sinclair2", "1", "5"),
            ("cursor", "5", "0"),
        ],
    )
    def test_arrows_are_the_joystick_that_is_asked_for(self, joystick: str, left: str, fire: str) -> None:
        for definition in (None, acorns()):
            keys = make_key_map(definition, joystick=joystick)  # type: ignore[arg-type]
            assert held(keys, "left") == {left}
            assert held(keys, "left alt") == {fire}

    def test_no_joystick_means_cursor_keys(self) -> None:
        assert held(make_key_map(acorns(), joystick="none"), "left") == {"shift", "5"}

    def test_assignments(self) -> None:
        given = parse_assignments("z=left, x=p,q=shift+5,left=Caps", "--keys")
        keys = make_key_map(acorns(), assignments=given)
        assert held(keys, "z") == {"o"}  # the game's action
        assert held(keys, "x") == {"p"}
        assert held(keys, "q") == {"shift", "5"}
        assert held(keys, "left") == {"shift"}
        assert list(keys.special) == ["left", "right", "z", "x", "q"]
        assert keys.texts["q"] == "shift+5"
        assert "a" not in keys.texts

    def test_directions_of_a_joystick(self) -> None:
        keys = make_key_map(acorns(), joystick="kempston", assignments=parse_assignments("z=left,x=fire", "--keys"))
        assert held(keys, "z", "x") == {"joystick left", "joystick fire"}
        assert keys.special["z"] == "kempston left"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("left", "--keys: 'left' is not KEY=HELD, as in left=o,right=p,z=shift[+]5"),
            ("left=", "--keys: 'left=' is not KEY=HELD"),
            ("lefft=o", r"--keys: no key is called 'lefft' \(did you mean 'left'\?\)"),
            ("left=spase", r"--keys: there is no 'spase' to hold \(did you mean 'space'\?\); allowed are a-z"),
            ("z=up", "--keys: 'up' is a direction, and there is no joystick"),
            ("z=stay+oo", "and the game's actions stay, left, right$"),
        ],
    )
    def test_mistakes(self, text: str, message: str) -> None:
        with pytest.raises(UserError, match=message):
            make_key_map(acorns(), assignments=parse_assignments(text, "--keys"))

    def test_a_row_is_what_a_machine_holds(self) -> None:
        spectrum = Spectrum(kempston=True)
        spectrum.press("q")
        spectrum.hold_row(make_key_map(None, joystick="kempston").row(["left", "p"]))
        assert spectrum.held_keys == ("p",)
        assert spectrum._machine.kempston == 0b00010
        without = Spectrum()
        without.hold_row(np.full(9, 1, np.uint8))
        assert without._machine.kempston == 0


class TestHotkeys:
    def test_each_has_a_key_and_words(self) -> None:
        hotkeys = Hotkeys()
        assert len({hotkeys.key(hotkey) for hotkey in Hotkey}) == len(Hotkey) == len(HOTKEY_TEXTS)
        assert all(not check_host_key(hotkeys.key(hotkey)) for hotkey in Hotkey)
        assert hotkeys.find("f12") is Hotkey.SCREENSHOT
        assert hotkeys.find("a") is None
        assert hotkeys.held(Hotkey.TURBO, {"a", "tab"})

    def test_they_may_be_changed(self) -> None:
        swapped = Hotkeys([Assignment("f7", ("save",), "x"), Assignment("f6", ("load",), "x")])
        assert swapped.find("f6") is Hotkey.LOAD
        assert swapped.find("f7") is Hotkey.SAVE

    @pytest.mark.parametrize(
        ("changes", "game", "message"),
        [
            (
                [Assignment("f7", ("save",), "keys.yaml:3:4")],
                [],
                "keys.yaml:3:4: 'f7' is save as well as the hotkey load",
            ),
            ([], ["tab"], "'tab' is a key of the game as well as the hotkey turbo; give that another key"),
        ],
    )
    def test_a_key_has_one_meaning(self, changes: list[Assignment], game: list[str], message: str) -> None:
        with pytest.raises(UserError, match=message):
            Hotkeys(changes, game)


class TestSettings:
    @staticmethod
    def read(tmp_path: Path, text: str) -> KeySettings:
        (tmp_path / "keys.yaml").write_text(text)
        return read_key_settings(tmp_path / "keys.yaml", ("ZXSpectrum/Acorns-v0", "Acorns"))

    def test_there_need_be_none(self, tmp_path: Path) -> None:
        assert read_key_settings(tmp_path / "keys.yaml") == KeySettings()
        assert self.read(tmp_path, "# nothing yet\n") == KeySettings()

    def test_those_of_all_games_and_of_one(self, tmp_path: Path) -> None:
        text = """
keys: {Z: left, 1: 5, "left shift": shift+0}
hotkeys: {rewind: BackSpace}
joystick: cursor
games:
  acorns: {keys: {z: [o, 7]}, joystick: sinclair1}
  Caverns: {keys: {z: q}}
"""
        settings = self.read(tmp_path, text)
        path = tmp_path / "keys.yaml"
        assert settings.keys == (
            Assignment("z", ("left",), f"{path}:2:11"),
            Assignment("1", ("5",), f"{path}:2:20"),
            Assignment("left shift", ("shift", "0"), f"{path}:2:37"),
            Assignment("z", ("o", "7"), f"{path}:6:22"),
        )
        assert settings.hotkeys == (Assignment("backspace", ("rewind",), f"{path}:3:19"),)
        assert settings.joystick == "sinclair1"
        assert self.read(tmp_path, "joystick: cursor").joystick == "cursor"

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("kees: {}", "keys.yaml:1:1: .*kees"),
            ("keys: {lefft: o}", r"keys.yaml:1:8: keys.lefft: no key is called 'lefft' \(did you mean 'left'\?\)"),
            (
                "games:\n  Acorns:\n    keys: {lefft: o}",
                "keys.yaml:3:12: games.Acorns.keys.lefft: no key is called 'lefft'",
            ),
            (
                "hotkeys: {rewnd: f2}",
                r"keys.yaml:1:11: hotkeys.rewnd: there is no hotkey 'rewnd' \(did you mean 'rewind'\?\)",
            ),
            ("hotkeys: {rewind: ff2}", "keys.yaml:1:19: hotkeys.rewind: no key is called 'ff2'"),
            ("joystick: kempson", "keys.yaml:1:11: .*kempston"),
            ("keys: [a, b]", "keys.yaml:1:7: "),
            ("keys: {a: {b: c}}", "keys.yaml:1:11: "),
            ("keys: {a: []}", "keys.yaml:1:11: "),
        ],
    )
    def test_mistakes_have_a_place(self, tmp_path: Path, text: str, message: str) -> None:
        with pytest.raises(UserError, match=message):
            self.read(tmp_path, text)

    def test_where_they_are(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OAKEMU_RL_HOME", str(tmp_path))
        assert key_settings_path() == tmp_path / "keys.yaml"
        monkeypatch.delenv("OAKEMU_RL_HOME")
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        assert key_settings_path().name == "keys.yaml"


def test_names_of_keys() -> None:
    assert all(not check_host_key(name) for name in (*HOST_KEYS, "f15", "page up", "[+]", "ä", "<"))
    assert check_host_key("") != ""
    assert check_host_key("pagedown").startswith("no key is called 'pagedown' (did you mean 'page down'?)")
