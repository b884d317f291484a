"""Styles of an OpenDocument file: style elements in; emphasis, roles of paragraphs, kinds of lists out."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.flow.counting import alphabetic, natural, roman
from quire.models.extract.formats.flow.number_formats import format_count

_ROOT: Final = "{urn:oasis:names:tc:opendocument:xmlns:"
OFFICE: Final = _ROOT + "office:1.0}"
TEXT: Final = _ROOT + "text:1.0}"
TABLE: Final = _ROOT + "table:1.0}"
STYLE: Final = _ROOT + "style:1.0}"
DRAW: Final = _ROOT + "drawing:1.0}"
SVG: Final = _ROOT + "svg-compatible:1.0}"
FO: Final = _ROOT + "xsl-fo-compatible:1.0}"
PRESENTATION: Final = _ROOT + "presentation:1.0}"
CHART: Final = _ROOT + "chart:1.0}"
META: Final = _ROOT + "meta:1.0}"
MANIFEST: Final = _ROOT + "manifest:1.0}"
DC: Final = "{http://purl.org/dc/elements/1.1/}"
XLINK: Final = "{http://www.w3.org/1999/xlink}"

_MEASURE: Final = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(cm|mm|in|pt|pc|px)")
_POINTS: Final = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75}


def points(text: str | None) -> float | None:
    """Return a measure in points, or None when it cannot be parsed."""
    match = _MEASURE.match(text or "")
    return float(match.group(1)) * _POINTS[match.group(2)] if match else None


def count(text: str | None, most: int) -> int:
    """Return a repeat count between 1 and `most`."""
    return min(natural(text, 1), most)


FindObject = Callable[[str], Element | None]


def no_object(folder: str) -> None:
    """Return no object, for content without objects."""


MAX_PARENTS: Final = 50
"""Styles in an inheritance chain: a loop never ends."""
_HEADING: Final = re.compile(r"Heading(?:_20_)?(?: )?(\d{1,2})$")
_CODE: Final = frozenset(("Preformatted_20_Text", "Source_20_Code", "Source_20_Text_20_Block", "SourceCode", "Code"))


@dataclass(frozen=True, slots=True)
class ListLevel:
    """The numbers of a level of a list; `form` is None for bullets and empty for items that look like paragraphs.

    `shown`: the number of levels whose counts the label has.
    """

    form: str | None
    prefix: str = ""
    suffix: str = ""
    start: int = 1
    shown: int = 1

    def show_count(self, number: int) -> str:
        """Return a count in the level's format: 1, a, A, i, I or the first signs of another script, as in `一, 二`."""
        form = self.form or ""
        text = {"a": alphabetic, "i": roman}.get(form.lower(), partial(format_count, format_=_find_form(form)))(number)
        return text.upper() if form in ("A", "I") else text


_BULLETS: Final = ListLevel(None)
_SCRIPTS: Final = (
    "chineseCounting", "decimalEnclosedCircle", "russianUpper", "russianLower", "hebrew1", "decimalFullWidth",
    "ideographTraditional", "ideographZodiac", "aiueoFullWidth", "irohaFullWidth", "ganada", "arabicAlpha",
    "chineseLegalSimplified", "ideographLegalTraditional", "thaiLetters",
)  # fmt: skip


def _find_form(form: str) -> str:
    first = form.partition(",")[0].strip()
    return next((name for name in _SCRIPTS if format_count(1, name) == first), "decimal")


def _read_level(node: Element) -> ListLevel:
    if node.tag != TEXT + "list-level-style-number":
        return _BULLETS
    prefix, suffix = node.get(STYLE + "num-prefix", ""), node.get(STYLE + "num-suffix", "")
    start, shown = (natural(node.get(TEXT + name), 1) for name in ("start-value", "display-levels"))
    return ListLevel(node.get(STYLE + "num-format", ""), prefix, suffix or ("" if prefix else "."), start, shown)


@dataclass(slots=True)
class OdfStyles:
    """Styles by name, number formats of list levels, and the content of objects by their folder in the package."""

    styles: dict[str, Element] = field(default_factory=dict)
    lists: dict[str, dict[int, ListLevel]] = field(default_factory=dict)
    find_object: FindObject = no_object

    def add(self, root: Element | None) -> None:
        """Add the styles of a part."""
        if root is None:
            return
        for node in root.iter(STYLE + "style"):
            self.styles[node.get(STYLE + "name") or ""] = node
        for node in root.iter(TEXT + "list-style"):
            self.lists[node.get(STYLE + "name") or ""] = {
                natural(level.get(TEXT + "level"), 1): _read_level(level) for level in node
            }

    def chain(self, name: str | None) -> list[Element]:
        """Return a style and the styles it inherits from, nearest first."""
        chain: list[Element] = []
        while name and name in self.styles and len(chain) < MAX_PARENTS:
            chain.append(self.styles[name])
            name = chain[-1].get(STYLE + "parent-style-name")
        return chain

    def names(self, name: str | None) -> list[str]:
        """Return the names of a style and of the styles it inherits from."""
        chain = self.chain(name)
        last = chain[-1].get(STYLE + "parent-style-name") if chain else name
        return [style.get(STYLE + "name") or "" for style in chain] + ([last] if last else [])

    def emphasis(self, name: str | None) -> tuple[bool | None, bool | None]:
        """Return whether a text style makes text bold and italic; None where it does not state it."""
        bold: bool | None = None
        italic: bool | None = None
        for style in self.chain(name):
            properties = style.find(STYLE + "text-properties")
            if properties is None:
                continue
            weight, slant = properties.get(FO + "font-weight"), properties.get(FO + "font-style")
            bold = weight in ("bold", "600", "700", "800", "900") if bold is None and weight else bold
            italic = slant in ("italic", "oblique") if italic is None and slant else italic
        return bold, italic

    def raised(self, name: str | None) -> int | None:
        """Return 1 for superscript, -1 for subscript, 0 for neither; None where a text style does not state it."""
        for style in self.chain(name):
            properties = style.find(STYLE + "text-properties")
            place = (properties.get(STYLE + "text-position") or "").split() if properties is not None else []
            if place:
                return -1 if place[0] == "sub" or place[0][0] == "-" else int(place[0] not in ("0%", "0"))
        return None

    def is_struck(self, name: str | None) -> bool | None:
        """Return whether a text style strikes its text through; None where it does not state it."""
        for style in self.chain(name):
            properties = style.find(STYLE + "text-properties")
            line = properties.get(STYLE + "text-line-through-style") if properties is not None else None
            if line:
                return line != "none"
        return None

    def is_hidden(self, name: str | None) -> bool:
        """Return whether the style hides its text."""
        for style in self.chain(name):
            properties = style.find(STYLE + "text-properties")
            if properties is not None and properties.get(TEXT + "display") == "none":
                return True
        return False

    def heading_level(self, name: str | None) -> int | None:
        """Return the level of a heading style; None for other styles."""
        for style_name in self.names(name):
            if match := _HEADING.match(style_name):
                return min(6, max(1, int(match.group(1))))
        return None

    def is_a(self, name: str | None, *allowed: str) -> bool:
        """Return whether the style or one it inherits from has one of the names."""
        return any(style_name in allowed for style_name in self.names(name))

    def is_code(self, name: str | None) -> bool:
        """Return whether the style is one for program code."""
        return any(style_name in _CODE for style_name in self.names(name))

    def breaks_page(self, name: str | None) -> bool:
        """Return whether the paragraph style itself starts a page."""
        style = self.styles.get(name or "")
        properties = style.find(STYLE + "paragraph-properties") if style is not None else None
        return properties is not None and properties.get(FO + "break-before") == "page"

    def list_level(self, name: str | None, level: int) -> ListLevel:
        """Return how a list style numbers a level; one that it does not state has bullets."""
        return self.lists.get(name or "", {}).get(level, _BULLETS)

    def shows_table(self, name: str | None) -> bool:
        """Return False for a hidden sheet."""
        for style in self.chain(name):
            properties = style.find(STYLE + "table-properties")
            if properties is not None and properties.get(TABLE + "display") == "false":
                return False
        return True
