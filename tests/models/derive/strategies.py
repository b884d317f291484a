"""Trees as hypothesis makes them: every block type, nasty texts, tables with spans, levels, links, parents."""

from hypothesis import strategies as st

from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.table import Cell, Table
from quire.models.cdom.tree import Block, BlockId, BlockType, Span, Tree
from tests.builders import make_block, make_tree

NASTY = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "javascript:alert(1)",
    "JaVa\tscript:alert(1)",
    "data:text/html,<b>x</b>",
    "vbscript:x",
    "]]>",
    "<!--",
    "--><svg onload=x>",
    "\u2028",
    "\x00\x1b",
    "\ud800",
    "=cmd()",
    "url(javascript:x)",
    "</style></title></main>",
    "&lt;&#x3c;",
    "\ufffe",
)
WORD = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=12)
TEXT = st.lists(
    st.one_of(WORD, st.sampled_from(NASTY), st.sampled_from(["one", "two. ", "Total:", "9.50"])), max_size=8
).map(" ".join)
HREFS = st.one_of(
    st.none(),
    st.sampled_from([*NASTY, "https://example.org/a?b=c", "mailto:a@example.org", "#b1", "\x01javascript:x", "//evil"]),
)


@st.composite
def tables(draw: st.DrawFn, header: bool = True) -> Table:
    rows, cols = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    cells = [
        Cell(row=row, col=col, text=draw(TEXT), header=header and row == 0, row_span=draw(st.integers(1, 2)))
        for row in range(rows)
        for col in range(cols)
        if draw(st.booleans())
    ]
    return Table(rows=rows, cols=cols, cells=tuple(cells))


@st.composite
def blocks(draw: st.DrawFn, header: bool = True) -> Block:
    kind = draw(st.sampled_from(list(BlockType)))
    text = draw(TEXT)
    ends = st.integers(0, len(text) + 2)
    spans = st.builds(
        lambda a, b, bold, italic, href: Span(start=min(a, b), end=max(a, b), bold=bold, italic=italic, href=href),
        ends, ends, st.booleans(), st.booleans(), HREFS,
    )  # fmt: skip
    return make_block(
        kind,
        text,
        page=draw(st.integers(1, 3)),
        level=draw(st.one_of(st.none(), st.integers(1, 6))),
        bbox=draw(st.one_of(st.none(), st.just((10.0, 10.0, 200.0, 30.0)))),
        spans=tuple(draw(st.lists(spans, max_size=3))),
        table=draw(tables(header)) if kind is BlockType.TABLE else None,
        asset_ref=draw(st.sampled_from([None, "p1-1", '"onload=x'])) if kind is BlockType.PICTURE else None,
        parent=draw(st.sampled_from([None, BlockId("b0"), BlockId("b1")])) if kind is BlockType.CAPTION else None,
        flags=(HIDDEN_TEXT,) if draw(st.integers(0, 9)) == 0 else (),
    )


def trees(*, header: bool = True, max_size: int = 8) -> st.SearchStrategy[Tree]:
    return st.lists(blocks(header), max_size=max_size).map(lambda made: make_tree(*made))
