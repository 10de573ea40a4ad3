# SPDX-License-Identifier: GPL-3.0-or-later
"""RZX recordings of people, made into recordings that agents learn from."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from played_recordings import Held, Player, at_start, at_title

from oakemu_rl.demos import Demo, demo_steps, load_demo, replay
from oakemu_rl.demos.rzx import Fit, ImportSettings, KnownGames, RzxImport, export_rzx, import_rzx
from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.rzx import FrameInputs, Rzx, RzxDesync, RzxPart, RzxPlayer, RzxRecorder, RzxSnapshot
from oakemu_rl.emulator.rzx.machines import snapshot_of
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game


@pytest.fixture(scope="module")
def acorns() -> Game:
    return load_game("acorns")


@pytest.fixture(scope="module")
def caverns() -> Game:
    return load_game("caverns")


@pytest.fixture(scope="module")
def games(acorns: Game, caverns: Game) -> KnownGames:
    return KnownGames.of([acorns, caverns])


def at_random(*keys: str) -> Iterator[Held]:
    """Holds this and that, for odd numbers of frames."""
    chance = random.Random(7)  # noqa: S311 - a player, not a secret
    while True:
        yield chance.randint(1, 23), chance.choice(keys)


def whole(imported: RzxImport) -> list[Demo]:
    """The recording of each play, none of which is in pieces."""
    assert all(len(play.pieces) == 1 for play in imported.plays)
    return [play.pieces[0].demo for play in imported.plays]


def test_a_won_game_comes_back_from_rzx_as_it_was(caverns: Game, games: KnownGames) -> None:
    demo = load_demo("caverns")
    imported = import_rzx(export_rzx([demo], "caverns"), games)
    (back,) = whole(imported)
    assert imported.game.id == caverns.id
    assert (back.outcome, back.episode_return, back.source) == ("win", 50.0, "rzx")
    assert (back.steps, back.frames, back.settings) == (demo.steps, demo.frames, demo.settings)
    assert back.checks.tolist() == demo.checks.tolist()  # the RAM is the same all the time
    replay(back, caverns)
    assert imported.plays[0].share(Fit.EXACT) == 1.0
    # What is held while nobody asks for it (the dying, the door) cannot be known.
    assert (back.actions == demo.actions).mean() > 0.95


def test_plays_are_cut_where_they_begin_and_where_they_end(acorns: Game, games: KnownGames) -> None:
    player = Player(acorns, at_title(acorns))
    player.play((40, ""))
    for _ in range(2):
        player.play((4, "space"))
        player.play_until("mode", 2, at_random("o", "p", "", "o", "p"))
        player.play((90, ""), (3, "space"), (30, ""))  # game over, and back to the title
    player.play((4, "space"), (150, "p"))
    demos = whole(imported := import_rzx(player.recording(), games))
    assert [demo.outcome for demo in demos] == ["loss", "loss", "running"]
    modes = [values["mode"] for values in player.seen]
    begins = [frame for frame, (was, now) in enumerate(pairwise(modes), start=1) if was != 1 and now == 1]
    ends = [frame for frame, (was, now) in enumerate(pairwise(modes), start=1) if was == 1 and now != 1]
    for play, begin, end in zip(imported.plays[:2], begins, ends, strict=False):
        assert abs(play.first - begin) <= 2
        assert 0 <= play.end - end <= 6
    assert imported.frames - imported.plays[2].end < 4
    for demo, play in zip(demos, imported.plays, strict=True):
        replay(demo, acorns)
        assert play.start == "default"


def test_what_was_played_is_what_an_environment_sees(caverns: Game, games: KnownGames) -> None:
    player = Player(caverns, at_start(caverns))
    player.play((3, "p"), (1, "p space"), (41, ""), (1, "space"), (50, ""), (7, "o"), (2, "o space"), (50, ""))
    (demo,) = whole(import_rzx(player.recording(), games))
    steps = demo_steps(demo, caverns, {"obs_type": "grayscale"})
    assert demo.steps == pytest.approx(len(player.seen) / 4, abs=1)
    for step in range(demo.steps + 1):
        for name in ("player_x", "player_y", "jump"):
            assert steps.variables[name][step] == player.seen[4 * step][name]
    held = demo.keys.reshape(-1, 4, 9)
    assert (held != held[:, :1]).any()  # keys do change within steps
    jumps = [name for name in (demo.action_meanings[action] for action in steps.actions) if "jump" in name]
    assert jumps == ["right_jump", "jump", "left_jump"]  # none is lost, two had one frame


def test_the_frameskip_can_be_chosen(caverns: Game, games: KnownGames) -> None:
    player = Player(caverns, at_start(caverns))
    player.play((30, "p"), (30, "o"))
    (demo,) = whole(import_rzx(player.recording(), games, ImportSettings(frameskip=3)))
    assert demo.settings["frameskip"] == 3
    assert set(demo.step_frames.tolist()) == {3}


def test_keys_that_nobody_asks_for_any_more_are_taken_for_released(acorns: Game, games: KnownGames) -> None:
    player = Player(acorns, at_title(acorns))
    player.play((20, ""), (60, "space"), (200, "p"))  # space is asked for in the title alone
    (play,) = import_rzx(player.recording(), games).plays
    assert play.share(Fit.EXACT) == 1.0


def test_a_game_that_plays_by_itself_is_no_play(acorns: Game, games: KnownGames) -> None:
    player = Player(acorns, at_start(acorns))
    player.play_until("mode", 2, [(50, "")] * 200)
    player.play((90, ""), (3, "space"), (30, ""))
    nobody = player.recording()
    with pytest.raises(UserError, match="nobody plays ZXSpectrum/Acorns-v0: no key is pressed in it"):
        import_rzx(nobody, games)


def test_a_game_that_is_given_up_and_begun_anew_is_two_plays(acorns: Game, games: KnownGames) -> None:
    player = Player(acorns, at_start(acorns))
    player.play_until("lives", 2, at_random("o", "", ""))
    given_up = len(player.seen) - 1
    player.machine.load_state(acorns.start_state())
    player.play((60, "p"))
    imported = import_rzx(player.recording(), games)
    assert [demo.outcome for demo in whole(imported)] == ["running", "running"]
    first, second = imported.plays
    assert first.first == 0
    assert second.first == given_up
    assert 0 <= given_up - first.end < 4


def test_a_play_goes_on_in_a_second_piece_where_its_memory_was_changed(acorns: Game, games: KnownGames) -> None:
    player = Player(acorns, at_start(acorns))
    player.play((100, "o"))
    lives = acorns.definition.variables["lives"].at
    player.machine.poke(lives, 9)
    player.play((100, "p"))
    (play,) = import_rzx(player.recording(), games).plays
    first, second = play.pieces
    assert first.end == second.first == 100
    assert second.end == 200
    before, after = Spectrum(), Spectrum()
    before.load_state(first.demo.start)
    after.load_state(second.demo.start)
    assert (before.peek(lives), after.peek(lives)) == (5, 9)
    replay(second.demo, acorns)


def test_pieces_of_a_few_steps_are_left_out(acorns: Game, games: KnownGames) -> None:
    player = Player(acorns, at_start(acorns))
    player.play((100, "o"))
    lives = acorns.definition.variables["lives"].at
    player.machine.poke(lives, 9)
    player.play((28, "p"))  # seven steps
    player.machine.poke(lives, 8)
    player.play((32, "o"))  # eight
    (play,) = import_rzx(player.recording(), games).plays
    assert [(piece.first, piece.end) for piece in play.pieces] == [(0, 100), (128, 160)]


def test_snapshots_on_the_way_begin_nothing_anew(acorns: Game, games: KnownGames) -> None:
    player = Player(acorns, at_start(acorns))
    player.play((40, "o"))
    player.machine.poke(0xF000, 1)  # of no use to anybody, but the recording goes on with a snapshot
    player.play((60, "p"))
    recording = player.recording()
    assert len(recording.parts) == 2
    (play,) = import_rzx(recording, games).plays
    (piece,) = play.pieces
    assert (piece.first, piece.end) == (0, 100)


@pytest.mark.parametrize("kind", ["szx", "z80", "sna"])
def test_snapshots_to_go_back_to_change_nothing(caverns: Game, games: KnownGames, kind: str) -> None:
    first = export_rzx([load_demo("caverns")], "caverns")
    inputs, player = first.parts[0].inputs, RzxPlayer(first)
    frames = [(int(inputs.fetches[frame]), inputs.values(frame)) for frame in range(300)]
    parts = []
    for begin in range(0, 300, 50):  # as emulators write that keep one every few seconds
        snapshot = snapshot_of(player.spectrum, kind, "back")
        parts.append(RzxPart(snapshot, FrameInputs.from_frames(frames[begin : begin + 50])))
        player.run_frames(50)
    (play,) = import_rzx(Rzx("back", tuple(parts)), games).plays
    (piece,) = play.pieces
    assert (piece.first, piece.end) == (0, 300)
    if kind != "sna":  # which keeps PC in the machine's memory
        assert piece.demo.checks.tolist() == load_demo("caverns").checks[: len(piece.demo.checks)].tolist()


def test_a_machine_that_is_not_emulated_is_named_once(caverns: Game, games: KnownGames) -> None:
    snapshot = bytearray(snapshot_of(at_start(caverns), "z80", "made").data)
    snapshot[34] = 9
    part = RzxPart(RzxSnapshot("x.rzx: block 2", "z80", bytes(snapshot)), FrameInputs.from_frames([(1, b"")]))
    with pytest.raises(UserError) as caught:
        import_rzx(Rzx("x.rzx", (part,)), games)
    assert str(caught.value).startswith("x.rzx: block 2: header at offset 34: the machine (hardware 9) is a Pentagon;")


def test_a_recording_from_the_middle_of_a_play_needs_to_be_told(caverns: Game, games: KnownGames) -> None:
    machine = at_start(caverns)
    machine.press("p")
    machine.run_frames(100)
    player = Player(caverns, machine)
    player.play((60, "o"), (60, "p"))
    recording = player.recording()
    with pytest.raises(UserError, match="no frame looks like the beginning of a play; --begin FRAME says"):
        import_rzx(recording, games)
    (play,) = import_rzx(recording, games, ImportSettings(begin=20)).plays
    assert (play.first, play.end, play.start) == (20, 120, None)
    with pytest.raises(UserError, match="there is no frame 500; the recording has 0 to 1"):
        import_rzx(recording, games, ImportSettings(begin=500))


def test_the_game_is_recognised_by_memory_alone(caverns: Game, acorns: Game) -> None:
    player = Player(caverns, at_start(caverns))
    player.play((60, "p"))
    with pytest.raises(UserError, match=r"acorns.rzx: its memory is that of no known game \(likest: .*Acorns-v0 \d%"):
        import_rzx(player.recording("acorns.rzx"), KnownGames.of([acorns]))


def test_a_game_that_is_loaded_in_the_recording_is_recognised_then(caverns: Game, games: KnownGames) -> None:
    machine = Spectrum()
    with RzxRecorder(machine) as recorder:
        machine.run_frames(120)  # the ROM's own start
        machine.load_state(caverns.start_state())
        machine.press("p")
        machine.run_frames(60)
    imported = import_rzx(recorder.recording(), games)
    (play,) = imported.plays
    assert 118 <= play.first <= 152
    with pytest.raises(UserError, match="in frame 3 there is no known game yet"):
        import_rzx(recorder.recording(), games, ImportSettings(begin=3))


def test_a_recording_that_goes_another_way_names_the_frame(caverns: Game, games: KnownGames) -> None:
    player = Player(caverns, at_start(caverns))
    player.play((100, "p"))
    recording = player.recording()
    (part,) = recording.parts
    frames = [(int(part.inputs.fetches[frame]), part.inputs.values(frame)) for frame in range(len(part.inputs))]
    frames[40] = (frames[40][0], frames[40][1][:-1])
    broken = replace(recording, parts=(RzxPart(part.snapshot, FrameInputs.from_frames(frames, part.inputs.tstates)),))
    with pytest.raises(RzxDesync, match=r"played.rzx: frame 40: the program read 2 ports, the recording has 1"):
        import_rzx(broken, games)


def test_a_recording_without_frames_is_empty(caverns: Game, games: KnownGames) -> None:
    player = Player(caverns, at_start(caverns))
    player.play((10, "p"))
    snapshot = player.recording().parts[0].snapshot
    empty = Rzx("empty.rzx", (RzxPart(snapshot, FrameInputs.from_frames([])),))
    with pytest.raises(UserError, match=r"empty.rzx: the recording is empty"):
        import_rzx(empty, games)


def test_progress_goes_from_nothing_to_all(caverns: Game, games: KnownGames) -> None:
    player = Player(caverns, at_start(caverns))
    player.play((400, "p"))
    told: list[float] = []
    import_rzx(player.recording(), games, on_progress=told.append)
    assert told == sorted(told)
    assert told[0] < 0.2
    assert 0.5 < told[-1] <= 1.0


def test_several_recordings_become_one_file_that_holds_them_all(games: KnownGames) -> None:
    demo = load_demo("caverns")
    short = replace(
        demo,
        keys=demo.keys[:400],
        actions=demo.actions[:100],
        step_frames=demo.step_frames[:100],
        checks=demo.checks[:40],
        keyframes=(),
        markers=(),
        outcome="running",
    )
    recording = export_rzx([short, demo], "both")
    imported = import_rzx(recording, games)
    assert [play.outcome for play in imported.plays] == ["running", "win"]
    with pytest.raises(UserError, match="an RZX recording is of one machine, not of 128k, 48k"):
        export_rzx([demo, replace(demo, machine="128k")], "both")
    with pytest.raises(UserError, match="not of none"):
        export_rzx([], "both")


def test_frames_are_numbers(games: KnownGames) -> None:
    assert np.array([play.first for play in import_rzx(export_rzx([load_demo("caverns")], "c"), games).plays]) == [0]
