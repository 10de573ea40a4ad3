# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings of an older definition of a game, as recordings of the present one."""

from dataclasses import replace

from oakemu_rl.demos.cutting import cut_demo
from oakemu_rl.demos.demo import Demo
from oakemu_rl.demos.playback import replay
from oakemu_rl.demos.recorder import settings_of
from oakemu_rl.demos.steps import fitted_actions
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.envs.actions import action_set
from oakemu_rl.games import Game
from oakemu_rl.games.identity import fingerprint

__all__ = ["renew_demo"]


def renew_demo(demo: Demo, game: Game) -> Demo:
    """Plays a recording in the game as it is defined now, which says anew how it ends and what it earns.

    The machine does what it did, as its program is a part of the recording. What comes after the episode's end, as the
    definition has it now, is left out.

    Args:
        demo: The recording; it has steps.
        game: The game; that its program is the recorded one is for the caller to know.

    Raises:
        UserError: The recording has no steps, or an action that the game has no more.
        DesyncError: The machine does something else than was recorded.
    """
    # What was left to chance is in the recording, and no limit is to end it.
    settings = {**demo.settings, "repeat_action_probability": 0.0, "max_episode_steps": 0, "stall_steps": 0}
    env = SpectrumEnv(game, **settings)
    try:
        actions, ends = fitted_actions(demo, game, env.options), demo.step_ends
        _, info = env.reset(options={"machine": demo.start})
        for step, action in enumerate(actions.tolist()):
            info = env.step_held(action, demo.keys[ends[step] : ends[step + 1]])[4]
            if info["outcome"] != "running":
                break
        settings = settings_of(env.options)
    finally:
        env.close()
    part = cut_demo(demo, 0, int(ends[info["episode_length"]]))
    renewed = replace(
        part,
        game_id=game.id,
        fingerprint=fingerprint(game),
        settings=settings,
        action_meanings=action_set(game, full=env.options.full_action_space, action_type=env.options.action_type).names,
        actions=actions[: info["episode_length"]],
        seed=demo.seed,
        outcome=info["outcome"],
        episode_return=info["episode_return"],
    )
    replay(renewed, game)
    return renewed
