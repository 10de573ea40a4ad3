# SPDX-License-Identifier: GPL-3.0-or-later
"""What the parts of a definition must agree on: every name that one of them uses is defined by another."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from oakemu_rl._validation import LocatedError, shorten
from oakemu_rl.errors import nearest
from oakemu_rl.games.expression import Names, compile_expression
from oakemu_rl.games.formulas import LABEL
from oakemu_rl.games.keys import Joystick, action_row, check_key
from oakemu_rl.games.start_script import Script, Start, Step, UntilStep
from oakemu_rl.games.variables import Variable

__all__ = ["DEFAULT_START", "RANDOM_BYTES", "Vocabulary", "check_actions", "check_starts", "check_unique"]

DEFAULT_START = "default"
"""What the start is called that a definition's own `start` makes."""

RANDOM_BYTES = {"u8": 1, "u16": 2}
"""How many bytes a reset may fill at random."""

_Location = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The names that a definition defines.

    Attributes:
        variables: Variables and tables.
        derived: Derived variables.
        routines: Routines.
        joystick: Whether there are directions beside the keys.
        names: The same for expressions.
    """

    variables: Mapping[str, Variable]
    derived: Collection[str]
    routines: Collection[str]
    joystick: Joystick
    names: Names

    def require_value(self, name: str, loc: _Location) -> None:
        """Refuses what is not the name of one number: a variable or a derived one."""
        if name not in self.derived:
            self.require_variable(name, loc, among=[*self.variables, *self.derived])

    def require_variable(
        self, name: str, loc: _Location, *, key: bool = False, among: Sequence[str] | None = None
    ) -> Variable:
        """The variable of that name; what is none, or a table, is refused."""
        known = list(self.variables) if among is None else among
        if name not in self.variables:
            if name in self.derived:
                raise LocatedError(f"{name} is derived from other variables; name one that is in RAM", loc, key=key)
            words = f"{nearest(name, known)}; there are {', '.join(known) or 'none'}"
            raise LocatedError(f"unknown variable {shorten(name)}{words}", loc, key=key)
        if self.variables[name].is_table:
            raise LocatedError(f"{name} is a table; name a variable of one value", loc, key=key)
        return self.variables[name]

    def check_randomized(self, name: str, kind: str) -> None:
        """Refuses random bytes for a variable that does not hold them."""
        loc = ("reset", "randomize", name)
        variable = self.require_variable(name, loc, key=True)
        size = RANDOM_BYTES[kind]
        if size > variable.size or not variable.is_plain_number:
            raise LocatedError(f"{size} random byte(s) do not fit {name}, which is a {variable.type}", loc)

    def check_number(self, text: str, loc: _Location) -> None:
        """Refuses an expression that cannot be compiled."""
        try:
            compile_expression(text, self.names)
        except LocatedError as error:
            raise LocatedError(str(error), loc, offset=error.offset) from error

    def check_keys(self, keys: Sequence[str], loc: _Location) -> None:
        """Refuses keys that the machine does not have."""
        for index, key in enumerate(keys):
            if problem := check_key(key, self.joystick):
                raise LocatedError(problem, (*loc, index))
            if key in keys[:index]:
                raise LocatedError(f"the key {key!r} is listed twice", (*loc, index))

    def check_script(self, script: Script, loc: _Location) -> None:
        """Refuses steps that name what there is not."""
        for index, step in enumerate(script):
            self._check_step(step, (*loc, index))

    def _check_step(self, step: Step, loc: _Location) -> None:
        if step.press is not None:
            self.check_keys(step.press.keys, (*loc, "press", "keys"))
        if step.until is not None:
            self._check_until(step.until, (*loc, "until"))
        for name, value in (step.set or {}).items():
            low, high = self.require_variable(name, (*loc, "set", name), key=True).limits
            if not low <= value <= high:
                raise LocatedError(f"{shorten(value)} is not within {low} to {high}", (*loc, "set", name))

    def _check_until(self, until: UntilStep, loc: _Location) -> None:
        if until.routine is not None and until.routine not in self.routines:
            known = f"{nearest(until.routine, self.routines)}; there are {', '.join(self.routines) or 'none'}"
            raise LocatedError(f"unknown routine {shorten(until.routine)}{known}", (*loc, "routine"))
        if until.condition is not None:
            try:
                compile_expression(until.condition, self.names.at_one_moment(), result="condition")
            except LocatedError as error:
                raise LocatedError(str(error), (*loc, "condition"), offset=error.offset) from error


def check_unique(variables: Collection[str], derived: Collection[str], routines: Collection[str]) -> None:
    """Refuses names that mean two things."""
    for kind, names, known in (("derived", derived, [*variables]), ("routines", routines, [*variables, *derived])):
        for name in names:
            if name in known:
                raise LocatedError(f"the name {name!r} is a variable already", (kind, name), key=True)


def check_actions(actions: Mapping[str, Sequence[str]], vocabulary: Vocabulary, allow: Iterable[str]) -> None:
    """Refuses actions that cannot be told apart, and masks for what is none or must always be possible."""
    seen: dict[bytes, str] = {}
    for name, keys in actions.items():
        if not LABEL.fullmatch(name):
            raise LocatedError(f"{shorten(name)} is not a name: letters, digits and _", ("actions", name), key=True)
        vocabulary.check_keys(keys, ("actions", name))
        twin = seen.setdefault(action_row(keys, vocabulary.joystick).tobytes(), name)
        if twin != name:
            raise LocatedError(f"holds the same keys as the action {twin!r}", ("actions", name))
    if all(actions.values()):
        raise LocatedError("one action must hold nothing, as in stay: []", ("actions",))
    for name in allow:
        if name not in actions:
            known = f"{nearest(name, actions)}; there are {', '.join(actions)}"
            raise LocatedError(f"unknown action {shorten(name)}{known}", ("allow", name), key=True)
        if not actions[name]:
            raise LocatedError(f"{name} holds nothing and is always allowed", ("allow", name), key=True)


def check_starts(starts: Mapping[str, Start], default_weight: float | None, vocabulary: Vocabulary) -> None:
    """Refuses starts that cannot be named, drawn or made."""
    known = [DEFAULT_START]
    for name, start in starts.items():
        loc = ("starts", name)
        if not LABEL.fullmatch(name):
            raise LocatedError(f"{shorten(name)} is not a name: letters, digits and _", loc, key=True)
        if name == DEFAULT_START:
            raise LocatedError(
                "the default start is what `start` makes; give its weight as default_weight", loc, key=True
            )
        if start.after is not None and start.after not in known:
            words = f"{nearest(start.after, known)}; above it there are {', '.join(known)}"
            raise LocatedError(f"unknown start {shorten(start.after)}{words}", (*loc, "after"))
        vocabulary.check_script(start.start, (*loc, "start"))
        known.append(name)
    if default_weight is not None and not starts:
        raise LocatedError("a default_weight is only of use beside starts", ("default_weight",), key=True)
    if starts and not any(start.weight for start in starts.values()) and default_weight == 0:
        raise LocatedError("with a weight of 0 for every start there is none to begin with", ("default_weight",))
