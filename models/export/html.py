"""Writes a tree as one semantic, accessible HTML page in reading order: one h1, landmarks, table headers, safe links.

Hidden text and repeated page furniture are left out. `markup` escapes every text, and the page has no script.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import groupby

from quire.models.cdom.table import SHARE_SUM, Cell, Table, TableCheck
from quire.models.cdom.tree import Block, BlockType, Route, Tree
from quire.models.cdom.visible import flow_blocks, visible_blocks
from quire.models.export.html_inline import html_formula, html_spans, html_text
from quire.models.export.markdown_inline import cut_spans
from quire.models.export.markdown_lists import after_bullet, has_label
from quire.models.export.markup import Markup, element, escape, open_tag, page
from quire.models.export.statement import coverage_panel, hidden_section

LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:1rem/1.55 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:46rem}"
    "h1,h2,h3,h4,h5,h6{line-height:1.25;margin:1.6em 0 .5em}"
    ".wide{overflow-x:auto;margin:1em 0}table{border-collapse:collapse;font-size:.92em}"
    "th,td{border:1px solid #767676;padding:.25em .5em;text-align:left;vertical-align:top}"
    "caption,figcaption{font-size:.92em;text-align:left;padding:.3em 0}"
    "figure{margin:1em 0}img{max-width:100%;height:auto}"
    "pre{overflow-x:auto;border:1px solid #767676;padding:.6em}"
    "nav{border:1px solid #767676;padding:.2em 1em;margin:1em 0}nav ul{list-style:none;padding:0}.h3{margin-left:1.5em}"
    ".numbered{list-style:none}"
    ".picture{border:1px dashed #767676;padding:1.2em;text-align:center}"
    ".coverage,.hidden-text{border-top:1px solid #767676;margin:2em 0 0;font-size:.88em}"
    ".footnote{font-size:.88em}.page{display:block;border-top:1px dotted #767676;margin:1.2em 0 .4em}"
)
MAX_DEPTH = 9  # levels of nested lists written; Word knows nine
MIN_OUTLINE = 3
"""Headings from which on the page has a table of contents."""

AssetUrl = Callable[[str], str]


def tree_to_html(
    tree: Tree, *, title: str | None = None, asset_url: AssetUrl | None = None, hidden: bool = False
) -> str:
    """Return the page.

    Args:
        tree: The document.
        title: Name of the page instead of the document's title.
        asset_url: Returns a picture's address by asset_ref; without it pictures are only named.
        hidden: List hidden text separately, after the document.
    """
    blocks = [flowing.whole for flowing in flow_blocks(visible_blocks(tree))]
    heading = _title_block(blocks)
    name = _one_line((heading.text if heading else "") or tree.metadata.title or title or "") or "Document"
    depths = _heading_depths([block for block in blocks if block is not heading])
    recognised = frozenset(page.number for page in tree.pages if page.route is Route.OCR)
    writer = _HtmlWriter(blocks, heading, depths, asset_url, recognised)
    h1 = element("h1", escape(name), id=heading.id if heading else None)
    main = element("main", h1, _outline(blocks, depths), *writer.body())
    parts = [part for part in (coverage_panel(tree), hidden_section(tree) if hidden else None) if part]
    aside = element("aside", *parts, aria_label="About this document") if parts else Markup("")
    return page(name, _language(tree), STYLE, Markup(main + aside))


def _title_block(blocks: Sequence[Block]) -> Block | None:
    """Return the title, else the heading that the document begins with."""
    title = next((block for block in blocks if block.type is BlockType.TITLE and block.text.strip()), None)
    first = blocks[0] if blocks and blocks[0].type is BlockType.HEADING and blocks[0].text.strip() else None
    return title or first


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _language(tree: Tree) -> str:
    languages = [page.language for page in tree.pages if page.language]
    language = tree.metadata.language or (max(languages, key=languages.count) if languages else "und")
    return language if LANGUAGE.fullmatch(language) else "und"


def _heading_depths(blocks: Sequence[Block]) -> dict[str, int]:
    """Return 2 to 6 (h2 to h6) by heading id, without skipping a level on the way down."""
    depths: dict[str, int] = {}
    stack: list[int] = []
    for block in blocks:
        if block.type in (BlockType.TITLE, BlockType.HEADING):
            level = block.level or 1
            while stack and stack[-1] >= level:
                stack.pop()
            stack.append(level)
            depths[block.id] = min(6, len(stack) + 1)
    return depths


def _outline(blocks: Sequence[Block], depths: dict[str, int]) -> Markup:
    heads = [block for block in blocks if depths.get(block.id, 9) <= 3 and block.text.strip()]
    if len(heads) < MIN_OUTLINE:
        return Markup("")
    links = (
        element("li", element("a", escape(_one_line(head.text)), href=f"#{head.id}"), class_=f"h{depths[head.id]}")
        for head in heads
    )
    return element("nav", element("ul", *links), aria_label="Contents")


@dataclass(frozen=True, slots=True)
class _HtmlWriter:
    blocks: Sequence[Block]
    heading: Block | None
    depths: dict[str, int]
    asset_url: AssetUrl | None
    recognised: AbstractSet[int]
    """Pages whose formulas are text as it was recognised, not LaTeX."""

    def body(self) -> Iterator[Markup]:
        """Yield all blocks in order, with list items grouped and captions inside their figure or table."""
        captions = _captions(self.blocks)
        inside = {caption.id for caption in captions.values()}
        begun: set[int] = set()
        index = 0
        while index < len(self.blocks):
            block = self.blocks[index]
            if block.page not in begun:
                begun.add(block.page)
                yield _page_break(block.page)
            end = index + 1
            if block.type is BlockType.LIST_ITEM:
                ids = {block.id}
                while end < len(self.blocks) and _belongs_to_list(self.blocks[end], ids):
                    ids.add(self.blocks[end].id)
                    end += 1
                yield _list(self.blocks[index:end])
            elif block is not self.heading and block.id not in inside:
                yield self._block(block, captions.get(block.id), begun)
            index = end

    def _block(self, block: Block, caption: Block | None, begun: set[int]) -> Markup:
        if block.table is not None:
            return _table(block, block.table, caption, _begin_pages(block.table, begun))
        match block.type:
            case BlockType.HEADING | BlockType.TITLE:
                return element(f"h{self.depths[block.id]}", html_text(block), id=block.id)
            case BlockType.PICTURE if block.picture is not None and block.picture.kind == "icon":
                return Markup("")
            case BlockType.PICTURE:
                return self._figure(block, caption)
            case BlockType.CODE:
                return element("pre", element("code", escape(block.text)), id=block.id)
            case BlockType.FORMULA if block.text.strip() and block.page not in self.recognised:
                return element("p", html_formula(block.text, block.text, display="block"), id=block.id)
            case BlockType.FOOTNOTE:
                return element("p", html_text(block), id=block.id, class_="footnote")
            case _:
                return element("p", html_text(block), id=block.id) if block.text.strip() else Markup("")

    def _figure(self, block: Block, caption: Block | None) -> Markup:
        alt = _one_line(caption.text if caption else block.text) or f"Picture on page {block.page}"
        url = self.asset_url(block.asset_ref) if self.asset_url and block.asset_ref else None
        unseen = element("div", escape(f"[Picture on page {block.page}]" if caption else f"[{alt}]"), class_="picture")
        picture = open_tag("img", src=url, alt=alt) if url else unseen
        below = element("figcaption", html_text(caption), id=caption.id) if caption else Markup("")
        return element("figure", picture, below, id=block.id)


def _captions(blocks: Sequence[Block]) -> dict[str, Block]:
    """Map figures and tables to their captions: the caption that names them, else a neighbouring one."""
    captions: dict[str, Block] = {}
    for index, block in enumerate(blocks):
        if block.type is not BlockType.CAPTION:
            continue
        near = [blocks[other] for other in (index - 1, index + 1) if 0 <= other < len(blocks)]
        figures = [other for other in near if other.type is BlockType.PICTURE or other.table is not None]
        named = [other for other in figures if other.id == block.parent]
        for figure in named or figures:
            if figure.id not in captions:
                captions[figure.id] = block
                break
    return captions


def _page_break(number: int) -> Markup:
    return element("span", id=f"page-{number}", class_="page", role="separator", aria_label=f"Page {number}")


def _belongs_to_list(block: Block, items: AbstractSet[str]) -> bool:
    """Return True for an item, and for a paragraph that continues one of these items."""
    return block.type is BlockType.LIST_ITEM or (block.type is BlockType.PARAGRAPH and block.parent in items)


def _list(items: Sequence[Block]) -> Markup:
    """Return a list nested by the items' levels, with the paragraphs that continue an item inside the item."""
    if not items:
        return Markup("")
    top = min(map(_depth, items))
    written: list[Markup] = []
    numbered = all(has_label(item.text) for item in items if _depth(item) == top)
    index = 0
    while index < len(items):
        end = index + 1
        while end < len(items) and _depth(items[end]) > top:
            end += 1
        first = index if _depth(items[index]) > top else index + 1
        own = html_text(_without_bullet(items[index])) if first > index else Markup("")
        inside = _inside(items[index].id, items[first:end])
        unmarked = not numbered and first > index and has_label(items[index].text)
        named = {"id": items[index].id if first > index else None, "class_": "numbered" if unmarked else None}
        written.append(element("li", own, *inside, **named))
        index = end
    return element("ul", *written, class_="numbered" if numbered else None)


def _inside(item: str, blocks: Sequence[Block]) -> Iterator[Markup]:
    """Yield the content of an item after its text: paragraphs and deeper lists."""
    for own, stretch in groupby(blocks, key=lambda block: block.type is BlockType.PARAGRAPH and block.parent == item):
        if own:
            yield from (element("p", html_text(block), id=block.id) for block in stretch)
        else:
            yield _list(list(stretch))


def _without_bullet(item: Block) -> Block:
    """Return the item without the bullet that its page shows, because the list adds one."""
    cut = after_bullet(item.text)
    return replace(item, text=item.text[cut:], spans=cut_spans(item.spans, cut)) if cut else item


def _depth(item: Block) -> int:
    return min(item.level or 1, MAX_DEPTH) if item.type is BlockType.LIST_ITEM else MAX_DEPTH + 1


def _begin_pages(table: Table, begun: set[int]) -> dict[int, int]:
    """Map rows to the pages that begin with them inside the table, and add these pages to `begun`."""
    first, pages = 0, {}
    for part in table.parts:
        if part.page not in begun:
            pages[first] = part.page
            begun.add(part.page)
        first += part.rows
    return pages


def _table(block: Block, table: Table, caption: Block | None, pages: Mapping[int, int]) -> Markup:
    rows: list[list[Cell]] = [
        [] for _ in range(max(table.rows, 1 + max((cell.row for cell in table.cells), default=0)))
    ]
    for cell in table.cells:
        rows[cell.row].append(cell)
    head = 0
    while head < len(rows) and rows[head] and all(cell.header for cell in rows[head]):
        head += 1
    while any(cell.row + cell.row_span > head for row in rows[:head] for cell in row):
        head -= 1
    title = element("caption", html_text(caption), id=caption.id) if caption else Markup("")
    failed = {cell for check, cell in _failing_checks(table) if check.kind != SHARE_SUM}
    parts = [
        element(
            name,
            *(_row(row, name == "thead", len(part) - n, failed, pages.get(offset + n)) for n, row in enumerate(part)),
        )
        for name, offset, part in (("thead", 0, rows[:head]), ("tbody", head, rows[head:]))
        if part
    ]
    whole = element("table", title, *parts, id=block.id)
    note = element("p", escape(describe_checks(table)), class_="footnote") if table.checks else Markup("")
    last = table.parts[-1].page if table.parts else block.page
    label = f"Table on page {block.page}" if last == block.page else f"Table on pages {block.page} to {last}"
    return element("div", whole, note, class_="wide", role="group", tabindex=0, aria_label=label)


def describe_checks(table: Table) -> str:
    """Return a sentence on the table's sums, balances, shares and dates."""
    held = sum(check.holds for check in table.checks)
    says = f"Checks of this table: {held} of {len(table.checks)} hold."
    for check, cell in _failing_checks(table):
        place = f"column {cell.col + 1}" if check.kind == SHARE_SUM else f"row {cell.row + 1}, column {cell.col + 1}"
        says += f" Not so: {check.kind} at {place}."
    return says


def _failing_checks(table: Table) -> list[tuple[TableCheck, Cell]]:
    """Return the checks that do not hold, with the doubtful cell."""
    failing = [check for check in table.checks if not check.holds and check.cells]
    return [(check, table.cells[index]) for check in failing if 0 <= (index := check.cells[-1]) < len(table.cells)]


def _row(row: Sequence[Cell], head: bool, rows_left: int, failed: AbstractSet[Cell], page: int | None) -> Markup:
    cells = (_cell(cell, head, rows_left, is_doubtful=cell in failed) for cell in row)
    return element("tr", *cells, id=None if page is None else f"page-{page}")


def _cell(cell: Cell, head: bool, rows_left: int, *, is_doubtful: bool) -> Markup:
    """Return a cell; a header cell has its column as `scope` in the head and its row in the body."""
    spans = min(cell.row_span, rows_left), cell.col_span
    name = "th" if cell.header else "td"
    scope = None if not cell.header else "col" if head else "row"
    rowspan, colspan = (span if span > 1 else None for span in spans)
    shown = html_spans(cell.text, cell.spans)
    text = element("mark", shown) if is_doubtful else shown
    return element(name, text, scope=scope, rowspan=rowspan, colspan=colspan)
