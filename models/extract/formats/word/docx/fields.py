"""Fields (HYPERLINK, PAGEREF …): field characters and instructions in, what is shown and where it leads out.

Only the stored result of a field is ever used; nothing is computed or fetched.
"""

import re
from dataclasses import dataclass, field
from typing import Final

_TOKEN: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')
_CONTROL: Final = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029]+")
_ALLOWED: Final = re.compile(r"^(?:https?://|mailto:|#)", re.IGNORECASE)
_TAKES_ARGUMENT: Final = frozenset({"\\o", "\\t", "\\f", "\\s", "\\*", "\\#", "\\@"})
OUTSIDE: Final = frozenset({"INCLUDETEXT", "INCLUDEPICTURE", "LINK", "DDE", "DDEAUTO", "IMPORT", "INCLUDE"})
"""Fields whose result was taken from outside the file."""


@dataclass(slots=True)
class _Frame:
    instruction: list[str] = field(default_factory=list)
    in_result: bool = False
    href: str | None = None


class FieldStack:
    """Open fields of one story. With `balanced` false (broken nesting) all text is shown."""

    def __init__(self, *, balanced: bool = True) -> None:
        self._frames: list[_Frame] = []
        self._unseparated = 0
        self._balanced = balanced

    @property
    def shows_text(self) -> bool:
        return not self._balanced or self._unseparated == 0

    @property
    def href(self) -> str | None:
        """Where the innermost open field leads that leads anywhere."""
        return self._frames[-1].href if self._frames else None

    def begin(self) -> None:
        self._frames.append(_Frame(href=self.href))
        self._unseparated += 1

    def instruct(self, text: str) -> None:
        if self._frames and not self._frames[-1].in_result:
            self._frames[-1].instruction.append(text)

    def separate(self) -> str:
        """The instruction part is over; gives the name of the field."""
        if not self._frames:
            return ""
        frame = self._frames[-1]
        instruction = "".join(frame.instruction)
        self._unseparated -= not frame.in_result
        frame.in_result, frame.href = True, field_href(instruction) or frame.href
        return field_name(instruction)

    def end(self) -> None:
        if self._frames:
            self._unseparated -= not self._frames.pop().in_result


def field_name(instruction: str) -> str:
    """The first word of a field's instruction, upper case."""
    return instruction.split(maxsplit=1)[0].upper() if instruction.strip() else ""


def field_href(instruction: str) -> str | None:
    """Where a field leads, by its instruction; None when nowhere (or nowhere allowed)."""
    words = [quoted or bare for quoted, bare in _TOKEN.findall(instruction)]
    name = words[0].upper() if words else ""
    switches = {word.lower() for word in words[1:] if word.startswith("\\")}
    if name in ("PAGEREF", "REF", "NOTEREF") and "\\h" in switches and len(words) > 1:
        return clean_href("#" + words[1])
    if name != "HYPERLINK":
        return None
    return _hyperlink(words[1:])


def _hyperlink(words: list[str]) -> str | None:
    target = anchor = ""
    rest = iter(words)
    for word in rest:
        if word.lower() == "\\l":
            anchor = next(rest, "")
        elif word.lower() in _TAKES_ARGUMENT:
            next(rest, "")
        elif not word.startswith("\\") and not target:
            target = word
    return clean_href(target + ("#" + anchor if anchor else ""))


def clean_href(target: str) -> str | None:
    """The link when its scheme is allowed (http, https, mailto, #anchor), white space and controls removed."""
    target = _CONTROL.sub("", target)
    return target if _ALLOWED.match(target) and len(target) > 1 else None
