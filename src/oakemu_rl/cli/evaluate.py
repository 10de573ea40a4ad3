# SPDX-License-Identifier: GPL-3.0-or-later
"""`oakemu-rl evaluate`: plays seeded episodes and says how good an agent is."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field, NonNegativeInt, PositiveInt
from rich.console import Console

from oakemu_rl import __version__
from oakemu_rl.cli.agent_arguments import AgentArguments, open_agent
from oakemu_rl.cli.arguments import parse_flags
from oakemu_rl.cli.episode_folder import EpisodeFolder, Which
from oakemu_rl.cli.evaluation_report import print_result, shares_as_dict
from oakemu_rl.cli.files import check_writable, write_text
from oakemu_rl.cli.progress import progress_bar
from oakemu_rl.errors import UserError
from oakemu_rl.games import Game, find_definition, load_game

if TYPE_CHECKING:  # they bring torch, which is imported once the arguments are known to be sound
    from oakemu_rl.evaluation import EvaluationResult, Player

__all__ = ["run"]

_PROG = "oakemu-rl evaluate"


class _EvaluateArguments(AgentArguments):
    """Play whole episodes, each from its own seed, and sum them up.

    The same seed gives the same result, however many episodes are played at once. `oakemu-rl evaluate GAME --random`
    tells what random actions come to, as a measure for what an agent has learnt.
    """

    episodes: PositiveInt = Field(
        100, description="How many.", json_schema_extra={"aliases": ["-n", "--eval-episodes"]}
    )
    seed: int = Field(0, ge=0, lt=2**63, description="The seeds of the episodes follow from it.")
    sampled: bool = Field(
        default=False,
        description="Sample actions instead of taking the most probable one.",
        json_schema_extra={"aliases": ["--sample", "--stochastic"]},
    )
    random: bool = Field(default=False, description="Let chance play; RUN may then be a game.")
    sticky: float | None = Field(
        None,
        ge=0,
        lt=1,
        description="How often the previous action is taken again; None is as in training.",
        json_schema_extra={"metavar": "PROBABILITY"},
    )
    noop_max: NonNegativeInt | None = Field(
        None, description="Most frames without a key at an episode's start; None is as in training."
    )
    num_envs: PositiveInt = Field(16, le=65536, description="How many are played at once.")
    num_threads: PositiveInt | None = Field(None, description="Emulation threads; None is one a processor.")
    json_file: Path | None = Field(
        None,
        description="Also write everything, each episode too, as JSON.",
        json_schema_extra={"aliases": ["--json"], "metavar": "FILE"},
    )
    record: Path | None = Field(
        None,
        description="Also keep episodes as recordings (.demo) in this folder.",
        json_schema_extra={"metavar": "FOLDER"},
    )
    record_only: Which = Field("all", description="Which: all, those that are won, or the one with the highest return.")
    quiet: bool = Field(default=False, description="Print nothing but errors.")


@dataclass(frozen=True)
class _Candidate:
    """Who is judged, on what.

    Attributes:
        name: For people.
        game: The game.
        options: Keyword arguments of the environment.
        player: Plays.
        about: What the JSON says about it.
    """

    name: str
    game: Game
    options: Mapping[str, Any]
    player: "Player"
    about: Mapping[str, Any]


def run(args: Sequence[str]) -> int:
    """Runs the verb; returns its exit code."""
    arguments = parse_flags(_EvaluateArguments, args, prog=_PROG)
    if arguments.random and arguments.sampled:
        raise UserError("--random and --sampled do not go together: chance has no probabilities to sample from")
    if arguments.json_file is not None:
        check_writable(arguments.json_file)
    if arguments.record is None and arguments.record_only != "all":
        raise UserError(f"--record-only {arguments.record_only}: nothing is recorded; --record FOLDER says where to")
    candidate = _random_player(arguments) if arguments.random else _agent(arguments)
    seeds = _seeds(arguments)
    folder = None if arguments.record is None else EpisodeFolder(arguments.record, arguments.record_only, seeds)
    result = _evaluate(candidate, arguments, seeds, folder)
    definition = candidate.game.definition
    if arguments.json_file is not None:
        about = {
            "version": __version__,
            "game": candidate.game.id,
            **candidate.about,
            "seed": arguments.seed,
            "environment": dict(candidate.options),
        }
        figures = {**result.as_dict(), "shares": shares_as_dict(definition, result)}
        write_text(arguments.json_file, json.dumps({**about, **figures}, indent=1) + "\n")
    if not arguments.quiet:
        sys.stdout.write(f"{candidate.game.id}: {arguments.episodes} episodes of {candidate.name}\n\n")
        sys.stdout.flush()
        print_result(Console(), definition, result)
        if folder is not None:
            sys.stdout.write(f"\n{arguments.record}: {len(folder.written)} recordings\n")
    return 0


def _agent(arguments: _EvaluateArguments) -> _Candidate:
    if not arguments.agent.exists():
        _refuse_game(str(arguments.agent))
    agent = open_agent(arguments)
    from oakemu_rl.evaluation import ModelPlayer

    how = "sampled" if arguments.sampled else "greedy"
    return _Candidate(
        name=f"{agent.checkpoint}, {how}",
        game=agent.game,
        options=_changed(agent.env_options, arguments),
        player=ModelPlayer(agent.model, greedy=not arguments.sampled),
        about={"agent": str(agent.checkpoint), "step": agent.step, "player": how},
    )


def _random_player(arguments: _EvaluateArguments) -> _Candidate:
    """Plays a game by its own presets, or what a run plays as the run's agent does."""
    from oakemu_rl.evaluation import RandomPlayer, make_episode_env

    options: dict[str, Any] = {"reward": "evaluation"}
    if arguments.agent.is_dir() and not _names_a_game(str(arguments.agent)):
        agent = open_agent(arguments)
        game, options = agent.game, dict(agent.env_options)
    else:
        game = load_game(arguments.game or str(arguments.agent))
    env = make_episode_env(game, 1, options)
    num_actions = len(env.get_action_meanings())
    env.close()
    return _Candidate(
        name="a random player",
        game=game,
        options=_changed(options, arguments),
        player=RandomPlayer(num_actions),
        about={"agent": None, "player": "random"},
    )


def _names_a_game(text: str) -> bool:
    """Whether a game is meant, also where a folder happens to have its name."""
    try:
        find_definition(text)
    except UserError:
        return False
    return True


def _changed(options: Mapping[str, Any], arguments: _EvaluateArguments) -> dict[str, Any]:
    given = {"repeat_action_probability": arguments.sticky, "noop_max": arguments.noop_max}
    return {**options, **{name: value for name, value in given.items() if value is not None}}


def _refuse_game(text: str) -> None:
    """Helps who gives a game where an agent is wanted."""
    try:
        game = load_game(text)
    except UserError:
        return  # then it is a path after all, and loading it says what is wrong
    raise UserError(f"{text} is the game {game.id}, not an agent: give a run folder, or --random for a random player")


def _seeds(arguments: _EvaluateArguments) -> list[int]:
    from oakemu_rl.evaluation import episode_seeds

    return episode_seeds(arguments.seed, arguments.episodes)


def _evaluate(
    candidate: _Candidate, arguments: _EvaluateArguments, seeds: Sequence[int], folder: EpisodeFolder | None
) -> "EvaluationResult":
    from oakemu_rl.evaluation import EpisodeVectorEnv, Tester, make_episode_env

    def make_env(num_envs: int) -> EpisodeVectorEnv:
        env = make_episode_env(candidate.game, num_envs, candidate.options, arguments.num_threads)
        return env if folder is None else folder.watch(env)

    tester = Tester(make_env, variables=candidate.game.variable_names, num_envs=arguments.num_envs)
    with progress_bar(quiet=arguments.quiet) as progress:
        task = progress.add_task("episodes", total=arguments.episodes)
        try:
            result = tester.play(candidate.player, seeds, on_episode=lambda done: progress.update(task, completed=done))
        finally:
            tester.close()
    if folder is not None:
        folder.close()
    return result
