# SPDX-License-Identifier: GPL-3.0-or-later
"""What a long training run has in memory: `python benchmarks/long_run.py`.

Trains Acorns with the smallest network, as `oakemu-rl train` does, with logs, checkpoints and evaluations, and prints
the resident memory from time to time. Exits with 1 if it grows once the run has been through everything it does.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from oakemu_rl.cli.process import tune_for_learning

tune_for_learning()  # before torch, as the command does

from _resident import resident  # noqa: E402
from oakemu_rl.games import load_game  # noqa: E402  # after the above
from oakemu_rl.training.assembly import assemble  # noqa: E402
from oakemu_rl.training.configuration import PPOExperimentConfiguration  # noqa: E402
from oakemu_rl.training.console import SilentProgress  # noqa: E402
from oakemu_rl.training.records import Record  # noqa: E402
from oakemu_rl.training.run_folder import RunFolder  # noqa: E402
from oakemu_rl.training.session import train  # noqa: E402

__all__: list[str] = []

_SAMPLES = 20
_SETTLED = 4  # samples after which everything has happened that happens in a run
_ALLOWED = 8 * 2**20  # bytes; what allocators shift about


class _Sampler(SilentProgress):
    """Notes and prints what is in memory, so many times in a run."""

    def __init__(self, steps: int) -> None:
        super().__init__()
        self._every = steps // _SAMPLES
        self.samples: list[int] = []

    def write(self, record: Record) -> None:
        """Takes in an update."""
        if record.kind == "metrics" and record.step >= (len(self.samples) + 1) * self._every:
            self.samples.append(resident())
            print(f"{record.step:>12,} steps {self.samples[-1] / 2**20:8.1f} MB", flush=True)


def _train(folder: Path, sampler: _Sampler, steps: int, *, overlap: bool) -> None:
    configuration = PPOExperimentConfiguration.model_validate(
        {
            "game": "acorns",
            "env": {"img_width": 16, "img_height": 11, "stack_num": 1},
            "num_envs": 64,
            "num_threads": 1,
            "torch_threads": 1,
            "device": "cpu",
            "overlap": overlap,
            "steps": steps,
            "eval_every": steps // _SAMPLES,
            "eval_episodes": 2,
            "checkpoint_every": steps // _SAMPLES,
            "film": False,
            "tensorboard": False,
            "ppo": {"ppo_epochs": 1, "lr": 1e-3},
            "model": {"conv_filters": [(4, 4, 4)], "fcnet_hiddens": [8]},
        }
    )
    game = load_game(configuration.game)
    train(assemble(configuration, game), configuration, game, RunFolder.create(folder, ""), sampler)


def _main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=2_000_000, help="agent steps (default: 2,000,000)")
    parser.add_argument("--overlap", action="store_true", help="play while learning")
    arguments = parser.parse_args()
    sampler = _Sampler(arguments.steps)
    with tempfile.TemporaryDirectory() as folder:
        _train(Path(folder) / "run", sampler, arguments.steps, overlap=arguments.overlap)
    growth = sampler.samples[-1] - sampler.samples[_SETTLED]
    print(f"growth since {_SETTLED + 1}/{_SAMPLES} of the run: {growth / 2**20:+.1f} MB")
    return int(growth > _ALLOWED)


if __name__ == "__main__":
    sys.exit(_main())
