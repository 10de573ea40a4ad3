# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl games watch GAME`: what a game's variables do while somebody plays."""

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, takewhile
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, PositiveInt
from rich.console import Console
from rich.live import Live

from oakemu_rl.cli.agent_arguments import AgentArguments, open_agent
from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.glance import Glance, glances_of
from oakemu_rl.cli.hand_play import play_by_hand
from oakemu_rl.cli.moments import Moments, RecordedMoments
from oakemu_rl.cli.watch_table import WatchTable
from oakemu_rl.emulator import Spectrum
from oakemu_rl.emulator.pacing import Pacer, frame_rate
from oakemu_rl.emulator.rzx import RzxPlayer, find_playback_flags, read_rzx
from oakemu_rl.emulator.window import NoDisplayError
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, load_game

__all__ = ["run"]

_PLAYERS = ("random", "run", "rzx")
_SECONDS_BETWEEN_PICTURES = 0.1


class _WatchArguments(BaseModel):
    """What a game's variables, rewards and conditions do while somebody plays.

    You play in a window; or chance does (--random), an agent (--run), or a recording (--rzx), which need none. In a
    terminal it is a table that lives, at the speed of the real machine; into a file or pipe it is a line now and then.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str | None = Field(
        None,
        description="Game id, name or definition file; with --run, None is the agent's.",
        json_schema_extra={"positional": True, "metavar": "GAME"},
    )
    random: bool = Field(default=False, description="Chance plays: every allowed action is as likely.")
    run: Path | None = Field(
        None, description="An agent plays: its run folder or checkpoint.", json_schema_extra={"metavar": "RUN"}
    )
    rzx: Path | None = Field(None, description="A recording plays.", json_schema_extra={"metavar": "FILE"})
    start: str | None = Field(
        None, description="The start state of the game to begin in.", json_schema_extra={"metavar": "NAME"}
    )
    frames: PositiveInt | None = Field(
        None, description="Stop after so many frames (50 a second); None goes on until it is over, or Ctrl-C."
    )
    every: PositiveInt = Field(50, description="Frames from one line to the next where lines are printed.")
    seed: int = Field(0, ge=0, lt=2**63, description="The episodes of chance and agents follow from it.")
    fast: bool = Field(default=False, description="In a terminal: as fast as it goes, not at the machine's speed.")
    device: str = Field("auto", description="Where an agent's network computes: auto, cpu, cuda, cuda:1, mps.")


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_WatchArguments, args, prog="oakemu-rl games watch")
    chosen = [name for name in _PLAYERS if getattr(arguments, name)]
    if len(chosen) > 1:
        raise UserError(f"--{chosen[0]} and --{chosen[1]}: only one can play")
    if arguments.game is None and arguments.run is None:
        raise UserError("name the game to watch: oakemu-rl games watch GAME")
    if arguments.run is not None:
        game, glances = _agent(arguments, arguments.run)
        _show(game, glances, arguments)
        return 0
    game = load_game(str(arguments.game))
    if arguments.random:
        _show(game, _chance(game, arguments), arguments)
    elif arguments.rzx is not None:
        if arguments.start is not None:
            raise UserError(f"--start: {arguments.rzx} is a recording, which has a start of its own")
        recorded = RecordedMoments(game, _player(game, arguments.rzx))
        _show(game, iter(recorded), arguments)
        if recorded.unknown:
            sys.stderr.write(f"oakemu-rl: note: the rewards of {recorded.unknown} frames are not known, and left out\n")
    else:
        _play(game, arguments)
    return 0


def _chance(game: Game, arguments: _WatchArguments) -> Iterator[Glance]:
    env = SpectrumEnv(game, obs_type="ram")
    chance = np.random.default_rng(arguments.seed)

    def choose(_observation: object, _info: Mapping[str, Any]) -> int:
        return int(chance.choice(np.flatnonzero(env.action_masks())))

    return glances_of(env, choose, count(arguments.seed), start=arguments.start)


def _agent(arguments: _WatchArguments, path: Path) -> tuple[Game, Iterator[Glance]]:
    agent = open_agent(AgentArguments(agent=path, game=arguments.game, device=arguments.device))
    from oakemu_rl.evaluation import ModelPlayer, episode_seed
    from oakemu_rl.evaluation.tester import episode_chance
    from oakemu_rl.ppo.observation_parts import alone

    player = ModelPlayer(agent.model)
    env = SpectrumEnv(agent.game, **dict(agent.env_options))
    unused = [episode_chance(0)]  # a greedy player draws nothing

    def choose(observation: NDArray[Any], info: Mapping[str, Any]) -> int:
        if info["episode_length"] == 0:
            player.begin(np.ones(1, dtype=np.bool_))
        masks = np.asarray(info["action_mask"])[np.newaxis] if "action_mask" in info else None
        return int(player.choose(alone(observation), unused, masks)[0])

    seeds = (episode_seed(arguments.seed, number) for number in count())
    return agent.game, glances_of(env, choose, seeds, start=arguments.start)


def _player(game: Game, path: Path) -> RzxPlayer:
    recording = read_rzx(path)
    player = RzxPlayer(recording, flags=find_playback_flags(recording))
    if player.spectrum.machine != game.definition.machine:
        raise UserError(
            f"{path}: the recording is of a {player.spectrum.machine} machine, {game.id} runs on a "
            f"{game.definition.machine}"
        )
    return player


def _show(game: Game, glances: Iterator[Glance], arguments: _WatchArguments) -> None:
    """Shows what comes, at the speed of the machine where a person looks on."""
    if arguments.frames is not None:
        last = arguments.frames
        glances = takewhile(lambda glance: glance.frame <= last, glances)
    rate = float(frame_rate(game.definition.machine))
    pacer = Pacer()
    before = 0
    with _Output(game, arguments.every) as output:
        for glance in glances:
            if output.is_live and not arguments.fast and glance.frame > before:
                pacer.wait(rate / (glance.frame - before))
            before = glance.frame
            output.take(glance)


def _play(game: Game, arguments: _WatchArguments) -> None:
    """A person plays in a window."""
    definition = game.definition
    machine = Spectrum(definition.machine)
    machine.load_state(game.start_state(arguments.start or game.start_names[0]))
    moments = Moments(game)
    frame = 0

    def play_frame(row: NDArray[np.uint8]) -> bool:
        nonlocal frame
        state = machine.save_state()
        machine.hold_row(row)
        machine.run_frames(1)
        frame += 1
        before, after = moments.look(state, row, frame=frame)
        if frame == 1:
            output.take(before)
        output.take(after)
        return frame != arguments.frames

    try:
        with _Output(game, arguments.every) as output:
            play_by_hand(lambda: machine, definition, definition.title, play_frame)
    except NoDisplayError as error:
        raise UserError(
            f"{error}; --random, --run RUN and --rzx FILE need none (oakemu-rl games watch --help)"
        ) from error


class _Output:
    """A table that lives in a terminal, or else lines.

    Args:
        game: What is watched.
        every: Frames from one line to the next.
    """

    def __init__(self, game: Game, every: int) -> None:
        self._table = WatchTable(game.definition)
        self._every = every
        self._next_line = 0
        self._next_picture = 0.0
        console = Console()
        self._live = Live(console=console, auto_refresh=False) if console.is_terminal else None

    @property
    def is_live(self) -> bool:
        """Whether a person looks on."""
        return self._live is not None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._live is not None and self._live.is_started:
            self._live.update(self._table.table(), refresh=True)
            self._live.stop()
        elif self._live is None and kind is None:
            sys.stdout.writelines(f"{line}\n" for line in self._table.summary())

    def take(self, glance: Glance) -> None:
        """Shows another moment, or lets it pass if the last one was just now."""
        self._table.take(glance)
        if self._live is None:
            if glance.frame >= self._next_line or glance.outcome != "running":
                sys.stdout.write(f"{self._table.line()}\n")
                sys.stdout.flush()
                self._next_line = glance.frame + self._every
        elif time.monotonic() >= self._next_picture:
            if not self._live.is_started:  # only now: it may turn out that there is nothing to be seen
                self._live.start()
            self._live.update(self._table.table(), refresh=True)
            self._next_picture = time.monotonic() + _SECONDS_BETWEEN_PICTURES
