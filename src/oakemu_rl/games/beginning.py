# SPDX-License-Identifier: GPL-3.0-or-later
"""From a file that nobody has defined yet to where its game may have begun, and the start script that leads there."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from oakemu_rl.emulator import Spectrum, Tape, load_tape, parse_snapshot, parse_tape, to_machine
from oakemu_rl.emulator.container import Content
from oakemu_rl.emulator.detection import SNAPSHOTS, TAPES
from oakemu_rl.emulator.tapes.listening import is_listening
from oakemu_rl.errors import UserError
from oakemu_rl.games._names import RAM_START
from oakemu_rl.games.probing import find_start
from oakemu_rl.games.start_script import Step, UntilStep

__all__ = ["Beginning", "begin"]

_MACHINES = ("48k", "128k")  # in the order in which a tape is tried
_RUNNING = "running"  # the routine at which a tape is left before its end
_MOST_FRAMES = 500
_SAMPLES = 100
_SAMPLED_TSTATES = 23_333  # a third of a frame, so that the samples are of different parts of frames


@dataclass(frozen=True)
class Beginning:
    """A program where its game may have begun.

    Attributes:
        spectrum: The machine.
        steps: What was done after loading; empty for a snapshot.
        routines: Addresses that the steps name.
        wrong_machine: Why the program did not load on the machine that was tried first, if so.
    """

    spectrum: Spectrum
    steps: tuple[Step, ...] = ()
    routines: Mapping[str, int] = field(default_factory=dict)
    wrong_machine: str = ""

    def lines(self) -> Iterator[str]:
        """The start script, and what it names, as YAML."""
        if not self.steps:
            yield "start: []"
            return
        yield "start:"
        yield from (f"  - {_in_yaml(step)}" for step in self.steps)
        if self.routines:
            places = ", ".join(f"{name}: 0x{address:04X}" for name, address in self.routines.items())
            yield f"routines: {{{places}}}"


def begin(content: Content) -> Beginning:
    """Loads a program and tries what begins its game.

    Raises:
        UserError: It is neither a tape nor a snapshot, or a broken one, or it cannot be loaded.
    """
    if content.kind in SNAPSHOTS:
        return Beginning(to_machine(parse_snapshot(content.data, content.name)))
    if content.kind not in TAPES:
        raise UserError(f"{content.name} is neither a tape nor a snapshot; oakemu-rl games check says what it is")
    return _load(parse_tape(content.data, content.name))


def _load(tape: Tape) -> Beginning:
    """Loads all of a tape, else as much of it as the program asks for before it runs; on the first machine that can."""
    problems: list[UserError] = []
    stuck: list[Spectrum] = []
    for machine in _MACHINES:
        spectrum = Spectrum(machine)
        try:
            load_tape(spectrum, tape)
        except UserError as error:
            problems.append(error)
            stuck.append(spectrum)
        else:
            return Beginning(spectrum, tuple(find_start(spectrum)), wrong_machine=str(problems[0]) if problems else "")
    for number, spectrum in enumerate(stuck):
        place = None if is_listening(spectrum, tape) else _place_of_running(spectrum)
        if place is not None and (beginning := _load_until(tape, spectrum.machine, place)):
            return Beginning(*beginning, {_RUNNING: place}, str(problems[0]) if number else "")
    raise problems[0]


def _load_until(tape: Tape, machine: str, place: int) -> tuple[Spectrum, tuple[Step, ...]] | None:
    """Loads a tape until the program runs at `place`, as a start script that begins with waiting for it does."""
    spectrum = Spectrum(machine)
    try:
        load_tape(spectrum, tape, until=place)
    except UserError:
        return None
    if spectrum.run_until(place, _MOST_FRAMES) is None:
        return None
    waiting = Step(until=UntilStep(routine=_RUNNING, at_most_frames=_MOST_FRAMES))
    return spectrum, (waiting, *find_start(spectrum))


def _place_of_running(spectrum: Spectrum) -> int | None:
    """An instruction in RAM that the program comes by again and again; None if it has got stuck in the ROM."""
    fork = spectrum.fork()
    seen: Counter[int] = Counter()
    for _ in range(_SAMPLES):
        fork.run_tstates(_SAMPLED_TSTATES)
        seen[fork.registers.pc] += 1
    places = [place for place, _ in seen.most_common() if place >= RAM_START]
    return next((place for place in places if fork.fork().run_until(place, _MOST_FRAMES) is not None), None)


def _in_yaml(step: Step) -> str:
    if step.press is not None:
        keys = ", ".join(f"'{key}'" if key.isdigit() else key for key in step.press.keys)
        return f"press: {{keys: [{keys}], frames: {step.press.frames}}}"
    if step.until is not None:
        return f"until: {{routine: {step.until.routine}, at_most_frames: {step.until.at_most_frames}}}"
    assert step.wait is not None  # noqa: S101 - our own invariant: what was found is waits, presses and one until
    return f"wait: {{frames: {step.wait.frames}}}"
