# SPDX-License-Identifier: GPL-3.0-or-later
"""Playing: from observations to a full rollout buffer."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from oakemu_rl.errors import UserError
from oakemu_rl.ppo.actor_memory import ActorMemory
from oakemu_rl.ppo.conductor import EpisodeConductor
from oakemu_rl.ppo.configuration import MixedPrecision
from oakemu_rl.ppo.env_contract import AnyVectorEnv, check_env, final_observations, state_masks, storage_of
from oakemu_rl.ppo.episode_plan import EpisodeDirector
from oakemu_rl.ppo.episodes import EpisodeRecord
from oakemu_rl.ppo.finite import require_finite_rows
from oakemu_rl.ppo.inference import PolicyInference
from oakemu_rl.ppo.layout import copy_observations
from oakemu_rl.ppo.model import PPOModel
from oakemu_rl.ppo.observation_parts import Observations, map_observations
from oakemu_rl.ppo.rollout_buffer import RolloutBuffer
from oakemu_rl.ppo.rollout_statistics import RolloutStatistics
from oakemu_rl.ppo.route import Route
from oakemu_rl.ppo.seeding import derive_generator, derive_seed
from oakemu_rl.ppo.step_buffers import PPOActorStepBuffers

__all__ = ["PPOActor"]

_SAMPLING_STREAM, _ENVIRONMENT_STREAM = (1, 0), (1, 2)


class PPOActor:
    """Steps the environments, routes each episode to the policy, chance or a recording, and fills rollout buffers.

    A time limit is no end of the game: gamma times the value of the true last observation is added to the reward of a
    step that was truncated and not terminated, and the step ends its chain like any other end.

    Args:
        env: Any vector environment, in any autoreset mode (where that is DISABLED, the actor resets what has ended); it
            is neither made nor closed here.
        model: Its present weights act; the learner changes them in place.
        gamma: Discount, for the bootstraps.
        seed: Of the sampled actions, the random routes, the environments' first reset, and episodes that begin in saved
            states (independent streams).
        mixed_precision: As the learner computes.
        action_mask: (actions,) bool, True where allowed, for all environments; give the same to the learner.
        masked: Whether the environments say in ``infos["action_mask"]`` what each state allows; rollout buffers have to
            keep it then (`RolloutBuffer`, ``masked_actions``).
        director: Says of each episode where it starts, who acts and who learns; without, the policy plays and learns
            everywhere, unless `set_route` says otherwise.

    Attributes:
        num_envs: N.
        step_buffers: The arrays of the present step.
        generator: Of the sampled actions, on the model's device.

    Raises:
        UserError: Environment and model do not fit, or environment and director.
    """

    def __init__(
        self,
        env: AnyVectorEnv,
        model: PPOModel,
        *,
        gamma: float,
        seed: int,
        mixed_precision: MixedPrecision = "off",
        action_mask: torch.Tensor | None = None,
        masked: bool = False,
        director: EpisodeDirector | None = None,
    ) -> None:
        self._mode = check_env(env, model)
        self._env = env
        self._gamma = gamma
        self._inference = PolicyInference(model, mixed_precision=mixed_precision, action_mask=action_mask)
        self._env_seed = derive_seed(seed, *_ENVIRONMENT_STREAM)
        self.num_envs = int(env.num_envs)
        self.generator = derive_generator(seed, *_SAMPLING_STREAM, device=self._inference.device)
        shape, dtype = storage_of(env.single_observation_space)
        self.step_buffers = PPOActorStepBuffers.create(
            num_envs=self.num_envs, observation_shape=shape, observation_dtype=dtype
        )
        allowed = torch.arange(model.action_shape) if action_mask is None else action_mask.cpu().nonzero().flatten()
        self._memory = ActorMemory(self.num_envs, model.state_size, self._inference.device)
        self._recurrent = model.state_size > 0
        self._episodes = EpisodeConductor(self.num_envs, self._mode, allowed, seed, director)
        self._masked = masked
        self._masks: NDArray[np.bool_] | None = None
        self._observations: Observations | None = None
        self._step = 0
        self._dead = np.zeros(self.num_envs, dtype=np.bool_)

    @property
    def observations(self) -> Observations:
        r"""What the environments show now, (N, \*observation_shape); of several parts, by name.

        Raises:
            RuntimeError: The environments have not been reset yet.
        """
        if self._observations is None:
            raise RuntimeError("the actor has no observations yet: call reset or collect first")
        return self._observations

    @property
    def states(self) -> torch.Tensor:
        """What a recurrent network remembers of each environment's episode, (N, state_size), on its device."""
        return self._memory.states

    @property
    def routes(self) -> tuple[Route, ...]:
        """Who plays in each environment."""
        return self._episodes.routes

    def set_route(self, env_id: int, route: Route | str, replay_actions: Sequence[int] | None = None) -> None:
        """Changes who plays in an environment, between two rollouts; see `EpisodeConductor.set_route`."""
        self._episodes.set_route(env_id, route, replay_actions)

    def reset(self) -> None:
        """Starts new episodes everywhere, from the actor's seed; `collect` does it by itself the first time."""
        self._step = 0
        everywhere = np.arange(self.num_envs)
        self._episodes.reset()
        arguments = self._episodes.reset_arguments(everywhere)
        states = arguments["options"].get("states")
        options = {} if states is None else {"options": {"states": states}}
        observations, infos = self._env.reset(seed=self._env_seed, **options)
        self._dead.fill(False)  # noqa: FBT003  # numpy's fill takes the value by position only
        self._note_state(observations, infos)
        self._memory.forget(everywhere)

    def collect(self, rollout_buffer: RolloutBuffer, progress: float = 0.0) -> RolloutStatistics:
        """Plays until the buffer is full; what was in it is forgotten.

        Steps that teach nothing take no row. After as many of them in a row as the buffer has rows, a buffer that is
        still empty is given up (see `RolloutStatistics.trainable_cells`); one that is not is filled with them.

        Args:
            rollout_buffer: For as many environments as the actor has.
            progress: The part of the training that is over, in [0, 1], for the director.

        Raises:
            NonFiniteError: An observation, reward, value or probability is NaN or infinite; steps are counted from the
                first reset.
            UserError: An environment allows no action at all.
            ValueError: The buffer does not fit, no environment ever follows the policy, or the director's plan is not
                allowed.
        """
        self._episodes.progress = progress
        if self._observations is None:
            self.reset()
        if not self._episodes.ever_teaches:
            raise ValueError("no environment follows the policy: there is nothing to learn from")
        rollout_buffer.reset()
        self._memory.stored = False
        episodes: list[EpisodeRecord] = []
        env_steps, idle_steps = 0, 0
        environment_seconds, inference_seconds = 0.0, 0.0
        while not rollout_buffer.is_full:
            given_up = idle_steps >= rollout_buffer.rollout_length
            if given_up and rollout_buffer.step == 0:
                break
            begin = time.perf_counter()
            self._select_actions()
            acted = time.perf_counter()
            results = self._env.step(self.step_buffers.actions.copy())
            stepped = time.perf_counter()
            played = self.num_envs - int(np.count_nonzero(self._dead))
            episodes += self._record_results(*results)
            self.step_buffers.add_to_rollout_buffer(rollout_buffer, idle=given_up)
            teaches = self.step_buffers.stores_rollout_step
            self._memory.stored = teaches or given_up
            env_steps += played
            # Steps in which every environment only begins an episode say nothing of who plays.
            idle_steps = 0 if teaches and not given_up else idle_steps + (played > 0)
            inference_seconds += acted - begin
            environment_seconds += stepped - acted
        return RolloutStatistics(
            episodes=tuple(episodes),
            env_steps=env_steps,
            trainable_cells=rollout_buffer.trainable_size,
            environment_seconds=environment_seconds,
            inference_seconds=inference_seconds,
            figures=self._episodes.figures(),
        )

    def state_dict(self) -> dict[str, Any]:
        """Everything but the environments and the model, as plain values and tensors."""
        return {
            "observations": map_observations(lambda array: torch.from_numpy(array.copy()), self._observations),
            "action_masks": None if self._masks is None else torch.from_numpy(self._masks.copy()),
            "step": self._step,
            "memory": self._memory.state_dict(),
            "dead": torch.from_numpy(self._dead.copy()),
            "generator": self.generator.get_state(),
            **self._episodes.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes up where `state_dict` stood; the environments must be restored beside it.

        Raises:
            ValueError: The state is of another number of environments, or one of the two has a director and the other
                has none.
        """
        if len(state["dead"]) != self.num_envs:
            raise ValueError(f"the saved actor has {len(state['dead'])} environments, this one {self.num_envs}")
        self._observations = map_observations(lambda tensor: tensor.numpy().copy(), state["observations"])
        masks = state["action_masks"]
        self._masks = None if masks is None else masks.numpy().copy()
        self._step = int(state["step"])
        self._memory.load_state_dict(state["memory"])
        self._dead[:] = state["dead"].numpy()
        self.generator.set_state(state["generator"])
        self._episodes.load_state_dict(state)

    def _select_actions(self) -> None:
        buffers = self.step_buffers
        buffers.reset_action_selection()
        copy_observations(buffers.observations, self.observations)
        masks = buffers.action_masks = self._masks
        rows = self._episodes.select(self._dead, buffers.actions, masks)
        if self._recurrent:
            buffers.resets, buffers.states = self._memory.begin_step(~self._dead)
        # A recurrent network watches where others play, so that it knows what has been when it takes over.
        seen = ~self._dead if self._recurrent else rows.model
        if seen.all():
            env_ids, observations = np.arange(self.num_envs), buffers.observations
        else:
            env_ids = np.flatnonzero(seen)
            observations = buffers.observations[env_ids]
            masks = None if masks is None else masks[env_ids]
        if not rows.model.all():
            buffers.log_probs[~rows.model] = 0.0
            buffers.values[~rows.model] = 0.0
        if len(env_ids) == 0:
            return
        states = self._memory.states[env_ids] if self._recurrent else None
        bundle, after = self._inference.act(observations, self.generator, masks, states)
        if after is not None:
            self._memory.update(env_ids, after)
            bundle, env_ids = bundle.rows(rows.model[env_ids]), np.flatnonzero(rows.model)
        trainable = rows.teaching[env_ids].tolist()
        buffers.record_action_bundle_for_env_ids(bundle, env_ids=env_ids.tolist(), trainable=trainable)
        require_finite_rows("action probability", buffers.log_probs, self._step)
        require_finite_rows("value", buffers.values, self._step)

    def _record_results(
        self,
        observations: Observations,
        rewards: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        infos: dict[str, Any],
    ) -> list[EpisodeRecord]:
        self._step += 1
        require_finite_rows("reward", rewards, self._step)
        buffers = self.step_buffers
        ends = self._episodes.ends(rewards, terminated, truncated, infos, dead=self._dead)
        done = ends.terminated | ends.truncated
        cut_short = np.flatnonzero(ends.bootstrapped & buffers.trainable)
        if len(cut_short):
            final = final_observations(self._mode, cut_short, observations, infos)
            require_finite_rows("last observation", final, self._step, cut_short)
            values = self._inference.values(final, self._memory.states[cut_short])
            require_finite_rows("value of the last observation", values, self._step, cut_short)
            ends.rewards[cut_short] += self._gamma * values
        buffers.reset_step_results()
        buffers.record_step_results(ends.rewards, done)
        records = self._episodes.record(rewards, ends, infos, dead=self._dead)
        ended = np.flatnonzero(done)
        self._memory.forget(ended)
        self._dead[:] = done & (self._mode is not AutoresetMode.SAME_STEP)
        self._note_state(observations, infos)
        if self._mode is AutoresetMode.DISABLED and len(ended):
            self._dead[:] = False
            self._note_state(*self._env.reset(**self._episodes.reset_arguments(ended)))
        return records

    def _note_state(self, observations: Observations, infos: dict[str, Any]) -> None:
        """Keeps what the environments show and allow now, for the next choice of actions."""
        require_finite_rows("observation", observations, self._step)
        self._observations = observations
        if not self._masked:
            return
        # The step's row goes into the rollout buffer after this: it keeps the array that the policy saw.
        self._masks = state_masks(infos, self._masks)
        if self._masks is None:
            raise UserError('the environments were said to mask actions, but their infos have no "action_mask"')
        stuck = ~self._masks[:, self._episodes.allowed_actions].any(axis=-1) & ~self._dead
        if stuck.any():
            raise UserError(
                f"environment {np.flatnonzero(stuck)[0]}, step {self._step}: the action mask allows none of the "
                f"{self._masks.shape[1]} actions; at least one must be allowed"
            )
