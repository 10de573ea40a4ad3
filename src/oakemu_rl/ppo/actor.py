# SPDX-License-Identifier: GPL-3.0-or-later
"""Playing: from observations to a full rollout buffer."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from oakemu_rl.errors import UserError
from oakemu_rl.ppo.actor_memory import ActorMemory
from oakemu_rl.ppo.configuration import MixedPrecision
from oakemu_rl.ppo.env_contract import AnyVectorEnv, check_env, final_observations, state_masks, storage_of
from oakemu_rl.ppo.episodes import EpisodeRecord, EpisodeTracker
from oakemu_rl.ppo.errors import NonFiniteError
from oakemu_rl.ppo.inference import PolicyInference
from oakemu_rl.ppo.layout import copy_observations
from oakemu_rl.ppo.model import PPOModel
from oakemu_rl.ppo.observation_parts import Observations, map_observations
from oakemu_rl.ppo.rollout_buffer import RolloutBuffer
from oakemu_rl.ppo.rollout_statistics import RolloutStatistics
from oakemu_rl.ppo.routing import Route, Router
from oakemu_rl.ppo.seeding import derive_generator, derive_seed
from oakemu_rl.ppo.step_buffers import PPOActorStepBuffers

__all__ = ["PPOActor"]

_SAMPLING_STREAM, _RANDOM_STREAM, _ENVIRONMENT_STREAM = (1, 0), (1, 1), (1, 2)
# Steps in a row from which nothing can be learnt, before the actor gives up; recordings and episodes are shorter.
_MAX_IDLE_STEPS = 1_000_000


class PPOActor:
    """Steps the environments, routes each to policy, random or replay, and fills rollout buffers.

    A time limit is no end of the game: gamma times the value of the true last observation is added to the reward of a
    step that was truncated and not terminated, and the step ends its chain like any other end.

    Args:
        env: Any vector environment, in any autoreset mode (where that is DISABLED, the actor resets what has ended); it
            is neither made nor closed here.
        model: Its present weights act; the learner changes them in place.
        gamma: Discount, for the bootstraps.
        seed: Of the sampled actions, the random routes and the environments' first reset (independent streams).
        mixed_precision: As the learner computes.
        action_mask: (actions,) bool, True where allowed, for all environments; give the same to the learner.
        masked: Whether the environments say in ``infos["action_mask"]`` what each state allows; rollout buffers have to
            keep it then (`RolloutBuffer`, ``masked_actions``).

    Attributes:
        num_envs: N.
        step_buffers: The arrays of the present step.
        generator: Of the sampled actions, on the model's device.

    Raises:
        UserError: Environment and model do not fit.
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
        self._router = Router(self.num_envs, allowed, derive_generator(seed, *_RANDOM_STREAM))
        self._tracker = EpisodeTracker(self.num_envs)
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
        return tuple(self._router.routes)

    def set_route(self, env_id: int, route: Route | str, replay_actions: Sequence[int] | None = None) -> None:
        """Changes who plays in an environment, between two rollouts; see `Router.set_route`."""
        self._router.set_route(env_id, route, replay_actions)

    def reset(self) -> None:
        """Starts new episodes everywhere, from the actor's seed; `collect` does it by itself the first time."""
        self._step = 0
        observations, infos = self._env.reset(seed=self._env_seed)
        self._dead.fill(False)  # noqa: FBT003  # numpy's fill takes the value by position only
        self._note_state(observations, infos)
        self._tracker.reset()
        self._router.restart(np.arange(self.num_envs))
        self._memory.forget(np.arange(self.num_envs))

    def collect(self, rollout_buffer: RolloutBuffer) -> RolloutStatistics:
        """Plays until the buffer is full; what was in it is forgotten.

        Args:
            rollout_buffer: For as many environments as the actor has.

        Raises:
            NonFiniteError: An observation, reward, value or probability is NaN or infinite; steps are counted from the
                first reset.
            UserError: An environment allows no action at all.
            ValueError: The buffer does not fit, or no environment ever follows the policy.
        """
        if self._observations is None:
            self.reset()
        rollout_buffer.reset()
        self._memory.stored = False
        episodes: list[EpisodeRecord] = []
        env_steps, idle_steps = 0, 0
        environment_seconds, inference_seconds = 0.0, 0.0
        while not rollout_buffer.is_full:
            if all(route is Route.RANDOM for route in self._router.routes) or idle_steps > _MAX_IDLE_STEPS:
                raise ValueError("no environment follows the policy: there is nothing to learn from")
            begin = time.perf_counter()
            self._select_actions()
            acted = time.perf_counter()
            results = self._env.step(self.step_buffers.actions.copy())
            stepped = time.perf_counter()
            env_steps += self.num_envs - int(np.count_nonzero(self._dead))
            episodes += self._record_results(*results)
            self.step_buffers.add_to_rollout_buffer(rollout_buffer)
            self._memory.stored = self.step_buffers.stores_rollout_step
            idle_steps = 0 if self._memory.stored else idle_steps + 1
            inference_seconds += acted - begin
            environment_seconds += stepped - acted
        return RolloutStatistics(
            episodes=tuple(episodes),
            env_steps=env_steps,
            trainable_cells=rollout_buffer.trainable_size,
            environment_seconds=environment_seconds,
            inference_seconds=inference_seconds,
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
            "router": self._router.state_dict(),
            "tracker": self._tracker.state_dict(),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Takes up where `state_dict` stood; the environments must be restored beside it.

        Raises:
            ValueError: The state is of another number of environments.
        """
        if len(state["dead"]) != self.num_envs:
            raise ValueError(f"the saved actor has {len(state['dead'])} environments, this one {self.num_envs}")
        self._observations = map_observations(lambda tensor: tensor.numpy().copy(), state["observations"])
        masks = state.get("action_masks")  # which states of older versions lack
        self._masks = None if masks is None else masks.numpy().copy()
        self._step = int(state["step"])
        if "memory" in state:  # which states of older versions lack
            self._memory.load_state_dict(state["memory"])
        self._dead[:] = state["dead"].numpy()
        self.generator.set_state(state["generator"])
        self._router.load_state_dict(state["router"])
        self._tracker.load_state_dict(state["tracker"])

    def _select_actions(self) -> None:
        buffers = self.step_buffers
        buffers.reset_action_selection()
        copy_observations(buffers.observations, self.observations)
        masks = buffers.action_masks = self._masks
        policy = self._router.policy_rows(self._dead, buffers.actions, masks)
        if self._recurrent:
            buffers.resets, buffers.states = self._memory.begin_step(~self._dead)
        # A recurrent network watches where others play, so that it knows what has been when it takes over.
        seen = ~self._dead if self._recurrent else policy
        if seen.all():
            env_ids, observations = np.arange(self.num_envs), buffers.observations
        else:
            env_ids = np.flatnonzero(seen)
            observations = buffers.observations[env_ids]
            masks = None if masks is None else masks[env_ids]
        if not policy.all():
            buffers.log_probs[~policy] = 0.0
            buffers.values[~policy] = 0.0
        if len(env_ids) == 0:
            return
        states = self._memory.states[env_ids] if self._recurrent else None
        bundle, after = self._inference.act(observations, self.generator, masks, states)
        if after is not None:
            self._memory.update(env_ids, after)
            bundle, env_ids = bundle.rows(policy[env_ids]), np.flatnonzero(policy)
        buffers.record_action_bundle_for_env_ids(bundle, env_ids=env_ids.tolist(), trainable=[True] * len(env_ids))
        self._require_finite("action probability", buffers.log_probs)
        self._require_finite("value", buffers.values)

    def _record_results(
        self,
        observations: Observations,
        rewards: NDArray[Any],
        terminated: NDArray[np.bool_],
        truncated: NDArray[np.bool_],
        infos: dict[str, Any],
    ) -> list[EpisodeRecord]:
        self._step += 1
        self._require_finite("reward", rewards)
        buffers = self.step_buffers
        done = terminated | truncated
        targets = np.array(rewards, dtype=np.float64)
        cut_short = np.flatnonzero(truncated & ~terminated & buffers.trainable)
        if len(cut_short):
            final = final_observations(self._mode, cut_short, observations, infos)
            self._require_finite("last observation", final, cut_short)
            values = self._inference.values(final, self._memory.states[cut_short])
            self._require_finite("value of the last observation", values, cut_short)
            targets[cut_short] += self._gamma * values
        buffers.reset_step_results()
        buffers.record_step_results(targets, done)
        records = self._tracker.record(
            rewards, terminated, truncated, infos, dead=self._dead, routes=self._router.routes
        )
        ended = np.flatnonzero(done)
        self._router.restart(ended)
        self._memory.forget(ended)
        self._dead[:] = done & (self._mode is not AutoresetMode.SAME_STEP)
        self._note_state(observations, infos)
        if self._mode is AutoresetMode.DISABLED and len(ended):
            self._dead[:] = False
            self._note_state(*self._env.reset(options={"reset_mask": done}))
        return records

    def _note_state(self, observations: Observations, infos: dict[str, Any]) -> None:
        """Keeps what the environments show and allow now, for the next choice of actions."""
        self._require_finite("observation", observations)
        self._observations = observations
        if not self._masked:
            return
        # The step's row goes into the rollout buffer after this: it keeps the array that the policy saw.
        self._masks = state_masks(infos, self._masks)
        if self._masks is None:
            raise UserError('the environments were said to mask actions, but their infos have no "action_mask"')
        stuck = ~self._masks[:, self._router.allowed_actions].any(axis=-1) & ~self._dead
        if stuck.any():
            raise UserError(
                f"environment {np.flatnonzero(stuck)[0]}, step {self._step}: the action mask allows none of the "
                f"{self._masks.shape[1]} actions; at least one must be allowed"
            )

    def _require_finite(self, what: str, array: Observations, env_ids: NDArray[np.integer[Any]] | None = None) -> None:
        """Stops at NaN and infinity in an array whose rows are environments: those of `env_ids`, or all."""
        if isinstance(array, Mapping):
            for name, part in array.items():
                self._require_finite(f"{what} {name!r}", part, env_ids)
            return
        if not np.issubdtype(array.dtype, np.floating):
            return
        finite = np.isfinite(array)
        if not finite.all():
            row = int(np.argwhere(~finite)[0][0])
            env_id = row if env_ids is None else int(env_ids[row])
            raise NonFiniteError(what, f"environment {env_id}, step {self._step}")
