"""Fields (HYPERLINK, PAGEREF …): field characters and instructions in, displayed text and link targets out.

Uses only the stored result of a field; nothing is computed or fetched. Word draws EQ fields from their instruction.
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
SILENT: Final = frozenset({"SET", "ASK", "TC", "XE", "TA", "RD", "EQ"})
"""Fields that do not show a result that a program stored."""
_EQUATION: Final = re.compile(
    r"\\([a-z]++)[ \d]*+(?:\\[^a-z\s])?+ *+|\\(.)|([(),;])|([^\\(),;]++)|\\", re.IGNORECASE | re.DOTALL
)
"""A switch with its number or bracket, an escaped sign, a sign, or text."""
_DEEPEST: Final = 20
"""Nested parts of an EQ field that are read."""
_RING: Final = "○◯〇"


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

    def end(self) -> str:
        """Close the innermost field and return its instruction if Word draws it from that."""
        if not self._frames:
            return ""
        frame = self._frames.pop()
        self._unseparated -= not frame.in_result
        instruction = "".join(frame.instruction)
        return instruction if field_name(instruction) == "EQ" else ""


@dataclass(slots=True)
class _Part:
    """An element of an EQ field: its switches, e.g. `["o", "ac"]`, and its arguments as (LaTeX, plain text)."""

    switches: list[str]
    arguments: list[tuple[str, str]]

    def show(self) -> tuple[str, str]:
        """Return the element as LaTeX and as plain text; the text is empty where only a formula shows it."""
        latex, texts = [argument[0] for argument in self.arguments], [argument[1] for argument in self.arguments]
        first, second = ([*latex, "", ""])[:2]
        is_text = all(text or not formula for formula, text in self.arguments)
        match self.switches[0] if self.switches else "":
            case "f":
                return rf"\frac{{{first}}}{{{second}}}", ""
            case "r":
                return rf"\sqrt[{first}]{{{second}}}" if first and len(
                    latex
                ) > 1 else rf"\sqrt{{{first or second}}}", ""
            case "s" if "do" in self.switches:
                return f"_{{{first}}}", ""
            case "s":
                return f"^{{{first}}}", ""
            case "i":
                sign = r"\sum" if "su" in self.switches else r"\prod" if "pr" in self.switches else r"\int"
                return f"{sign}_{{{first}}}^{{{second}}} {''.join(latex[2:])}", ""
            case "a":
                return r"\begin{matrix} " + r" \\ ".join(latex) + r" \end{matrix}", ""
            case "b":
                return f"({','.join(latex)})", f"({','.join(texts)})" if is_text else ""
            case "o" if len(texts) == 2 and texts[0] in _RING and texts[1].isdecimal() and 0 < int(texts[1]) <= 20:
                ring = chr(0x245F + int(texts[1]))
                return ring, ring
            case "l":
                return ",".join(latex), ",".join(texts) if is_text else ""
            case _:
                return "".join(latex), "".join(texts) if is_text else ""


def read_equation(instruction: str) -> tuple[str, bool]:
    r"""Return what an EQ field shows, and whether that is LaTeX; e.g. `EQ \\f(3,4)` is a fraction."""
    tokens = list(_EQUATION.finditer(instruction.strip()[2:]))
    (latex, text), _ = _read_parts(tokens, 0, 0)
    return (text.strip(), False) if text.strip() else (latex.strip(), bool(latex.strip()))


def _read_parts(tokens: list[re.Match[str]], place: int, depth: int) -> tuple[tuple[str, str], int]:
    """Read elements up to the end of an argument; return them joined, and the place of the sign that ended it."""
    latex, text, has_formula, brackets = "", "", False, 0
    switches: list[str] = []
    while place < len(tokens):
        switch, escaped, sign, plain = tokens[place].groups()
        place += 1
        if switch is not None:
            switches.append(switch.lower())
            continue
        if switches and sign == "(" and depth < _DEEPEST:
            part = _Part(switches, [])
            while not part.arguments or (place < len(tokens) and tokens[place - 1][3] != ")"):
                argument, place = _read_parts(tokens, place, depth + 1)
                part.arguments.append(argument)
                place += 1
            shown = part.show()
            latex, text, has_formula = latex + shown[0], text + shown[1], has_formula or bool(shown[0] and not shown[1])
            switches = []
            continue
        brackets += (sign == "(") - (sign == ")")
        if depth and (brackets < 0 or (sign in (",", ";") and not brackets)):
            return (latex, "" if has_formula else text), place - 1
        piece = escaped or sign or plain or ""
        latex, text, switches = latex + piece, text + piece, []
    return (latex, "" if has_formula else text), place


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
