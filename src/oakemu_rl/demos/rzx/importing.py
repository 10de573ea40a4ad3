# SPDX-License-Identifier: GPL-3.0-or-later
"""From RZX recordings of people to recordings that agents learn from."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from oakemu_rl.demos.rzx.following import Follower, Piece
from oakemu_rl.demos.rzx.mapping import Fit, MappedKeys, describe_keys, map_keys
from oakemu_rl.demos.rzx.recognition import KnownGames
from oakemu_rl.demos.rzx.resampling import Resampled, resample
from oakemu_rl.demos.rzx.scanning import Moment, OnFrame, Scan, scan
from oakemu_rl.demos.rzx.trying import find_same
from oakemu_rl.emulator.rzx import Rzx, RzxDesync, find_playback_flags
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game

__all__ = ["ImportSettings", "ImportedPlay", "RzxImport", "import_rzx"]

_LEAST_MAPPED = 0.5
"""Share of the frames with something held that must say what was played, or else the recording is refused."""
_NAMED_COMBINATIONS = 3

Progress = Callable[[float], None]


@dataclass(frozen=True)
class ImportSettings:
    """How recordings are imported.

    Attributes:
        frameskip: Frames a step; None for the game's preset (the middle of a range).
        exact: Refuse keys that do not do what an action does; else the nearest action stands in for them.
        begin: A frame in which a play begins, whatever it looks like.
    """

    frameskip: int | None = None
    exact: bool = False
    begin: int | None = None


@dataclass(frozen=True, eq=False)
class ImportedPlay:
    """A play, from its beginning to its end or to that of the recording.

    Attributes:
        pieces: Its recordings: one, or several where an agent that acts in steps cannot do what was done.
        start: The name of the game's start with which it begins; None where somebody says that it begins.
        first: The frame of the RZX recording in which it begins.
        end: The frame after its last one.
        mapped: The actions of its frames.
        steps: Those of its steps.
    """

    pieces: tuple[Piece, ...]
    start: str | None
    first: int
    end: int
    mapped: MappedKeys
    steps: Resampled

    @property
    def outcome(self) -> str:
        """How it ended."""
        return self.pieces[-1].demo.outcome

    def share(self, fit: Fit) -> float:
        """Share of the frames whose keys fit an action so well, 0 to 1."""
        return self.mapped.count(fit) / max(len(self.mapped.fits), 1)


@dataclass(frozen=True, eq=False)
class RzxImport:
    """What came of a recording.

    Attributes:
        game: Its game.
        likeness: How much of the game's program was in the memory by which it was recognised, 0 to 1.
        frames: Of the whole recording.
        plays: What was played.
        idle: How many plays were left out as no key was pressed in them: a program that shows itself.
    """

    game: Game
    likeness: float
    frames: int
    plays: tuple[ImportedPlay, ...]
    idle: int


def import_rzx(
    recording: Rzx, games: KnownGames, settings: ImportSettings | None = None, *, on_progress: Progress | None = None
) -> RzxImport:
    """Makes recordings for learning of an RZX recording.

    Args:
        recording: What somebody played.
        games: The games that it may be of.
        settings: How.
        on_progress: Called every now and then with how much is done, 0 to 1.

    Raises:
        RzxDesync: The recording cannot be played to its end.
        UserError: It is of no known game, nobody plays in it, or what is held is not what the game's actions hold.
    """
    settings = settings or ImportSettings()
    report = on_progress or (lambda _: None)
    frames = max(2 * recording.frames, 1)  # each is played twice: as it was recorded, and by an environment
    try:
        seen = _scan(recording, games, settings, lambda frame: report(frame / frames))
        plays = list(_plays(seen, settings, lambda frame: report((seen.frames + frame) / frames)))
    except RzxDesync:
        raise  # names the recording already
    except UserError as error:
        if str(error).startswith(f"{recording.name}: "):  # about a snapshot in it
            raise
        raise UserError(f"{recording.name}: {error}") from error
    played = tuple(play for play in plays if _is_played(play, seen.memory.game))
    if not played:
        why = "no key is pressed in it" if plays else _no_beginning(seen)
        raise UserError(f"{recording.name}: nobody plays {seen.memory.game.id}: {why}")
    return RzxImport(seen.memory.game, seen.likeness, seen.frames, played, len(plays) - len(played))


def _scan(recording: Rzx, games: KnownGames, settings: ImportSettings, on_frame: OnFrame) -> Scan:
    try:
        return scan(recording, games, begin=settings.begin, on_frame=on_frame)
    except RzxDesync:
        # Finding out what its emulator did at the ends of frames takes some plays, so this comes second.
        flags = find_playback_flags(recording)
        return scan(recording, games, flags=flags, begin=settings.begin, on_frame=on_frame)


def _plays(seen: Scan, settings: ImportSettings, on_frame: OnFrame) -> Iterator[ImportedPlay]:
    game = seen.memory.game
    low, high = game.definition.presets.frameskip
    env = SpectrumEnv(
        game,
        obs_type="variables",
        frameskip=settings.frameskip or (low + high) // 2,
        noop_max=0,
        max_num_frames_per_episode=0,
        max_episode_steps=0,
        stall_steps=0,
    )
    mapped = map_keys(seen.meant, game.action_table, game.definition.noop_action, find_same(seen))
    over = 0
    try:
        for number, moment in enumerate(seen.moments):
            if moment.frame < over:
                continue
            anew = (later.frame for later in seen.moments[number + 1 :] if _is_anew(seen, moment, later))
            end, frameskip = next(anew, seen.frames), env.options.frameskip[0]
            steps = resample(mapped.actions[moment.frame : end], frameskip, game.action_table)
            follower = Follower(env, seen, moment, steps.actions, on_frame)
            play = _play(follower, seen, mapped, exact=settings.exact)
            if play is not None:
                over = play.end
                yield play
    finally:
        env.close()


def _play(follower: Follower, seen: Scan, mapped: MappedKeys, *, exact: bool) -> ImportedPlay | None:
    """One play; None if it is over before it can be told from none."""
    pieces = tuple(follower.pieces())
    if not pieces:
        return None
    moment = follower.moment
    part = mapped.part(moment.frame, follower.end)
    if exact:
        _refuse_other_keys(seen, part, moment.frame)
    _refuse_strange_keys(seen, part, moment.frame)
    steps = resample(part.actions, follower.frameskip, seen.memory.game.action_table)
    return ImportedPlay(pieces, moment.start, moment.frame, follower.end, part, steps)


def _is_anew(seen: Scan, moment: Moment, later: Moment) -> bool:
    """Whether a play was given up for a new one: what decides was otherwise in between, and is as at the beginning."""
    between = seen.vital[moment.frame : later.frame]
    return bool((between != seen.vital[later.frame]).any())


def _is_played(play: ImportedPlay, game: Game) -> bool:
    return bool((play.mapped.actions != game.definition.noop_action).any())


def _refuse_other_keys(seen: Scan, mapped: MappedKeys, first: int) -> None:
    wrong = np.flatnonzero(mapped.fits > Fit.SAME)
    if wrong.size:
        frame = first + int(wrong[0])
        raise UserError(f"frame {frame}: {describe_keys(seen.meant[frame])} is held, {_no_action(seen)}")


def _refuse_strange_keys(seen: Scan, mapped: MappedKeys, first: int) -> None:
    """Refuses a play in which most of what is held are keys that no action holds."""
    held = seen.meant[first : first + len(mapped.fits)]
    pressed = held.any(axis=1)
    strange = mapped.fits == Fit.REFUSED
    if not pressed.any() or strange[pressed].mean() <= 1 - _LEAST_MAPPED:
        return
    rows, counts = np.unique(held[strange], axis=0, return_counts=True)
    most = [describe_keys(row) for row in rows[np.argsort(-counts, kind="stable")][:_NAMED_COMBINATIONS]]
    raise UserError(
        f"frames {first} to {first + len(held) - 1}: in {strange[pressed].mean():.0%} of those in which keys are held "
        f"({', '.join(most)}), {_no_action(seen)}"
    )


def _no_action(seen: Scan) -> str:
    game = seen.memory.game
    named = zip(game.action_names, game.action_table, strict=True)
    actions = ", ".join(f"{name} ({describe_keys(row)})" for name, row in named)
    return f"which no action of {game.id} holds: {actions}"


def _no_beginning(seen: Scan) -> str:
    return (
        "no frame looks like the beginning of a play; --begin FRAME says where one begins "
        f"(the game is recognised in frame {seen.first} of {seen.frames})"
    )
