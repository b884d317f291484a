"""Which parts of a web page are its furniture: navigation, the head and foot of the site. Stated marks only."""

import re
from typing import Final

from models.cdom.tree import BlockType
from models.extract.formats.common.xml import Element
from models.extract.formats.flow.blocks import FlowBlock

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
"""Share of a page's text that must stay when its furniture is taken out; else none is taken for furniture."""


def find_furniture(node: Element) -> BlockType | None:
    """What kind of furniture an element is; None for content."""
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
    """Retypes the blocks that are furniture, unless hardly anything else would be left of the page."""
    taken = sum(len(block.text) for block, _ in furniture)
    total = sum(len(block.text) for block in blocks if block.type is not BlockType.PICTURE)
    total += sum(len(cell.text) for block in blocks if block.table for cell in block.table.cells)
    if total - taken < _LEAST_KEPT * total:
        return
    for block, kind in furniture:
        block.type, block.level, block.bullet, block.parent = kind, None, False, None
