# SPDX-License-Identifier: GPL-3.0-or-later
"""Saving, restoring and forking in any order, against machines that know none of that.

Each machine under test has a log of everything that was done to it since power-on, a copy of the log of whatever it was
restored or forked from. A machine of its own that does what the log says must be equal to it.
"""

from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

from oakemu_rl.emulator import Spectrum, StateStore
from oakemu_rl.errors import UserError

Log = tuple[tuple[str, int, int], ...]

# name -> what the machine is made with
KINDS: dict[str, dict[str, bool]] = {
    "48k": {},
    "48k late": {"late": True},
    "48k uncontended": {"contention": False},
    "128k": {},
    "plus2 late": {"late": True, "kempston": True},
}


def power_on(kind: str) -> Spectrum:
    return Spectrum(kind.split(maxsplit=1)[0], **KINDS[kind])


def do(spectrum: Spectrum, action: str, number: int, value: int) -> None:
    """One thing that can happen to a machine."""
    if action == "frames":
        spectrum.run_frames(number)
    elif action == "tstates":
        spectrum.run_tstates(number)
    elif action == "keys":
        spectrum.release_all()
        spectrum.press(*("shift", "q", "m", "0", "space")[: number % 6])
    elif action == "poke":
        spectrum.poke(0x4000 + number % 0xC000, value)
    elif action == "code":
        # Random code does everything in time: it pages, sounds, changes the border, halts, enables interrupts.
        code = np.random.default_rng(number).integers(0, 256, 0x4000, dtype=np.uint8)
        spectrum.write_block(0x8000, code.tobytes())
        spectrum.registers.pc = 0x8000 + value


ACTIONS = st.one_of(
    st.tuples(st.just("frames"), st.integers(1, 4), st.just(0)),
    st.tuples(st.just("tstates"), st.integers(1, 100_000), st.just(0)),
    st.tuples(st.just("keys"), st.integers(0, 5), st.just(0)),
    st.tuples(st.just("poke"), st.integers(0, 0xBFFF), st.integers(0, 255)),
    st.tuples(st.just("code"), st.integers(0, 1000), st.integers(0, 255)),
)


@dataclass
class Subject:
    kind: str
    spectrum: Spectrum
    log: Log = ()
    twin: Spectrum | None = field(default=None)

    def do(self, action: str, number: int, value: int = 0) -> None:
        self.log += ((action, number, value),)
        do(self.spectrum, action, number, value)
        if self.twin is not None:
            do(self.twin, action, number, value)

    def becomes(self, kind: str, log: Log) -> None:
        self.kind, self.log, self.twin = kind, log, None

    def check(self) -> None:
        if self.twin is None:
            self.twin = power_on(self.kind)
            for step in self.log:
                do(self.twin, *step)
        mine, other = self.spectrum, self.twin
        assert np.array_equal(mine.memory, other.memory)
        assert np.array_equal(mine.screen(), other.screen())
        assert (mine.frame, mine.t, mine.held_keys) == (other.frame, other.t, other.held_keys)
        assert mine.save_state() == other.save_state()


class States(RuleBasedStateMachine):
    subjects = Bundle("subjects")
    saved = Bundle("saved")  # (kind, bytes, log)
    stored = Bundle("stored")  # (kind, id, log)

    def __init__(self) -> None:
        super().__init__()
        self.store = StateStore()
        self.all: list[Subject] = []

    def _new(self, kind: str, spectrum: Spectrum, log: Log = ()) -> Subject:
        self.all.append(Subject(kind, spectrum, log))
        return self.all[-1]

    @initialize(target=subjects, seeds=st.tuples(*[st.integers(0, 1000)] * 3))
    def some_machines(self, seeds: tuple[int, ...]) -> object:
        return multiple(*map(self.another_machine, ("48k", "48k late", "128k"), seeds))

    @initialize(target=saved, subject=subjects)
    def a_saved_machine(self, subject: Subject) -> tuple[str, bytes, Log]:
        return subject.kind, subject.spectrum.save_state(), subject.log

    @rule(target=subjects, kind=st.sampled_from(list(KINDS)), seed=st.integers(0, 1000))
    def another_machine(self, kind: str, seed: int) -> Subject:
        subject = self._new(kind, power_on(kind))
        subject.do("code", seed, seed % 256)
        subject.do("tstates", 1000 * (seed % 71) + 100)
        return subject

    @rule(subject=subjects, action=ACTIONS)
    def run(self, subject: Subject, action: tuple[str, int, int]) -> None:
        subject.do(*action)
        subject.do("tstates", 10_000)

    @rule(target=saved, subject=subjects, compress=st.booleans())
    def save(self, subject: Subject, compress: bool) -> tuple[str, bytes, Log]:  # noqa: FBT001 - hypothesis calls by name
        return subject.kind, subject.spectrum.save_state(compress=compress), subject.log

    @rule(target=stored, subject=subjects, as_bytes=st.booleans())
    def store_machine(self, subject: Subject, as_bytes: bool) -> tuple[str, int, Log]:  # noqa: FBT001 - hypothesis calls by name
        given = subject.spectrum.save_state() if as_bytes else subject.spectrum
        return subject.kind, self.store.add(given), subject.log

    @rule(subject=subjects, saved=saved)
    def restore(self, subject: Subject, saved: tuple[str, bytes, Log]) -> None:
        kind, state, log = saved
        self._restored(subject, kind, log, lambda: subject.spectrum.load_state(state))

    @rule(subject=subjects, stored=stored)
    def restore_from_store(self, subject: Subject, stored: tuple[str, int, Log]) -> None:
        kind, state_id, log = stored
        self._restored(subject, kind, log, lambda: self.store.load(state_id, subject.spectrum))

    def _restored(self, subject: Subject, kind: str, log: Log, restore: object) -> None:
        assert callable(restore)
        if kind.split()[0] != subject.kind.split()[0]:
            with pytest.raises(UserError, match=f"it is of a {kind.split()[0]} machine"):
                restore()
        elif KINDS[kind].get("contention") == KINDS[subject.kind].get("contention"):  # it is no part of a state
            restore()
            subject.becomes(kind, log)

    @rule(stored=consumes(stored))
    def discard(self, stored: tuple[str, int, Log]) -> None:
        self.store.discard(stored[1])
        assert stored[1] not in self.store

    @rule(target=subjects, subject=subjects)
    def fork(self, subject: Subject) -> Subject:
        return self._new(subject.kind, subject.spectrum.fork(), subject.log)

    @rule(subject=subjects, saved=saved, place=st.integers(0, 1 << 20), bit=st.integers(0, 7))
    def damaged_bytes_change_nothing(
        self, subject: Subject, saved: tuple[str, bytes, Log], place: int, bit: int
    ) -> None:
        state = bytearray(saved[1])
        if state[:4] == b"OAKS":
            state[place % len(state)] ^= 1 << bit
            with pytest.raises(UserError):
                subject.spectrum.load_state(bytes(state))
        with pytest.raises(UserError):
            subject.spectrum.load_state(saved[1][: place % len(saved[1])])

    @invariant()
    def every_machine_is_as_its_log_says(self) -> None:
        for subject in self.all:
            subject.check()


TestStates = States.TestCase
TestStates.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
