"""Fields (HYPERLINK, PAGEREF …): field characters and instructions in, displayed text and link targets out.

Uses only the stored result of a field; nothing is computed or fetched.
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
SILENT: Final = frozenset({"SET", "ASK", "TC", "XE", "TA", "RD"})
"""Fields that show nothing where they stand, even if a program stored a result."""


@dataclass(slots=True)
class _Frame:
    instruction: list[str] = field(default_factory=list)
    in_result: bool = False
    href: str | None = None


class FieldStack:
    """Open fields of one story. If not `balanced` (broken nesting), all text is shown."""

    def __init__(self, *, balanced: bool = True) -> None:
        self._frames: list[_Frame] = []
        self._unseparated = 0
        self._balanced = balanced

    @property
    def shows_text(self) -> bool:
        """Whether text at this position is shown: it is not part of an instruction."""
        return not self._balanced or self._unseparated == 0

    @property
    def href(self) -> str | None:
        """Target of the innermost open field that has one."""
        return self._frames[-1].href if self._frames else None

    def begin(self) -> None:
        """Open a field."""
        self._frames.append(_Frame(href=self.href))
        self._unseparated += 1

    def instruct(self, text: str) -> None:
        """Add text to the instruction of the innermost field."""
        if self._frames and not self._frames[-1].in_result:
            self._frames[-1].instruction.append(text)

    def separate(self) -> str:
        """End the instruction of the innermost field and return the field's name."""
        if not self._frames:
            return ""
        frame = self._frames[-1]
        instruction = "".join(frame.instruction)
        if field_name(instruction) in SILENT:
            return field_name(instruction)
        self._unseparated -= not frame.in_result
        frame.in_result, frame.href = True, field_href(instruction) or frame.href
        return field_name(instruction)

    def end(self) -> None:
        """Close the innermost field."""
        if self._frames:
            self._unseparated -= not self._frames.pop().in_result


def field_name(instruction: str) -> str:
    """Return the first word of a field's instruction in upper case."""
    return instruction.split(maxsplit=1)[0].upper() if instruction.strip() else ""


def field_href(instruction: str) -> str | None:
    """Return the target of a field by its instruction; None without an allowed target."""
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
    remaining = iter(words)
    for word in remaining:
        if word.lower() == "\\l":
            anchor = next(remaining, "")
        elif word.lower() in _TAKES_ARGUMENT:
            next(remaining, "")
        elif not word.startswith("\\") and not target:
            target = word
    return clean_href(target + ("#" + anchor if anchor else ""))


def clean_href(target: str) -> str | None:
    """Return the link without white space and control characters, if its scheme is allowed.

    Allowed are http, https, mailto and #anchor.
    """
    target = _CONTROL.sub("", target)
    return target if _ALLOWED.match(target) and len(target) > 1 else None
