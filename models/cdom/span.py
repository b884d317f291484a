"""A styled stretch of text. Pure data."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field


def _is_false(value: bool) -> bool:
    return not value


def _is_none(value: str | None) -> bool:
    return value is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A styled stretch of a block's text; `start` and `end` are character offsets, end exclusive.

    `latex`: the stretch is a formula, and this its LaTeX without dollars; a tree says it only of formulas.
    `strike`: the stretch is struck through; a tree says it only of such stretches.
    `superscript` and `subscript`: the stretch is raised or lowered; a tree says it only of such stretches. Raised and
    lowered figures are superscript and subscript characters in the text ("15²").
    `underline` and `highlight`: the stretch is underlined without being a link, or marked with a colour.
    `language`: the programming language that the file states for a stretch of code.
    """

    start: int
    end: int
    bold: bool = False
    italic: bool = False
    code: bool = False
    href: str | None = None
    latex: Annotated[str | None, Field(exclude_if=_is_none)] = None
    strike: Annotated[bool, Field(exclude_if=_is_false)] = False
    superscript: Annotated[bool, Field(exclude_if=_is_false)] = False
    subscript: Annotated[bool, Field(exclude_if=_is_false)] = False
    underline: Annotated[bool, Field(exclude_if=_is_false)] = False
    highlight: Annotated[bool, Field(exclude_if=_is_false)] = False
    language: Annotated[str | None, Field(exclude_if=_is_none)] = None
