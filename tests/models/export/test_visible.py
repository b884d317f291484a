"""One contract for all outputs: hidden text stays out, text is escaped, and masked values are gone.

Every output of `quire.models.export.OUTPUTS` is held to it, in all its forms.
"""

import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from lxml import html
from markdown_it import MarkdownIt
from pydantic_core import to_json

from quire.models import export as outputs
from quire.models.cdom.flags import HIDDEN_TEXT
from quire.models.cdom.tree import Block, BlockType, FlagSpan, PiiScan, Span, Tree, dump_tree
from quire.models.cdom.visible import count_left_out, visible_blocks
from quire.models.export import TreeOutput
from quire.models.export.context import tree_to_context
from quire.models.export.graph import graph_to_neo4j, tree_to_graph
from quire.models.export.markdown import tree_to_markdown
from quire.models.export.markdown_tables import TableStyle
from quire.models.export.tables.cells import list_cells
from quire.models.export.tables.files import TableFormat, write_tables
from quire.models.neural.embed.tokenizer import load_tokenizer
from quire.models.pii.redact import redact_tree
from quire.serve_apps.compat.conversion import text_of
from quire.serve_apps.compat.docling_document import make_docling_document
from tests.builders import make_block, make_tree, table_block

TOKENIZER = load_tokenizer()


def _served(tree: Tree) -> dict[str, object]:
    served: dict[str, object] = json.loads(dump_tree(tree))
    return served


def _parts(package: bytes) -> str:
    """Everything that a package says: the names and the text of its parts."""
    with zipfile.ZipFile(io.BytesIO(package)) as read:
        return "\n".join(name + read.read(name).decode("utf-8", "replace") for name in read.namelist())


def _made(output: TreeOutput, tree: Tree) -> str:
    """The text of an output: of a Word file its parts, of other values their JSON."""
    made = output.make(tree, tokenizer=TOKENIZER)
    if isinstance(made, str):
        return made
    if isinstance(made, bytes):
        return _parts(made) if made.startswith(b"PK") else made.decode()
    return to_json(made).decode()


OUTPUTS: dict[str, Callable[[Tree], str]] = {
    name: partial(_made, output) for name, output in outputs.OUTPUTS.items() if name != "tree"
} | {
    "markdown-html-tables": lambda tree: tree_to_markdown(tree, tables=TableStyle.HTML),
    "markdown-pipe-tables": lambda tree: tree_to_markdown(tree, tables=TableStyle.PIPE),
    "markdown-with-furniture": lambda tree: tree_to_markdown(tree, furniture=True),
    "context": lambda tree: tree_to_context(tree, max_tokens=4000, tokenizer=TOKENIZER).markdown,
    "tables-csv": lambda tree: _parts(write_tables(TableFormat.CSV, "doc_a", "a.pdf", tree)),
    "tables-xlsx": lambda tree: _parts(write_tables(TableFormat.XLSX, "doc_a", "a.pdf", tree)),
    "tables-cells": lambda tree: repr(list(list_cells(tree))),
    "neo4j": lambda tree: json.dumps(graph_to_neo4j(tree_to_graph(tree), document_id="d"), ensure_ascii=False),
    "docling-text": lambda tree: text_of(_served(tree)),
    "docling-json": lambda tree: json.dumps(make_docling_document(_served(tree), "x.pdf"), ensure_ascii=False),
}
TABLES = {name for name in OUTPUTS if name.startswith("tables-")}
"""Outputs of tables only."""
RENDERED = {name for name in OUTPUTS if name.startswith("markdown") or name in ("html", "context")}
RENDER = MarkdownIt("commonmark", {"html": True}).enable("table")
HOSTILE = "<script>alert(1)</script> Jane <img src=x onerror=alert(1)>"
KINDS = (
    BlockType.TITLE,
    BlockType.HEADING,
    BlockType.PARAGRAPH,
    BlockType.LIST_ITEM,
    BlockType.CAPTION,
    BlockType.CODE,
    BlockType.FORMULA,
    BlockType.FOOTNOTE,
    BlockType.PICTURE,
    BlockType.KEY_VALUE,
    BlockType.CHECKBOX,
    BlockType.PAGE_HEADER,
    BlockType.PAGE_FOOTER,
)


def _every_kind(text: str, **more: Any) -> list[Block]:
    level = {BlockType.HEADING: 1, BlockType.LIST_ITEM: 1}
    blocks = [make_block(kind, text, level=level.get(kind), **more) for kind in KINDS]
    return [*blocks, table_block([["head", text], [text, "cell"]], **more)]


@pytest.mark.parametrize("name", OUTPUTS)
def test_hidden_text_is_in_no_output(name: str) -> None:
    hidden = _every_kind("Owner: Canary 0101-CANARY, canary@hidden.example, 1 May 2021", flags=(HIDDEN_TEXT,))
    seen = make_block(BlockType.PARAGRAPH, "Plain words that everybody sees.")
    assert "canary" not in OUTPUTS[name](make_tree(*hidden, seen)).lower()


@pytest.mark.parametrize("name", sorted(RENDERED))
def test_no_text_becomes_an_element(name: str) -> None:
    written = OUTPUTS[name](make_tree(*_every_kind(HOSTILE)))
    rendered = written if name == "html" else RENDER.render(written)
    root = html.fromstring(f"<div>{rendered}</div>" if name != "html" else rendered)
    assert not list(root.iter("script"))
    assert not [element for element in root.iter("img") if element.get("src") == "x"]
    assert not [element for element in root.iter() if any(str(key).startswith("on") for key in element.attrib)]


@pytest.mark.parametrize("name", sorted(RENDERED))
def test_links_lead_only_where_links_may(name: str) -> None:
    spans = (Span(start=0, end=4, href="javascript:alert(1)"), Span(start=5, end=9, href="https://a.example/"))
    tree = make_tree(make_block(BlockType.PARAGRAPH, "evil good [x](javascript:alert(2))", spans=spans))
    written = OUTPUTS[name](tree)
    rendered = written if name == "html" else RENDER.render(written)
    found = re.findall(r'href="([^"]*)"', rendered)
    assert [target for target in found if not target.startswith("#")] == ["https://a.example/"]


@pytest.mark.parametrize("name", OUTPUTS)
def test_masked_value_is_in_no_output(name: str) -> None:
    secret = "jane@canary.example"
    flagged = {"flags": ("pii:email",), "flag_spans": (FlagSpan(flag="pii:email", start=0, end=len(secret)),)}
    tree = make_tree(*(make_block(kind, secret, level=1, **flagged) for kind in KINDS))
    scanned = PiiScan(engine="regex", version="1", complete=True)
    masked = redact_tree(replace_pii(tree, scanned), {})
    assert "canary" not in OUTPUTS[name](masked)


def replace_pii(tree: Tree, scan: PiiScan) -> Tree:
    return replace(tree, pii=scan)


@pytest.mark.parametrize("name", sorted(set(OUTPUTS) - {"fields", "semantics"} - TABLES))
def test_a_document_of_nothing_but_running_heads_is_text(name: str) -> None:
    tree = make_tree(*(make_block(BlockType.PAGE_HEADER, f"Parcel {n} for warehouse {n}") for n in (11, 12, 13)))
    assert "Parcel 12 for warehouse 12" in OUTPUTS[name](tree)
    assert count_left_out(tree) == {}


def test_omitted_blocks_are_counted_by_reason() -> None:
    tree = make_tree(
        make_block(BlockType.PAGE_HEADER, "head"),
        make_block(BlockType.PARAGRAPH, "unseen", flags=(HIDDEN_TEXT,)),
        make_block(BlockType.PARAGRAPH, "body"),
        make_block(BlockType.PAGE_FOOTER, "1"),
        make_block(BlockType.PAGE_FOOTER, "2", flags=(HIDDEN_TEXT,)),
    )
    assert count_left_out(tree) == {"hidden-text": 2, "page_footer": 1, "page_header": 1}
    assert [block.text for block in visible_blocks(tree)] == ["body"]
    assert count_left_out(tree, furniture=True) == {"hidden-text": 2}
    assert tree_to_context(tree, max_tokens=100, tokenizer=TOKENIZER).left_out == count_left_out(tree)
