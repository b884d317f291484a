"""Prepares a parsed page as a browser shows it: its style sheets, roles, shadow roots and formulas become plain HTML.

The tree is changed in place before the walk. All work is bounded; nothing is fetched and no script runs.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from lxml import etree

from quire.models.extract.formats.common.xml import Element, tag_of

MAX_CSS_CHARS: Final = 2_000_000
"""Characters of a page's style sheets that are read."""
MAX_RULES: Final = 2_000
"""Selectors that state whether something is shown."""
MAX_CHECKS: Final = 500_000
"""Comparisons of an element with a part of a selector; after so many, no more elements are hidden by class."""
MAX_ROOTS: Final = 2_000
"""Shadow roots that are opened."""
SCREEN_WIDTH: Final = 1280.0
"""Width in pixels of the screen for which media queries are answered."""
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_SHOWS: Final = re.compile(r"(?:^|[;{\s])(display|visibility)\s*:\s*([a-z-]+)\s*(!\s*important)?", re.IGNORECASE)
_OTHER_MEDIA: Final = ("print", "speech", "not screen", "not all", "only print")
_INLINE_SHOWN: Final = re.compile(r"(?:^|;)\s*display\s*:\s*(?!none)[a-z-]+", re.IGNORECASE)
_INLINE_HIDDEN: Final = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)[^;]*", re.IGNORECASE)
_WIDTH: Final = re.compile(r"\(\s*(min|max)-(?:device-)?width\s*:\s*([\d.]+)\s*(px|em|rem)?\s*\)", re.IGNORECASE)
_PART: Final = re.compile(r"([.#]?)([\w\\-]+|\*)|\[\s*([\w-]+)\s*(?:([~|^$*]?=)\s*[\"']?([^\]\"']*)[\"']?)?\s*\]")
_COMBINATORS: Final = re.compile(r"\s*([>+~])\s*|\s+")


@dataclass(slots=True)
class _Compound:
    """A part of a selector without combinators: a tag, ids, classes and attributes."""

    tag: str = ""
    id: str = ""
    classes: list[str] = field(default_factory=list)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)

    def matches(self, element: Element) -> bool:
        if self.tag and element.tag != self.tag:
            return False
        if self.id and element.get("id") != self.id:
            return False
        if self.classes and not set(self.classes).issubset((element.get("class") or "").split()):
            return False
        return all(_has_attribute(element, *stated) for stated in self.attributes)


@dataclass(slots=True)
class _Rule:
    """One selector with what it states; `order` ranks rules that match the same element."""

    parts: list[_Compound]
    child_only: list[bool]
    name: str
    value: str
    order: tuple[bool, int, int, int, int]


def prepare(root: Element) -> None:
    """Change the page in place to what a browser shows."""
    _open_shadow_roots(root)
    _keep_one_formula(root)
    _name_roles(root)
    _hide_by_style(root)


def _has_attribute(element: Element, name: str, operator: str, value: str) -> bool:
    stated = element.get(name)
    if stated is None or not operator:
        return stated is not None
    match operator:
        case "=":
            return stated == value
        case "~=":
            return value in stated.split()
        case "^=":
            return bool(value) and stated.startswith(value)
        case "$=":
            return bool(value) and stated.endswith(value)
        case "*=":
            return bool(value) and value in stated
        case _:
            return stated == value or stated.startswith(value + "-")


def _hide_by_style(root: Element) -> None:
    rules = _read_rules(root)
    if not rules:
        return
    by_key: dict[str, list[_Rule]] = {}
    for rule in rules:
        last = rule.parts[-1]
        key = f"#{last.id}" if last.id else f".{last.classes[0]}" if last.classes else last.tag or "*"
        by_key.setdefault(key, []).append(rule)
    checks = 0
    for element in root.iter(etree.Element):
        keys = [tag_of(element), "*", *(f".{name}" for name in (element.get("class") or "").split()[:50])]
        if own := element.get("id"):
            keys.append(f"#{own}")
        stated: dict[str, _Rule] = {}
        for rule in (rule for key in keys for rule in by_key.get(key, ())):
            checks += len(rule.parts)
            if checks > MAX_CHECKS:
                return
            known = stated.get(rule.name)
            if (known is None or known.order < rule.order) and _matches(rule, element):
                stated[rule.name] = rule
        if stated:
            _show_as_stated(element, stated)


def _show_as_stated(element: Element, stated: dict[str, _Rule]) -> None:
    style = element.get("style") or ""
    display, visibility = stated.get("display"), stated.get("visibility")
    is_hidden = False
    if display is not None:
        is_hidden = display.value == "none" and (display.order[0] or not _INLINE_SHOWN.search(style))
        if display.value != "none":
            element.attrib.pop("hidden", None)
            if display.order[0]:
                element.set("style", _INLINE_HIDDEN.sub("", style))
    if visibility is not None and visibility.value in ("hidden", "collapse") and "visibility" not in style:
        is_hidden = True
    if is_hidden:
        element.set("hidden", "")


def _matches(rule: _Rule, element: Element) -> bool:
    """Return whether the selector matches; ancestors are tried greedily, which the depth of a page bounds."""
    if not rule.parts[-1].matches(element):
        return False
    node: Element | None = element
    for part, child_only in zip(reversed(rule.parts[:-1]), reversed(rule.child_only), strict=True):
        node = node.getparent() if node is not None else None
        while node is not None and not part.matches(node):
            node = None if child_only else node.getparent()
        if node is None:
            return False
    return True


def _read_rules(root: Element) -> list[_Rule]:
    css = ""
    rules: list[_Rule] = []
    for node in root.iter("style"):
        if _is_for_screen(node.get("media") or "all") and (node.get("type") or "text/css") == "text/css":
            css += (node.text or "") + "\n"
    for selectors, body in _split_rules(_COMMENT.sub(" ", css[:MAX_CSS_CHARS])):
        stated = {match[1].lower(): (match[2].lower(), bool(match[3])) for match in _SHOWS.finditer(body)}
        for name, (value, important) in stated.items():
            for selector in selectors.split(","):
                parsed = _parse_selector(selector.strip())
                if parsed is None:
                    continue
                parts, child_only = parsed
                order = (
                    important, sum(bool(part.id) for part in parts),
                    sum(len(part.classes) + len(part.attributes) for part in parts),
                    sum(bool(part.tag) for part in parts), len(rules),
                )  # fmt: skip
                rules.append(_Rule(parts, child_only, name, value, order))
                if len(rules) >= MAX_RULES:
                    return rules
    return rules if any(rule.value in ("none", "hidden", "collapse") for rule in rules) else []


def _split_rules(css: str) -> Iterator[tuple[str, str]]:
    """Yield (selectors, declarations); rules inside queries that the screen answers are included."""
    skipped_below: int | None = None
    depth = start = 0
    opened: list[tuple[str, int]] = []
    for match in re.finditer(r"[{}]|;(?=[^{}]*\{)|@(?:import|charset|namespace)[^;{}]*;", css):
        sign = match.group()
        if sign == "{":
            opened.append((css[start : match.start()].strip(), match.end()))
            depth += 1
            start = match.end()
            head = opened[-1][0]
            if skipped_below is None and head.startswith("@") and not _is_read(head):
                skipped_below = depth
        elif sign == "}" and opened:
            head, begun = opened.pop()
            if skipped_below is None and not head.startswith("@"):
                yield head, css[begun : match.start()]
            depth -= 1
            start = match.end()
            if skipped_below is not None and depth < skipped_below:
                skipped_below = None
        elif sign.startswith("@"):
            start = match.end()


def _is_read(head: str) -> bool:
    if head.lower().startswith("@media"):
        return _is_for_screen(head[6:])
    return head.lower().startswith(("@supports", "@layer", "@container"))


def _is_for_screen(query: str) -> bool:
    """Return whether a screen of `SCREEN_WIDTH` answers one of the queries."""
    return any(_answers(part.strip().lower()) for part in query.split(","))


def _answers(query: str) -> bool:
    if (
        query.startswith(("print", "speech", "not screen", "not all", "only print"))
        or "prefers-color-scheme: dark" in query
    ):
        return False
    for match in _WIDTH.finditer(query):
        pixels = float(match[2].strip(".") or 0) * (16 if match[3] and match[3] != "px" else 1)
        if (match[1] == "min") != (pixels <= SCREEN_WIDTH):
            return False
    return True


def _parse_selector(selector: str) -> tuple[list[_Compound], list[bool]] | None:
    """Return the parts of a selector, and whether each must be the parent; None for states and siblings."""
    if not selector or ":" in selector or len(selector) > 500:
        return None
    pieces = _COMBINATORS.split(selector)
    if any(sign in ("+", "~") for sign in pieces[1::2]):
        return None
    parts: list[_Compound] = []
    for piece in pieces[::2]:
        part, position = _Compound(), 0
        while position < len(piece):
            match = _PART.match(piece, position)
            if match is None:
                return None
            position = match.end()
            if match[3]:
                part.attributes.append((match[3].lower(), match[4] or "", match[5] or ""))
            elif match[1] == ".":
                part.classes.append(match[2])
            elif match[1] == "#":
                part.id = match[2]
            elif match[2] != "*":
                part.tag = match[2].lower()
        parts.append(part)
    return parts, [sign == ">" for sign in pieces[1::2]]


def _open_shadow_roots(root: Element) -> None:
    """Put declarative shadow roots in the place of their hosts' content, which goes to their slots."""
    for template in list(root.iter("template"))[:MAX_ROOTS]:
        host = template.getparent()
        if host is None or not (template.get("shadowrootmode") or template.get("shadowroot")):
            continue
        template.tag = "div"
        slots: dict[str, Element] = {}
        for slot in template.iter("slot"):
            slots.setdefault(slot.get("name") or "", slot)
        light = [child for child in host if child is not template]
        texts = [(host, "text"), (template, "tail")]
        filled: set[int] = set()
        for child in light:
            place = slots.get(child.get("slot") or "") if isinstance(child.tag, str) else None
            if place is None:
                tail = child.tail
                host.remove(child)
                _append_text(slots.get(""), tail)
                continue
            if id(place) not in filled:
                filled.add(id(place))
                place[:], place.text = [], None
            place.append(child)
        for node, name in texts:
            text = getattr(node, name)
            setattr(node, name, None)
            if text and text.strip():
                _append_text(slots.get(""), text)


def _append_text(slot: Element | None, text: str | None) -> None:
    if slot is None or not text:
        return
    if len(slot):
        slot[-1].tail = (slot[-1].tail or "") + text
    else:
        slot.text = (slot.text or "") + text


_TEX: Final = ("math/tex", "math/latex")
_COPIES: Final = frozenset(
    ("MathJax", "MathJax_Preview", "MathJax_Display", "MathJax_SVG", "MathJax_CHTML", "MJX_Assistive_MathML")
)


def _keep_one_formula(root: Element) -> None:
    """Remove the drawn copies of formulas that the page also states as MathML or TeX (KaTeX, MathJax 2 and 3)."""
    for node in list(root.iter("span", "div", "mjx-container", "script")):
        names = set((node.get("class") or "").split())
        if "katex-mathml" in names and next(node.iter("math"), None) is not None:
            for sibling in node.itersiblings():
                if "katex-html" in (sibling.get("class") or ""):
                    _drop(sibling)
                    break
            if any("katex-display" in (outer.get("class") or "") for outer in node.iterancestors("span")):
                next(node.iter("math")).set("display", "block")
        elif node.tag == "mjx-container" and next(node.iter("math"), None) is not None:
            for drawn in list(node.iter("mjx-math", "svg")):
                _drop(drawn)
        elif node.tag == "script" and (node.get("type") or "").partition(";")[0].strip().lower() in _TEX:
            _state_tex(node)


def _state_tex(script: Element) -> None:
    """Turn a TeX script of MathJax 2 into MathML, and remove what its program drew before it."""
    for drawn in list(script.itersiblings(preceding=True))[:3]:
        if not isinstance(drawn.tag, str) or not _COPIES.intersection((drawn.get("class") or "").split()):
            break
        _drop(drawn)
    is_display = "display" in (script.get("type") or "").lower()
    tex = script.text or ""
    script.tag, script.text = "math", None
    if is_display:
        script.set("display", "block")
    note = etree.SubElement(etree.SubElement(script, "semantics"), "annotation", encoding="application/x-tex")
    note.text = tex


def _drop(node: Element) -> None:
    """Remove an element and keep the text after it."""
    parent = node.getparent()
    if parent is None:
        return
    previous = node.getprevious()
    if node.tail:
        if previous is not None:
            previous.tail = (previous.tail or "") + node.tail
        else:
            parent.text = (parent.text or "") + node.tail
    parent.remove(node)


_ROLES: Final = {
    "grid": "table", "table": "table", "treegrid": "table", "rowgroup": "tbody", "row": "tr", "gridcell": "td",
    "cell": "td", "columnheader": "th", "rowheader": "th", "list": "ul", "listitem": "li",
}  # fmt: skip
_ROLE_TAGS: Final = frozenset(("div", "span", "section", "article", "p", "a", "button"))


def _name_roles(root: Element) -> None:
    """Give elements without meaning the tag of their role, where their tables and lists are whole."""
    for node in root.iter(etree.Element):
        role = (node.get("role") or "").strip().lower()
        if not role or node.tag not in _ROLE_TAGS:
            continue
        if role == "heading":
            level = node.get("aria-level") or "2"
            node.tag = f"h{min(max(int(level), 1), 6)}" if level.isdecimal() and len(level) < 3 else "h2"
        elif role in ("grid", "table", "treegrid"):
            rows = [row for row in node.iter(etree.Element) if row.get("role") == "row"]
            if rows and any(
                cell.get("role") in ("gridcell", "cell") for row in rows for cell in row.iter(etree.Element)
            ):
                _name_rows(node, rows)
        elif role == "list" and any(item.get("role") == "listitem" for item in node.iter(etree.Element)):
            node.tag = "ul"
        elif role == "listitem" and next((outer for outer in node.iterancestors("ul", "ol")), None) is not None:
            node.tag = "li"


def _name_rows(table: Element, rows: list[Element]) -> None:
    """Make rows the children of their table, and cells those of their row."""
    cells_of = [
        [cell for cell in row.iter(etree.Element) if _ROLES.get(cell.get("role") or "") in ("td", "th")] for row in rows
    ]
    inside = "".join("".join(cell.itertext()) for cells in cells_of for cell in cells)
    if "".join(inside.split()) != "".join("".join(table.itertext()).split()):
        return  # text between the cells would be lost
    table.tag = "table"
    for row, cells in zip(rows, cells_of, strict=True):
        row.tag = "tr"
        for cell in cells:
            cell.tag = _ROLES[cell.get("role") or ""]
            for name, span in (("aria-colspan", "colspan"), ("aria-rowspan", "rowspan")):
                if stated := cell.get(name):
                    cell.set(span, stated)
        row[:] = cells
    table[:] = rows
