"""The style sheet of a Word file: style ids in, their effect on a paragraph or run out.

Follows based-on chains, built-in and localised names. Knows no text and no numbering definitions.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from quire.models.extract.formats.common.xml import Element, W, is_on, number, val

MAX_CHAIN: Final = 50
"""Styles in a based-on chain; Word allows eleven, a loop never ends."""
BODY_LEVEL: Final = 9
"""`w:outlineLvl` 9 = body text."""

_HEADING: Final = re.compile(
    r"^(?:heading|überschrift|titre|titolo|título|titulo|encabezado|rubrik|otsikko|nagłówek|заголовок|kop|overskrift"
    r"|nadpis|címsor|başlık|titlu|επικεφαλίδα|naslov|标题|標題|見出し|제목|כותרת|عنوان)\s*([1-9])(?:\s+char)?$"
)
_CODE: Final = re.compile(
    r"(?:^|\b)(?:source\s*code|code|html preformatted|preformatted|verbatim|listing|quelltext)(?:\b|$)"
)
_CODE_RUN: Final = re.compile(
    r"verbatim|\bcode\b|html (?:code|keyboard|sample|typewriter)|quelltext|source text|teletype"
)


_DEEPER_LIST: Final = re.compile(r"^list (?:bullet|number) ([2-5])$")


class StyleRole(StrEnum):
    """The role that a paragraph style gives its paragraphs."""

    BODY = "body"
    TITLE = "title"
    CAPTION = "caption"
    CODE = "code"
    TOC = "toc"


@dataclass(frozen=True, slots=True)
class Toggles:
    """Run properties that reach a span; None = not stated here."""

    bold: bool | None = None
    italic: bool | None = None
    hidden: bool | None = None
    code: bool | None = None
    strike: bool | None = None
    raised: int | None = None
    """1 = superscript, -1 = subscript, 0 = neither."""
    underline: bool | None = None
    highlight: bool | None = None

    def over(self, lower: "Toggles") -> "Toggles":
        """Return these toggles, completed by `lower`."""
        return Toggles(
            self.bold if self.bold is not None else lower.bold,
            self.italic if self.italic is not None else lower.italic,
            self.hidden if self.hidden is not None else lower.hidden,
            self.code if self.code is not None else lower.code,
            self.strike if self.strike is not None else lower.strike,
            self.raised if self.raised is not None else lower.raised,
            self.underline if self.underline is not None else lower.underline,
            self.highlight if self.highlight is not None else lower.highlight,
        )


PLAIN: Final = Toggles()


@dataclass(frozen=True, slots=True)
class ParagraphStyle:
    """A paragraph style with its based-on chain applied.

    Attributes:
        ids: Ids of the style and its bases.
        role: Role of its paragraphs.
        level: 1..9 for a heading.
        num_id: Id of its list.
        num_level: Level in the list, from 0.
        list_depth: Depth that the built-in list styles have by name (each has its own list, at level 0).
        page_break_before: Whether its paragraphs start a page.
        toggles: Formatting of its runs.
        indent: Start of its lines, in twips from the margin.
    """

    ids: tuple[str, ...] = ()
    role: StyleRole = StyleRole.BODY
    level: int | None = None
    num_id: str | None = None
    num_level: int | None = None
    list_depth: int = 1
    page_break_before: bool = False
    toggles: Toggles = PLAIN
    indent: int | None = None


@dataclass(frozen=True, slots=True)
class _Style:
    id: str
    name: str
    based_on: str | None
    ppr: Element | None
    rpr: Element | None


_RAISED: Final = {"superscript": 1, "subscript": -1, "baseline": 0}


def read_toggles(rpr: Element | None) -> Toggles:
    """Return the toggles that a `w:rPr` states."""
    if rpr is None:
        return PLAIN
    strikes = [stated for name in ("strike", "dstrike") if (stated := is_on(rpr.find(W + name))) is not None]
    return Toggles(
        is_on(rpr.find(W + "b")),
        is_on(rpr.find(W + "i")),
        is_on(rpr.find(W + "vanish")),
        strike=any(strikes) if strikes else None,
        raised=None if (place := rpr.find(W + "vertAlign")) is None else _RAISED.get(val(place) or ""),
        underline=None if (line := rpr.find(W + "u")) is None else val(line) != "none",
        highlight=None if (marker := rpr.find(W + "highlight")) is None else val(marker) != "none",
    )


class StyleSheet:
    """Styles by id; a missing part or style is a plain style."""

    def __init__(self, root: Element | None) -> None:
        self._styles: dict[str, _Style] = {}
        self._default: str | None = None
        self._paragraphs: dict[str | None, ParagraphStyle] = {}
        self._runs: dict[str, Toggles] = {}
        for node in root.iter(W + "style") if root is not None else ():
            style = _read_style(node)
            self._styles.setdefault(style.id, style)
            if node.get(W + "type") == "paragraph" and node.get(W + "default") in ("1", "true", "on"):
                self._default = style.id

    def paragraph(self, style_id: str | None) -> ParagraphStyle:
        """Return the paragraph style of that id (None = the default one)."""
        if style_id not in self._paragraphs:
            self._paragraphs[style_id] = _resolve(self._chain(style_id or self._default), style_id)
        return self._paragraphs[style_id]

    def run(self, style_id: str | None) -> Toggles:
        """Return the toggles of the character style of that id."""
        if style_id is None:
            return PLAIN
        if style_id not in self._runs:
            toggles = PLAIN
            for style in self._chain(style_id):
                code = True if _CODE_RUN.search(style.name) else None
                toggles = toggles.over(read_toggles(style.rpr)).over(Toggles(code=code))
            self._runs[style_id] = toggles
        return self._runs[style_id]

    def _chain(self, style_id: str | None) -> list[_Style]:
        chain: list[_Style] = []
        while style_id is not None and (style := self._styles.get(style_id)) and len(chain) < MAX_CHAIN:
            if style in chain:
                break
            chain.append(style)
            style_id = style.based_on
        return chain


def _read_style(node: Element) -> _Style:
    style_id = node.get(W + "styleId") or ""
    name = " ".join((val(node.find(W + "name")) or style_id).lower().split())
    return _Style(style_id, name, val(node.find(W + "basedOn")), node.find(W + "pPr"), node.find(W + "rPr"))


def _resolve(chain: list[_Style], style_id: str | None) -> ParagraphStyle:
    if not chain:
        name = (style_id or "").lower()
        return ParagraphStyle((style_id,) if style_id else (), _named_role([name]), _named_level(name))
    num_id, num_level = _numbering(chain)
    toggles = PLAIN
    for style in chain:
        toggles = toggles.over(read_toggles(style.rpr))
    return ParagraphStyle(
        ids=tuple(style.id for style in chain),
        role=_named_role([style.name for style in chain]),
        level=_heading_level(chain),
        num_id=num_id,
        num_level=num_level,
        list_depth=_list_depth(chain),
        page_break_before=bool(_first_toggle(chain, "pageBreakBefore")),
        toggles=toggles,
        indent=next((left for style in chain if (left := read_indent(style.ppr)) is not None), None),
    )


def read_indent(ppr: Element | None) -> int | None:
    """Return the start of a paragraph's lines, in twips from the margin; None when it is not stated."""
    stated = ppr.find(W + "ind") if ppr is not None else None
    left = None if stated is None else stated.get(W + "left") or stated.get(W + "start")
    return None if left is None else number(left)


def _heading_level(chain: list[_Style]) -> int | None:
    """Return the level of the nearest style that is a heading by name or by outline level.

    Level 9 ("body") is ignored. The built-in heading of a table of contents is stated to be body text, independent of
    its base.
    """
    for style in chain:
        if style.name == "toc heading":
            return None
        if level := _named_level(style.name) or _named_level(style.id.lower()):
            return level
        outline = style.ppr.find(W + "outlineLvl") if style.ppr is not None else None
        if outline is not None and number(val(outline), BODY_LEVEL) < BODY_LEVEL:
            return number(val(outline)) + 1
    return None


def _named_level(name: str) -> int | None:
    match = _HEADING.match(name)
    return int(match.group(1)) if match else None


def _list_depth(chain: list[_Style]) -> int:
    depth_match = next((match for style in chain if (match := _DEEPER_LIST.match(style.name))), None)
    return int(depth_match.group(1)) if depth_match else 1


def _named_role(names: list[str]) -> StyleRole:
    for name in names:
        if name == "title":
            return StyleRole.TITLE
        if name in ("caption", "image caption", "table caption", "figure caption", "beschriftung", "légende"):
            return StyleRole.CAPTION
        if re.match(r"^toc \d$", name):
            return StyleRole.TOC
        if _CODE.search(name):
            return StyleRole.CODE
    return StyleRole.BODY


def _numbering(chain: list[_Style]) -> tuple[str | None, int | None]:
    num_id: str | None = None
    level: int | None = None
    for style in chain:
        properties = style.ppr.find(W + "numPr") if style.ppr is not None else None
        if properties is None:
            continue
        stated = properties.find(W + "ilvl")
        if level is None and stated is not None:
            level = number(val(stated))
        num_id = num_id or val(properties.find(W + "numId"))
    return num_id, level


def _first_toggle(chain: list[_Style], name: str) -> bool | None:
    for style in chain:
        if style.ppr is not None and (stated := is_on(style.ppr.find(W + name))) is not None:
            return stated
    return None
