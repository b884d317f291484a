"""Styles of an OpenDocument file: style elements in; emphasis, roles of paragraphs, kinds of lists out."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from models.extract.formats.common.xml import Element
from models.extract.formats.flow.counting import natural

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
    """A measure in points; None when it is none."""
    found = _MEASURE.match(text or "")
    return float(found.group(1)) * _POINTS[found.group(2)] if found else None


def count(text: str | None, most: int) -> int:
    """A repeat count between 1 and `most`."""
    return min(natural(text, 1), most)


FindObject = Callable[[str], Element | None]


def no_object(folder: str) -> None:
    """For content that has no objects."""


MAX_PARENTS: Final = 50
"""Styles a style inherits from, one after the other: a circle never ends."""
_HEADING: Final = re.compile(r"Heading(?:_20_)?(?: )?(\d{1,2})$")
_CODE: Final = frozenset(("Preformatted_20_Text", "Source_20_Code", "Source_20_Text_20_Block", "SourceCode", "Code"))


@dataclass(slots=True)
class OdfStyles:
    """Styles by name, which list levels are numbered, and the content of objects by their folder in the package."""

    styles: dict[str, Element] = field(default_factory=dict)
    lists: dict[str, dict[int, str | None]] = field(default_factory=dict)
    find_object: FindObject = no_object

    def add(self, root: Element | None) -> None:
        """Takes in the styles of a part."""
        if root is None:
            return
        for node in root.iter(STYLE + "style"):
            self.styles[node.get(STYLE + "name") or ""] = node
        for node in root.iter(TEXT + "list-style"):
            levels: dict[int, str | None] = {}
            for level in node:
                number = level.get(TEXT + "level")
                is_number = level.tag == TEXT + "list-level-style-number"
                levels[natural(number, 1)] = level.get(STYLE + "num-format", "") if is_number else None
            self.lists[node.get(STYLE + "name") or ""] = levels

    def chain(self, name: str | None) -> list[Element]:
        """A style and those it comes from, nearest first."""
        found: list[Element] = []
        while name and name in self.styles and len(found) < MAX_PARENTS:
            found.append(self.styles[name])
            name = found[-1].get(STYLE + "parent-style-name")
        return found

    def names(self, name: str | None) -> list[str]:
        """The names of a style and of those it comes from."""
        chain = self.chain(name)
        last = chain[-1].get(STYLE + "parent-style-name") if chain else name
        return [one.get(STYLE + "name") or "" for one in chain] + ([last] if last else [])

    def emphasis(self, name: str | None) -> tuple[bool | None, bool | None]:
        """Whether a text style makes bold and italic; None where it does not say."""
        bold: bool | None = None
        italic: bool | None = None
        for one in self.chain(name):
            properties = one.find(STYLE + "text-properties")
            if properties is None:
                continue
            weight, slant = properties.get(FO + "font-weight"), properties.get(FO + "font-style")
            bold = weight in ("bold", "600", "700", "800", "900") if bold is None and weight else bold
            italic = slant in ("italic", "oblique") if italic is None and slant else italic
        return bold, italic

    def is_hidden(self, name: str | None) -> bool:
        """True for text that its style does not display."""
        for one in self.chain(name):
            properties = one.find(STYLE + "text-properties")
            if properties is not None and properties.get(TEXT + "display") == "none":
                return True
        return False

    def heading_level(self, name: str | None) -> int | None:
        """The level of a paragraph whose style is a heading's."""
        for one in self.names(name):
            if found := _HEADING.match(one):
                return min(6, max(1, int(found.group(1))))
        return None

    def is_a(self, name: str | None, *wanted: str) -> bool:
        return any(one in wanted for one in self.names(name))

    def is_code(self, name: str | None) -> bool:
        return any(one in _CODE for one in self.names(name))

    def breaks_page(self, name: str | None) -> bool:
        """True for a paragraph that begins a page by its own style."""
        style = self.styles.get(name or "")
        properties = style.find(STYLE + "paragraph-properties") if style is not None else None
        return properties is not None and properties.get(FO + "break-before") == "page"

    def number_format(self, name: str | None, level: int) -> str | None:
        """How a list level is numbered: 1, a, A, i or I; None for bullets."""
        levels = self.lists.get(name or "", {})
        return levels.get(level) or None

    def shows_no_mark(self, name: str | None, level: int) -> bool:
        """True for a list level that is numbered in no form: its items look like paragraphs."""
        return self.lists.get(name or "", {}).get(level) == ""

    def shows_table(self, name: str | None) -> bool:
        """False for a hidden sheet."""
        for one in self.chain(name):
            properties = one.find(STYLE + "table-properties")
            if properties is not None and properties.get(TABLE + "display") == "false":
                return False
        return True
