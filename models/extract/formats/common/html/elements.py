"""HTML element names by their role for a reader."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from quire.models.cdom.tree import BlockType
from quire.models.extract.formats.common.html.styles import write_number
from quire.models.extract.formats.common.xml import Element
from quire.models.extract.formats.flow.blocks import FlowBlock
from quire.models.extract.formats.flow.counting import natural

SKIPPED: Final = frozenset(
    (
        "script",
        "style",
        "noscript",
        "template",
        "head",
        "canvas",
        "iframe",
        "embed",
        "applet",
        "audio",
        "video",
        "map",
        "progress",
        "meter",
        "datalist",
        "rp",
        "frameset",
        "noframes",
    )
)
"""Never read: scripts, frames, hidden choices, brackets of ruby annotations."""
BLOCKS: Final = frozenset(
    (
        "html",
        "body",
        "div",
        "p",
        "section",
        "article",
        "main",
        "header",
        "footer",
        "nav",
        "aside",
        "address",
        "blockquote",
        "center",
        "figure",
        "form",
        "fieldset",
        "legend",
        "details",
        "summary",
        "dl",
        "dt",
        "dd",
        "hgroup",
        "menu",
        "dir",
        "optgroup",
        "hr",
        "noembed",
        "marquee",
        "search",
    )
)
"""Elements whose text forms separate blocks."""
BOLD: Final = frozenset(("b", "strong"))
"""Shown bold."""
ITALIC: Final = frozenset(("i", "em", "cite", "dfn", "var"))
"""Shown in italics."""
_STRUCK: Final = frozenset(("del", "s", "strike"))
"""Shown struck through."""
CODE: Final = frozenset(("code", "kbd", "samp", "tt"))
"""Shown in a fixed width."""
HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
"""Headings with their level."""
LISTS: Final = frozenset(("ul", "ol", "menu", "dir"))
"""Lists of items."""


MAX_LEVEL: Final = 20
"""The deepest list level in the tree; deeper items get this level."""


@dataclass(slots=True)
class OpenList:
    """An open list: the `number` of its next item and its numbering style (`type` of HTML)."""

    ordered: bool
    number: int = 1
    style: str = "1"
    step: int = 1

    def next_label(self, item: Element) -> str:
        """Return the label of this item ("3.", "c."), "" for a bullet; advance the count."""
        if not self.ordered:
            return ""
        number = natural(item.get("value"), self.number)
        self.number = number + self.step
        label = write_number(number, self.style)
        return label and label + "."


def open_list(node: Element) -> OpenList:
    """Return the state of a list before its first item."""
    is_reversed = node.tag == "ol" and node.get("reversed") is not None
    first = len(node.findall("li")) if is_reversed else 1
    return OpenList(
        node.tag == "ol", natural(node.get("start"), first), node.get("type") or "1", step=-1 if is_reversed else 1
    )


def find_terms(node: Element) -> Iterator[Element]:
    """Yield the `dt` and `dd` elements of a list, including those grouped in `div` elements."""
    for child in node:
        if child.tag in ("dt", "dd"):
            yield child
        elif child.tag == "div":
            yield from (term for term in child if term.tag in ("dt", "dd"))


_HIDDEN: Final = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE)
_BOLD: Final = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)", re.IGNORECASE)
_ITALIC: Final = re.compile(r"font-style\s*:\s*(?:italic|oblique)", re.IGNORECASE)
_LINE_THROUGH: Final = re.compile(r"text-decoration(?:-line)?\s*:[^;]{0,60}\bline-through", re.IGNORECASE)


def is_hidden(element: Element) -> bool:
    """Return whether a browser hides the element."""
    if element.get("hidden") is not None and element.get("hidden") != "until-found":
        return True
    style = element.get("style")
    return style is not None and _HIDDEN.search(style) is not None


def is_struck(element: Element) -> bool:
    """Return whether an element strikes its text through, by its name or an inline style."""
    style = element.get("style")
    return element.tag in _STRUCK or (style is not None and _LINE_THROUGH.search(style) is not None)


_LANGUAGE: Final = re.compile(r"(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-|text-)?|brush:\s*)([\w+#.-]{1,30})")


def code_language(node: Element) -> str | None:
    """Return the language that the class of a listing, of the code in it or of the elements around it states."""
    outer = [node, *node.iterancestors()][:3]
    for element in (*node.iter("code"), *outer):
        match = _LANGUAGE.search(element.get("class") or "")
        if match is not None:
            return match.group(1).lower()
        if element is not node.getparent() and (stated := element.get("data-lang") or element.get("data-language")):
            return stated[:30] if stated.replace("+", "").replace("#", "").isalnum() else None
    return None


_UNDERLINED: Final = re.compile(r"text-decoration(?:-line)?\s*:[^;]{0,60}\bunderline", re.IGNORECASE)


def is_underlined(element: Element) -> bool:
    """Return whether an element underlines its text."""
    style = element.get("style")
    return element.tag in ("u", "ins") or (style is not None and _UNDERLINED.search(style) is not None)


_RAISED: Final = re.compile(r"vertical-align\s*:\s*(super|sub)\b", re.IGNORECASE)


def is_raised(element: Element) -> int:
    """Return 1 for superscript, -1 for subscript, 0 for other text, by an element's name or inline style."""
    if element.tag in ("sup", "sub"):
        return 1 if element.tag == "sup" else -1
    match = _RAISED.search(element.get("style") or "")
    return 0 if match is None else 1 if match.group(1).lower() == "super" else -1


def stated_emphasis(element: Element) -> tuple[bool, bool]:
    """Return whether an inline style makes text bold, and whether it makes it italic."""
    style = element.get("style")
    if style is None:
        return False, False
    return _BOLD.search(style) is not None, _ITALIC.search(style) is not None


_ROLES: Final = {
    "navigation": BlockType.PAGE_HEADER, "banner": BlockType.PAGE_HEADER, "contentinfo": BlockType.PAGE_FOOTER,
    "search": BlockType.PAGE_HEADER, "menu": BlockType.PAGE_HEADER, "menubar": BlockType.PAGE_HEADER,
    "dialog": BlockType.PAGE_FOOTER, "alertdialog": BlockType.PAGE_FOOTER,
}  # fmt: skip
_INSIDE: Final = ("article", "main", "section")
_NAMED: Final = re.compile(
    r"(?:^|[\s_-])(?:nav|navbar|navigation|menu|breadcrumbs?|footer|masthead|topbar|cookie|share|sharing|social"
    r"|sidebar|related|newsletter|subscribe|comments?|comment-list|disqus|sponsor|advert|ads|promo|popup|modal"
    r"|pagination|pager|login|signin|skip-link)(?:$|[\s_-])",
    re.IGNORECASE,
)
_CONTAINERS: Final = frozenset(("div", "ul", "ol", "section", "aside", "table", "form", "p"))
_LEAST_KEPT: Final = 0.5
"""Share of a page's text that must remain without its furniture; otherwise nothing is furniture."""


def find_furniture(node: Element) -> BlockType | None:
    """Return the furniture type of an element, or None for content."""
    role = _ROLES.get(node.get("role") or "")
    if role is not None:
        return role
    match node.tag:
        case "nav":
            return BlockType.PAGE_HEADER
        case "header" if next(node.iterancestors(*_INSIDE), None) is None:
            return None if next(node.iter("h1"), None) is not None else BlockType.PAGE_HEADER
        case "footer" if next(node.iterancestors(*_INSIDE), None) is None:
            return BlockType.PAGE_FOOTER
        case "aside":
            return BlockType.PAGE_FOOTER
    if node.tag in _CONTAINERS and _NAMED.search(f"{node.get('class') or ''} {node.get('id') or ''}"):
        return BlockType.PAGE_FOOTER if next(node.iter("h1", "article", "main"), None) is None else None
    return None


def mark_furniture(blocks: list[FlowBlock], furniture: list[tuple[FlowBlock, BlockType]]) -> None:
    """Retype furniture blocks, unless too little of the page would remain."""
    taken = sum(len(block.text) for block, _ in furniture)
    total = sum(len(block.text) for block in blocks if block.type is not BlockType.PICTURE)
    total += sum(len(cell.text) for block in blocks if block.table for cell in block.table.cells)
    if total - taken < _LEAST_KEPT * total:
        return
    for block, kind in furniture:
        block.type, block.level, block.bullet, block.parent = kind, None, False, None
