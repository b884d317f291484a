"""Choices of a command line that know other names for the same thing and guess what a typo meant."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import click

_ALIKE = 0.6
"""Share of letters two names have in common before one is offered for the other (as difflib counts it)."""


def guess(typed: str, known: Sequence[str]) -> str:
    """Return a hint such as ` Did you mean 'extract'?`, or an empty string."""
    close = get_close_matches(typed, known, n=1, cutoff=_ALIKE)
    return f" Did you mean {close[0]!r}?" if close else ""


class NamedChoice(click.Choice[str]):
    """A choice that also takes aliases: `md` for `markdown`."""

    def __init__(self, choices: Sequence[str], aliases: Mapping[str, str]) -> None:
        super().__init__(choices)
        self._aliases = aliases

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the choice for a name or alias; an unknown value fails with a suggestion."""
        choice = self._aliases.get(str(value).lower(), value)
        if choice not in self.choices:
            known = [*self.choices, *self._aliases]
            text = f"{value!r} is not one of {', '.join(self.choices)}.{guess(str(value), known)}"
            raise click.BadParameter(text, ctx, param)
        return super().convert(choice, param, ctx)
