# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes recordings for the tests."""

from oakemu_rl.demos import Demo, DemoRecorder
from oakemu_rl.envs import SpectrumEnv

__all__ = ["record"]


def record(env: SpectrumEnv, actions: list[int], *, seed: int = 5) -> Demo:
    """Plays actions, and records them step by step."""
    _, info = env.reset(seed=seed)
    recorder = DemoRecorder(env.game, env.options, env.machine_state(), source="script", seed=seed)
    for action in actions:
        frames = info["episode_frame_number"]
        *_, terminated, truncated, info = env.step(action)
        recorder.add_step(info["action_taken"], info["episode_frame_number"] - frames)
        if info["episode_length"] == len(actions) // 2:
            recorder.mark("half")
        if terminated or truncated:
            break
    return recorder.finish(info["outcome"], info["episode_return"])
