# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments that all verbs about a trained agent have."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:  # torch is imported only once the arguments are known to be sound
    from oakemu_rl.training.agent import Agent

__all__ = ["AgentArguments", "open_agent"]


class AgentArguments(BaseModel):
    """Which agent, on which game."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    agent: Path = Field(
        Path("runs/latest"),
        description="Run folder (its best model is taken) or checkpoint.",
        json_schema_extra={"positional": True, "metavar": "RUN"},
    )
    game: str | None = Field(None, description="A changed definition of the agent's game; None is its own.")
    device: str = Field("auto", description="Where the network computes: auto, cpu, cuda, cuda:1, mps.")


def open_agent(arguments: AgentArguments) -> "Agent":
    """Loads the agent, and says on stderr what the user should know about it.

    Raises:
        UserError: There is none, or it does not fit.
    """
    from oakemu_rl.training.agent import load_agent
    from oakemu_rl.training.device import choose_device

    agent = load_agent(arguments.agent, game=arguments.game, device=choose_device(arguments.device))
    for note in agent.notes:
        sys.stderr.write(f"oakemu-rl: note: {note}\n")
    return agent
