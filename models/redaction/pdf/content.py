"""Filters content streams for a redacted file: no marked content, hidden layers, pictures or hidden text.

A path with curves may be a signature or letters drawn as shapes. Such paths were not read, so they are not painted. Use
as a clip stays.
"""

import re
from collections.abc import Callable
from typing import Any

import pikepdf
from pikepdf import Name

_NEEDS_LOOK = re.compile(rb"\b(?:BDC|BMC|DP|MP|BI|Do|Tr|sh|scn|SCN|gs)\b|[\d.]\s+[cvy]\s")
_CURVES = frozenset(("c", "v", "y"))
_PATH = frozenset(("m", "l", "c", "v", "y", "h", "re"))
_PAINT = frozenset(("S", "s", "f", "F", "f*", "B", "B*", "b", "b*"))
_SHOW = frozenset(("Tj", "TJ", "'", '"'))
_MARKS = frozenset(("BMC", "MP", "DP"))
INVISIBLE = (3, 7)
"""Text rendering modes that paint nothing (PDF 32000, 9.3.6)."""
_NOTHING = pikepdf.ContentStreamInstruction([], pikepdf.Operator("n"))
Layer = Callable[[Any], bool]
"""True for an optional-content group (or membership) that is off."""


class ContentCleaner:
    """One page's or form's operators. `forms` collects names of forms that are still used."""

    def __init__(self, resources: Any, is_off: Layer, *, text: bool = True) -> None:
        self._resources, self._is_off, self._text = resources, is_off, text
        self.forms: set[str] = set()
        self._kept: list[Any] = []
        self._marks: list[bool] = []
        """Whether each open marked-content sequence is a layer that is off."""
        self._modes = [0]
        self._curved = False

    def clean(self, stream: Any) -> bytes:
        """Return the operators that are kept."""
        for instruction in pikepdf.parse_content_stream(stream):
            self._take(instruction)
        return pikepdf.unparse_content_stream(self._kept)

    def _take(self, instruction: Any) -> None:
        operator = str(instruction.operator)
        if operator == "BDC":
            self._marks.append(self._opens_hidden(instruction.operands))
        elif operator == "BMC":
            self._marks.append(False)
        elif operator == "EMC":
            if self._marks:
                self._marks.pop()
        elif operator not in _MARKS and not isinstance(instruction, pikepdf.ContentStreamInlineImage):
            self._take_painting(instruction, operator)

    def _take_painting(self, instruction: Any, operator: str) -> None:
        self._note_state(instruction, operator)
        hidden = any(self._marks)
        if operator in _PATH:
            self._curved |= operator in _CURVES
        elif operator in _PAINT or operator == "n":
            drop = operator in _PAINT and (hidden or self._curved)
            self._curved = False
            self._kept.append(_NOTHING if drop else instruction)
            return
        elif not self._shows(instruction, operator, hidden):
            return
        self._kept.append(instruction)

    def _shows(self, instruction: Any, operator: str, hidden: bool) -> bool:
        if operator in _SHOW:
            return self._text and not hidden and self._modes[-1] not in INVISIBLE
        if operator == "Do":
            return self._keeps_form(instruction.operands, hidden)
        return operator != "sh" or not hidden

    def _note_state(self, instruction: Any, operator: str) -> None:
        if operator == "q":
            self._modes.append(self._modes[-1])
        elif operator == "Q" and len(self._modes) > 1:
            self._modes.pop()
        elif operator == "Tr" and instruction.operands:
            self._modes[-1] = int(instruction.operands[0])

    def _opens_hidden(self, operands: Any) -> bool:
        if len(operands) < 2 or operands[0] != Name.OC:
            return False
        named = operands[1]
        properties = self._resources.get("/Properties") if self._resources is not None else None
        group = properties.get(str(named)) if isinstance(named, Name) and properties is not None else named
        return group is not None and self._is_off(group)

    def _keeps_form(self, operands: Any, hidden: bool) -> bool:
        objects = self._resources.get("/XObject") if self._resources is not None else None
        name = str(operands[0]) if operands else ""
        form = objects.get(name) if objects is not None else None
        if hidden or form is None or form.get("/Subtype") != Name.Form:
            return False
        if "/OC" in form and self._is_off(form.OC):
            return False
        self.forms.add(name)
        return True


def needs_cleaning(content: bytes) -> bool:
    """Return whether the content has an operator that this module may drop."""
    return _NEEDS_LOOK.search(content) is not None
