# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the recordings that ship with the package from the won games in tests/golden.

    python programs/build_recordings.py

They are to be made again whenever a game's rules have changed: a recording is of one definition and program.
"""

from __future__ import annotations

import json
from pathlib import Path

from oakemu_rl.demos import Demo, DemoRecorder, save_demo
from oakemu_rl.emulator import Spectrum
from oakemu_rl.envs import SpectrumEnv
from oakemu_rl.games import Game

ROOT = Path(__file__).resolve().parents[1]
RECORDINGS = ROOT / "src" / "oakemu_rl" / "games" / "recordings"
CALM = ROOT / "benchmarks" / "caverns_calm.demo"
"""A game of Caverns that keeps off guardians, as people do: what `caverns_from_a_recording.yaml` learns from."""
STAGES = {"caverns": "room", "forest_ride": "sector", "night_raid": "wave"}
"""By the name of the game, the variable of which each new value gets a marker."""


def start_of(game: Game, seed: int | None) -> bytes:
    """The game's start state, with what it draws its random numbers from."""
    machine = Spectrum(game.definition.machine)
    machine.load_state(game.start_state())
    if seed is not None:
        ram = machine.visible_ram()
        game.definition.variables["seed"].write(ram, seed)
        machine.write_block(0x4000, ram.tobytes())
    return machine.save_state()


def build(name: str, kind: str = "win") -> Demo:
    """The won game as a recording. Raises ValueError if it is not won any more."""
    golden = json.loads((ROOT / "tests" / "golden" / f"{name}_{kind}.json").read_text(encoding="utf-8"))
    env = SpectrumEnv(golden["game"], frameskip=golden["frameskip"])
    stage = STAGES[name]
    _, info = env.reset(seed=0, options={"machine": start_of(env.game, golden.get("seed"))})
    recorder = DemoRecorder(env.game, env.options, env.machine_state(), source="script")
    recorder.mark(f"{stage} {info[stage]}")
    meanings = env.get_action_meanings()
    for action in [action for action, steps in golden["actions"] for _ in range(steps)]:
        before = info
        info = env.step(meanings.index(action))[4]
        recorder.add_step(info["action_taken"], info["episode_frame_number"] - before["episode_frame_number"])
        if info[stage] != before[stage]:
            recorder.mark(f"{stage} {info[stage]}")
    env.close()
    if info["outcome"] != "win":
        raise ValueError(f"{name}: the game of tests/golden is not won any more, but {info['outcome']}")
    return recorder.finish(info["outcome"], info["episode_return"])


def main() -> None:
    """Writes all of them."""
    RECORDINGS.mkdir(exist_ok=True)
    paths = {RECORDINGS / f"{name}.demo": (name, "win") for name in STAGES} | {CALM: ("caverns", "calm")}
    for path, which in paths.items():
        demo = build(*which)
        save_demo(path, demo)
        print(f"{path.relative_to(ROOT)}: {demo.steps} steps, {demo.frames} frames, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
