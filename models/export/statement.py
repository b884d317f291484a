"""Adds statements to an export: the coverage as a panel, and hidden text in a separate section."""

from quire.models.cdom.coverage import Coverage, add_scans
from quire.models.cdom.tree import Block, Tree
from quire.models.cdom.visible import is_hidden
from quire.models.export.markdown_inline import escape_text
from quire.models.export.markup import Markup, element, escape

_MOST_PAGES = 20
"""Pages named in a row of the panel; the others are only counted."""


def coverage_panel(tree: Tree) -> Markup:
    """Return the counts of characters by outcome; nothing for a tree without a statement."""
    stated = tree.coverage
    if stated is None:
        return Markup("")
    counts = stated.characters
    rows: list[tuple[str, str, tuple[int, ...]]] = [
        ("in this document", f"{counts.placed:,} of {counts.painted:,} characters", ())
    ]
    rows += [
        (f"left out: {reason.replace('_', ' ')}", f"{count:,}", _pages_with(stated, reason))
        for reason, count in sorted(counts.excluded.items())
    ]
    if counts.lost:
        lost = tuple(page.number for page in stated.pages if page.characters.lost)
        rows.append(("lost", f"{counts.lost:,}", lost))
    if (scan := add_scans(stated)) is not None:
        share = scan.covered / max(1, scan.components)
        rows.append(("scans: marks of letter size that were read", f"{share:.0%} of {scan.components:,}", ()))
    if stated.unknown:
        rows.append(("not judged", "", stated.unknown))
    summary = "Everything that the original shows is here" if stated.complete else "Not everything is accounted for"
    body = (
        element("tr", element("th", escape(name), scope="row"), element("td", escape(count)),
                element("td", escape(_name_pages(pages))))
        for name, count, pages in rows
    )  # fmt: skip
    return element(
        "details", element("summary", escape(f"Coverage: {summary}")), element("table", *body), class_="coverage",
        open=None if stated.complete else "",
    )  # fmt: skip


def hidden_section(tree: Tree) -> Markup:
    """Return the text that is invisible in the original, each with its page and reason; nothing without such text."""
    items = [
        element("li", element("span", escape(f"{where}: ")), element("q", escape(text)))
        for where, text in _hidden_texts(tree)
    ]
    if not items:
        return Markup("")
    heading = element("h2", escape("Hidden text"))
    return element("section", heading, element("ul", *items), class_="hidden-text", aria_label="Hidden text")


def hidden_markdown(tree: Tree) -> str:
    """Return hidden text as a Markdown list under a separate heading."""
    items = [f"- {where}: {escape_text(' '.join(text.split()))}" for where, text in _hidden_texts(tree)]
    return "\n## Hidden text\n\n" + "\n".join(items) + "\n" if items else ""


def _hidden_texts(tree: Tree) -> list[tuple[str, str]]:
    """Return place and reason of each hidden text, and the text."""
    return [
        (f"page {block.page}, {(block.unseen or 'hidden').replace('_', ' ')}", _text_of(block))
        for block in tree.blocks
        if is_hidden(block) and _text_of(block)
    ]


def _text_of(block: Block) -> str:
    cells = [cell.text for cell in block.table.cells] if block.table is not None else []
    return " ".join(text for text in (block.text, *cells) if text)


def _pages_with(stated: Coverage, reason: str) -> tuple[int, ...]:
    return tuple(page.number for page in stated.pages if reason in page.characters.excluded)


def _name_pages(pages: tuple[int, ...]) -> str:
    if not pages:
        return ""
    named = ", ".join(map(str, pages[:_MOST_PAGES]))
    unnamed = len(pages) - _MOST_PAGES
    return f"page {named}" + (f" and {unnamed} more" if unnamed > 0 else "")
