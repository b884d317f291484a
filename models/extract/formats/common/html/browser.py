"""Prepares a parsed page as a browser shows it: its style sheets, roles, shadow roots and formulas become plain HTML.

The tree is changed in place before the walk. All work is bounded; nothing is fetched and no script runs.
"""

from collections.abc import Callable
from typing import Final

from lxml import etree

from quire.models.extract.formats.common.html.parse import parse_html
from quire.models.extract.formats.common.html.styles import CSS_TABLE, apply_styles
from quire.models.extract.formats.common.xml import Element

MAX_ROOTS: Final = 2_000
"""Shadow roots that are opened."""
MAX_FRAMES: Final = 100
"""Frames of a page that are opened, those inside frames included."""
MAX_FRAME_CHARS: Final = 20_000_000
"""Characters of all frames of a page."""

ReadFrame = Callable[[str], str | None]
"""The address of a frame → its page, None when the file does not hold it."""


def no_frame(source: str) -> str | None:
    """Hold no frames."""
    return None


def prepare(root: Element, frame: ReadFrame = no_frame) -> None:
    """Change the page in place to what a browser shows."""
    _apply(root)
    _open_frames(root, frame)
    _keep_one_formula(root)
    _name_roles(root)


def _apply(root: Element) -> None:
    """Hide closed dialogs, apply style sheets where they hold, and open the shadow roots of one page."""
    for node in root.iter("dialog", "div", "section", "ul", "menu", "nav", "aside"):
        is_closed = node.get("open") is None if node.tag == "dialog" else node.get("popover") is not None
        if is_closed:
            node.set("hidden", "")
    for node in (root, *[node for node in root.iter("template") if _is_shadow(node)][:MAX_ROOTS]):
        apply_styles(node)
    _open_shadow_roots(root)


def _open_frames(root: Element, frame: ReadFrame) -> None:
    """Put the pages of frames that the file holds in the place of the frames."""
    waiting, chars, opened = list(root.iter("iframe", "frame"))[:MAX_FRAMES], 0, 0
    while waiting and opened < MAX_FRAMES:
        node, opened = waiting.pop(0), opened + 1
        text = node.get("srcdoc") or frame(node.get("src") or "")
        chars += len(text or "")
        inside = parse_html(text) if text and chars <= MAX_FRAME_CHARS else None
        if inside is None:
            continue
        _apply(inside)
        node[:], node.text, node.tag = [], None, "div"
        for outer in node.iterancestors("frameset", "noframes"):
            outer.tag = "div"
        node.extend([part for part in inside if part.tag != "head"])
        for part in node:
            part.tag = "div" if part.tag == "body" else part.tag
        waiting += list(node.iter("iframe", "frame"))[:MAX_FRAMES]


def _is_shadow(template: Element) -> bool:
    return bool(template.get("shadowrootmode") or template.get("shadowroot"))


def _open_shadow_roots(root: Element) -> None:
    """Put declarative shadow roots in the place of their hosts' content, which goes to their slots."""
    for template in list(root.iter("template"))[:MAX_ROOTS]:
        host = template.getparent()
        if host is None or not _is_shadow(template):
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
        elif role in ("grid", "table", "treegrid", CSS_TABLE):
            rows = [row for row in node.iter(etree.Element) if row.get("role") == "row"]
            widths = [sum(cell.get("role") in ("gridcell", "cell") for cell in row.iter(etree.Element)) for row in rows]
            if any(widths) and (role != CSS_TABLE or (len(rows) > 1 and min(widths) > 1)):
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
