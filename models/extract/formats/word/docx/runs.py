"""Content of one paragraph: runs, links, fields, controls and drawings in, a flat list of pieces out, in order.

Reads tracked changes as accepted. Knows styles and fields, not the kind of block that the paragraph becomes.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from quire.models.extract.formats.common.omml import math_to_latex
from quire.models.extract.formats.common.opc import Relations
from quire.models.extract.formats.common.xml import MC, W14, Element, M, R, W, is_on, number, tag_of, val
from quire.models.extract.formats.word.docx.drawing import choose_alternative, read_drawing
from quire.models.extract.formats.word.docx.fields import (
    OUTSIDE,
    FieldStack,
    clean_href,
    field_href,
    field_name,
    read_equation,
)
from quire.models.extract.formats.word.docx.pieces import (
    Break,
    CheckBox,
    FormulaPiece,
    NoteKind,
    NoteMark,
    NoteRef,
    Piece,
    RunFormat,
    Text,
)
from quire.models.extract.formats.word.docx.styles import PLAIN, StyleSheet, Toggles, read_toggles
from quire.models.extract.text_quality.symbol_fonts import decode_symbols, symbol_text

CONTAINERS: Final = frozenset(
    W + name for name in ("ins", "moveTo", "smartTag", "customXml", "sdtContent", "bdo", "dir", "rubyBase", "subDoc")
)
"""Elements that only wrap runs: their content is read as if the wrapper were missing."""

_FIXED: Final = {
    W + "tab": "\t",
    W + "ptab": "\t",
    W + "cr": "\n",
    W + "noBreakHyphen": "\u2011",
}
_PRIVATE: Final = re.compile("[\uf020-\uf0ff]")
_CHECKED, _UNCHECKED = "☒", "☐"
_CHECK: Final = f"{W}sdtPr/{W14}checkbox"
"""The mark of a checkbox control."""
_NOTES: Final = {
    W + "footnoteReference": NoteKind.FOOTNOTE,
    W + "endnoteReference": NoteKind.ENDNOTE,
    W + "commentReference": NoteKind.COMMENT,
}


@dataclass(slots=True)
class Story:
    """Context of one part: its styles, relationships, open fields and the receiver of warnings."""

    styles: StyleSheet
    relations: Relations
    fields: FieldStack
    warn: Callable[[str], None]


class InlineReader:
    """Reads the pieces of one paragraph; make one per paragraph."""

    def __init__(self, story: Story, paragraph_toggles: Toggles = PLAIN) -> None:
        self._story = story
        self._paragraph_toggles = paragraph_toggles
        self._format = RunFormat()
        self._links: list[str | None] = []
        self.pieces: list[Piece] = []

    def read(self, node: Element) -> list[Piece]:
        """Return the pieces of everything inside `node` (a `w:p`, or a container within one)."""
        for child in node:
            self._read_child(child)
        return self.pieces

    def _read_child(self, node: Element) -> None:
        if not isinstance(node.tag, str):
            return
        if node.tag in CONTAINERS:
            self.read(node)
        elif (known := _HANDLERS.get(node.tag)) is not None:
            known(self, node)

    def _read_run(self, node: Element) -> None:
        rpr = node.find(W + "rPr")
        self._format = self._read_format(rpr)
        for child in node:
            if isinstance(child.tag, str):
                self._read_run_child(child)

    def _read_run_child(self, node: Element) -> None:
        tag = tag_of(node)
        if tag == W + "t":
            self._add_text(self._decode_text(node))
        elif tag in _FIXED:
            self._add_text(_FIXED[tag])
        elif tag in _NOTES:
            own_mark = is_on_attribute(node, "customMarkFollows")
            self.pieces.append(NoteRef(_NOTES[tag], node.get(W + "id", ""), own_mark))
        elif (known := _RUN_HANDLERS.get(tag)) is not None:
            known(self, node)

    def _decode_text(self, node: Element) -> str:
        """Return the characters of a `w:t`; those of a symbol font as Unicode."""
        text = node.text or ""
        if _PRIVATE.search(text) is None:
            return text
        fonts = node.find(f"../{W}rPr/{W}rFonts")
        return decode_symbols(text, (fonts.get(W + "ascii") or "symbol") if fonts is not None else "symbol")

    def _add_text(self, text: str) -> None:
        if not text or not self._story.fields.shows_text:
            return
        href = self._links[-1] if self._links else self._story.fields.href
        text = text.replace("\u00ad", "")
        self.pieces.append(Text(text, replace(self._format, href=href)))

    def _read_format(self, rpr: Element | None) -> RunFormat:
        """Return the run's format.

        Direct formatting wins; bold and italic of the two style kinds cancel each other out (ECMA-376 17.7.3).
        """
        direct = read_toggles(rpr)
        style = self._story.styles.run(val(rpr.find(W + "rStyle")) if rpr is not None else None)
        paragraph = self._paragraph_toggles
        raised = next((level.raised for level in (direct, style, paragraph) if level.raised is not None), 0)
        return RunFormat(
            bold=direct.bold if direct.bold is not None else bool(style.bold) != bool(paragraph.bold),
            italic=direct.italic if direct.italic is not None else bool(style.italic) != bool(paragraph.italic),
            code=bool(style.code),
            hidden=direct.hidden if direct.hidden is not None else bool(style.hidden) or bool(paragraph.hidden),
            superscript=raised > 0,
            subscript=raised < 0,
            underline=bool(direct.underline if direct.underline is not None else style.underline),
            highlight=bool(direct.highlight if direct.highlight is not None else style.highlight),
            strike=direct.strike if direct.strike is not None else bool(style.strike) != bool(paragraph.strike),
        )

    def _read_break(self, node: Element) -> None:
        if node.get(W + "type") == "page":
            self.pieces.append(Break())
        else:
            self._add_text("\n")

    def _read_symbol(self, node: Element) -> None:
        self._add_text(symbol_text(node.get(W + "font", ""), node.get(W + "char", "")))

    def _read_drawing(self, node: Element) -> None:
        if self._story.fields.shows_text:
            self.pieces.extend(read_drawing(node, self._story.relations, self._story.warn))

    def _read_alternative(self, node: Element) -> None:
        chosen = choose_alternative(node)
        for child in chosen if chosen is not None else ():
            if isinstance(child.tag, str):
                self._read_run_child(child)
                self._read_child(child)

    def _read_field_char(self, node: Element) -> None:
        fields = self._story.fields
        match node.get(W + "fldCharType"):
            case "begin":
                self._read_form_field(node.find(W + "ffData"))
                fields.begin()
            case "separate":
                if fields.separate() in OUTSIDE:
                    self._story.warn("external-field")
            case "end":
                self._add_equation(fields.end())
            case _:
                pass

    def _read_form_field(self, data: Element | None) -> None:
        """Read a legacy form field, whose value is in the field's data: a checkbox's state, a list's choice."""
        if data is None:
            return
        if (box := data.find(W + "checkBox")) is not None:
            stated = box.find(W + "checked") if box.find(W + "checked") is not None else box.find(W + "default")
            self._add_check(bool(is_on(stated)))
            self._add_text(_CHECKED if is_on(stated) else _UNCHECKED)
        elif (choices := data.find(W + "ddList")) is not None:
            entries = [val(entry) or "" for entry in choices.findall(W + "listEntry")]
            index = number(val(choices.find(W + "result")) or val(choices.find(W + "default")))
            self._add_text(entries[index] if 0 <= index < len(entries) else "")

    def _add_check(self, checked: bool) -> None:
        if self._story.fields.shows_text:
            self.pieces.append(CheckBox(checked))

    def _read_instruction(self, node: Element) -> None:
        self._story.fields.instruct(node.text or "")

    def _add_equation(self, instruction: str) -> None:
        shown, is_formula = read_equation(instruction) if instruction else ("", False)
        if is_formula and self._story.fields.shows_text:
            self.pieces.append(FormulaPiece(shown, display=False))
        elif shown:
            self._add_text(shown)

    def _read_simple_field(self, node: Element) -> None:
        if field_name(node.get(W + "instr", "")) == "EQ":
            self._add_equation(node.get(W + "instr", ""))
            return
        self._read_linked(field_href(node.get(W + "instr", "")), node)

    def _read_hyperlink(self, node: Element) -> None:
        relation = self._story.relations.get(node.get(R + "id", ""))
        anchor = node.get(W + "anchor", "")
        target = relation.target if relation is not None and relation.external else ""
        self._read_linked(clean_href(target + ("#" + anchor if anchor else "")), node)

    def _read_linked(self, href: str | None, node: Element) -> None:
        if href is None:
            self.read(node)
            return
        self._links.append(href)
        self.read(node)
        self._links.pop()

    def _read_control(self, node: Element) -> None:
        """Read a content control: a checkbox control is marked; of others only the content is read."""
        content = node.find(W + "sdtContent")
        check = node.find(_CHECK)
        before = len(self.pieces)
        checked = check is not None and _is_checked(check)
        previous = node.getprevious()
        if (
            previous is not None
            and previous.tag == W + "sdt"
            and any(control.find(_CHECK) is not None for control in (previous, node))
        ):
            self._add_text(" ")
        if check is not None:
            self._add_check(checked)
        if content is not None:
            self.read(content)
        if check is not None and not any(isinstance(piece, Text) for piece in self.pieces[before:]):
            self._format = RunFormat()
            self._add_text(_CHECKED if checked else _UNCHECKED)

    def _read_ruby(self, node: Element) -> None:
        """Add the base text, then its pronunciation in brackets."""
        base, reading = node.find(W + "rubyBase"), node.find(W + "rt")
        if base is not None:
            self.read(base)
        if reading is not None:
            self._add_text("(")
            self.read(reading)
            self._add_text(")")

    def _read_math(self, node: Element) -> None:
        self._add_formula(node, False)

    def _read_math_paragraph(self, node: Element) -> None:
        for formula in node.iter(M + "oMath"):
            self._add_formula(formula, True)

    def _add_formula(self, node: Element, display: bool) -> None:
        if latex := math_to_latex(node):
            self.pieces.append(FormulaPiece(latex, display))

    def _read_note_mark(self, node: Element) -> None:
        self.pieces.append(NoteMark())


def is_on_attribute(node: Element, name: str) -> bool:
    """Return whether a boolean attribute in Word's namespace is on."""
    return node.get(W + name, "0") in ("1", "true", "on")


def _is_checked(check: Element) -> bool:
    state = check.find(W14 + "checked")
    return state is not None and state.get(W14 + "val", "1") in ("1", "true", "on")


_Handler = Callable[[InlineReader, Element], None]
_HANDLERS: Final[dict[str, _Handler]] = {
    W + "r": InlineReader._read_run,
    W + "hyperlink": InlineReader._read_hyperlink,
    W + "fldSimple": InlineReader._read_simple_field,
    W + "sdt": InlineReader._read_control,
    MC + "AlternateContent": InlineReader._read_alternative,
    M + "oMath": InlineReader._read_math,
    M + "oMathPara": InlineReader._read_math_paragraph,
}
_RUN_HANDLERS: Final[dict[str, _Handler]] = {
    W + "br": InlineReader._read_break,
    W + "sym": InlineReader._read_symbol,
    W + "drawing": InlineReader._read_drawing,
    W + "pict": InlineReader._read_drawing,
    W + "object": InlineReader._read_drawing,
    W + "fldChar": InlineReader._read_field_char,
    W + "instrText": InlineReader._read_instruction,
    W + "ruby": InlineReader._read_ruby,
    W + "footnoteRef": InlineReader._read_note_mark,
    W + "endnoteRef": InlineReader._read_note_mark,
    MC + "AlternateContent": InlineReader._read_alternative,
}
