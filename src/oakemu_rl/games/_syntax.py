# SPDX-License-Identifier: GPL-3.0-or-later
"""From an expression's text to Python's syntax tree, and from a place in the tree back to a character of the text."""

import ast
import warnings

from oakemu_rl._validation import LocatedError, shorten

__all__ = ["MAX_TEXT", "ExpressionError", "ExpressionText"]

MAX_TEXT = 2000


class ExpressionError(LocatedError):
    """An expression cannot be compiled; `offset` is the character (from 0) at which it is wrong."""

    def __init__(self, message: str, text: str, offset: int) -> None:
        super().__init__(f"{message}, at character {offset + 1} of {shorten(text)}", offset=offset)


class ExpressionText:
    """The text of one expression."""

    def __init__(self, text: str) -> None:
        flat = text.replace("\n", " ").replace("\r", " ")
        self._text = text
        self._body = flat.lstrip()
        self._lead = len(flat) - len(self._body)

    def parse(self) -> ast.expr:
        """The syntax tree.

        Raises:
            ExpressionError: Python would not take the text for an expression.
        """
        body = self._body
        if not body:
            raise self.error("the expression is empty", 0)
        if len(body) > MAX_TEXT:
            raise self.error(f"the expression has {len(body)} characters, at most {MAX_TEXT} are allowed", 0)
        for index, character in enumerate(body):
            if not " " <= character <= "~":
                raise self.error(f"the character {character!r} is not allowed", index)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # "1if x else 2" is odd, but means what it says
                return ast.parse(body, mode="eval").body
        except SyntaxError as error:
            at = min(error.offset - 1, len(body)) if error.offset else len(body)
            lone = body[at : at + 1] == "=" or "'=='" in error.msg
            raise self.error("write == to compare" if lone else f"not an expression ({error.msg})", at) from error
        except (RecursionError, MemoryError) as error:  # what the parser raises for thousands of nested signs
            raise self.error("the expression is nested too deeply", 0) from error

    def error(self, message: str, at: ast.expr | int) -> ExpressionError:
        """A complaint about a node, or about a character of what follows leading space."""
        column = at if isinstance(at, int) else at.col_offset
        return ExpressionError(message, self._text, self._lead + column)

    def source(self, node: ast.expr) -> str:
        """The text of a node."""
        return self._body[node.col_offset : node.end_col_offset]
